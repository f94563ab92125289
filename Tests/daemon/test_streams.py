"""Many streams, some never read: what the daemon keeps for them, and that it still serves.

    MOYEOD=.build/release/moyeod MOYEO_STREAMS=1000 Tests/run daemon/test_streams.py

Without MOYEO_STREAMS, 200 streams of which 20 never read.
"""

import os
import random
import resource
import selectors
import socket
import sys
import threading
import time
import unittest

from running_daemon import Daemon

STREAMS = int(os.environ.get("MOYEO_STREAMS", "200"))
SILENT = STREAMS // 10
OBJECTS = 2000


class Reader(threading.Thread):
    """Takes what comes on many sockets and throws it away, but for a count of events."""

    def __init__(self):
        super().__init__(daemon=True)
        self.selector = selectors.DefaultSelector()
        self.events = 0
        self.closed = 0
        self.stopping = False

    def add(self, link):
        link.setblocking(False)
        self.selector.register(link, selectors.EVENT_READ)

    def run(self):
        while not self.stopping:
            for key, _ in self.selector.select(0.2):
                try:
                    data = key.fileobj.recv(1 << 16)
                except BlockingIOError:
                    continue
                if not data:
                    self.closed += 1
                    self.selector.unregister(key.fileobj)
                self.events += data.count(b"\nevent: ") + data.count(b"\r\nevent: ")


class ManyStreams(unittest.TestCase):
    def report(self, link, numbers, random_):
        positions = [
            {"id": f"object-{n}", "latitude": 37.5 + random_.uniform(-0.05, 0.05),
             "longitude": 127 + random_.uniform(-0.05, 0.05), "ttlSeconds": 0,
             "tags": ["stream"]} for n in numbers]
        status, answer, _ = self.daemon.request(
            "POST", "/v1/layers/users/positions", {"positions": positions}, connection=link)
        self.assertEqual((status, answer["accepted"]), (200, len(positions)))

    def test_streams_that_are_never_read_cost_little(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = min(hard, max(soft, STREAMS + 200))
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        random_ = random.Random(7)
        with Daemon() as self.daemon:
            link = self.daemon.connection()
            for _ in range(3):
                for start in range(0, OBJECTS, 500):
                    self.report(link, range(start, start + 500), random_)
            before = self.daemon.resident_bytes()
            reader = Reader()
            links = []
            for number in range(STREAMS):
                # Each its own area, of some hundred objects.
                path = (
                    f"/v1/layers/users/watch?latitude={37.5 + random_.uniform(-0.03, 0.03):.5f}"
                    f"&longitude={127 + random_.uniform(-0.03, 0.03):.5f}&radiusMeters=1500")
                stream = socket.create_connection(("127.0.0.1", self.daemon.http_port), 30)
                stream.sendall(
                    f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    "Accept: text/event-stream\r\n\r\n".encode())
                links.append(stream)
                if number % 10:
                    reader.add(stream)
            reader.start()
            end = time.monotonic() + float(os.environ.get("MOYEO_STREAM_SECONDS", "8"))
            highest = before
            while time.monotonic() < end:
                self.report(link, random_.sample(range(OBJECTS), 200), random_)
                highest = max(highest, self.daemon.resident_bytes())
            grown = (highest - before) / 2**20
            print(
                f"\n{STREAMS} streams, {SILENT} never read: {before / 2**20:.0f} MiB + "
                f"{grown:.1f} MiB, {reader.events} events read", file=sys.stderr)
            self.assertGreater(reader.events, STREAMS)
            self.assertEqual(reader.closed, 0)
            self.assertLessEqual(grown, 64)
            reader.stopping = True
            reader.join()
            # All of them leave, and are let go of: the daemon ends at once.
            for stream in links[: STREAMS // 2]:
                stream.close()
            start = time.monotonic()
            self.assertEqual(self.daemon.terminate(), 0)
            self.assertLess(time.monotonic() - start, 20)
            for stream in links:
                stream.close()

