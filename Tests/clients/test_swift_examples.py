"""The examples of the Swift client print what their last lines say, over HTTP and over gRPC.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_swift_examples.py
"""

import pathlib
import subprocess
import unittest

from example_outputs import printed
from running_daemon import ROOT, Daemon, environment, program

FOLDER = ROOT / "clients" / "swift" / "examples"
EXAMPLES = sorted(path for path in FOLDER.glob("*.swift") if path.stem != "ClientExamples")
LONGEST = 50
# Requests that wait are matched so often.
EVERY_SECOND = {"MOYEO_PARTIES_BATCH_SECONDS": "1"}


class SwiftExamples(unittest.TestCase):
    def test_every_example_prints_what_it_says(self):
        # Beside the daemon that was built with them.
        runner = pathlib.Path(program("moyeod")).with_name("ClientExamples")
        self.assertEqual(len(EXAMPLES), 10)
        with Daemon("--resources", str(ROOT), env=EVERY_SECOND) as daemon:
            for example in EXAMPLES:
                for address in (daemon.url, f"grpc://127.0.0.1:{daemon.grpc_port}"):
                    with self.subTest(example.stem, address=address):
                        done = subprocess.run(
                            [str(runner), example.stem.lower(), address], capture_output=True,
                            text=True, timeout=120, env=environment())
                        self.assertEqual(done.stderr, "")
                        self.assertEqual(done.stdout.splitlines(), printed(example))
                        self.assertEqual(done.returncode, 0)

    def test_they_are_short(self):
        for example in EXAMPLES:
            self.assertLess(len(example.read_text().splitlines()), LONGEST, example.name)


if __name__ == "__main__":
    unittest.main()
