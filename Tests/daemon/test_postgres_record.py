"""What an operator does with a record in PostgreSQL: an embedded one is copied into it, people are erased from
it, the doctor looks at it."""

import json
import pathlib
import shutil
import tempfile
import threading
import unittest

import test_erasure
from party_calls import at, body
from running_daemon import ROOT, Daemon, MissingProgram, run
from scratch_postgres import MissingPostgres, Postgres
from test_cluster import Record
from test_tickets import GANGNAM

SERVER = None


def setUpModule():
    global SERVER
    try:
        SERVER = Postgres("fsync=off")
    except MissingPostgres as error:
        raise MissingProgram(str(error)) from error
    unittest.addModuleCleanup(SERVER.close)


class Copying(unittest.TestCase):
    """`moyeo migrate --to-postgres`"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name) / "data"
        self.directory.mkdir()
        self.record = Record(SERVER, migrates=False)

    def embedded(self):
        return Daemon("--resources", str(ROOT), directory=self.directory)

    def copy(self, *more, connection=None):
        return run("migrate", "--data-directory", str(self.directory), "--to-postgres",
                   connection or self.record.connection, *more, name="moyeo", timeout=120)

    def commands(self):
        """(path, key, body) of commands that take effect, the same whenever they are repeated"""
        if not hasattr(self, "departure"):
            self.departure = at(90)
        return [("/v1/parties", f"made-{number}", body(
            f"host-{number}", departureTime=self.departure)) for number in range(5)]

    def fill(self, daemon):
        parties = []
        for path, key, given in self.commands():
            status, answer, _ = daemon.request("POST", path, given, {"Idempotency-Key": key})
            self.assertEqual(status, 200, answer)
            parties.append(answer["party"]["id"])
        for number, party in enumerate(parties):
            for rider in range(number % 4):
                self.assertEqual(daemon.request(
                    "POST", f"/v1/parties/{party}/join", {"riderId": f"r-{number}-{rider}"},
                    {"Idempotency-Key": f"join-{number}-{rider}"})[0], 200)
        daemon.request("POST", f"/v1/parties/{parties[0]}/cancel")
        for user in ("ann", "ben", "eve"):
            self.assertEqual(daemon.request(
                "POST", "/v1/tickets", {"userId": user, "here": GANGNAM})[0], 200)
        daemon.request("POST", "/v1/tickets/ann/propose", {"otherId": "ben"})
        daemon.request("POST", "/v1/tickets/ben/accept", {"otherId": "ann"})
        daemon.request("POST", "/v1/tickets/eve/block", {"otherId": "ann"})
        trip = {"riderId": "waits", "origin": {"latitude": 37.35, "longitude": 126.95},
                "destination": {"latitude": 37.5663, "longitude": 126.9779},
                "departureTime": self.departure, "store": True}
        link = daemon.connection()
        link.request("POST", "/v1/parties/match/watch", json.dumps(trip),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        self.assertEqual(answer.status, 200, answer.read(500) if answer.status != 200 else "")
        while not answer.fp.readline().startswith(b"data: "):
            pass
        link.close()
        return parties

    def answers(self, daemon, parties):
        """What is asked of both; all of it is to be equal."""
        paths = [f"/v1/parties/{party}" for party in parties]
        paths += [f"/v1/parties?riderId=host-{number}" for number in range(5)]
        paths += ["/v1/parties?riderId=r-3-0", "/v1/ride-requests?riderId=waits"]
        paths += [f"/v1/tickets/{user}" for user in ("ann", "ben", "eve")]
        paths += ["/v1/events?after=0&limit=500", "/v1/events?after=3&limit=5"]
        return {path: self.ask(daemon, "GET", path) for path in paths}

    def ask(self, daemon, method, path, given=None, headers=None):
        status, answer, _ = daemon.request(method, path, given, headers)
        # Of a layer in this process: another one begins anew.
        answer.pop("version", None)
        # By the clock at the moment of the answer.
        if seen := answer.get("ticket"):
            self.assertLess(seen.pop("lastSeenSeconds"), 60)
        return status, answer

    def assert_equal(self, found, wanted):
        for path, answer in wanted.items():
            self.assertEqual(found[path], answer, path)

    def repeats(self, daemon):
        """Answers to what was done before: the same effect, the party as it is."""
        return [self.ask(daemon, "POST", path, given, {"Idempotency-Key": key})
                for path, key, given in self.commands()]

    def test_a_daemon_on_the_copy_answers_as_before(self):
        with self.embedded() as daemon:
            parties = self.fill(daemon)
            repeated = self.repeats(daemon)
            before = self.answers(daemon, parties)
            # A daemon runs on it.
            code, said, error = self.copy()
            self.assertEqual((code, said), (1, ""))
            self.assertIn("in use", error)
            self.assertEqual(daemon.terminate(), 0)
        for path, (status, answer) in before.items():
            self.assertEqual(status, 200, (path, answer))
        code, said, error = self.copy("--json")
        self.assertEqual(code, 0, said + error)
        report = json.loads(said)
        self.assertFalse(report["wasThere"])
        self.assertEqual((report["parties"], report["tickets"], report["rideRequests"]), (5, 3, 1))
        newest = int(self.record.sql("SELECT newest FROM feed_heads"))
        self.assertEqual(report["events"], newest)
        with self.record.daemon() as daemon:
            self.assert_equal(self.answers(daemon, parties), before)
            self.assertEqual(self.repeats(daemon), repeated)
            self.assertEqual(self.record.sql("SELECT newest FROM feed_heads"), str(newest))
            # It goes on from there, and so does the feed.
            status, answer, _ = daemon.request(
                "POST", f"/v1/parties/{parties[1]}/join", {"riderId": "late"})
            self.assertEqual(status, 200, answer)
            told = daemon.request("GET", f"/v1/events?after={newest}")[1]["events"]
            self.assertEqual([int(event["sequence"]) for event in told][:1], [newest + 1])
        # Once more nothing happens, though a daemon has gone on.
        code, said, error = self.copy()
        self.assertEqual(code, 0, error)
        self.assertIn("Copied before", said)
        self.assertIn("late", self.record.sql("SELECT string_agg(user_id, ' ') FROM claims"))
        # The directory is as it was: its daemon answers as before.
        with self.embedded() as daemon:
            self.assert_equal(self.answers(daemon, parties), before)

    def test_what_is_refused(self):
        code, said, error = self.copy()
        self.assertEqual(code, 1, said)
        self.assertIn("no record", error)
        with self.embedded() as daemon:
            daemon.request("POST", "/v1/parties", body("one"))
            daemon.terminate()
        code, _, error = self.copy(connection="x")
        self.assertEqual(code, 2, error)
        code, _, error = self.copy(connection="host=127.0.0.1 port=1 password=s3cret")
        self.assertEqual(code, 1)
        self.assertNotIn("s3cret", error)
        other = Record(SERVER)
        with other.daemon():
            pass
        code, _, error = self.copy(connection=other.connection)
        self.assertEqual(code, 1)
        self.assertIn("not empty", error)
        self.assertEqual(other.sql("SELECT count(*) FROM parties"), "0")


class Erasing(test_erasure.Erasing):
    """All that is asked of erasing over a file, where it is not about a file."""

    def daemon(self, directory=None):
        made = Daemon("--resources", str(ROOT), "--admin-port", "0", directory=directory,
                      env={"MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true",
                           "MOYEO_DISCLOSURES_LAYERS": "users,bikes,tickets",
                           "MOYEO_CLUSTER_POSTGRES": self.record.connection})
        self.addCleanup(made.close)
        return made

    def setUp(self):
        self.record = Record(SERVER)

    # A backup of the record is the server's.
    test_nothing_is_left = None
    test_restore_drill = None

    def dump(self):
        """All that a backup of the record has, as text: bytes in hexadecimal digits."""
        return SERVER._run("pg_dump", "--data-only", "--inserts", self.record.connection)

    def assert_not_dumped(self, person):
        dumped = self.dump()
        for needle in test_erasure.forms(person):
            # Not assertNotIn: it would print the dump.
            self.assertFalse(needle.decode() in dumped, needle)
            self.assertFalse(needle.hex() in dumped, needle)

    def test_nothing_is_left_in_a_dump(self):
        daemon = self.daemon()
        other = self.daemon()
        for index, person in enumerate(test_erasure.PEOPLE):
            own, party = self.live(daemon, person, f"mate{index}")
            self.assertTrue(person.encode().hex() in self.dump(), person)
            # Another daemon has it in memory.
            self.wait_until(lambda: other.request("GET", f"/v1/parties/{own}")[0] == 200)
            first = self.erase(daemon, person)
            self.assertEqual((first[0], first[1].get("erased")), (200, True), first[1])
            for what in ("positions", "parties", "tickets", "events", "replies"):
                self.assertGreater(first[1][what], 0, what)
            self.assert_not_dumped(person)
            self.assertEqual(self.erase(daemon, person)[1]["erased"], False)
            # What the other one goes on with has nobody in it either.
            status, answer, _ = other.request(
                "POST", f"/v1/parties/{party}/join", {"riderId": f"late{index}"})
            self.assertEqual(status, 200, answer)
            self.assertNotIn(person, [one["riderId"] for one in answer["party"]["riders"]])
            self.assert_not_dumped(person)
            for one in (daemon, other):
                self.assert_nowhere(person, one.directory, log="".join(one.log))
                self.wait_until(lambda: not any(
                    json.dumps(person, ensure_ascii=False)[1:-1] in text for text in self.seen(one)))
            aboard = daemon.request("GET", f"/v1/parties/{own}")[1]["party"]
            self.assertEqual([one["riderId"] for one in aboard["riders"]], [f"mate{index}"])
        daemon.kill()
        daemon.start()
        for person in test_erasure.PEOPLE:
            self.assert_nowhere(person, daemon.directory, answers=self.seen(daemon))
            self.assert_not_dumped(person)

    def wait_until(self, condition):
        for _ in range(2000):
            if condition():
                return
            threading.Event().wait(0.01)
        self.fail("it does not come about")

    def test_a_dump_from_before_brings_nobody_back(self):
        """The record is restored from a dump: who has the list takes people out before it serves."""
        person = "erased-person-7f3a91"
        daemon = self.daemon()
        own, other = self.live(daemon, person, "mate")
        before = self.dump()
        self.assertEqual(self.erase(daemon, person)[1]["erased"], True)
        daemon.terminate()
        restored = Record(SERVER)
        file = pathlib.Path(daemon.directory) / "dump.sql"
        file.write_text(before)
        restored.sql("DELETE FROM schema_migrations")
        SERVER._run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f",
                    str(self.readable(file)), restored.connection)
        file.unlink()
        self.record = restored
        self.assertTrue(person.encode().hex() in self.dump())
        daemon.environment["MOYEO_CLUSTER_POSTGRES"] = restored.connection
        daemon.start()
        self.assert_not_dumped(person)
        self.assertEqual(
            [one["riderId"] for one in daemon.request("GET", f"/v1/parties/{other}")[1]["party"][
                "riders"]], ["mate-host"])

    def readable(self, file):
        """The server's programs run as another user."""
        folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
        self.addCleanup(shutil.rmtree, folder, True)
        folder.chmod(0o755)
        copy = folder / file.name
        shutil.copy(file, copy)
        copy.chmod(0o644)
        return copy


class Doctor(unittest.TestCase):
    def findings(self, daemon, **settings):
        file = daemon.directory / "settings.json"
        file.write_text(json.dumps({"cluster": settings}))
        code, out, error = run("doctor", "--data-directory", str(daemon.directory), "--config",
                               str(file), "--json", name="moyeo", timeout=60)
        return code, {one["subject"]: one for one in json.loads(out)["findings"]}

    def test_a_record_is_looked_at(self):
        record = Record(SERVER)
        with record.daemon() as daemon:
            for number in range(3):
                daemon.request("POST", "/v1/parties", body(f"h{number}"))
            self.wait_for_leader(daemon)
            code, found = self.findings(daemon, postgres=record.connection)
            # The tests' server does without fsync, and says so.
            self.assertEqual((code, found["disk"]["grade"]), (1, "wrong"))
            for subject in ("postgres", "schema", "clock", "events", "timers"):
                self.assertEqual(found[subject]["grade"], "fine", found[subject])
            self.assertEqual(found["standby"]["grade"], "notice")
            self.assertIn("1 follows", found["daemons"]["text"])
            self.assertIn("run by moyeod", found["timers"]["text"])
            code, found = self.findings(daemon, postgres="host=127.0.0.1 port=1 password=s3cret")
            self.assertEqual((code, found["postgres"]["grade"]), (1, "wrong"))
            self.assertNotIn("s3cret", json.dumps(found))

    def wait_for_leader(self, daemon):
        for _ in range(1000):
            if daemon.metric("moyeo_following_leads") == 1:
                return
            threading.Event().wait(0.01)
        self.fail("the daemon does not run the timers")

    def test_commutes_are_counted(self):
        record = Record(SERVER)
        record.sql("INSERT INTO feed_heads (tenant) VALUES ('default')")
        code, out, said = run("cluster", "status", "--json", "--postgres", record.connection,
                              name="moyeo")
        self.assertEqual(code, 0, said)
        self.assertEqual(json.loads(out)["tenants"][0]["commutes"], 0)
        record.sql(
            "INSERT INTO commutes (tenant, id, version, commit_no, state, owner_id, origin_latitude, "
            "origin_longitude, origin_name, destination_name, starts_at, ends_at, seats, seats_free, "
            "currency, expected_fare, bytes) "
            "VALUES ('default', 'c', 1, 1, 'active', 'o', 0, 0, '', '', 0, 0, 4, 3, '', 0, '')")
        out = run("cluster", "status", "--postgres", record.connection, name="moyeo")[1]
        self.assertRegex(out, r"commutes")
        self.assertRegex(out, r"default +0 +0 +0 +1 +0")


if __name__ == "__main__":
    unittest.main()
