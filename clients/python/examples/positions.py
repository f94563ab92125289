"""Positions: reported, looked up, watched. Run: python positions.py http://127.0.0.1:8080"""

import sys

from moyeo import Moyeo

with Moyeo(sys.argv[1]) as moyeo:
    answer = moyeo.positions.report(layer="example", positions=[
        {"id": "kim", "latitude": 37.5665, "longitude": 126.9780, "tags": ["swift"],
         "attributes": {"level": 7}, "ttl_seconds": 600},
        {"id": "lee", "latitude": 0, "longitude": 0}])
    print(f"{answer.accepted} accepted")
    for rejection in answer.rejections:
        print(f"{rejection.id} was refused: {rejection.reason}")

    kim = moyeo.positions.get(layer="example", id="kim").position
    print(f"kim is at {kim.latitude}, {kim.longitude} with level {kim.attributes['level']:.0f}")

    with moyeo.positions.watch(
            layer="example", latitude=37.5665, longitude=126.9780, radius_meters=500) as events:
        # Those present come first.
        event = next(event for event in events if event.kind == "enter")
        print(f"{event.id} is {event.distance_meters:.0f} m away")

    print(f"removed: {moyeo.positions.remove(layer='example', id='kim').removed}")

# It prints:
#   1 accepted
#   lee was refused: null_island
#   kim is at 37.5665, 126.978 with level 7
#   kim is 0 m away
#   removed: True
