"""Three daemons that share positions through a Redis Cluster: what one is told, all answer with, while
masters are killed, everything stands still, and a daemon stands still for longer than the log is.

    Tests/run cluster/test_shared_positions.py
"""

import collections
import contextlib
import http.client
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
import unittest

from redis_cluster import MissingRedis, RedisCluster
from running_daemon import ROOT, Daemon, MissingProgram
from scratch_postgres import MissingPostgres, Postgres
from waiting import comes_true

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))

import test_cluster  # noqa: E402
import tls  # noqa: E402
from party_calls import body  # noqa: E402
from test_cluster import Record  # noqa: E402

SEED = int(os.environ.get("MOYEO_CLUSTER_SEED", "1"))
USERS, BOX, PARTITIONS = 400, (37.40, 126.80, 37.70, 127.20), 64
TILES = ["0/0/0", "10/873/396", "12/3492/1586", "14/13970/6344"]
# Partitions of the log that move from one master to another and back.
MOVED = int(os.environ.get("MOYEO_CLUSTER_MOVED", "1"))
PASSWORD = "of the tests"


def setUpModule():
    try:
        test_cluster.SERVER = Postgres("fsync=off")
    except MissingPostgres as error:
        raise MissingProgram(str(error)) from error
    unittest.addModuleCleanup(test_cluster.SERVER.close)


class Sharing(unittest.TestCase):
    """Daemons on a Redis Cluster of their own."""

    certificates = None
    count = 3

    def setUp(self):
        try:
            self.redis = RedisCluster(PASSWORD, certificates=self.certificates)
        except MissingRedis as error:
            raise MissingProgram(str(error)) from error
        self.addCleanup(self.redis.close)
        self.record = Record()
        self.generator = random.Random(SEED)
        self.daemons = [self.daemon() for _ in range(self.count)]

    def daemon(self, ready=True, **more):
        daemon = Daemon(
            "--resources", str(ROOT), ready=ready, env={
                "MOYEO_CLUSTER_POSTGRES": self.record.connection,
                # One that is away does no harm; the others tell of all.
                "MOYEO_CLUSTER_REDIS": "127.0.0.1:1," + self.redis.addresses,
                "MOYEO_CLUSTER_REDIS_PASSWORD": PASSWORD, **more,
            })
        self.addCleanup(daemon.close)
        return daemon

    def until(self, condition, seconds=30):
        return comes_true(condition, seconds)

    def item(self, user, step=0):
        own = random.Random(user * 1000 + step)
        return {
            "id": f"u{user}", "latitude": round(own.uniform(BOX[0], BOX[2]), 6),
            "longitude": round(own.uniform(BOX[1], BOX[3]), 6),
            "tags": [own.choice(["swift", "math", "go"])], "attributes": {"step": step},
            "ttlSeconds": 0}

    def report(self, daemon, items, status=200):
        got, answer, _ = daemon.request("POST", "/v1/layers/users/positions", {"positions": items})
        self.assertEqual(got, status, answer)
        return answer

    def contents(self, daemon):
        """All objects, as the daemon answers with them; ages apart."""
        status, answer, _ = daemon.request(
            "POST", "/v1/layers/users/within", {
                "south": BOX[0], "west": BOX[1], "north": BOX[2], "east": BOX[3], "limit": 1000})
        if status != 200:
            return None
        return {hit["id"]: (hit["latitude"], hit["longitude"], tuple(hit.get("tags", [])),
                            hit["attributes"]["step"]) for hit in answer["hits"]}

    def steps(self, daemon):
        return {name: int(hit[3]) for name, hit in (self.contents(daemon) or {}).items()}

    def are_equal(self):
        found = [self.contents(daemon) for daemon in self.daemons]
        return found[0] is not None and all(one == found[0] for one in found)

    def answers(self, daemon):
        """What is compared byte for byte, and nearby answers without what tells the time."""
        tiles = {}
        for tile in TILES:
            link = daemon.connection()
            link.request("GET", f"/v1/layers/users/tiles/{tile}.mvt")
            answer = link.getresponse()
            tiles[tile] = (answer.status, answer.read())
            link.close()
        near = []
        own = random.Random(SEED)
        for _ in range(30):
            place = f"latitude={own.uniform(BOX[0], BOX[2])}&longitude={own.uniform(BOX[1], BOX[3])}"
            hits = daemon.request("GET", f"/v1/layers/users/nearby?{place}&limit=20")[1]["hits"]
            near.append([(hit["id"], hit["latitude"], hit["longitude"], hit["distanceMeters"])
                         for hit in hits])
        return tiles, near

    def is_ready(self, daemon):
        return daemon.request("GET", "/readyz")[0] == 200

    @contextlib.contextmanager
    def embedded(self):
        """A daemon that shares with nobody and ranks the objects of clusters as these do."""
        with tempfile.TemporaryDirectory() as folder:
            secret = self.record.sql("SELECT encode(value, 'hex') FROM settings WHERE name = 'clusters'")
            pathlib.Path(folder, "clusters.secret").write_bytes(bytes.fromhex(secret))
            with Daemon("--resources", str(ROOT), directory=folder) as daemon:
                yield daemon

    def cut_log(self):
        """Of each partition's log the last entry stays."""
        for partition in range(PARTITIONS):
            self.redis.command("XTRIM", f"{{mp:{partition}}}:f", "MAXLEN", "1")

    @contextlib.contextmanager
    def reporting(self):
        """Four callers report fifty users each, over and over at any daemon; answers the step of each that was
        acknowledged last, and how often what was refused for which reason."""
        acknowledged, refused = {}, collections.Counter()
        is_over = threading.Event()

        def reporter(number):
            own, step = random.Random(SEED * 100 + number), 0
            while not is_over.wait(0.01):
                step += 1
                users = range(number * 50, number * 50 + 50)
                try:
                    status, answer, _ = own.choice(self.daemons).request(
                        "POST", "/v1/layers/users/positions",
                        {"positions": [self.item(user, step) for user in users]}, timeout=10)
                except (OSError, http.client.HTTPException) as error:
                    refused[type(error).__name__] += 1
                    continue
                if status != 200:
                    refused[answer["error"]["reason"]] += 1
                    continue
                rejected = {one["id"]: one["reason"] for one in answer.get("rejections", [])}
                refused.update(rejected.values())
                acknowledged.update({f"u{user}": step for user in users if f"u{user}" not in rejected})

        threads = [threading.Thread(target=reporter, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            yield acknowledged, refused
        finally:
            is_over.set()
            for thread in threads:
                thread.join()


class SharedPositions(Sharing):
    def test_equal_everywhere(self):
        """Nearby answers and tile bytes are equal on all daemons, on one that comes later, and on an
        embedded one that was told the same."""
        told = []
        for step in range(3):
            for first in range(0, USERS, 50):
                items = [self.item(user, step) for user in range(first, first + 50)]
                daemon = self.generator.choice(self.daemons)
                self.assertEqual(self.report(daemon, items)["accepted"], 50)
                # Own writes at once.
                self.assertEqual(self.steps(daemon).get(f"u{first}"), step)
                told.append(items)
        for user in range(0, USERS, 10):
            status, answer, _ = self.generator.choice(self.daemons).request(
                "DELETE", f"/v1/layers/users/positions/u{user}")
            self.assertEqual((status, answer["removed"]), (200, True))
        self.assertTrue(self.until(self.are_equal))
        later = self.daemon()
        self.daemons.append(later)
        self.assertEqual(len(self.contents(later)), USERS - USERS // 10)
        with self.embedded() as embedded:
            for items in told:
                self.report(embedded, items)
            for user in range(0, USERS, 10):
                embedded.request("DELETE", f"/v1/layers/users/positions/u{user}")
            self.assertTrue(self.until(lambda: self.answers(embedded) == self.answers(later)))
            wanted = self.answers(embedded)
        self.assertTrue(all(len(tile) > 0 for _, tile in wanted[0].values()))
        for daemon in self.daemons:
            self.assertTrue(self.until(lambda: self.answers(daemon) == wanted, 10))
            self.assertEqual(daemon.metric("moyeo_sharing_gaps_repaired_total"), 0)
        removed = self.daemons[0].request("DELETE", "/v1/layers/users")
        self.assertEqual((removed[0], removed[1]["removed"]), (200, USERS - USERS // 10))
        for daemon in self.daemons[1:]:
            self.assertTrue(self.until(lambda: not self.contents(daemon)))

    def test_staleness(self):
        lags = []
        for step in range(60):
            one, other = self.generator.sample(self.daemons, 2)
            self.report(one, [self.item(1, step)])
            began = time.monotonic()
            self.assertTrue(self.until(lambda: self.steps(other).get("u1") == step, 5))
            lags.append((time.monotonic() - began) * 1000)
        lags.sort()
        print(f"\npositions at another daemon: p50 {lags[30]:.0f} ms, p95 {lags[57]:.0f} ms, "
              f"most {lags[-1]:.0f} ms", file=sys.stderr)
        self.assertLess(lags[30], 250)

    def test_masters_killed(self):
        """Reports go on while a master is killed whose replica was held up: what was acknowledged and is
        lost is counted, and nobody shows anything else than the log has."""
        with self.reporting() as (acknowledged, refused):
            time.sleep(1)
            master = self.redis.masters()[0]
            replica = self.redis.replica_of(master)
            with self.redis.paused(replica):
                time.sleep(0.3)
                self.redis.kill(master)
            began = time.monotonic()
            self.assertTrue(self.until(lambda: replica in self.redis.masters(), 30))
            self.assertTrue(self.until(lambda: all(map(self.is_ready, self.daemons)), 30))
            away = time.monotonic() - began
            time.sleep(1)
        self.assertTrue(self.until(self.are_equal), [daemon.log_tail() for daemon in self.daemons])
        shown = self.steps(self.daemons[0])
        lost = sum(shown.get(user, 0) < step for user, step in acknowledged.items())
        gaps = [int(daemon.metric("moyeo_sharing_gaps_repaired_total")) for daemon in self.daemons]
        print(f"\nmaster killed: back after {away:.1f} s, users whose last report was lost {lost} of "
              f"{len(acknowledged)}, gaps repaired {gaps}, refused {dict(refused)}", file=sys.stderr)
        # One heartbeat of each.
        for first in range(0, 200, 50):
            self.report(self.daemons[0], [self.item(user, 10_000) for user in range(first, first + 50)])
        self.assertTrue(self.until(self.are_equal))
        self.assertEqual(set(self.steps(self.daemons[1]).values()), {10_000})
        self.assertTrue(self.until(
            lambda: self.answers(self.daemons[1]) == self.answers(self.daemons[2])))

    def test_a_reader_paused_past_its_log(self):
        for first in range(0, 200, 50):
            self.report(self.daemons[0], [self.item(user) for user in range(first, first + 50)])
        self.assertTrue(self.until(self.are_equal))
        paused = self.daemons[2]
        os.kill(paused.pid, signal.SIGSTOP)
        try:
            for step in (1, 2, 3):
                for first in range(0, 200, 50):
                    self.report(self.daemons[0],
                                [self.item(user, step) for user in range(first, first + 50)])
            self.daemons[1].request("DELETE", "/v1/layers/users/positions/u7")
            self.cut_log()
        finally:
            os.kill(paused.pid, signal.SIGCONT)
        self.assertTrue(self.until(self.are_equal), paused.log_tail())
        self.assertNotIn("u7", self.contents(paused))
        self.assertGreater(paused.metric("moyeo_sharing_gaps_repaired_total"), 0)
        self.assertTrue(self.until(lambda: self.answers(paused) == self.answers(self.daemons[0])))

    def test_everything_stands_still(self):
        """Reports are refused, the daemons say that they are not ready, and all goes on by itself."""
        self.report(self.daemons[0], [self.item(1)])
        for port in self.redis.ports:
            self.redis.pause(port)
        try:
            answer = self.report(self.daemons[0], [self.item(1, 1)], status=503)
            self.assertEqual(answer["error"]["reason"], "unavailable")
            for daemon in self.daemons:
                self.assertTrue(self.until(lambda: not self.is_ready(daemon), 10))
                self.assertIn("behind: positions are", daemon.request("GET", "/readyz")[1])
                # Not so old yet that it could not be told.
                self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
            self.assertTrue(self.until(lambda: self.contents(self.daemons[1]) is None, 15))
        finally:
            for port in self.redis.ports:
                self.redis.go_on(port)
        for daemon in self.daemons:
            self.assertTrue(self.until(lambda: self.is_ready(daemon), 30), daemon.log_tail())
        self.report(self.daemons[0], [self.item(1, 2)])
        self.assertTrue(self.until(lambda: self.steps(self.daemons[2]).get("u1") == 2))

    def test_a_removal_waits_for_a_replica(self):
        """Without one it is `unavailable`, though it is gone; repeated once there is one again it succeeds."""
        self.report(self.daemons[0], [self.item(user) for user in range(20)])
        self.assertTrue(self.until(self.are_equal))
        replicas = [port for port in self.redis.ports if port not in self.redis.masters()]

        def remove(user):
            status, answer, _ = self.daemons[1].request("DELETE", f"/v1/layers/users/positions/u{user}")
            return status, answer["removed"] if status == 200 else answer["error"]["reason"]

        self.assertEqual(remove(1), (200, True))
        with contextlib.ExitStack() as stack:
            for port in replicas:
                stack.enter_context(self.redis.paused(port))
            self.assertEqual(remove(2), (503, "unavailable"))
            self.assertNotIn("u2", self.contents(self.daemons[1]))
            # Reports do not wait.
            self.report(self.daemons[1], [self.item(1)])
        self.assertTrue(self.until(lambda: remove(2) == (200, False)))
        self.assertEqual(remove(3), (200, True))

    def test_redis_is_full(self):
        """Reports are refused, the operator is told why, all else goes on, and so do reports once there is room."""
        self.report(self.daemons[0], [self.item(1)])
        self.assertTrue(self.until(self.are_equal))
        for port in self.redis.masters():
            self.assertEqual(self.redis.ask(port, "CONFIG", "SET", "maxmemory", "1"), "OK")
        answer = self.report(self.daemons[0], [self.item(1, 1)], status=503)
        self.assertEqual(answer["error"]["reason"], "unavailable")
        self.assertTrue(self.until(
            lambda: "maxmemory" in self.daemons[0].request("GET", "/readyz")[1], 5))
        for daemon in self.daemons:
            self.assertEqual(self.steps(daemon), {"u1": 0})
            self.assertTrue(self.is_ready(daemon))
        made = self.daemons[1].request("POST", "/v1/parties", body("somebody"))
        self.assertEqual(made[0], 200, made[1])
        for port in self.redis.masters():
            self.redis.ask(port, "CONFIG", "SET", "maxmemory", "0")
        self.report(self.daemons[0], [self.item(1, 2)])
        self.assertTrue(self.until(lambda: self.steps(self.daemons[2]) == {"u1": 2}))

    def test_slots_move(self):
        """Slots with a partition of the log go to another master and come back while reports go on: whose
        report is refused is told so, and what was acknowledged is shown everywhere."""
        with self.reporting() as (acknowledged, refused):
            one, other = self.redis.masters()[:2]
            # The lowest ones move, up to that of as many partitions.
            before = self.redis.slots(one)
            partitions = {int(self.redis.ask(one, "CLUSTER", "KEYSLOT", f"{{mp:{partition}}}"))
                          for partition in range(PARTITIONS)} & set(before)
            moved = before.index(sorted(partitions)[MOVED - 1]) + 1
            self.redis.reshard(one, other, moved)
            self.assertEqual(self.redis.slots(one), before[moved:])
            self.redis.reshard(other, one, moved)
        self.assertTrue(self.until(self.are_equal), [daemon.log_tail() for daemon in self.daemons])
        shown = self.steps(self.daemons[0])
        print(f"\nslots moved: {sum(acknowledged.values()) // 50} reports of 50, refused {dict(refused)}",
              file=sys.stderr)
        self.assertEqual(len(acknowledged), 200)
        self.assertLessEqual(set(refused), {"unavailable"})
        # What was refused may have been stored all the same.
        late = [user for user, step in acknowledged.items() if shown[user] < step]
        self.assertEqual(late, [])
        self.assertTrue(self.until(
            lambda: self.answers(self.daemons[1]) == self.answers(self.daemons[2])))


class SharingOverTLS(Sharing):
    certificates = staticmethod(tls.path)
    count = 0

    def secure(self, authority="authority", ready=True):
        return self.daemon(
            ready, MOYEO_CLUSTER_REDIS_TLS="true", MOYEO_CLUSTER_REDIS_AUTHORITY=tls.path(authority))

    def test_positions_are_shared_over_tls(self):
        """By servers whom the named authority vouches for; to others nothing is told."""
        one, other = self.secure(), self.secure()
        items = [self.item(user) for user in range(50)]
        self.assertEqual(self.report(one, items)["accepted"], 50)
        self.assertTrue(self.until(lambda: len(self.contents(other) or {}) == 50))
        wary = self.secure("stranger-authority", ready=False)
        answer = self.report(wary, [self.item(1)], status=503)
        self.assertEqual(answer["error"]["reason"], "unavailable")
        self.assertTrue(self.until(
            lambda: "certificate" in wary.request("GET", "/readyz")[1].lower()),
            wary.request("GET", "/readyz"))
