"""A stock grpcio client: cancels, deadlines and a stream on one channel."""

import os
import re
import threading
import time
import unittest

# grpcio tells of each connection that ends; the tests look for themselves.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc  # noqa: E402

from protobuf_bytes import (  # noqa: E402
    CLUSTERS, EVENTS, FARES, PARTIES, POSITIONS, ROUTES, create_party, field, nearby, place, position,
    report)
from running_daemon import ROOT, Daemon, run  # noqa: E402
from stock import created_hosts  # noqa: E402

SEOUL, GANGNAM = (37.5547, 126.9707), (37.4979, 127.0276)


class StockPythonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report("clients", [(f"o{i}", 37.5 + i / 1e4, 127.0) for i in range(30)])

    def setUp(self):
        self.channel = grpc.insecure_channel(self.daemon.grpc_address)
        self.addCleanup(self.channel.close)
        grpc.channel_ready_future(self.channel).result(10)
        self.near = self.channel.unary_unary(POSITIONS + "Nearby")
        self.create = self.channel.unary_unary(PARTIES + "Create")

    def watch(self):
        """A stream that is read on; answers what it ended with, [] while it lives."""
        request = nearby("clients", 37.5, 127.0) + field(4, 5000.0)
        # Nearby's limit and Watch's radius share a number; only the radius is a double.
        stream = self.channel.unary_stream(POSITIONS + "Watch")(request)
        self.addCleanup(stream.cancel)
        ended, seen = [], threading.Event()

        def read():
            try:
                for _ in stream:
                    seen.set()
                ended.append("ended")
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.CANCELLED:
                    ended.append(f"{error.code()}: {error.details()}")

        threading.Thread(target=read, daemon=True).start()
        self.assertTrue(seen.wait(10), "the stream brings nothing")
        return ended

    def test_a_client_may_cancel_often(self):
        """W3: more cancels than 200 on one channel, a stream beside them."""
        ended = self.watch()
        for number in range(450):
            call = self.near.future(nearby("clients", 37.5, 127.0, 20))
            if number % 2:
                time.sleep(0.001)
            call.cancel()
        self.assertTrue(self.near(nearby("clients", 37.5, 127.0), timeout=10))
        self.assertEqual(ended, [])

    def test_cancels_beside_creates_run_none_twice(self):
        """W3: each acknowledged create is one party."""
        ended, acknowledged, failed = self.watch(), set(), []
        lock = threading.Lock()

        def caller(number):
            for count in range(75):
                host = f"py-{number}-{count}"
                try:
                    request = create_party(host, SEOUL, GANGNAM, time.time() + 10_000)
                    self.create(request, timeout=20)
                    with lock:
                        acknowledged.add(host)
                except grpc.RpcError as error:
                    with lock:
                        failed.append(f"{host} {error.code()}: {error.details()}")
                for _ in range(2):
                    self.near.future(nearby("clients", 37.5, 127.0, 20)).cancel()

        callers = [threading.Thread(target=caller, args=(n,)) for n in range(8)]
        for one in callers:
            one.start()
        for one in callers:
            one.join()
        self.assertEqual((failed[:3], ended), ([], []))
        made = {host: n for host, n in created_hosts(self.daemon).items()
                if host.startswith("py-")}
        self.assertEqual(made, dict.fromkeys(acknowledged, 1))

    def test_deadlines_are_the_caller_s_own_affair(self):
        """W3: calls that run out of time reset their streams; the channel goes on."""
        ended = self.watch()
        for _ in range(300):
            try:
                self.near(nearby("clients", 37.5, 127.0, 20), timeout=0.0005)
            except grpc.RpcError as error:
                self.assertEqual(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED, error.details())
        self.assertTrue(self.near(nearby("clients", 37.5, 127.0), timeout=10))
        self.assertEqual(ended, [])


class EveryService(unittest.TestCase):
    """Each unary call of each service, over the fast path and over the stream handlers: the same
    status and, where nothing in it tells the time, the same answer."""

    @classmethod
    def setUpClass(cls):
        listed = run("--print-configuration")[1]
        (key,) = re.findall(r"^grpc\.(fastPath|hotLane)\b", listed, re.MULTILINE)
        slow = re.sub(r"(?<!^)([A-Z])", r"_\1", key).upper()
        cls.daemons = [
            Daemon("--resources", str(ROOT), env={f"MOYEO_GRPC_{slow}": value})
            for value in ("true", "false")]
        for daemon in cls.daemons:
            cls.addClassCleanup(daemon.close)
            daemon.report("clients", [(f"o{i}", 37.5 + i / 1e4, 127.0) for i in range(30)])

    def calls(self):
        box = b"".join(field(2 + i, float(v)) for i, v in enumerate((126, 37, 128, 38)))
        trip = field(1, place(*SEOUL)) + field(2, place(*GANGNAM))
        layer = field(1, "clients")
        soon = time.time() + 10_000
        yield POSITIONS + "Nearby", nearby("clients", 37.5, 127.0, 3), False
        yield POSITIONS + "Nearby", nearby("nowhere", 37.5, 127.0, 3), True
        yield POSITIONS + "Nearby", nearby("clients", 97.5, 127.0, 3), True
        yield POSITIONS + "NearbyBatch", layer + field(2, nearby("clients", 37.5, 127.0)), False
        yield POSITIONS + "Within", layer + box, False
        yield POSITIONS + "Get", layer + field(2, "o1"), False
        yield POSITIONS + "Get", layer + field(2, "nobody"), True
        yield POSITIONS + "TagHistogram", layer + box, False
        yield POSITIONS + "ListLayers", b"", False
        yield POSITIONS + "Report", report("clients", [position("new", 37.5, 127.0)]), False
        yield POSITIONS + "Remove", layer + field(2, "new"), False
        yield CLUSTERS + "GetClusters", layer + box + field(6, 5), False
        yield CLUSTERS + "GetTile", layer + field(2, 3) + field(3, 6) + field(4, 3), False
        yield PARTIES + "Create", create_party("every", SEOUL, GANGNAM, soon), False
        yield PARTIES + "Get", field(1, "none"), True
        yield PARTIES + "Join", field(1, "none") + field(2, "r"), True
        yield PARTIES + "Search", field(1, SEOUL[0]) + field(2, SEOUL[1]), False
        yield EVENTS + "List", field(1, 0), False
        yield FARES + "Estimate", trip, False
        yield FARES + "ListTariffs", b"", True
        yield ROUTES + "Plan", trip, False
        yield "/moyeo.v1.PositionService/Nobody", b"", True
        yield "/grpc.health.v1.Health/Check", b"", True

    def test_both_paths_answer_alike(self):
        channels = [grpc.insecure_channel(daemon.grpc_address) for daemon in self.daemons]
        for path, request, is_timeless in self.calls():
            with self.subTest(path):
                got = []
                for channel in channels:
                    try:
                        got.append(("OK", channel.unary_unary(path)(request, timeout=10)))
                    except grpc.RpcError as error:
                        got.append((error.code().name, error.details().encode()))
                self.assertEqual(got[0][0], got[1][0], got)
                self.assertNotIn(got[0][0], ("UNKNOWN", "INTERNAL", "UNAVAILABLE"), got)
                if is_timeless:
                    self.assertEqual(got[0][1], got[1][1])
        for channel in channels:
            channel.close()
