"""Requests that wait for each other. Run: python ride_requests.py http://127.0.0.1:8080"""

import sys
import uuid
from datetime import datetime, timedelta, timezone

from moyeo import Moyeo

SINCHON = {"name": "Sinchon", "latitude": 37.5551, "longitude": 126.9368}
GANGNAM = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
bora, seol = f"bora-{uuid.uuid4()}", f"seol-{uuid.uuid4()}"

with Moyeo(sys.argv[1]) as moyeo:
    leave = datetime.now(timezone.utc) + timedelta(minutes=12)
    # Stored, a request waits on when its stream has ended: until it is withdrawn, or its window
    # ends.
    with moyeo.parties.watch_matches(
            rider_id=bora, origin=SINCHON, destination=GANGNAM, departure_time=leave,
            store=True) as of_bora, moyeo.parties.watch_matches(
            rider_id=seol, origin=SINCHON, destination=GANGNAM, departure_time=leave,
            store=True) as of_seol:
        # First come the parties that match already.
        kept = next(of_bora).match_id
        print(f"{next(of_seol).kind} come first")
        requests = moyeo.parties.list_ride_requests(rider_id=bora).requests
        print(f"it is kept: {[one.id for one in requests] == [kept]}")

        # Those that wait are matched with one another, once a minute (parties.batchSeconds).
        offer = next(event.offer for event in of_bora if event.kind == "offer")
        print(f"{offer.riders} riders, {offer.accepted} accepted, "
              f"cheaper than alone: {offer.share < offer.solo_fare}")

    moyeo.parties.accept_ride_offer(id=offer.id, rider_id=bora)
    theirs = moyeo.parties.list_ride_offers(rider_id=seol).offers[0]
    print(f"before the last answer it is {theirs.state}")
    firm = moyeo.parties.accept_ride_offer(id=theirs.id, rider_id=seol).offer
    party = moyeo.parties.get(id=firm.party_id).party
    print(f"then it is {firm.state}, a party of {party.rider_count}")

    # A request that nobody waits for any more is withdrawn.
    with moyeo.parties.watch_matches(
            rider_id=bora, origin=GANGNAM, destination=SINCHON,
            departure_time=leave + timedelta(hours=3), store=True) as back:
        request = moyeo.parties.withdraw_ride_request(id=next(back).match_id, rider_id=bora).request
        print(f"the way back is {request.state}")

# It prints:
#   candidates come first
#   it is kept: True
#   2 riders, 0 accepted, cheaper than alone: True
#   before the last answer it is open
#   then it is confirmed, a party of 2
#   the way back is withdrawn
