"""Every described call is tried with generated requests, all checks of schemathesis on. It takes minutes, so it is
no part of the usual suites.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run described
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from running_daemon import ROOT, Daemon

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
SEED = 20261125


def calls(description):
    return [call for methods in description["paths"].values() for call in methods.values()]


class GeneratedRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--admin-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        cls.description = cls.daemon.request("GET", "/openapi.json")[1]

    def schemathesis(self, url, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [str(pathlib.Path(sys.executable).parent / "schemathesis"),
                 "--config-file", str(SUPPORT / "schemathesis.toml"), "--no-color",
                 "run", url + "/openapi.json", "--seed", str(SEED), "--workers", "2", "--checks", "all",
                 "--continue-on-failure", "--no-shrink", "--request-timeout", "20",
                 "--warnings", "off", *arguments],
                capture_output=True, text=True, timeout=900, cwd=folder,
                env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                     "PYTHONPATH": str(SUPPORT)})
        self.assertTrue(self.daemon.is_running, done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout[-20_000:] + done.stderr[-2000:])
        return done.stdout

    def test_generated_requests_find_nothing_unexpected(self):
        told = self.schemathesis(
            self.daemon.url, "--phases", "examples,coverage,fuzzing", "--max-examples", "15")
        count = len(calls(self.description))
        self.assertIn(f"Tested: {count}", told)

    def test_neither_do_those_of_operators(self):
        # Over the port that is bound: a drained daemon serves on, and a log level changes no answer.
        port = self.daemon.admin_port
        told = self.schemathesis(
            f"http://127.0.0.1:{port}", "--phases", "examples,coverage,fuzzing", "--max-examples", "15")
        self.assertIn("Tested: 16", told)


if __name__ == "__main__":
    unittest.main()
