"""A ride that repeats on weekdays. Run: python commutes.py http://127.0.0.1:8080"""

import sys
import uuid
from datetime import date, timedelta

from moyeo import Moyeo

SINCHON = {"name": "Sinchon", "latitude": 37.5551, "longitude": 126.9368}
GANGNAM = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
mirae, dain = f"mirae-{uuid.uuid4()}", f"dain-{uuid.uuid4()}"
today = date.today()

with Moyeo(sys.argv[1]) as moyeo:
    start = moyeo.events.list(limit=1000).next
    commute = moyeo.commutes.create(
        host_id=mirae, origin=SINCHON, destination=GANGNAM,
        weekdays=["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], local_time="07:45",
        time_zone="Asia/Seoul", to=str(today + timedelta(days=30))).commute
    print(f"the commute is {commute.state}")

    # Two days ahead a day appears: as a party, with an id and events of its own.
    with moyeo.events.watch(after=start, kinds=["party.created"]) as events:
        created = next(event for event in events if event.body["hostId"] == mirae)
    party = moyeo.parties.get(id=created.party_id).party
    print(f"a day is a party that is {party.state}: {party.commute_id == commute.id}")

    # Who joins the series rides on the days that have appeared, and on each as it appears.
    joined = moyeo.commutes.join(id=commute.id, rider_id=dain).commute
    print(f"riders beside the host: {joined.rider_count}")

    off = str(today + timedelta(days=9))
    moyeo.commutes.update(id=commute.id, rider_id=mirae, removed=[off])
    days = moyeo.commutes.get(id=commute.id, days=14).commute.occurrences
    print(f"rides on the day off: {off in [day.date for day in days]}")

    print(f"followed by its rider: {len(moyeo.commutes.list(rider_id=dain).commutes)}")
    moyeo.commutes.leave(id=commute.id, rider_id=dain)
    ended = moyeo.commutes.cancel(id=commute.id, include_appeared=True).commute
    print(f"the commute is {ended.state}")

# It prints:
#   the commute is active
#   a day is a party that is open: True
#   riders beside the host: 1
#   rides on the day off: False
#   followed by its rider: 1
#   the commute is cancelled
