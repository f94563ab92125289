"""Three daemons on one record in PostgreSQL: a seat is sold once, a key has one effect, nobody is refused
wrongly, and a feed is the same wherever it is read, while daemons are killed.

    make test-cluster
    MOYEO_CLUSTER_ROUNDS=200 Tests/run cluster
"""

import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import re
import sys
import threading
import time
import unittest

from running_daemon import MissingProgram
from scratch_postgres import MissingPostgres, Postgres
from waiting import comes_true

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))

import test_cluster  # noqa: E402
from party_calls import DESTINATION, at, body  # noqa: E402
from test_cluster import Record  # noqa: E402
from test_tickets import GANGNAM  # noqa: E402

ROUNDS = int(os.environ.get("MOYEO_CLUSTER_ROUNDS", "6"))
SEED = int(os.environ.get("MOYEO_CLUSTER_SEED", "1"))
DAEMONS, CLIENTS, PARTIES, READERS = 3, 32, 10, 9
# What a caller repeats with the same key.
AGAIN = {"unavailable", "overloaded", "deadline_exceeded", "rate_limited", "too_many_connections"}


def setUpModule():
    try:
        test_cluster.SERVER = Postgres("fsync=off")
    except MissingPostgres as error:
        raise MissingProgram(str(error)) from error
    unittest.addModuleCleanup(test_cluster.SERVER.close)


class Daemons:
    """Three daemons on a record, of which any may be killed and started again."""

    def __init__(self, test, *arguments, server=None, link=None):
        """`server`: another one than the module's; `link` makes the connection string of the daemons from
        the record's own."""
        self.record = Record(server)
        if link:
            self.record.connection, self.record.direct = (
                link(self.record.connection), self.record.connection)
        self.all = []
        for _ in range(DAEMONS):
            daemon = self.record.daemon(*arguments)
            self.all.append(daemon)
            test.addCleanup(daemon.close)

    def ask(self, generator, method, path, given=None, key=None, but=None):
        """The answer of any daemon; a call that got none, or is to be repeated, goes to another one."""
        headers = {"Idempotency-Key": key} if key else None
        end = time.monotonic() + 60
        while time.monotonic() < end:
            daemon = generator.choice([one for one in self.all if one is not but])
            try:
                status, answer, _ = daemon.request(method, path, given, headers, timeout=10)
            except (OSError, http.client.HTTPException, TypeError):
                # Killed, or not up again: it has no port for a moment.
                time.sleep(0.005)
                continue
            if status >= 400 and answer["error"]["reason"] in AGAIN:
                time.sleep(0.005)
                continue
            return status, answer
        raise AssertionError(f"no daemon answers {method} {path}")

    def leaders(self):
        return [one for one in self.all if one.is_running
                and one.metric("moyeo_following_leads") == 1]

    def until(self, condition, seconds=20):
        return comes_true(condition, seconds)

    def until_followed(self, test):
        newest = int(self.record.sql("SELECT newest FROM feed_heads WHERE tenant = 'default'"))
        for one in self.all:
            test.assertTrue(self.until(
                lambda: one.metric("moyeo_events_newest_sequence") == newest), one.log_tail())


class Reader(threading.Thread):
    """Reads the feed by one daemon after the other: pages, or a stream for some events."""

    def __init__(self, daemons, number, is_over):
        super().__init__(daemon=True)
        self.daemons, self.is_over = daemons, is_over
        self.generator = random.Random(SEED * 1000 + number)
        self.streams = number % 3 == 0
        self.told, self.wrong = [], []

    def run(self):
        while True:
            was_over = self.is_over.is_set()
            daemon = self.generator.choice(self.daemons.all)
            after = self.told[-1][0] if self.told else 0
            try:
                if self.streams and not was_over:
                    self.stream(daemon, after)
                elif not self.page(daemon, after) and was_over:
                    return
            except (OSError, http.client.HTTPException, TypeError):
                time.sleep(0.005)

    def take(self, sequence, kind, of):
        self.told.append((int(sequence), kind, of))

    def page(self, daemon, after):
        status, answer, _ = daemon.request(
            "GET", f"/v1/events?after={after}&limit=50&waitSeconds=0.2", timeout=10)
        if status != 200:
            if answer["error"]["reason"] not in AGAIN:
                self.wrong.append(answer["error"])
            return True
        for event in answer["events"]:
            self.take(event["sequence"], event["kind"], event.get("partyId", ""))
        return len(answer["events"]) > 0

    def stream(self, daemon, after):
        link = daemon.connection(5)
        try:
            link.request("GET", "/v1/events", headers={
                "Accept": "text/event-stream", "Last-Event-ID": str(after)})
            answer = link.getresponse()
            if answer.status != 200:
                error = json.loads(answer.read())["error"]
                if error["reason"] not in AGAIN:
                    self.wrong.append(error)
                return
            wanted, data = self.generator.randint(1, 40), None
            while wanted and not self.is_over.is_set():
                line = answer.fp.readline().decode()
                if not line:
                    return
                if line.startswith("data: "):
                    data = json.loads(line[6:])
                elif line == "\n" and data:
                    if "sequence" not in data:
                        # It ends with why.
                        if data["error"]["reason"] not in AGAIN:
                            self.wrong.append(data)
                        return
                    self.take(data["sequence"], data["kind"], data.get("partyId", ""))
                    wanted, data = wanted - 1, None
        finally:
            link.close()


class Seats(unittest.TestCase):
    rounds = ROUNDS

    def daemons(self):
        return Daemons(self)

    def harm(self, daemons, number, generator, counts):
        """What goes wrong in a round."""
        victim = generator.choice(daemons.all)
        time.sleep(generator.uniform(0.05, 0.4))
        victim.kill()
        counts["killed"] += 1
        victim.start()

    def test_killed_under_load(self):
        """32 clients, 10 parties of 4 seats, calls to random daemons, kill -9 of daemons: what was
        acknowledged is what the feed tells, what SQL shows and what each daemon shows."""
        daemons = self.daemons()
        is_over = threading.Event()
        readers = [Reader(daemons, number, is_over) for number in range(READERS)]
        for reader in readers:
            reader.start()
        counts = collections.Counter()
        aboard = {}
        for number in range(self.rounds):
            aboard.update(self.round(daemons, number, counts))
        is_over.set()
        for reader in readers:
            reader.join(60)
            self.assertFalse(reader.is_alive())
        daemons.until_followed(self)
        self.check_feeds(daemons, readers)
        ledger = self.ledger(daemons)
        for party, riders in aboard.items():
            self.assertEqual(ledger[party], riders)
        claims = collections.defaultdict(set)
        for line in daemons.record.sql(
                "SELECT aggregate_id || ' ' || user_id FROM claims").splitlines():
            claims[line.split()[0]].add(line.split()[1])
        self.assertEqual(claims, {party: riders for party, riders in ledger.items() if riders})
        seats = dict(line.split() for line in daemons.record.sql(
            "SELECT id || ' ' || seats_free FROM parties").splitlines())
        self.assertEqual(seats, {party: str(4 - len(riders)) for party, riders in ledger.items()})
        for party, riders in ledger.items():
            for one in daemons.all:
                shown = one.request("GET", f"/v1/parties/{party}")[1]["party"]
                self.assertEqual({rider["riderId"] for rider in shown["riders"]}, riders)
        conflicts = sum(int(one.metric("moyeo_commit_conflicts_total")) for one in daemons.all)
        print(f"\n{type(self).__name__}: {self.rounds} rounds: {dict(counts)}, {len(ledger)} parties, conflicts {conflicts}",
              file=sys.stderr)

    def round(self, daemons, number, counts):
        generator = random.Random(SEED * 100_000 + number)
        parties = []
        for index in range(PARTIES):
            host = f"host-{number}-{index}"
            status, answer = daemons.ask(
                generator, "POST", "/v1/parties", body(host, departureTime=at(60)), host)
            self.assertEqual(status, 200, answer)
            parties.append(answer["party"]["id"])
        aboard = {party: {f"host-{number}-{index}"} for index, party in enumerate(parties)}
        lock = threading.Lock()

        def client(index):
            own = random.Random(SEED * 1_000_000 + number * 100 + index)
            rider, place, done = f"r{number}-{index}", None, []
            for step in range(6):
                key = f"{rider}-{step}"
                if place is None or own.random() < 0.3:
                    party, act = own.choice(parties), "join"
                else:
                    party, act = place, "leave"
                path = f"/v1/parties/{party}/{act}"
                status, answer = daemons.ask(own, "POST", path, {"riderId": rider}, key)
                if status == 200:
                    riders = [one["riderId"] for one in answer["party"]["riders"]]
                    assert (rider in riders) == (act == "join"), answer
                    assert riders.count(rider) <= 1 and len(riders) <= 4, answer
                    # What is so already has no effect that a key could be remembered for.
                    if act == "leave" or place != party:
                        done.append((path, key, answer["party"]["version"]))
                    place = party if act == "join" else None
                    with lock:
                        counts[act] += 1
                else:
                    reason = answer["error"]["reason"]
                    right = {"party_full"} if place is None else {"party_full", "overlapping_party"}
                    assert reason in right, (act, place, answer)
                    with lock:
                        counts[reason] += 1
                if done and own.random() < 0.3:
                    # The same key, wherever: the effect of then, told of the party as it is.
                    path, key, version = own.choice(done)
                    status, answer = daemons.ask(own, "POST", path, {"riderId": rider}, key)
                    assert status == 200 and int(answer["party"]["version"]) >= int(version), answer
                    with lock:
                        counts["repeated"] += 1
            return rider, place

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(client, index) for index in range(CLIENTS)]
            self.harm(daemons, number, generator, counts)
            for one in running:
                rider, place = one.result()
                if place:
                    aboard[place].add(rider)
        return aboard

    def ledger(self, daemons):
        """Who is aboard by what the feed tells."""
        riders, after = {}, 0
        while True:
            answer = daemons.all[0].request("GET", f"/v1/events?after={after}&limit=1000")[1]
            if not answer["events"]:
                return riders
            for event in answer["events"]:
                party, told = event.get("partyId", ""), event.get("body", {})
                if event["kind"] == "party.created":
                    riders[party] = {told["hostId"]}
                elif event["kind"] == "party.joined":
                    self.assertNotIn(told["riderId"], riders[party])
                    riders[party].add(told["riderId"])
                    self.assertLessEqual(len(riders[party]), 4, "a seat was sold twice")
                elif event["kind"] == "party.left":
                    riders[party].remove(told["riderId"])
            after = answer["next"]

    def check_feeds(self, daemons, readers):
        recorded = [
            (int(sequence), kind) for sequence, kind in (
                line.split() for line in daemons.record.sql(
                    "SELECT sequence || ' ' || kind FROM events ORDER BY sequence").splitlines())]
        self.assertEqual([sequence for sequence, _ in recorded], list(range(1, len(recorded) + 1)))
        for reader in readers:
            self.assertEqual(reader.wrong, [])
            self.assertEqual([(sequence, kind) for sequence, kind, _ in reader.told], recorded)
            self.assertEqual(reader.told, readers[0].told)


class Following(unittest.TestCase):
    """What one daemon does, another one knows: at once where a command rests on it."""

    def setUp(self):
        self.daemons = Daemons(self)
        self.generator = random.Random(SEED)

    def call(self, daemon, method, path, given=None, key=None, status=200):
        headers = {"Idempotency-Key": key} if key else None
        got, answer, _ = daemon.request(method, path, given, headers)
        self.assertEqual(got, status, answer)
        return answer

    def test_no_refusal_rests_on_what_was(self):
        """A seat that is given back at one daemon is sold at another one at once; a party that was made at
        one is joined at another; what is full there is full here."""
        first, second, third = self.daemons.all
        wrong = 0
        for number in range(30):
            made = self.call(first, "POST", "/v1/parties", body(f"h{number}", seats=2))["party"]
            path = f"/v1/parties/{made['id']}"
            self.call(second, "POST", path + "/join", {"riderId": f"a{number}"})
            self.call(third, "POST", path + "/join", {"riderId": f"b{number}"}, status=409)
            self.call(first, "POST", path + "/leave", {"riderId": f"a{number}"})
            status, answer, _ = third.request(
                "POST", path + "/join", {"riderId": f"b{number}"})
            wrong += status != 200
            # Own writes are seen at once, others' by the version that was told.
            version = answer["party"]["version"]
            self.assertEqual(
                self.call(third, "GET", path)["party"]["version"], version)
            for one in (first, second):
                # `unavailable` until it is there: 50 ms are waited.
                self.assertTrue(self.daemons.until(lambda: one.request(
                    "GET", f"{path}?minVersion={version}")[0] == 200, 5))
                self.assertEqual(self.call(one, "GET", path)["party"]["version"], version)
        self.assertEqual(wrong, 0)

    def test_staleness(self):
        """How long after an answer another daemon shows what was answered."""
        first, second, _ = self.daemons.all
        lags = []
        for number in range(40):
            made = self.call(first, "POST", "/v1/parties", body(f"s{number}"))["party"]
            began = time.monotonic()
            while second.request("GET", f"/v1/parties/{made['id']}")[0] != 200:
                self.assertLess(time.monotonic() - began, 5)
            lags.append((time.monotonic() - began) * 1000)
        lags.sort()
        print(f"\nstaleness: p50 {lags[20]:.0f} ms, most {lags[-1]:.0f} ms", file=sys.stderr)
        self.assertLess(lags[20], 250)

    def test_tickets_and_searches(self):
        first, second, third = self.daemons.all
        self.call(first, "POST", "/v1/tickets", {"userId": "ann", "here": GANGNAM})
        self.call(second, "POST", "/v1/tickets", {"userId": "ben", "here": GANGNAM})
        made = self.call(third, "POST", "/v1/parties", body("map"))["party"]
        self.daemons.until_followed(self)
        for one in self.daemons.all:
            for user in ("ann", "ben"):
                self.assertEqual(
                    self.call(one, "GET", f"/v1/tickets/{user}")["ticket"]["state"], "open")
            hits = self.call(
                one, "GET", "/v1/layers/parties/nearby?latitude=37.5547&longitude=126.9707")["hits"]
            self.assertIn(made["id"], [hit["id"] for hit in hits])
            found = self.call(
                one, "POST", "/v1/parties/search",
                {"latitude": 37.5547, "longitude": 126.9707})["parties"]
            self.assertIn(made["id"], [party["id"] for party in found])
        # Each asks at another daemon: a match of two.
        self.call(third, "POST", "/v1/tickets/ann/propose", {"otherId": "ben"})
        matched = self.call(first, "POST", "/v1/tickets/ben/accept", {"otherId": "ann"})["ticket"]
        self.assertEqual(matched["state"], "matched")
        self.daemons.until_followed(self)
        for one in self.daemons.all:
            self.assertEqual(
                self.call(one, "GET", "/v1/tickets/ann")["ticket"]["state"], "matched")

    def test_one_runs_the_timers_and_another_takes_over(self):
        """A request that is kept ends once, at the clock's word, though the daemon is killed that ran the
        timers and the one that took it."""
        self.assertTrue(self.daemons.until(lambda: len(self.daemons.leaders()) == 1))
        leader = self.daemons.leaders()[0]
        others = [one for one in self.daemons.all if one is not leader]
        trip = {"riderId": "kept", "origin": {"latitude": 37.35, "longitude": 126.95},
                "destination": DESTINATION, "departureTime": at(0.1),
                "departureWindowSeconds": 1, "store": True}
        link = leader.connection()
        link.request("POST", "/v1/parties/match/watch", json.dumps(trip),
                     {"Content-Type": "application/json"})
        answer = link.getresponse()
        self.assertEqual(answer.status, 200)
        while not answer.fp.readline().startswith(b"data: "):
            pass
        link.close()
        leader.kill()
        self.assertTrue(self.daemons.until(lambda: len(self.daemons.leaders()) == 1))
        state = "SELECT string_agg(state || ' ' || version, ',') FROM ride_requests"
        self.assertTrue(self.daemons.until(
            lambda: self.daemons.record.sql(state) == "closed 2", 40), self.daemons.record.sql(state))
        for one in others:
            self.assertTrue(self.daemons.until(lambda: self.call(
                one, "GET", "/v1/ride-requests?riderId=kept").get("requests", []) == []))
        leader.start()
        # Who comes later does not take it away.
        self.assertEqual(len(self.daemons.leaders()), 1)
        self.assertIsNot(self.daemons.leaders()[0], leader)

    def test_a_revision_loads_all_anew(self):
        """Rows that somebody changed by hand, and said so."""
        made = self.call(self.daemons.all[0], "POST", "/v1/parties", body("by-hand"))["party"]
        self.daemons.until_followed(self)
        self.daemons.record.sql(
            f"DELETE FROM claims WHERE aggregate_id = '{made['id']}'; "
            f"DELETE FROM parties WHERE id = '{made['id']}'; "
            "UPDATE feed_heads SET revision = revision + 1")
        for one in self.daemons.all:
            self.assertTrue(self.daemons.until(
                lambda: one.request("GET", f"/v1/parties/{made['id']}")[0] == 404), one.log_tail())

    def test_a_server_that_stands_still_is_said_so(self):
        first, second, _ = self.daemons.all
        self.call(first, "POST", "/v1/parties", body("before"))
        test_cluster.SERVER.pause()
        try:
            for one in (first, second):
                self.assertTrue(self.daemons.until(lambda: re.search(
                    "degraded: record-following: .*not followed", one.request("GET", "/readyz")[1])),
                    one.request("GET", "/readyz")[1])
                self.assertGreater(one.metric("moyeo_following_lag_milliseconds"), 2000)
        finally:
            test_cluster.SERVER.go_on()
        for one in (first, second):
            self.assertTrue(self.daemons.until(
                lambda: one.request("GET", "/readyz")[1] == "ready\n"), one.request("GET", "/readyz")[1])
        made = self.daemons.ask(self.generator, "POST", "/v1/parties", body("after"), "after")
        self.assertEqual(made[0], 200)
        self.daemons.until_followed(self)
        self.assertTrue(self.daemons.until(lambda: len(self.daemons.leaders()) == 1))


if __name__ == "__main__":
    unittest.main()
