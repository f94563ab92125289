"""Good requests, of which the families make bad ones."""

import datetime
import json

LAYER = "hostile"
SEOUL = {"latitude": 37.5547, "longitude": 126.9707}
GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}


def at(minutes):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def encoded(value):
    return json.dumps(value, ensure_ascii=False).encode()


POSITION = {"id": "kim", "latitude": 37.5665, "longitude": 126.978, "tags": ["#Swift"],
            "attributes": {"level": 7, "name": "김"}, "ttlSeconds": 600}
FILTERS = {"tags": ["swift"], "tagMatch": "any", "notTags": ["x"], "excludeIds": ["y"],
           "where": [{"attribute": "level", "min": 1, "max": 9}], "maxAgeSeconds": 100}
TRIANGLE = {"points": [{"latitude": 37, "longitude": 126}, {"latitude": 38, "longitude": 127},
                       {"latitude": 37, "longitude": 128}]}
NEARBY = {"latitude": 37.5663, "longitude": 126.9779, "limit": 3, "radiusMeters": 5000, **FILTERS}
BOX = {"west": 126.9, "south": 37.5, "east": 127.1, "north": 37.6}


def party(host):
    return {"hostId": host, "origin": SEOUL, "destination": GANGNAM, "departureTime": at(60),
            "departureWindowSeconds": 600, "seats": 4, "maxDetourRatio": 0.5,
            "maxWalkMeters": 300, "tags": ["airport"], "splitRule": "bySoloFare",
            "attributes": {"gender": "female"}, "policy": {"sameAttributes": ["gender"]},
            "agreedFare": {"amount": 30000, "currency": "KRW"}, "approval": "host",
            "holdSeats": True,
            "riders": [{"riderId": f"{host}-along", "origin": SEOUL, "dropOff": GANGNAM,
                        "maxWalkMeters": 200, "maxDetourRatio": 0.6, "minSharedRatio": 0,
                        "maxShare": 90000, "attributes": {"gender": "female"}}]}


def day(days):
    return (datetime.date.today() + datetime.timedelta(days=days)).isoformat()


def commute(rider):
    return {"riderId": rider, "origin": SEOUL, "destination": GANGNAM, "weekdays": ["MON", "FRI"],
            "localTime": "07:45", "timeZone": "Asia/Seoul", "from": day(2), "to": day(60),
            "added": [day(3)], "removed": [day(6)], "holidays": "kr-public",
            "departureWindowSeconds": 600, "seats": 1, "maxWalkMeters": 500, "maxDetourRatio": 0.5,
            "minSharedRatio": 0, "maxRideSeconds": 3600, "maxDetourSeconds": 900,
            "tags": ["airport"], "attributes": {"gender": "female"}, "boarding": SEOUL,
            "maxShare": 90000, "allowsOverlap": True}


ON_THE_WAY = {"boarding": SEOUL, "maxRideSeconds": 3600, "maxDetourSeconds": 900,
              "arriveBy": "2035-01-01T00:00:00Z"}


def ride(rider):
    return {"riderId": rider, "origin": SEOUL, "destination": GANGNAM, "departureTime": at(60),
            "departureWindowSeconds": 600, "maxWalkMeters": 500, "maxDetourRatio": 0.5, "seats": 1,
            "minSharedRatio": 0}


def calls(name):
    """(method, path, good body) of every call that takes one; `name` keeps riders apart."""
    return [
        ("POST", f"/v1/layers/{LAYER}/positions", {"positions": [POSITION]}),
        ("POST", f"/v1/layers/{LAYER}/nearby", {**NEARBY, "within": TRIANGLE}),
        ("POST", f"/v1/layers/{LAYER}/nearby/batch", {"requests": [NEARBY, NEARBY]}),
        ("POST", f"/v1/layers/{LAYER}/within", {**BOX, **FILTERS, "limit": 5}),
        ("POST", f"/v1/layers/{LAYER}/within", {"polygon": TRIANGLE}),
        ("POST", "/v1/parties", party(name)),
        ("POST", "/v1/parties/search", {**SEOUL, "radiusMeters": 2000, "seats": 1, "limit": 3,
                                        "from": at(0), "to": at(90), "tags": ["airport"]}),
        ("POST", "/v1/parties/match", {**ride(name), "limit": 3, "explain": True,
                                       "allowsOverlap": True}),
        ("POST", "/v1/parties/match", {**ride(name), **ON_THE_WAY, "explain": True}),
        ("POST", "/v1/parties/none/preview", {"riderId": name, "destination": GANGNAM,
                                              "departureTime": at(60),
                                              "departureWindowSeconds": 600, **ON_THE_WAY}),
        ("POST", "/v1/parties/none/join", {"riderId": name, "seats": 1, "maxShare": 5000,
                                           "departureTime": at(60), **ON_THE_WAY}),
        ("POST", "/v1/parties/none/requests/none/approve", {"hostId": name}),
        ("POST", "/v1/parties/none/requests/none/decline", {"hostId": name}),
        ("POST", "/v1/parties/none/requests/none/withdraw", {"riderId": name}),
        ("POST", "/v1/parties/none/update", {"departureTime": at(70), "seats": 3}),
        ("POST", "/v1/parties/none/settle", {"payerId": name, "amount": 9000, "tolls": 1}),
        ("POST", "/v1/ride-requests/none/withdraw", {"riderId": name}),
        ("POST", "/v1/ride-offers/none/accept", {"riderId": name}),
        ("POST", "/v1/ride-offers/none/decline", {"riderId": name}),
        ("POST", "/v1/commutes", commute(name)),
        ("POST", "/v1/commutes/none/update", {"riderId": name, "weekdays": ["TUE"],
                                              "localTime": "08:30", "removed": [day(4)],
                                              "restored": [day(5)], "holidays": "",
                                              "departureWindowSeconds": 300, "seats": 3,
                                              "includeAppeared": True}),
        ("POST", "/v1/commutes/none/cancel", {"riderId": name, "reason": "moved"}),
        ("POST", "/v1/commutes/none/join", {"riderId": name, "destination": GANGNAM, "seats": 1,
                                            "maxShare": 9000, "boarding": SEOUL}),
        ("POST", "/v1/parties/match-batch", {"requests": [ride("a"), ride("b")], "maxSeats": 4,
                                             "seed": 7, "iterations": 10}),
        ("POST", "/v1/tickets", {"userId": name, "here": SEOUL, "lookingAt": GANGNAM,
                                 "tags": ["swift"], "attributes": {"gender": "f"},
                                 "wanted": [{"name": "gender", "values": ["f"]}],
                                 "expiresInSeconds": 600}),
        ("POST", "/v1/tickets/search", {"userId": name, "lookingAt": SEOUL, "tags": ["swift"],
                                        "radiusMeters": 2000, "limit": 3, "minimumStars": 1,
                                        "ranking": {"distance": 1, "online": 2},
                                        "explain": True}),
        ("POST", "/v1/tickets/none/propose", {"otherId": name, "matchIfAsked": False}),
        ("POST", "/v1/tickets/none/rate", {"otherId": name, "stars": 4, "reputation": [1, 0],
                                           "comment": "kind"}),
        ("POST", "/v1/fares/estimate", {"origin": SEOUL, "destination": GANGNAM,
                                        "departureTime": at(60), "riderCount": 3}),
        ("POST", "/v1/fares/split", {"amount": 10000, "currency": "KRW", "rule": "bySoloFare",
                                     "riders": [{"riderId": "a", "soloFare": 4000},
                                                {"riderId": "b", "soloFare": 7000}]}),
        ("POST", "/v1/routes/plan", {"origin": SEOUL, "destination": GANGNAM,
                                     "stops": [{"latitude": 37.52, "longitude": 127.0}],
                                     "departureTime": at(60)}),
        ("POST", "/v1/batch", {"requests": [
            {"method": "GET", "path": f"/v1/layers/{LAYER}/positions/kim"},
            {"method": "GET", "path": "/v1/places/search?q=swift&latitude=37.5&longitude=127"},
            {"method": "POST", "path": f"/v1/layers/{LAYER}/nearby", "body": NEARBY}]}),
    ]
