"""Every described call is tried with generated requests, all checks of schemathesis on, by a fixed seed: both
sides of each bound, and some of each call at random.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run described

MOYEO_DESCRIBED_EXAMPLES and MOYEO_DESCRIBED_SEED make it look further, as does MOYEO_DESCRIBED_PHASES
"examples,coverage,fuzzing,stateful": sequences of calls follow ids that the daemon makes, so that no run is as the
one before, which a gate must be.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from running_daemon import ROOT, Daemon

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SEED = os.environ.get("MOYEO_DESCRIBED_SEED", "20261125")
PHASES = os.environ.get("MOYEO_DESCRIBED_PHASES", "examples,coverage,fuzzing")
EXAMPLES = os.environ.get("MOYEO_DESCRIBED_EXAMPLES", "10")


def calls(description):
    return [call for methods in description["paths"].values() for call in methods.values()]


class GeneratedRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The first words of a stream are waited for: one that has nothing to tell says soon that it lives.
        cls.daemon = Daemon("--resources", str(ROOT), "--admin-port", "0",
                            env={"MOYEO_STREAMS_HEARTBEAT_SECONDS": "1"})
        cls.addClassCleanup(cls.daemon.close)

    def assert_nothing_unexpected(self, port, phases):
        """All calls of the description at a port answer as it says."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=20) as answer:
            description = json.load(answer)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(pathlib.Path(sys.executable).parent / "schemathesis"),
                 "--config-file", str(SUPPORT / "schemathesis.toml"), "--no-color",
                 "run", f"http://127.0.0.1:{port}/openapi.json", "--seed", SEED,
                 # More than one meet a fault of CPython 3.11 (SystemError: AST constructor recursion).
                 "--workers", "1",
                 "--phases", phases, "--max-examples", EXAMPLES,
                 "--continue-on-failure", "--no-shrink", "--request-timeout", "20",
                 "--warnings", "off"],
                capture_output=True, text=True, timeout=900, cwd=folder,
                env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                     "PYTHONPATH": str(SUPPORT)})
        self.assertTrue(self.daemon.is_running, done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout[-20_000:] + done.stderr[-2000:])
        self.assertIn(f"Tested: {len(calls(description))}", done.stdout)

    def test_generated_requests_find_nothing_unexpected(self):
        self.assert_nothing_unexpected(self.daemon.http_port, PHASES)

    def test_neither_do_those_of_operators(self):
        # Over the port that is bound: a drained daemon serves on, and a log level changes no answer.
        self.assert_nothing_unexpected(self.daemon.admin_port, "examples,coverage,fuzzing")


if __name__ == "__main__":
    unittest.main()
