"""What a taxi costs, and how to share it. Run: python fares.py http://127.0.0.1:8080"""

import sys
from datetime import datetime, timedelta, timezone

from moyeo import Moyeo

SEOUL_STATION = {"name": "Seoul Station", "latitude": 37.5547, "longitude": 126.9707}
GANGNAM = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
NIGHT = datetime(2026, 11, 20, 23, 10, tzinfo=timezone(timedelta(hours=9)))

with Moyeo(sys.argv[1]) as moyeo:
    fare = moyeo.fares.estimate(
        origin=SEOUL_STATION, destination=GANGNAM, departure_time=NIGHT, rider_count=3).fare
    print(f"{fare.expected} {fare.currency} by {fare.tariff_id}: {fare.low} to {fare.high}")
    print(f"the lines add up: {sum(line.amount for line in fare.lines) == fare.expected}")

    shares = moyeo.fares.split(
        amount=10_000, currency="KRW", rule="bySoloFare",
        riders=[{"rider_id": "a", "solo_fare": 7000}, {"rider_id": "b", "solo_fare": 5000}]).shares
    print(", ".join(f"{share.rider_id} pays {share.amount}" for share in shares))

    route = moyeo.routes.plan(origin=SEOUL_STATION, destination=GANGNAM)
    print(f"the route has {len(route.path)} points: {route.distance_meters > 5000}")
    tariff = moyeo.fares.list_tariffs(tariff_id=fare.tariff_id, at=NIGHT).tariffs[0]
    print(f"the tariff is of {tariff.time_zone}")

# It prints:
#   18500 KRW by kr-seoul-medium: 14000 to 25600
#   the lines add up: True
#   a pays 5833, b pays 4167
#   the route has 2 points: True
#   the tariff is of Asia/Seoul
