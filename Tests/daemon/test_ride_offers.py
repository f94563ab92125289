"""Ride requests that are matched with one another by a running moyeod: offers over both wires and on the
command line, answers once, through kill -9, and who may see and answer them.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_ride_offers.py
"""

import datetime
import json
import pathlib
import tempfile
import unittest

import tokens
from running_daemon import ROOT, Daemon, run

ORIGIN = {"name": "Sinchon", "latitude": 37.5551, "longitude": 126.9368}
DESTINATION = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
EVERY_SECOND = {"MOYEO_PARTIES_BATCH_SECONDS": "1"}


def trip(rider, minutes=12, north=0.0):
    departure = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return {"riderId": rider, "destination": DESTINATION,
            "origin": {**ORIGIN, "latitude": ORIGIN["latitude"] + north},
            "departureTime": departure.isoformat(timespec="seconds"), "maxWalkMeters": 400,
            "store": True}


class Offers(unittest.TestCase):
    def call(self, daemon, method, path, body=None, key=None, token=None, status=200):
        headers = tokens.bearer(token) if token else {}
        if key:
            headers = {**headers, "Idempotency-Key": key}
        answered, value, _ = daemon.request(method, path, body, headers)
        self.assertEqual(answered, status, value)
        return value

    def keep(self, daemon, *trips, tokens_of=None):
        for wanted in trips:
            link = daemon.connection(30)
            owner = tokens.bearer(tokens_of[wanted["riderId"]]) if tokens_of else {}
            link.request("POST", "/v1/parties/match/watch", json.dumps(wanted),
                         {"Content-Type": "application/json", **owner})
            answer = link.getresponse()
            self.assertEqual(answer.status, 200)
            while not answer.fp.readline().startswith(b"data: "):
                pass
            link.close()

    def made(self, daemon, after=0, kind="offer.made", token=None):
        """The first event of a kind behind a sequence."""
        for _ in range(20):
            page = self.call(
                daemon, "GET", f"/v1/events?after={after}&kinds={kind}&waitSeconds=10", token=token)
            if page["events"]:
                return page["events"][0]
        self.fail(f"{kind} was not told")

    def test_an_offer_is_a_party_once_all_have_accepted_also_through_a_crash(self):
        with tempfile.TemporaryDirectory() as folder:
            daemon = Daemon("--resources", str(ROOT), directory=folder, env=EVERY_SECOND)
            try:
                self.keep(daemon, trip("ann"), trip("ben", north=0.001))
                event = self.made(daemon)
                offer = event["rideOfferId"]
                self.assertEqual(set(event["userIds"]), {"ann", "ben"})
                self.assertNotIn("partyId", event)
                listed = self.call(daemon, "GET", "/v1/ride-offers?riderId=ann")["offers"]
                self.assertEqual([one["id"] for one in listed], [offer])
                self.assertEqual((listed[0]["state"], listed[0]["answer"], listed[0]["riders"]),
                                 ("open", "pending", 2))
                kept = self.call(daemon, "GET", "/v1/ride-requests?riderId=ann")["requests"]
                self.assertEqual(kept[0]["offerId"], offer)
                self.assertEqual(kept[0]["origin"]["name"], "Sinchon")
                self.assertEqual(listed[0]["origin"]["name"], "Sinchon")
                self.assertNotIn("ben", json.dumps(listed))
                path = f"/v1/ride-offers/{offer}"
                first = self.call(daemon, "POST", path + "/accept", {"riderId": "ann"}, key="a")
                self.assertEqual(first["offer"]["accepted"], 1)
                refused = self.call(
                    daemon, "POST", path + "/accept", {"riderId": "eve"}, status=404)
                self.assertEqual(refused["error"]["reason"], "unknown_ride_offer")
            finally:
                daemon.kill()
            with Daemon("--resources", str(ROOT), directory=folder, env=EVERY_SECOND) as daemon:
                again = self.call(daemon, "POST", path + "/accept", {"riderId": "ann"}, key="a")
                self.assertEqual(again, first)
                code, text, error = run(
                    "party", "request", "accept", offer, "--rider", "ben", "--url", daemon.url,
                    name="moyeo")
                self.assertEqual(code, 0, error)
                self.assertIn("confirmed, 2 of 2 accepted", text)
                firm = self.call(daemon, "GET", f"{path}?riderId=ben")["offer"]
                party = self.call(daemon, "GET", f"/v1/parties/{firm['partyId']}")["party"]
                self.assertEqual({one["riderId"]: one["share"] for one in party["riders"]},
                                 {"ann": listed[0]["share"], "ben": firm["share"]})
                self.assertEqual(
                    self.call(daemon, "GET", "/v1/ride-requests?riderId=ann")["requests"], [])
                over = self.call(
                    daemon, "POST", path + "/decline", {"riderId": "ann"}, status=409)
                self.assertEqual(over["error"]["reason"], "ride_offer_ended")

    def test_the_command_line_keeps_lists_and_declines(self):
        with Daemon("--resources", str(ROOT), env=EVERY_SECOND) as daemon:
            # Apart, so that those of one wire are not put together with those of the other.
            for wire, origin in ((("--url", daemon.url), "37.5551,126.9368"),
                                 (("--grpc", daemon.grpc_address), "37.6151,126.9368")):
                names = [f"{wire[0][2:]}-{name}" for name in ("ann", "ben")]
                begun = self.call(daemon, "GET", "/v1/events?after=0&limit=1000")["next"]
                for rider in names:
                    code, _, error = run(
                        "party", "request", "make", "--rider", rider, "--from", origin,
                        "--to", "37.4979,127.0276", "--in", "12", *wire, name="moyeo")
                    self.assertEqual(code, 0, error)
                offer = self.made(daemon, begun)["rideOfferId"]
                code, text, error = run(
                    "party", "request", "offers", "--rider", names[0], *wire, name="moyeo")
                self.assertEqual(code, 0, error)
                self.assertIn(offer, text)
                code, text, error = run(
                    "party", "request", "decline", offer, "--rider", names[1], *wire, name="moyeo")
                self.assertEqual(code, 0, error)
                self.assertIn("declined", text)

    def test_a_rider_sees_and_answers_their_own_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys.json"
            signer = tokens.Signer("one")
            keys.write_text(tokens.key_set(signer))
            people = {name: signer.token(name) for name in ("ann", "ben")}
            server = signer.token("server", scope="read command service")
            settings = {**tokens.settings(keys), **EVERY_SECOND}
            with Daemon("--resources", str(ROOT), env=settings) as daemon:
                self.keep(daemon, trip("ann"), trip("ben", north=0.001), tokens_of=people)
                offer = self.made(daemon, token=server)["rideOfferId"]
                path = f"/v1/ride-offers/{offer}"
                self.call(daemon, "POST", path + "/accept", {"riderId": "ben"},
                          token=people["ann"], status=403)
                mine = self.call(daemon, "GET", path, token=people["ann"])["offer"]
                self.assertEqual((mine["riderId"], mine["accepted"]), ("ann", 0))
                done = self.call(daemon, "POST", path + "/decline", {}, token=people["ann"])
                self.assertEqual(done["offer"]["state"], "declined")


if __name__ == "__main__":
    unittest.main()
