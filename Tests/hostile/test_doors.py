"""Bad input of each door for another app gets that dialect's refusal, and nothing of it reaches the
core: no event, no ticket, no party, no layer, and the daemon stays at its size.

    MOYEOD=.build/debug/moyeod Tests/run hostile/test_doors.py
"""

import unittest

from bodies import GANGNAM
from door_cases import DOORS, HUGE, LAYER, cases
from http1_wire import HTTP1Wire, NoAnswer
from running_daemon import ROOT, Daemon

# Tells a door that hangs; an answer takes milliseconds.
ANSWER_SECONDS = 60
LEAST_CASES = 900
GROWTH_BYTES = 256 << 20
KINDS = {"encoding", "missing", "many", "huge", "twice", "nul", "deep", "method", "path"}
SHOWN = 8


def doors():
    """A daemon with all doors, and one person whose profile the backend has reported."""
    daemon = Daemon(
        "--resources", str(ROOT), "--adapters", "study-queue,taxi-party,messenger",
        env={"MOYEO_DIALECTS_SERVICE_KEY": "doors-key"})
    daemon.report("users", [
        ("doors-ann", GANGNAM["latitude"], GANGNAM["longitude"], [], {"nick": "Ann", "gender": 1})])
    return daemon


class Doors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = doors()
        cls.addClassCleanup(cls.daemon.close)

    def setUp(self):
        self.wire = HTTP1Wire(self.daemon.http_port, ANSWER_SECONDS)
        self.addCleanup(self.wire.close)

    def events(self):
        status, answer, _ = self.daemon.request("GET", "/v1/events?after=0")
        self.assertEqual(status, 200, answer)
        return answer["events"]

    def send(self, bad):
        if bad.length:
            return self.wire.request(bad.method, bad.target, bad.headers, bad.body)
        head = [f"{bad.method} {bad.target} HTTP/1.1", "host: 127.0.0.1",
                *(f"{name}: {value}" for name, value in bad.headers), "transfer-encoding: chunked"]
        data = "\r\n".join(head).encode() + b"\r\n\r\n"
        for at in range(0, len(bad.body), 1 << 20):
            piece = bad.body[at:at + (1 << 20)]
            data += b"%x\r\n%b\r\n" % (len(piece), piece)
        self.wire.close()
        return self.wire.exchange(data + b"0\r\n\r\n")

    def check(self, door):
        events, size = self.events(), self.daemon.resident_bytes()
        wrong, kinds = [], set()
        for kind, bad in cases(door):
            kinds.add(kind)
            try:
                found = door.wrong(self.send(bad), kind)
            except NoAnswer as error:
                found = str(error)
            if found:
                wrong.append(f"{bad}\n    {found}")
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} answers are wrong")
        self.assertEqual(KINDS - kinds, set())
        self.assertEqual(self.events(), events)
        for person in ("doors-ann", "doors-ben", "doors-host"):
            self.assertEqual(self.daemon.request("GET", f"/v1/tickets/{person}")[0], 404)
        layers = self.daemon.request("GET", "/v1/layers")[1]["layers"]
        self.assertNotIn(LAYER, [one["name"] for one in layers])
        self.assertTrue(self.daemon.is_running, self.daemon.log_tail())
        self.assertEqual(
            [line for line in self.daemon.log if "failed unexpectedly" in line][:3], [])
        grown = self.daemon.resident_bytes() - size
        self.assertLess(grown, GROWTH_BYTES, f"{grown >> 20} MiB more than before")

    def test_there_are_enough_cases(self):
        counts = {door.name: sum(1 for _ in cases(door())) for door in DOORS}
        self.assertGreaterEqual(sum(counts.values()), LEAST_CASES, counts)
        # The same in every run.
        for door in DOORS:
            first, second = ([(kind, repr(bad), len(bad.body)) for kind, bad in cases(door())
                              if len(bad.body) < HUGE] for _ in range(2))
            self.assertEqual(len(first), len(second))

    def test_the_good_calls_are_good(self):
        """What the bad ones are made of is carried out, or refused by the core for what is so."""
        with doors() as daemon:
            wire = HTTP1Wire(daemon.http_port, ANSWER_SECONDS)
            told = []
            for door in (one() for one in DOORS):
                for call in door.calls():
                    answer = wire.request(
                        call.method, call.path, (*door.headers, ("content-type", door.content_type)),
                        door.encoded(call.fields))
                    told.append((answer.json or {}).get("reason"))
                    self.assertNotIn(told[-1], MALFORMED, f"{door.name} {call.path} {answer}")
            wire.close()
            self.assertGreaterEqual(told.count(None), 5, told)


MALFORMED = {"malformed_request", "missing_field", "unknown_field", "bad_value", "bad_id"}


def _add(door):
    def test(self):
        self.check(door())
    test.__doc__ = door.__doc__
    setattr(Doors, "test_" + door.name.replace("-", "_"), test)


for _door in DOORS:
    _add(_door)

if __name__ == "__main__":
    unittest.main()
