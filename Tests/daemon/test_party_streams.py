"""Parties of a running moyeod as they happen: streams, long polls, standing requests.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_party_streams.py
"""

import json
import threading
import time
import unittest

from party_calls import DESTINATION, PartyCase, at


class PartyStreams(PartyCase):
    def events(self, path, headers=None, count=1, patience=20):
        """The first server-sent events of a path as (kind, id, data)."""
        link = self.daemon.connection(patience)
        link.request("GET", path, headers={"Accept": "text/event-stream", **(headers or {})})
        answer = link.getresponse()
        self.assertEqual(answer.status, 200, answer.status)
        out, event = [], {}
        while len(out) < count:
            line = answer.fp.readline()
            if b":" not in line and line.strip() and all(c in b"0123456789abcdef" for c in
                                                         line.strip()):
                continue  # the length of a chunk
            text = line.decode().rstrip("\r\n")
            if not text and event.get("data"):
                out.append((event["event"], event["id"], json.loads(event["data"])))
                event = {}
            elif ": " in text:
                name, value = text.split(": ", 1)
                event[name] = value
        link.close()
        return out

    def test_streams(self):
        party = self.create("stream")
        path = f"/v1/parties/{party['id']}"
        got = []
        reader = threading.Thread(
            target=lambda: got.extend(self.events(path + "/events?afterVersion=1", count=3)))
        reader.start()
        self.call("POST", path + "/join", {"riderId": "stream-1"})
        self.call("POST", path + "/leave", {"riderId": "stream-1"})
        reader.join(20)
        self.assertEqual([kind for kind, _, _ in got], ["joined", "shares_changed", "left"])
        self.assertEqual(got[0][2]["body"]["riderId"], "stream-1")
        token = got[0][1]
        more = self.events(path + "/events", {"Last-Event-ID": token}, count=2)
        self.assertEqual([kind for kind, _, _ in more], ["shares_changed", "left"])
        feed = self.events(f"/v1/events?resumeToken={token}&kinds=party.left", count=1)
        self.assertEqual(feed[0][0], "party.left")
        expired = self.daemon.request(
            "GET", "/v1/events?resumeToken=99999999", headers={"Accept": "text/event-stream"})
        self.assertEqual((expired[0], expired[1]["error"]["reason"]), (410, "resume_token_ahead"))

    def test_long_poll(self):
        newest = self.call("GET", "/v1/events?after=0&limit=1000")["next"]
        timer = threading.Timer(0.5, lambda: self.create("poll"))
        timer.start()
        began = time.monotonic()
        answer = self.call("GET", f"/v1/events?after={newest}&kinds=party.created&waitSeconds=20")
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(answer["events"][0]["body"]["hostId"], "poll")
        timer.join()
        empty = self.call(
            "GET", f"/v1/events?after={answer['next']}&kinds=none&waitSeconds=0.2")
        self.assertEqual(empty["events"], [])

    def test_watch_matches(self):
        link = self.daemon.connection(20)
        trip = {"riderId": "wm", "origin": {"latitude": 37.3503, "longitude": 126.95},
                "destination": DESTINATION, "departureTime": at(90), "store": True}
        link.request("POST", "/v1/parties/match/watch", json.dumps(trip),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        self.assertEqual(answer.status, 200)

        def next_event():
            data = None
            while True:
                line = answer.fp.readline().decode()
                if line.startswith("data: "):
                    data = json.loads(line[6:])
                elif line.startswith("\n") and data:
                    return data

        first = next_event()
        self.assertEqual((first["kind"], first["candidates"]), ("candidates", []))
        made = self.create(
            "wm-host", minutes=90, origin={"latitude": 37.35, "longitude": 126.95})
        found = next_event()
        self.assertEqual((found["kind"], found["candidates"][0]["party"]["id"]),
                         ("candidate", made["id"]))
        self.call("POST", f"/v1/parties/{made['id']}/cancel", {})
        gone = next_event()
        self.assertEqual((gone["kind"], gone["partyId"]), ("gone", made["id"]))
        link.close()
        told = self.call(
            "GET", "/v1/events?after=0&kinds=match.found&waitSeconds=10")["events"]
        self.assertEqual([(event["partyId"], event["matchId"], event["userIds"])
                          for event in told if event["matchId"] == first["matchId"]],
                         [(made["id"], first["matchId"], ["wm"])])

    def test_requests_that_wait(self):
        trip = {"riderId": "wait-1", "origin": {"latitude": 37.66, "longitude": 126.95},
                "destination": DESTINATION, "departureTime": at(60), "store": True}
        ids = []
        for minutes in (60, 500):
            link = self.daemon.connection(20)
            link.request(
                "POST", "/v1/parties/match/watch",
                json.dumps({**trip, "departureTime": at(minutes)}),
                {"Content-Type": "application/json"})
            answer = link.getresponse()
            line = ""
            while not line.startswith("data: "):
                line = answer.fp.readline().decode()
            ids.append(json.loads(line[6:])["matchId"])
            link.close()
        path = "/v1/ride-requests"
        kept = self.call("GET", path + "?riderId=wait-1")["requests"]
        self.assertEqual([one["id"] for one in kept], ids)
        self.assertEqual(kept[0]["state"], "open")
        self.assertEqual(self.call("GET", f"{path}/{ids[1]}")["request"], kept[1])
        self.refused(f"{path}/{ids[1]}/withdraw", {"riderId": "other"}, "unknown_ride_request", 404)
        done = self.call("POST", f"{path}/{ids[1]}/withdraw", {"riderId": "wait-1"}, key="w-1")
        self.assertEqual({name: done["request"][name] for name in ("id", "riderId", "state")},
                         {"id": ids[1], "riderId": "wait-1", "state": "withdrawn"})
        again = self.call("POST", f"{path}/{ids[1]}/withdraw", {"riderId": "wait-1"}, key="w-1")
        self.assertEqual(again, done)
        self.refused(f"{path}/{ids[1]}/withdraw", {}, "unknown_ride_request", 404)
        self.refused(f"{path}/{ids[1]}", None, "unknown_ride_request", 404, method="GET")
        # Whoever gets in waits no longer.
        party = self.create("wait-host", origin={"latitude": 37.66, "longitude": 126.95})
        self.call("POST", f"/v1/parties/{party['id']}/join", {"riderId": "wait-1"})
        for _ in range(3000):
            left = self.call("GET", path + "?riderId=wait-1")["requests"]
            if not left:
                break
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
