"""`moyeo bench` against the daemon: every mode answers, and says so as JSON."""

import json
import subprocess
import unittest

from running_daemon import Daemon, environment, program


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(env={"MOYEO_LAYERS_BENCH_CLUSTERS": "false"})
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.grpc = ["--grpc", f"127.0.0.1:{cls.daemon.grpc_port}"]
        cls.http = ["--url", f"http://127.0.0.1:{cls.daemon.http_port}"]

    def bench(self, *arguments):
        return subprocess.run(
            [program("moyeo"), "bench", "--generate", "500", "--duration", "0.5", "--warm-up",
             "0", "--callers", "4", "--batch-size", "10", "--json", "--server-pid",
             str(self.daemon.process.pid), *arguments],
            capture_output=True, text=True, timeout=60, env=environment())

    def test_every_mode_on_both_wires(self):
        modes = ("nearby", "nearby-batch", "report", "mixed", "stream-reports")
        for wire, names in ((self.grpc, modes), (self.http, modes[:-1])):
            for mode in names:
                with self.subTest(mode=mode, wire=wire[0]):
                    done = self.bench(*wire, "--mode", mode, "--rate", "50%")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    closed, paced = map(json.loads, done.stdout.splitlines())
                    for run in (closed, paced):
                        self.assertGreater(run["requests"], 0)
                        self.assertEqual((run["failures"], run["unsent"]), ({}, 0))
                        self.assertGreater(run["serverMicrosecondsPerRequest"], 0)
                        for seen in run["latencyMicroseconds"].values():
                            self.assertGreater(seen["p50"], 0)
                            self.assertGreaterEqual(seen["p99.9"], seen["p50"])
                    # One of 16 answers is decoded.
                    if mode.startswith("nearby") and closed["requests"] > 32:
                        self.assertEqual(closed["hitsPerItem"], 20)
                    self.assertIn("latenessMicroseconds", paced)
                    self.assertLess(abs(paced["intendedPerSecond"] * 2 -
                                        closed["requestsPerSecond"]), 1)

    def test_a_thread_that_never_sleeps(self):
        for wire in (self.grpc, self.http):
            done = self.bench(*wire, "--rate", "200", "--rate", "50%", "--spin")
            self.assertEqual(done.returncode, 0, done.stderr)
            runs = {run.get("intendedPerSecond"): run
                    for run in map(json.loads, done.stdout.splitlines())}
            self.assertEqual(len(runs), 3)
            for run in runs.values():
                self.assertEqual(run["failures"], {})
                self.assertEqual(run["hitsPerItem"], 20)
            # On a busy machine some are never sent, and counted.
            self.assertLess(abs(runs[200]["requests"] + runs[200]["unsent"] - 100), 50)

    def test_refusals_are_counted_by_their_reason(self):
        for wire in (self.grpc, self.http):
            done = self.bench(*wire, "--no-load", "--layer", "no/layer")
            failures = json.loads(done.stdout)["failures"]
            self.assertEqual(list(failures), ["bad_layer"], done.stdout)

    def test_what_cannot_be_loaded(self):
        for arguments, words in (
                (["--url", "https://127.0.0.1:1"], "http://"),
                ([*self.http, "--mode", "stream-reports"], "gRPC only"),
                (["--grpc", "127.0.0.1:1", "--no-load"], "nobody answers")):
            with self.subTest(arguments):
                done = self.bench(*arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(words, done.stderr)

