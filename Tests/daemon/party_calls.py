"""What tests of parties have in common: a trip, a daemon with tariffs, and calls that must succeed or be
refused."""

import datetime
import unittest

from running_daemon import ROOT, Daemon

ORIGIN = {"name": "서울역, 1번 출구, \"quoted\"", "latitude": 37.5547, "longitude": 126.9707}
DESTINATION = {"name": "강남역, 11번 출구", "latitude": 37.4979, "longitude": 127.0276}


def at(minutes):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def body(host, minutes=60, **more):
    return {"hostId": host, "origin": ORIGIN, "destination": DESTINATION,
            "departureTime": at(minutes), **more}


class PartyCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.__exit__)

    def call(self, method, path, given=None, key=None, status=200):
        headers = {"Idempotency-Key": key} if key else None
        got, answer, _ = self.daemon.request(method, path, given, headers)
        self.assertEqual(got, status, answer)
        return answer

    def refused(self, path, given, word, status, method="POST", field=None):
        error = self.call(method, path, given, status=status)["error"]
        self.assertEqual(error["reason"], word, error)
        self.assertTrue(error["message"])
        if field:
            self.assertIn(field, [one["field"] for one in error["fields"]], error)
        return error

    def create(self, host, **more):
        return self.call("POST", "/v1/parties", body(host, **more))["party"]
