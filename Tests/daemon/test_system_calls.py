"""Counted work of a call over the wire: reads and writes of the daemon, not time."""

import pathlib
import struct
import sys
import unittest

from running_daemon import ROOT, Daemon

# Behind our own folders, which have modules of the same names.
sys.path.append(str(ROOT / "Benchmarks" / "peers"))
from plain_http2 import PlainConnection  # noqa: E402

CALLS = 2000
NEARBY = "/moyeo.v1.PositionService/Nearby"
REPORT = "/moyeo.v1.PositionService/Report"


def text(number, value):
    """A protobuf field of bytes shorter than 128."""
    value = value if isinstance(value, bytes) else value.encode()
    return bytes([number << 3 | 2, len(value)]) + value


def degrees(number, value):
    return bytes([number << 3 | 1]) + struct.pack("<d", value)


def system_calls(pid):
    """read(2), write(2) and their kin of a process so far (proc(5), io)."""
    fields = dict(line.split(": ") for line in
                  pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(fields["syscr"]) + int(fields["syscw"])


class SystemCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.connection = PlainConnection("127.0.0.1", cls.daemon.grpc_port)
        cls.addClassCleanup(cls.connection.close)
        position = text(1, "a") + degrees(2, 37.5) + degrees(3, 127.0)
        cls.report = text(1, "users") + text(2, position)
        cls.nearby = text(1, "users") + degrees(2, 37.5) + degrees(3, 127.0)

    def each(self, path, request, under_way):
        requests = [(path, request)] * under_way
        for _ in range(20):
            self.connection.calls(requests)
        before = system_calls(self.daemon.process.pid)
        for _ in range(CALLS // under_way):
            answers = self.connection.calls(requests)
            self.assertEqual(len(answers), under_way)
        return (system_calls(self.daemon.process.pid) - before) / CALLS

    def test_one_at_a_time(self):
        # One read, one write; now and then a timer or a woken loop.
        for path, request in ((REPORT, self.report), (NEARBY, self.nearby)):
            with self.subTest(path):
                count = self.each(path, request, 1)
                self.assertLess(count, 2.5)

    def test_many_under_way_share_reads_and_writes(self):
        for path, request in ((REPORT, self.report), (NEARBY, self.nearby)):
            with self.subTest(path):
                count = self.each(path, request, 16)
                self.assertLess(count, 0.5)

