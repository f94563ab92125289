"""`make cluster`: it starts, answers through the balancer whichever daemon is there, and stops whole."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from running_daemon import ROOT, program

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "daemon"))

from party_calls import body  # noqa: E402


class MakeCluster(unittest.TestCase):
    def setUp(self):
        environment = {**os.environ, "MOYEOD": program(), "MOYEO": program("moyeo")}
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "cluster"), "--users", "500",
             "--http-port", "0", "--grpc-port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.stderr.close)
        self.addCleanup(lambda: self.process.poll() is None and self.process.kill())
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        self.said = "".join(lines)
        self.assertIn("Ctrl-C", self.said, self.process.poll() and self.process.stderr.read())
        self.port = int(re.search(r"HTTP +http://127.0.0.1:(\d+)", self.said)[1])
        self.daemons = [(int(port), int(pid)) for port, pid in re.findall(
            r"daemon \d +http://127.0.0.1:(\d+),.*process (\d+)", self.said)]

    def ask(self, method, path, given=None, port=None):
        link = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=20)
        try:
            link.request(method, path, json.dumps(given) if given else None,
                         {"Content-Type": "application/json"} if given else {})
            answer = link.getresponse()
            data = answer.read()
            return answer.status, json.loads(data) if data[:1] == b"{" else data.decode()
        finally:
            link.close()

    def until(self, path, wanted, port=None):
        end = time.monotonic() + 20
        while (found := self.ask("GET", path, port=port)) != wanted:
            self.assertLess(time.monotonic(), end, (path, found))
            time.sleep(0.02)

    def test_it_starts_answers_and_stops(self):
        self.assertEqual(len(self.daemons), 3)
        self.until("/readyz", (200, "ready\n"))
        # A position that the balancer gives to any of them is found by all.
        status, said = self.ask("POST", "/v1/layers/users/positions", {
            "positions": [{"id": "me", "latitude": 35.1, "longitude": 129.1}]})
        self.assertEqual((status, said["accepted"]), (200, 1), said)
        for port, _ in self.daemons:
            end = time.monotonic() + 10
            path = "/v1/layers/users/nearby?latitude=35.1&longitude=129.1&radiusMeters=100"
            while '"me"' not in json.dumps(self.ask("GET", path, port=port)[1]):
                self.assertLess(time.monotonic(), end, "a daemon does not know where somebody is")
                time.sleep(0.02)
        status, made = self.ask("POST", "/v1/parties", body("somebody"))
        self.assertEqual(status, 200, made)
        path = f"/v1/parties/{made['party']['id']}"
        for port, _ in self.daemons:
            end = time.monotonic() + 10
            while (found := self.ask("GET", path, port=port))[0] != 200:
                self.assertLess(time.monotonic(), end, found)
                time.sleep(0.02)
        hits = self.ask("GET", "/v1/layers/users/nearby?latitude=37.5663&longitude=126.9779&limit=3")
        self.assertEqual((hits[0], len(hits[1]["hits"])), (200, 3))
        # One daemon is gone: the balancer asks the others, after two looks at the latest.
        os.kill(self.daemons[0][1], signal.SIGKILL)
        answered = 0
        end = time.monotonic() + 20
        while answered < 10:
            self.assertLess(time.monotonic(), end)
            try:
                answered = answered + 1 if self.ask("GET", path)[0] == 200 else 0
            except (OSError, http.client.HTTPException):
                answered = 0
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(60), 0, self.process.stderr.read())
        for port, pid in self.daemons:
            with self.assertRaises(OSError):
                self.ask("GET", "/livez", port=port)
        with self.assertRaises(OSError):
            self.ask("GET", "/readyz")


if __name__ == "__main__":
    unittest.main()
