"""Who is near, page by page. Run: python nearby.py http://127.0.0.1:8080"""

import sys

from moyeo import Moyeo, Refused

with Moyeo(sys.argv[1]) as moyeo:
    moyeo.positions.report(layer="students", positions=[
        {"id": f"student-{i}", "latitude": 37.5663 + i / 1000, "longitude": 126.9779,
         "tags": ["swift"] if i % 2 == 0 else ["python"], "attributes": {"level": i},
         "ttl_seconds": 600} for i in range(6)])

    cursor = None
    while True:
        page = moyeo.positions.nearby(
            layer="students", latitude=37.5663, longitude=126.9779, tags=["swift"], limit=2,
            cursor=cursor, where=[{"attribute": "level", "max": 4}])
        for hit in page.hits:
            print(f"{hit.id}: {hit.distance_meters:.0f} m")
        if not page.next_cursor:
            break
        cursor = page.next_cursor

    tags = moyeo.positions.tag_histogram(
        layer="students", latitude=37.5663, longitude=126.9779, radius_meters=5000).tags
    print(", ".join(f"{tag.tag} {tag.count}" for tag in tags))

    try:
        moyeo.positions.nearby(layer="students", latitude=91, longitude=127)
    except Refused as refusal:
        print(f"{refusal.fields[0].field}: {refusal.reason}")

# It prints:
#   student-0: 0 m
#   student-2: 222 m
#   student-4: 444 m
#   python 3, swift 3
#   latitude: latitude_out_of_range
