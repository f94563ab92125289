"""Daemons on a PostgreSQL with a synchronous standby: the primary is killed and the standby promoted, the
standby is killed, links are cut during commits, daemons are killed, all under load. What was acknowledged
stays, nothing is sold twice.

    make test-cluster          a round of each
    make torture-cluster       the long form
"""

import os
import pathlib
import sys
import time
import unittest

from faulty_proxy import FaultyProxy
from running_daemon import MissingProgram
from scratch_postgres import MissingPostgres, Postgres, PostgresPair

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))

import test_several_daemons  # noqa: E402
from test_cluster import Record  # noqa: E402
from party_calls import body  # noqa: E402

LONG = "MOYEO_CLUSTER_ROUNDS" in os.environ
ROUNDS = test_several_daemons.ROUNDS if LONG else 4


def made(maker, test):
    try:
        server = maker("fsync=off")
    except MissingPostgres as error:
        raise MissingProgram(str(error)) from error
    test.addCleanup(server.close)
    return server


def said(name, seconds):
    ordered = sorted(seconds)
    return f"{name} p50 {ordered[len(ordered) // 2]:.2f} s, most {ordered[-1]:.2f} s"


class Failover(test_several_daemons.Seats):
    """In turn the primary, the standby, a daemon, and the primary with a daemon."""

    rounds = ROUNDS

    def daemons(self):
        self.server = made(PostgresPair, self)
        self.times = {"promotion": [], "new standby": [], "first answer after both": []}
        self.addCleanup(self.say_times)
        return test_several_daemons.Daemons(self, server=self.server)

    def say_times(self):
        for name, seconds in self.times.items():
            if seconds:
                print(said(name, seconds), file=sys.stderr)

    def harm(self, daemons, number, generator, counts):
        time.sleep(generator.uniform(0.05, 0.4))
        kind = ("primary", "standby", "daemon", "both")[number % 4]
        counts[f"killed: {kind}"] += 1
        victim = generator.choice(daemons.all) if kind in ("daemon", "both") else None
        if kind == "standby":
            self.server.standby.kill()
            time.sleep(generator.uniform(0.1, 1.5))
            self.server.standby.start()
            self.server.wait_for_standby()
        if kind in ("primary", "both"):
            self.server.kill_primary()
        if victim:
            victim.kill()
        if kind in ("primary", "both"):
            self.take_over(daemons, victim, number)
        if victim:
            victim.start()

    def take_over(self, daemons, victim, number):
        began = time.monotonic()
        self.server.promote()
        promoted = time.monotonic()
        self.server.renew_standby()
        followed = time.monotonic()
        daemon = next(one for one in daemons.all if one is not victim)
        host = f"probe-{number}"
        while True:
            status, answer, _ = daemon.request(
                "POST", "/v1/parties", body(host, departureTime=self.departure),
                {"Idempotency-Key": host})
            if status == 200:
                break
            self.assertIn(answer["error"]["reason"], test_several_daemons.AGAIN, answer)
            self.assertLess(time.monotonic() - followed, 30, daemon.log_tail())
            time.sleep(0.01)
        for name, span in zip(self.times, (promoted - began, followed - promoted,
                                           time.monotonic() - followed)):
            self.times[name].append(span)

    # The same content whenever a key is repeated.
    departure = test_several_daemons.at(600)


class Links(test_several_daemons.Seats):
    """All connections to the server are cut again and again, many of them during a COMMIT."""

    rounds = ROUNDS if LONG else 2
    cuts = 25

    def daemons(self):
        server = made(Postgres, self)
        self.proxy = FaultyProxy(server.port)
        self.addCleanup(self.proxy.close)
        return test_several_daemons.Daemons(
            self, server=server,
            link=lambda direct: direct.replace(f"port={server.port}", f"port={self.proxy.port}"))

    def harm(self, daemons, number, generator, counts):
        for _ in range(self.cuts):
            time.sleep(generator.uniform(0.005, 0.08))
            self.proxy.cut_all()
            counts["cut"] += 1


class Standby(unittest.TestCase):
    def test_no_commit_is_acknowledged_without_its_standby(self):
        """While the only synchronous standby is away commands are `unavailable`; when it is back the same
        keys have one effect each."""
        server = made(PostgresPair, self)
        daemon = Record(server).daemon()
        self.addCleanup(daemon.close)
        departure = test_several_daemons.at(60)

        def create(host):
            status, answer, _ = daemon.request(
                "POST", "/v1/parties", body(host, departureTime=departure),
                {"Idempotency-Key": host}, timeout=60)
            return status, answer

        self.assertEqual(create("before")[0], 200)
        server.standby.kill()
        status, answer = create("alone")
        # On a busy machine the call's own deadline may pass before the record is given up.
        self.assertIn((status, answer.get("error", {}).get("reason")),
                      ((503, "unavailable"), (504, "deadline_exceeded")), answer)
        # Reads and the map go on.
        self.assertEqual(len(daemon.request("GET", "/v1/parties?riderId=before")[1]["parties"]), 1)
        server.standby.start()
        server.wait_for_standby()
        end = time.monotonic() + 30
        while (found := create("alone"))[0] != 200:
            self.assertIn(found[1]["error"]["reason"], test_several_daemons.AGAIN)
            self.assertLess(time.monotonic(), end, daemon.log_tail())
        mine = daemon.request("GET", "/v1/parties?riderId=alone")[1]["parties"]
        self.assertEqual(len(mine), 1)


class FullDisk(unittest.TestCase):
    # Enough for the server's own files and some hundred parties.
    MEGABYTES = 128
    # A daemon may hold what is asked of it, not all that was refused.
    MOST_GROWTH = 64 << 20

    def test_no_room_is_said_and_nothing_is_lost(self):
        """While PostgreSQL's disk is full commands are `unavailable` or `overloaded`, reads and positions
        go on and memory is bounded; with room again all goes on by itself, and each key has one effect."""
        if os.getuid() != 0:
            raise MissingProgram("root alone may make a disk of a test's own")
        server = made(
            lambda *more: Postgres(*more, "min_wal_size=32MB", "autovacuum=off",
                                   megabytes=self.MEGABYTES), self)
        record = Record(server)
        daemon = record.daemon()
        self.addCleanup(daemon.close)
        departure = test_several_daemons.at(60)

        def create(host):
            status, answer, _ = daemon.request(
                "POST", "/v1/parties", body(host, departureTime=departure),
                {"Idempotency-Key": host}, timeout=30)
            return status, answer

        accepted = [f"before-{number}" for number in range(5)]
        for host in accepted:
            self.assertEqual(create(host)[0], 200)
        refused = []
        with server.full_disk():
            for number in range(20_000):
                host = f"full-{number}"
                status, answer = create(host)
                if status == 200:
                    accepted.append(host)
                    continue
                self.assertIn(answer["error"]["reason"], ("unavailable", "overloaded"), answer)
                if not refused:
                    before = daemon.resident_bytes()
                refused.append(host)
                if len(refused) == 500:
                    break
            self.assertEqual(len(refused), 500, "the disk did not become full")
            self.assertLess(daemon.resident_bytes() - before, self.MOST_GROWTH)
            self.assertIn("No space left", (server.directory / "log").read_text())
            # Reads, the map and positions go on.
            self.assertEqual(
                len(daemon.request("GET", "/v1/parties?riderId=before-0")[1]["parties"]), 1)
            self.assertEqual(daemon.request("POST", "/v1/layers/people/positions", {
                "positions": [{"id": "a", "latitude": 37.5, "longitude": 127.0}]})[0], 200)
        end = time.monotonic() + 60
        for host in refused:
            while (found := create(host))[0] != 200:
                self.assertIn(found[1]["error"]["reason"], test_several_daemons.AGAIN, found)
                self.assertLess(time.monotonic(), end, daemon.log_tail())
                time.sleep(0.01)
        for host in accepted[:3]:
            self.assertEqual(create(host)[0], 200)
        self.assertEqual(
            int(record.sql("SELECT count(*) FROM parties")), len(accepted) + len(refused))


if __name__ == "__main__":
    unittest.main()
