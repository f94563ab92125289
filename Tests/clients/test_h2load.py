"""nghttp2's load generator: many streams at once on few connections, all answered."""

import re
import shutil
import subprocess
import tempfile
import unittest

from http2_wire import message
from protobuf_bytes import POSITIONS, nearby
import tls
from running_daemon import Daemon, MissingProgram


class H2Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = shutil.which("h2load")
        if not cls.program:
            raise MissingProgram("install Debian's package nghttp2-client")
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report("clients", [(f"o{i}", 37.5 + i / 1e4, 127.0) for i in range(30)])

    def load(self, *arguments, daemon=None):
        daemon = daemon or self.daemon
        scheme = "https" if daemon.security else "http"
        with tempfile.NamedTemporaryFile() as body:
            body.write(message(nearby("clients", 37.5, 127.0, 5)))
            body.flush()
            done = subprocess.run(
                [self.program, "-d", body.name, "-H", "content-type: application/grpc",
                 "-H", "te: trailers", *arguments,
                 f"{scheme}://{daemon.grpc_address}{POSITIONS}Nearby"],
                capture_output=True, text=True, timeout=60)
        found = re.search(
            r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored", done.stdout)
        self.assertIsNotNone(found, done.stdout + done.stderr)
        return tuple(map(int, found.groups()))

    def test_streams_up_to_the_limit(self):
        for streams in (1, 16, 100):
            with self.subTest(streams=streams):
                self.assertEqual(
                    self.load("-n", "3000", "-c", "4", "-m", str(streams)), (3000, 3000, 0, 0))

    def test_streams_over_tls(self):
        with Daemon(env=tls.settings(), security=tls.client()) as daemon:
            daemon.report("clients", [(f"o{i}", 37.5 + i / 1e4, 127.0) for i in range(30)])
            for streams in (1, 100):
                with self.subTest(streams=streams):
                    self.assertEqual(
                        self.load("-n", "3000", "-c", "4", "-m", str(streams), daemon=daemon),
                        (3000, 3000, 0, 0))

    def test_many_connections(self):
        self.assertEqual(self.load("-n", "3000", "-c", "100", "-m", "4"), (3000, 3000, 0, 0))
