"""A daemon whose record is in PostgreSQL: what holds for a file holds for it, and what happens when the
server stands still, dies or is away."""

import concurrent.futures
import http.client
import json
import tempfile
import threading
import time
import unittest

import test_admin
import test_parties
import test_party_restarts
import test_party_streams
import test_tickets
from party_calls import at, body
from running_daemon import ROOT, Daemon, MissingProgram, run
from scratch_postgres import MissingPostgres, Postgres
from test_tickets import GANGNAM

SERVER = None


def setUpModule():
    global SERVER
    try:
        SERVER = Postgres("fsync=off")
    except MissingPostgres as error:
        raise MissingProgram(str(error)) from error
    unittest.addModuleCleanup(SERVER.close)


class Record:
    """A database of its own on a server, with the tables of a record."""

    count = 0

    def __init__(self, server=None, migrates=True):
        self.server = server or SERVER
        Record.count += 1
        self.name = f"record_{Record.count}"
        self.server.sql(f"CREATE DATABASE {self.name}")
        self.connection = self.server.connection.replace("dbname=postgres", f"dbname={self.name}")
        # Of the tests themselves, where daemons come by another way.
        self.direct = self.connection
        if migrates:
            code, said, error = run(
                "cluster", "migrate", "--postgres", self.connection, name="moyeo")
            assert code == 0, said + error

    def daemon(self, *arguments, **more):
        return Daemon("--resources", str(ROOT), *arguments,
                      env={"MOYEO_CLUSTER_POSTGRES": self.connection}, **more)

    def sql(self, text):
        return self.server._run(
            "psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", text, self.direct).strip()


class PostgresParties(test_parties.Parties):
    """All that is asked of parties over a file."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Record().daemon()
        cls.addClassCleanup(cls.daemon.__exit__)


class PostgresPartyStreams(test_party_streams.PartyStreams):
    """And of their events."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Record().daemon()
        cls.addClassCleanup(cls.daemon.__exit__)


class PostgresTickets(test_tickets.Tickets):
    """All that is asked of tickets over a file."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Record().daemon()
        cls.addClassCleanup(cls.daemon.__exit__)


class Restarts(unittest.TestCase):
    def setUp(self):
        self.record = Record()

    def start(self, folder, *more):
        return self.record.daemon(*more, directory=folder)

    test_what_was_acknowledged_survives = (
        test_party_restarts.Restarts.test_what_was_acknowledged_survives)
    test_a_second_daemon_is_refused = test_party_restarts.Restarts.test_a_second_daemon_is_refused

    def test_the_directory_may_be_lost(self):
        """Parties, tickets, keys and events are the server's: another machine goes on."""
        with self.record.daemon() as daemon:
            made = daemon.request(
                "POST", "/v1/parties", body("stay"), {"Idempotency-Key": "one"})[1]["party"]
            daemon.request("POST", "/v1/tickets", {"userId": "ann", "here": GANGNAM})
            daemon.kill()
        with self.record.daemon() as daemon:
            again = daemon.request(
                "POST", "/v1/parties", {**body("stay"), "departureTime": made["departureTime"]},
                {"Idempotency-Key": "one"})
            self.assertEqual((again[0], again[1]["party"]["id"]), (200, made["id"]))
            self.assertEqual(
                daemon.request("GET", "/v1/tickets/ann")[1]["ticket"]["state"], "open")
            events = daemon.request("GET", "/v1/events?after=0")[1]["events"]
            self.assertEqual([int(event["sequence"]) for event in events],
                             list(range(1, len(events) + 1)))
            self.assertFalse((daemon.directory / "moyeo.sqlite").exists())
            status, answer, _ = daemon.request("GET", f"/v1/parties/{made['id']}")
            self.assertEqual((status, answer["party"]["version"]), (200, made["version"]))

    def test_killed_under_load(self):
        """kill -9 while 8 callers join: with the same keys each has one effect, no seat is sold
        twice, and the feed has no gap."""
        acknowledged = {}
        with tempfile.TemporaryDirectory() as folder:
            for round_number in range(4):
                with self.start(folder) as daemon:
                    made = [daemon.request(
                        "POST", "/v1/parties", body(f"h{round_number}-{index}", seats=4))[1]["party"]
                        for index in range(4)]
                    killed = threading.Event()

                    def join(caller):
                        turn = 0
                        while not killed.is_set():
                            rider, party = f"r{round_number}-{caller}-{turn}", made[turn % 4]["id"]
                            turn += 1
                            try:
                                status, answer, _ = daemon.request(
                                    "POST", f"/v1/parties/{party}/join", {"riderId": rider},
                                    {"Idempotency-Key": rider}, timeout=5)
                            except (OSError, http.client.HTTPException, ValueError):
                                continue
                            if status == 200:
                                acknowledged[rider] = party

                    with concurrent.futures.ThreadPoolExecutor(8) as pool:
                        done = [pool.submit(join, caller) for caller in range(8)]
                        while len(acknowledged) < 6 * (round_number + 1):
                            time.sleep(0.001)
                        daemon.kill()
                        killed.set()
                        for one in done:
                            one.result()
            with self.start(folder) as daemon:
                for rider, party in acknowledged.items():
                    status, answer, _ = daemon.request(
                        "POST", f"/v1/parties/{party}/join", {"riderId": rider},
                        {"Idempotency-Key": rider})
                    self.assertEqual(status, 200, answer)
                    aboard = [one["riderId"] for one in answer["party"]["riders"]]
                    self.assertEqual(aboard.count(rider), 1, aboard)
                    self.assertLessEqual(len(aboard), 4)
        self.assertEqual(self.record.sql("SELECT count(*) FROM parties WHERE seats_free < 0"), "0")
        newest = int(self.record.sql("SELECT newest FROM feed_heads"))
        self.assertEqual(
            self.record.sql("SELECT count(*) || ' ' || min(sequence) || ' ' || max(sequence) FROM events"),
            f"{newest} 1 {newest}")


class Engine(unittest.TestCase):
    """The server stands still, dies, and comes back: the daemon says so in time, its memory is bounded,
    and it goes on by itself."""

    def setUp(self):
        self.server = Postgres()
        self.addCleanup(self.server.close)
        self.record = Record(self.server)
        self.daemon = self.record.daemon()
        self.addCleanup(self.daemon.__exit__)
        # The same content whenever a key is repeated.
        self.departure = at(60)
        self.party = self.create("host")[1]["party"]

    def create(self, host, **more):
        status, answer, _ = self.daemon.request(
            "POST", "/v1/parties", body(host, departureTime=self.departure),
            {"Idempotency-Key": host}, **more)
        return status, answer

    def until_it_takes_commands(self, host, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            status, answer = self.create(host)
            if status == 200:
                return answer["party"]
            self.assertIn(answer["error"]["reason"], ("unavailable", "overloaded",
                                                      "deadline_exceeded"), answer)
        self.fail("the daemon takes no commands: " + self.daemon.log_tail())

    def reads_go_on(self):
        status, answer, _ = self.daemon.request("GET", f"/v1/parties/{self.party['id']}")
        self.assertEqual((status, answer["party"]["id"]), (200, self.party["id"]))
        self.daemon.report("users", [("u", 37.5, 127.0)], ttl=600)
        status, answer, _ = self.daemon.request(
            "GET", "/v1/layers/users/nearby?latitude=37.5&longitude=127")
        self.assertEqual([hit["id"] for hit in answer["hits"]], ["u"])

    def test_it_stands_still(self):
        before = self.daemon.resident_bytes()
        self.server.pause()
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            answers = list(pool.map(lambda index: self.create(f"paused-{index}"), range(300)))
        self.assertLess(time.monotonic() - began, 90)
        for status, answer in answers:
            self.assertIn(status, (503, 429, 504), answer)
            self.assertIn(answer["error"]["reason"],
                          ("unavailable", "overloaded", "deadline_exceeded"), answer)
        self.reads_go_on()
        self.assertLess(self.daemon.resident_bytes() - before, 64 << 20)
        self.server.go_on()
        self.until_it_takes_commands("after")
        # Whatever was told of them, a key has one effect.
        made = [self.until_it_takes_commands(f"paused-{index}")["id"] for index in range(0, 300, 10)]
        self.assertEqual(len(set(made)), 30)
        self.assertEqual(
            self.record.sql("SELECT count(*) FROM (SELECT owner_id FROM parties "
                            "GROUP BY owner_id HAVING count(*) > 1) twice"), "0")

    def test_it_dies_and_comes_back(self):
        self.server.kill()
        status, answer = self.create("while-away")
        self.assertEqual((status, answer["error"]["reason"]), (503, "unavailable"), answer)
        self.reads_go_on()
        self.server.start()
        self.until_it_takes_commands("while-away")
        events = self.daemon.request("GET", "/v1/events?after=0")[1]["events"]
        self.assertEqual([int(event["sequence"]) for event in events],
                         list(range(1, len(events) + 1)))
        self.assertEqual(self.daemon.terminate(), 0)


class Starting(unittest.TestCase):
    def refused(self, connection, *words):
        with tempfile.TemporaryDirectory() as folder:
            code, _, said = run(
                "--data-directory", folder, "--resources", str(ROOT), "--http-port", "0",
                "--grpc-port", "0", env={"MOYEO_CLUSTER_POSTGRES": connection})
        for word in words:
            self.assertIn(word, said)
        self.assertNotIn("s3cret", said)
        return code

    def test_what_is_wrong_is_said(self):
        empty = Record(migrates=False)
        self.assertEqual(self.refused(empty.connection, "moyeo cluster migrate"), 1)
        self.assertEqual(self.refused("colour=red password=s3cret", "cluster.postgres"), 2)
        self.assertEqual(self.refused("s3cret", "cluster.postgres"), 2)
        self.assertEqual(
            self.refused("host=127.0.0.1 port=1 password=s3cret", "cluster.postgres"), 1)

    def test_the_commands(self):
        record = Record(migrates=False)
        code, out, said = run("cluster", "status", "--postgres", record.connection, name="moyeo")
        self.assertEqual(code, 1)
        self.assertIn("run moyeo cluster migrate", said)
        for expected in ("migrations run: 1", "already"):
            code, out, said = run(
                "cluster", "migrate", name="moyeo",
                env={"MOYEO_CLUSTER_POSTGRES": record.connection})
            self.assertEqual(code, 0, said)
            self.assertIn(expected, out)
        with record.daemon() as daemon:
            daemon.request("POST", "/v1/parties", body("one"))
        code, out, said = run(
            "cluster", "status", "--json", "--postgres", record.connection, name="moyeo")
        self.assertEqual(code, 0, said)
        status = json.loads(out)
        self.assertEqual(status["schema"], status["wantedSchema"])
        self.assertEqual(
            [(one["tenant"], one["parties"]) for one in status["tenants"]], [("default", 1)])
        self.assertEqual(run("cluster", "status", name="moyeo")[0], 2)
        self.assertEqual(run("cluster", "status", "--postgres", "x", name="moyeo")[0], 2)
        # Another host of the string takes writes.
        several = record.connection.replace(
            "host=127.0.0.1 port=", "host=127.0.0.1,127.0.0.1 port=1,")
        self.assertEqual(run("cluster", "status", "--postgres", several, name="moyeo")[0], 0)


if __name__ == "__main__":
    unittest.main()
