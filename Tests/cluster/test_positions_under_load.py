"""Positions shared under load: reports go on at a steady rate while a master is killed, another one is cut off,
a daemon stands still for longer than the log is, and all of Redis stands still. Told are how old answers were in
each, and how many acknowledged reports the failovers lost; afterwards nobody shows anything else than the others.

    Tests/run cluster/test_positions_under_load.py

MOYEO_CLUSTER_REPORTS is the rate (positions a second), MOYEO_CLUSTER_SECONDS how long each part takes.
"""

import collections
import contextlib
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import unittest

from figures import percentile
from test_shared_positions import BOX, SharedPositions, Sharing, setUpModule  # noqa: F401

del SharedPositions  # Its tests are run where they stand.

RATE = int(os.environ.get("MOYEO_CLUSTER_REPORTS", "1000"))
SECONDS = float(os.environ.get("MOYEO_CLUSTER_SECONDS", "2"))
REPORTERS, BATCH = 4, 100
# Each is reported some ten times a second.
USERS = max(REPORTERS * BATCH, RATE // 10 // (REPORTERS * BATCH) * REPORTERS * BATCH)
(SOUTH, WEST), DEGREES, CELLS = BOX[:2], 0.30, 6
# Older answers come from nobody who says that it is ready; a look and a scheduler's turn come on top.
BOUND_SECONDS = 2.5


def place(user):
    own = random.Random(user)
    return SOUTH + own.random() * DEGREES, WEST + own.random() * DEGREES


PLACES = [place(user) for user in range(USERS)]
# Objects that are reported only once, so that whose report was lost stays away: a few with every tenth report.
ONCE, REPORTS_PER_ONCE, COLUMN = 10, 10, 100


def report_of(users, step):
    """The body of a report; written by hand, as the callers share a core with all else."""
    items = ",".join(
        f'{{"id":"u{user}","latitude":{PLACES[user][0] + step % 10 * 1e-4:.6f},'
        f'"longitude":{PLACES[user][1]:.6f},"attributes":{{"step":{step}}},"ttlSeconds":0}}' for user in users)
    return f'{{"positions":[{items}]}}'


def once(numbers):
    """The body of a report of objects that nobody reports again: columns of a hundred to the east."""
    items = ",".join(
        f'{{"id":"o{number}","latitude":{36 + number % COLUMN * 1e-3:.6f},'
        f'"longitude":{120 + number // COLUMN * 1e-3:.6f},"ttlSeconds":0}}' for number in numbers)
    return f'{{"positions":[{items}]}}'


class Caller:
    """Connections to daemons that are kept."""

    def __init__(self, daemons, timeout=6):
        self.daemons, self.timeout, self.links = daemons, timeout, {}

    def ask(self, daemon, method, path, body=None):
        """(status, answer); (0, why) where there is none."""
        link = self.links.get(daemon) or daemon.connection(self.timeout)
        self.links[daemon] = link
        try:
            link.request(method, path, body=body, headers={"Content-Type": "application/json"})
            answer = link.getresponse()
            data = answer.read()
            return answer.status, json.loads(data) if data[:1] == b"{" else data.decode()
        except (OSError, http.client.HTTPException) as error:
            link.close()
            del self.links[daemon]
            return 0, type(error).__name__


class Reporter(threading.Thread):
    """Reports its users over and over at its share of the rate, each time at another daemon."""

    def __init__(self, number, daemons, is_over):
        super().__init__(daemon=True)
        self.users = range(number * USERS // REPORTERS, (number + 1) * USERS // REPORTERS)
        self.generator = random.Random(number)
        self.caller, self.is_over = Caller(daemons), is_over
        self.acknowledged, self.refused, self.sent = {}, collections.Counter(), 0
        # Of those that are reported once, which are this one's, and which were acknowledged.
        self.number, self.told_once = number, set()

    def run(self):
        step, due = 0, time.monotonic()
        while not self.is_over.is_set():
            step += 1
            for first in range(self.users.start, self.users.stop, BATCH):
                due += BATCH * REPORTERS / RATE
                # Who is late does not catch up: the rate is that of those who wait.
                due = max(due, time.monotonic() - 1)
                self.is_over.wait(max(0, due - time.monotonic()))
                users = range(first, min(first + BATCH, self.users.stop))
                for name in self.send("users", "u", users, report_of(users, step)):
                    self.acknowledged[name] = step
                if self.sent // BATCH % REPORTS_PER_ONCE == 0:
                    start = (self.sent // BATCH * REPORTERS + self.number) * ONCE
                    numbers = range(start, start + ONCE)
                    self.told_once.update(self.send("once", "o", numbers, once(numbers)))

    def send(self, layer, letter, numbers, body):
        """The numbers that were acknowledged."""
        status, answer = self.caller.ask(
            self.generator.choice(self.caller.daemons), "POST", f"/v1/layers/{layer}/positions", body)
        if layer == "users":
            self.sent += len(numbers)
        if status != 200:
            reason = answer["error"]["reason"] if isinstance(answer, dict) else answer
            self.refused[reason] += len(numbers)
            return []
        rejected = {one["id"]: one["reason"] for one in answer.get("rejections", [])}
        self.refused.update(rejected.values())
        return [number for number in numbers if f"{letter}{number}" not in rejected]


class Probe(threading.Thread):
    """Reports one object at a daemon and looks for it at another one, over and over."""

    def __init__(self, daemons, is_over):
        super().__init__(daemon=True)
        self.generator = random.Random(17)
        self.caller, self.is_over = Caller(daemons, timeout=2), is_over
        self.part, self.lags, self.hidden = "healthy", collections.defaultdict(list), []

    def run(self):
        step = 0
        while not self.is_over.wait(0.05):
            step += 1
            one, other = self.generator.sample(self.caller.daemons, 2)
            # Of several, which are in partitions of all masters.
            body = (f'{{"positions":[{{"id":"probe{step % 16}","latitude":{30 + step % 16},"longitude":126.7,'
                    f'"attributes":{{"step":{step}}}}}]}}')
            status, answer = self.caller.ask(one, "POST", "/v1/layers/probes/positions", body)
            if status == 200 and not answer.get("rejections"):
                self.look(other, step)

    def look(self, daemon, step):
        began, said_ready = time.monotonic(), False
        while not self.is_over.is_set():
            status, answer = self.caller.ask(
                daemon, "GET", f"/v1/layers/probes/nearby?latitude={30 + step % 16}&longitude=126.7&limit=1")
            hits = answer.get("hits", []) if status == 200 else []
            age = time.monotonic() - began
            if hits and int(hits[0]["attributes"]["step"]) >= step:
                self.lags[self.part].append(age)
                return
            # The report may have been lost with its master.
            if age > 15:
                return
            if status == 200 and age > BOUND_SECONDS:
                # Between an old answer and the question whether it is ready it may have caught up.
                if said_ready:
                    self.hidden.append((self.part, age))
                said_ready = self.caller.ask(daemon, "GET", "/readyz")[0] == 200
            time.sleep(0.002)


class PositionsUnderLoad(Sharing):
    def test_acknowledged_reports(self):
        is_over = threading.Event()
        reporters = [Reporter(number, self.daemons, is_over) for number in range(REPORTERS)]
        probe = Probe(self.daemons, is_over)
        began = time.monotonic()
        for thread in (*reporters, probe):
            thread.start()
        try:
            for part, fault in (("healthy", None), ("a master is killed", self.master_killed),
                                ("a master is cut off", self.master_cut_off),
                                ("a daemon is paused", self.daemon_paused),
                                ("all of Redis is paused", self.all_paused), ("healthy again", None)):
                probe.part = part
                if fault:
                    fault()
                time.sleep(SECONDS)
                self.assertTrue(self.until(lambda: all(map(self.is_ready, self.daemons)), 60),
                                [daemon.log_tail() for daemon in self.daemons])
        finally:
            seconds = time.monotonic() - began
            is_over.set()
            for thread in (*reporters, probe):
                thread.join()
        self.assertTrue(self.until(self.show_the_same, 60), "the daemons differ")
        acknowledged = {}
        for reporter in reporters:
            acknowledged.update(reporter.acknowledged)
        told_once = set().union(*(reporter.told_once for reporter in reporters))
        lost = told_once - self.shown_once(self.daemons[0], max(told_once))
        for daemon in self.daemons[1:]:
            self.assertEqual(told_once - self.shown_once(daemon, max(told_once)), lost)
        refused = sum((reporter.refused for reporter in reporters), collections.Counter())
        sent = sum(reporter.sent for reporter in reporters)
        repaired = [int(daemon.metric("moyeo_sharing_gaps_repaired_total")) for daemon in self.daemons]
        lines = [f"{sent / seconds:,.0f} reports a second for {seconds:.0f} s, refused "
                 f"{dict(refused)}; lost of {len(told_once)} acknowledged reports of objects "
                 f"that are reported once: {len(lost)}; partitions read anew {repaired}"]
        for part, lags in probe.lags.items():
            lines.append(
                f"{part}: seen elsewhere after p50 {percentile(lags, .5) * 1000:.0f}, p99 "
                f"{percentile(lags, .99) * 1000:.0f}, most {max(lags) * 1000:.0f} ms ({len(lags)} looks)")
        print("\n" + "\n".join(lines), file=sys.stderr)
        self.assertEqual(probe.hidden, [], "an answer was old, and its daemon said that it is ready")
        self.assertEqual(len(acknowledged), USERS)
        self.heartbeat()

    def heartbeat(self):
        """One report of each, after which all daemons answer as one that shares with nobody."""
        caller = Caller(self.daemons)
        with self.embedded() as embedded:
            for first in range(0, USERS, BATCH):
                body = report_of(range(first, min(first + BATCH, USERS)), 1_000_000)
                for daemon in (self.generator.choice(self.daemons), embedded):
                    status, answer = caller.ask(daemon, "POST", "/v1/layers/users/positions", body)
                    self.assertEqual((status, answer.get("rejections", [])), (200, []))
            self.assertTrue(self.until(self.show_the_same))
            wanted = self.answers(embedded)
            self.assertTrue(self.until(lambda: self.answers(embedded) == wanted))
            for daemon in self.daemons:
                self.assertTrue(self.until(lambda: self.answers(daemon) == self.answers(embedded)))

    # Faults

    def master_killed(self):
        """Its replica, which was held up for a moment, takes over, and it comes back as that one's replica."""
        master = self.redis.masters()[0]
        replica = self.redis.replica_of(master)
        with self.redis.paused(replica):
            time.sleep(0.2)
            self.redis.kill(master)
        self.assertTrue(self.until(lambda: replica in self.redis.masters(), 30))
        self.redis.start(master)

    def master_cut_off(self):
        """It stands still until its replica has taken over, and then finds that it is none any more."""
        master = self.redis.masters()[0]
        replica = self.redis.replica_of(master)
        with self.redis.paused(master):
            self.assertTrue(self.until(lambda: replica in self.redis.masters(but=master), 30))

    def daemon_paused(self):
        """For longer than the log is, which is cut meanwhile."""
        paused = self.daemons[2]
        os.kill(paused.pid, signal.SIGSTOP)
        try:
            time.sleep(SECONDS / 2)
            self.cut_log()
        finally:
            os.kill(paused.pid, signal.SIGCONT)

    def all_paused(self):
        before = max(daemon.resident_bytes() for daemon in self.daemons)
        with contextlib.ExitStack() as stack:
            for port in self.redis.ports:
                stack.enter_context(self.redis.paused(port))
            time.sleep(max(3, SECONDS / 2))
            grown = max(daemon.resident_bytes() for daemon in self.daemons) - before
        # What waits is bounded by 32 MB of bytes to send, and what is refused takes none.
        self.assertLess(grown, 128 << 20)

    # What is shown

    def shown(self, daemon):
        """By user the step that a daemon shows; None where it refuses to tell."""
        found, side = {}, DEGREES / CELLS
        caller = Caller([daemon], timeout=30)
        for row in range(CELLS):
            for column in range(CELLS):
                box = {"south": SOUTH + row * side, "north": SOUTH + (row + 1) * side + 1e-3,
                       "west": WEST + column * side, "east": WEST + (column + 1) * side, "limit": 1000}
                status, answer = caller.ask(daemon, "POST", "/v1/layers/users/within", json.dumps(box))
                if status != 200:
                    return None
                self.assertLess(len(answer["hits"]), 1000)
                found.update({int(hit["id"][1:]): int(hit["attributes"]["step"])
                              for hit in answer["hits"]})
        return found

    def shown_once(self, daemon, last):
        """The numbers of the objects that were reported once and are shown."""
        found, caller, columns = set(), Caller([daemon], timeout=30), 9
        for first in range(0, last // COLUMN + 1, columns):
            west = 120 + first * 1e-3 - 5e-4
            box = {"south": 35.9, "north": 36.2, "west": west, "east": west + columns * 1e-3, "limit": 1000}
            status, answer = caller.ask(daemon, "POST", "/v1/layers/once/within", json.dumps(box))
            self.assertEqual(status, 200, answer)
            found.update(int(hit["id"][1:]) for hit in answer["hits"])
        return found

    def show_the_same(self):
        first = self.shown(self.daemons[0])
        return first is not None and all(self.shown(daemon) == first for daemon in self.daemons[1:])


if __name__ == "__main__":
    unittest.main()
