"""Places by name, and names by place. Run: python places.py http://127.0.0.1:8080"""

import sys
import time

from moyeo import Moyeo

SEOMYEON = {"latitude": 35.1577, "longitude": 129.0591}

with Moyeo(sys.argv[1]) as moyeo:
    # Objects of the layer `places` that have a name are places.
    moyeo.positions.report(layer="places", positions=[
        {"id": "busan:seomyeon", **SEOMYEON, "ttl_seconds": 600, "attributes": {
            "name": "서면역", "name_en": "Seomyeon", "category": "station"}},
        {"id": "busan:bujeon", "latitude": 35.1620, "longitude": 129.0624, "ttl_seconds": 600,
         "attributes": {"name": "부전역", "name_en": "Bujeon", "category": "station"}}])
    # The index of names follows the layer within moments.
    while not moyeo.places.search(q="부전역").places:
        time.sleep(0.05)

    # Initial consonants, half a syllable, a typing error, the other script.
    for text in ("ㅅㅁㅇ", "서며", "seomyon", "bujeon"):
        found = moyeo.places.search(q=text, **SEOMYEON, radius_meters=3000, limit=1).places
        print(f"{text}: {found[0].name}")

    for place in moyeo.places.reverse(**SEOMYEON, limit=2).places:
        print(f"{place.name}, {place.category}, {place.distance_meters:.0f} m away")

# It prints:
#   ㅅㅁㅇ: 서면역
#   서며: 서면역
#   seomyon: 서면역
#   bujeon: 부전역
#   서면역, station, 0 m away
#   부전역, station, 564 m away
