"""A taxi that two people share. Run: python parties.py http://127.0.0.1:8080"""

import sys
import uuid
from datetime import datetime, timedelta, timezone

from moyeo import Moyeo, Refused

SEOUL_STATION = {"name": "Seoul Station", "latitude": 37.5547, "longitude": 126.9707}
GANGNAM = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
mina, jun = f"mina-{uuid.uuid4()}", f"jun-{uuid.uuid4()}"

with Moyeo(sys.argv[1]) as moyeo:
    leave = datetime.now(timezone.utc) + timedelta(minutes=30)
    party = moyeo.parties.create(
        host_id=mina, origin=SEOUL_STATION, destination=GANGNAM, departure_time=leave, seats=2).party
    print(f"the party is {party.state}")

    match = moyeo.parties.match(
        rider_id=jun, origin=SEOUL_STATION, destination=GANGNAM, departure_time=leave, explain=True)
    print(f"found: {party.id in [one.party.id for one in match.candidates]}")
    share = moyeo.parties.preview_join(id=party.id, rider_id=jun).now[-1]
    print(f"sharing is cheaper: {share.share < share.solo_fare}")

    with moyeo.parties.watch(id=party.id, after_version=party.version) as events:
        # Sent again after a cut connection it still has one effect: the client makes the key.
        party = moyeo.parties.join(id=party.id, rider_id=jun, max_share=share.share).party
        print(f"the party is {party.state}; the watch says {next(events).kind}")

    try:
        moyeo.parties.join(id=party.id, rider_id=f"late-{uuid.uuid4()}")
    except Refused as refusal:
        print(f"too late: {refusal.reason}")
    moyeo.parties.leave(id=party.id, rider_id=jun)
    print(f"the party is {moyeo.parties.cancel(id=party.id, rider_id=mina).party.state}")

# It prints:
#   the party is open
#   found: True
#   sharing is cheaper: True
#   the party is full; the watch says joined
#   too late: party_full
#   the party is cancelled
