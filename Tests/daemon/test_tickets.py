"""Tickets of a running moyeod: asked, accepted, called off; kept through kill -9; watched.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_tickets.py
"""

import concurrent.futures
import json
import math
import random
import tempfile
import unittest

from running_daemon import ROOT, Daemon, run
from service_calls import ServiceCase

GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}
ROUNDS = 3


def meters(one, other):
    x = math.radians(other["longitude"] - one["longitude"]) * math.cos(math.radians(37.5))
    y = math.radians(other["latitude"] - one["latitude"])
    return math.hypot(x, y) * 6_371_008.8


class Tickets(ServiceCase):
    def open(self, user, **more):
        return self.call("POST", "/v1/tickets", {"userId": user, "here": GANGNAM, **more})["ticket"]

    def act(self, user, verb, other, **more):
        return self.call(
            "POST", f"/v1/tickets/{user}/{verb}", {"otherId": other, **more})["ticket"]

    def test_the_shape_of_a_ticket(self):
        ticket = self.open("shape", tags=["#Swift"], attributes={"gender": "f"})
        for name in ("userId", "version", "state", "here", "tags", "attributes", "proposalsFrom",
                     "expiresAt", "online", "lastSeenSeconds", "reviewed", "shownAt"):
            self.assertIn(name, ticket)
        self.assertEqual((ticket["state"], ticket["tags"], ticket["proposalsFrom"]),
                         ("open", ["swift"], []))
        self.assertEqual(ticket["here"], GANGNAM)
        self.assertGreater(meters(ticket["here"], ticket["shownAt"]), 1)
        self.assertEqual(self.call("GET", "/v1/tickets/shape")["ticket"]["userId"], "shape")
        self.refused("/v1/tickets/nobody", None, "unknown_ticket", 404, "GET")
        self.refused("/v1/tickets", {"userId": "x"}, "missing_field", 400)
        self.refused(
            "/v1/tickets", {"userId": "x", "here": {"latitude": 0, "longitude": 0}},
            "null_island", 400)
        self.call("DELETE", "/v1/tickets/shape")

    def test_ask_accept_rate_and_what_is_refused(self):
        for user in ("aa-ann", "aa-ben", "aa-cat"):
            self.open(user)
        asked = self.act("aa-ann", "propose", "aa-ben")
        self.assertEqual(asked["proposalsTo"], ["aa-ben"])
        self.refused("/v1/tickets/aa-ben/propose", {"otherId": "aa-ann", "matchIfAsked": False},
                     "other_asked_you", 409)
        self.refused("/v1/tickets/aa-ben/accept", {"otherId": "aa-cat"}, "not_asked", 409)
        self.refused("/v1/tickets/aa-ben/propose", {"otherId": "aa-ben"}, "oneself", 400)
        met = self.act("aa-ben", "accept", "aa-ann")
        self.assertEqual((met["state"], met["matchedWith"]), ("matched", "aa-ann"))
        other = self.call("GET", "/v1/tickets/aa-ann")["ticket"]
        self.assertEqual((other["matchedWith"], other["matchId"]), ("aa-ben", met["matchId"]))
        self.refused("/v1/tickets/aa-cat/propose", {"otherId": "aa-ann"}, "other_matched", 409)
        self.refused("/v1/tickets", {"userId": "aa-ann", "here": GANGNAM}, "already_matched", 409)
        done = self.act("aa-ann", "rate", "aa-ben", stars=5, comment="on time")
        self.assertEqual((done["state"], done["reviewed"]), ("closed", True))
        self.refused(
            "/v1/tickets/aa-ann/rate", {"otherId": "aa-ben", "stars": 1}, "already_rated", 409)
        self.refused("/v1/tickets/aa-cat/propose", {"otherId": "aa-ann"}, "other_gone", 409)
        self.call("DELETE", "/v1/tickets/aa-cat")

    def test_calling_off_costs_a_minute_and_says_until_when(self):
        for user in ("do-ann", "do-ben"):
            self.open(user)
        self.act("do-ann", "propose", "do-ben")
        self.act("do-ben", "propose", "do-ann")
        self.assertEqual(self.act("do-ann", "dodge", "do-ben")["state"], "closed")
        self.assertEqual(self.call("GET", "/v1/tickets/do-ben")["ticket"]["dodgedBy"], "do-ann")
        error = self.refused(
            "/v1/tickets", {"userId": "do-ann", "here": GANGNAM}, "penalty", 409)
        self.assertTrue(50_000 < error["retryAfterMilliseconds"] <= 60_000, error)

    def test_search_filters_before_the_limit_and_shows_no_exact_place(self):
        here = {"latitude": 37.61, "longitude": 127.10}
        for i in range(12):
            self.open(f"se-{i}", here=here, tags=["go"] if i % 2 else ["art"],
                      attributes={"gender": "f" if i % 3 else "m"})
        self.open("se-me", here=here, tags=["go"], wanted=[{"name": "gender", "values": ["f"]}])
        found = self.call("POST", "/v1/tickets/search", {"userId": "se-me", "limit": 3})
        self.assertEqual(len(found["around"]), 3)
        self.assertIn("nextCursor", found)
        rest = self.call("POST", "/v1/tickets/search", {
            "userId": "se-me", "limit": 3, "cursor": found["nextCursor"]})
        everyone = {person["userId"] for person in found["around"] + rest["around"]}
        self.assertEqual(everyone, {"se-1", "se-5", "se-7", "se-11"})
        self.assertEqual(found["popularTags"][0], {"tag": "go", "count": 7})
        for person in found["around"]:
            self.assertGreater(meters(person, here), 1)
            self.assertEqual(person["commonTags"], ["go"])
        explained = self.call("POST", "/v1/tickets/search", {"userId": "se-me", "explain": True})
        counts = explained["explanation"]
        self.assertEqual(counts["considered"], 12)
        self.assertEqual(counts["removed"], {"tags": 6, "wanted": 2})
        self.assertAlmostEqual(
            explained["around"][0]["score"]["total"],
            sum(value for name, value in explained["around"][0]["score"].items()
                if name != "total"), places=5)
        self.refused("/v1/tickets/search", {"userId": "se-me", "ranking": {"online": 99}},
                     "limit_out_of_range", 400)
        # The layer, its clusters and tiles know the middles of cells alone.
        self.refused("/v1/layers/tickets/positions", {"positions": [
            {"id": "x", **GANGNAM}]}, "reserved_layer", 409)
        near = self.call(
            "GET", "/v1/layers/tickets/nearby?latitude=37.61&longitude=127.10&limit=50")
        self.assertEqual(len({(hit["latitude"], hit["longitude"]) for hit in near["hits"]
                              if hit["id"].startswith("se-")} & {(37.61, 127.10)}), 0)
        clusters = self.call("GET", "/v1/layers/tickets/clusters?west=127&south=37.5&east=127.2"
                                    "&north=37.7&zoom=10")
        self.assertGreater(sum(one["pointCount"] for one in clusters["clusters"]), 12)
        batch = self.call("POST", "/v1/batch", {"requests": [
            {"method": "GET", "path": "/v1/tickets/se-me"},
            {"method": "POST", "path": "/v1/tickets/search", "body": {"userId": "se-me"}}]})
        self.assertEqual([one["status"] for one in batch["responses"]], [200, 200])

    def test_a_blocked_person_is_told_of_somebody_who_left(self):
        for user in ("bl-ann", "bl-ben"):
            self.open(user)
        self.act("bl-ann", "block", "bl-ben")
        self.refused("/v1/tickets/bl-ben/propose", {"otherId": "bl-ann"}, "other_gone", 409)
        self.refused("/v1/tickets/bl-ann/propose", {"otherId": "bl-ben"}, "blocked_by_you", 409)
        origin = {"name": "a", "latitude": 37.5547, "longitude": 126.9707}
        end = {"name": "b", "latitude": 37.4979, "longitude": 127.0276}
        trip = {"origin": origin, "destination": end, "departureTime": "2099-01-01T00:00:00Z"}
        made = self.call("POST", "/v1/parties", {"hostId": "bl-ann", **trip})["party"]
        match = {"riderId": "bl-ben", "explain": True, **trip}
        self.assertEqual(self.call("POST", "/v1/parties/match", match)["candidates"], [])
        self.refused(
            f"/v1/parties/{made['id']}/join", {"riderId": "bl-ben"}, "blocked", 409)
        self.act("bl-ann", "unblock", "bl-ben")
        self.assertEqual(len(self.call("POST", "/v1/parties/match", match)["candidates"]), 1)

    def test_a_long_poll_ends_with_the_change(self):
        before = self.open("lp-ann")
        self.open("lp-ben")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            poll = pool.submit(
                self.call, "GET",
                f"/v1/tickets/lp-ann?afterVersion={before['version']}&waitSeconds=30")
            self.act("lp-ben", "propose", "lp-ann")
            ticket = poll.result(timeout=20)["ticket"]
        self.assertEqual(ticket["proposalsFrom"], ["lp-ben"])
        same = self.call(
            "GET", f"/v1/tickets/lp-ann?afterVersion={ticket['version']}&waitSeconds=0")
        self.assertEqual(same["ticket"]["version"], ticket["version"])
        self.refused("/v1/tickets/lp-ann?afterVersion=1&waitSeconds=31", None,
                     "limit_out_of_range", 400, "GET")

    def test_events_stream_and_resume(self):
        self.open("ev-ann")
        self.open("ev-ben")
        first = self.stream("/v1/tickets/ev-ann/events?afterVersion=0", 1)
        self.assertEqual(first[0]["kind"], "opened")
        self.act("ev-ben", "propose", "ev-ann")
        self.act("ev-ann", "accept", "ev-ben")
        rest = self.stream(
            f"/v1/tickets/ev-ann/events?resumeToken={first[0]['resumeToken']}", 2)
        self.assertEqual([event["kind"] for event in rest], ["proposed", "matched"])
        self.assertEqual(rest[1]["userIds"], ["ev-ann"])
        self.assertNotIn("partyId", rest[1])
        self.assertEqual(rest[1]["body"]["otherId"], "ev-ben")

    def stream(self, path, count):
        connection = self.daemon.connection()
        connection.request("GET", path, headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        found = []
        while len(found) < count:
            line = answer.readline().decode()
            if line.startswith("data:"):
                found.append(json.loads(line[5:]))
        connection.close()
        return found

    def test_a_repeated_key_has_its_effect_once(self):
        one = self.call("POST", "/v1/tickets", {"userId": "id-ann", "here": GANGNAM}, key="k-1")
        two = self.call("POST", "/v1/tickets", {"userId": "id-ann", "here": GANGNAM}, key="k-1")
        self.assertEqual(one["ticket"]["version"], two["ticket"]["version"])
        error = self.call("POST", "/v1/tickets", {"userId": "id-ben", "here": GANGNAM}, key="k-1",
                          status=409)["error"]
        self.assertEqual(error["reason"], "idempotency_mismatch")

    def test_thirty_two_race_for_ten(self):
        wanted = [f"ra-w{i}" for i in range(10)]
        clients = [f"ra-c{i}" for i in range(32)]
        for number in range(ROUNDS):
            for user in wanted + clients:
                self.open(user)

            def race(client):
                draws = random.Random(f"{number} {client}")
                for _ in range(4):
                    other = draws.choice(wanted)
                    self.daemon.request(
                        "POST", f"/v1/tickets/{client}/propose", {"otherId": other})
                    self.daemon.request(
                        "POST", f"/v1/tickets/{other}/accept", {"otherId": client})

            with concurrent.futures.ThreadPoolExecutor(32) as pool:
                list(pool.map(race, clients))
            met = {user: self.call("GET", f"/v1/tickets/{user}")["ticket"].get("matchedWith")
                   for user in wanted + clients}
            pairs = {user: other for user, other in met.items() if other}
            self.assertGreater(len(pairs), 10)
            for user, other in pairs.items():
                self.assertEqual(pairs[other], user, "somebody is in two matches")
            for user in wanted + clients:
                self.call("DELETE", f"/v1/tickets/{user}")

    def test_the_command_line(self):
        def moyeo(*arguments):
            code, out, error = run(
                "ticket", *arguments, "--url", self.daemon.url, name="moyeo")
            self.assertEqual(code, 0, error)
            return out

        moyeo("open", "cl-ann", "--at", "37.70,127.05", "--tags", "swift")
        moyeo("open", "cl-ben", "--at", "37.70,127.05", "--tags", "swift")
        self.assertIn("cl-ben", moyeo("search", "cl-ann"))
        moyeo("propose", "cl-ann", "cl-ben")
        self.assertIn("asks you  cl-ann", moyeo("search", "cl-ben"))
        self.assertIn("meets  cl-ann", moyeo("accept", "cl-ben", "cl-ann"))
        moyeo("rate", "cl-ann", "cl-ben", "--stars", "4")
        moyeo("report", "cl-ann", "cl-ben")
        moyeo("block", "cl-ann", "cl-ben")
        moyeo("unblock", "cl-ann", "cl-ben")
        self.assertIn("closed", moyeo("close", "cl-ben"))


class KeptTickets(unittest.TestCase):
    def test_what_was_acknowledged_survives_kill_9(self):
        with tempfile.TemporaryDirectory() as directory:
            with Daemon("--resources", str(ROOT), directory=directory) as daemon:
                for user in ("ann", "ben", "cat"):
                    status, _, _ = daemon.request(
                        "POST", "/v1/tickets", {"userId": user, "here": GANGNAM})
                    self.assertEqual(status, 200)
                daemon.request("POST", "/v1/tickets/ann/propose", {"otherId": "ben"})
                _, met, _ = daemon.request(
                    "POST", "/v1/tickets/ben/accept", {"otherId": "ann"})
                daemon.request("POST", "/v1/tickets/cat/propose", {"otherId": "ben"})
                daemon.kill()
            with Daemon("--resources", str(ROOT), directory=directory) as daemon:
                _, ann, _ = daemon.request("GET", "/v1/tickets/ann")
                self.assertEqual(ann["ticket"]["matchedWith"], "ben")
                self.assertEqual(ann["ticket"]["matchId"], met["ticket"]["matchId"])
                _, cat, _ = daemon.request("GET", "/v1/tickets/cat")
                self.assertEqual(cat["ticket"]["state"], "open")
                daemon.terminate()
            code, out, error = run(
                "doctor", "--data-directory", directory, name="moyeo")
            self.assertEqual(code, 0, out + error)


if __name__ == "__main__":
    unittest.main()
