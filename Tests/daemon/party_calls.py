"""What tests of parties have in common: a trip, and a party that is made."""

import datetime

from service_calls import ServiceCase

ORIGIN = {"name": "서울역, 1번 출구, \"quoted\"", "latitude": 37.5547, "longitude": 126.9707}
DESTINATION = {"name": "강남역, 11번 출구", "latitude": 37.4979, "longitude": 127.0276}


def at(minutes):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def body(host, minutes=60, **more):
    return {"hostId": host, "origin": ORIGIN, "destination": DESTINATION,
            "departureTime": at(minutes), **more}


class PartyCase(ServiceCase):
    def create(self, host, **more):
        return self.call("POST", "/v1/parties", body(host, **more))["party"]
