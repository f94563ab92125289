"""Parties through restarts and kill -9, and over the command line.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_party_restarts.py
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from party_calls import body
from running_daemon import ROOT, Daemon, environment, program, run


class Restarts(unittest.TestCase):
    def start(self, folder, *more):
        return Daemon("--resources", str(ROOT), *more, directory=folder)

    def test_what_was_acknowledged_survives(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.start(folder) as daemon:
                made = daemon.request(
                    "POST", "/v1/parties", body("stay"), {"Idempotency-Key": "one"})[1]["party"]
                daemon.request("POST", f"/v1/parties/{made['id']}/join", {"riderId": "r"})
                token = daemon.request("GET", "/v1/events?after=0")[1]["next"]
                daemon.terminate(number=signal.SIGKILL)
            with self.start(folder) as daemon:
                shown = daemon.request("GET", f"/v1/parties/{made['id']}")[1]["party"]
                self.assertEqual(
                    [rider["riderId"] for rider in shown["riders"]], ["stay", "r"])
                again = daemon.request(
                    "POST", "/v1/parties",
                    {**body("stay"), "departureTime": made["departureTime"]},
                    {"Idempotency-Key": "one"})
                self.assertEqual((again[0], again[1]["party"]["id"]), (200, made["id"]))
                daemon.request("POST", f"/v1/parties/{made['id']}/leave", {"riderId": "r"})
                events = daemon.request("GET", f"/v1/events?after={token}")[1]["events"]
                self.assertEqual(
                    [event["kind"] for event in events], ["party.left", "party.shares_changed"])
                hits = daemon.request(
                    "GET", "/v1/layers/parties/nearby?latitude=37.5547&longitude=126.9707")[1]
                self.assertEqual([hit["id"] for hit in hits["hits"]], [made["id"]])
                self.assertEqual(daemon.terminate(), 0)

    def test_a_second_daemon_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, self.start(folder):
            code, _, said = run(
                "--data-directory", folder, "--resources", str(ROOT), "--http-port", "0",
                "--grpc-port", "0")
            self.assertEqual(code, 1)
            self.assertIn("in use by another moyeod", said)

    def test_a_newer_schema_is_refused(self):
        import sqlite3
        with tempfile.TemporaryDirectory() as folder:
            self.start(folder).terminate()
            link = sqlite3.connect(folder + "/moyeo.sqlite")
            version = link.execute("PRAGMA user_version").fetchone()[0]
            link.execute(f"PRAGMA user_version = {version + 1}")
            link.commit()
            link.close()
            code, _, said = run(
                "--data-directory", folder, "--resources", str(ROOT), "--http-port", "0",
                "--grpc-port", "0")
            self.assertEqual(code, 1)
            self.assertIn(f"schema version {version + 1}", said)

    def test_without_parties(self):
        with Daemon("--resources", str(ROOT), env={"MOYEO_PARTIES_ENABLED": "false"}) as daemon:
            self.assertEqual(daemon.request("GET", "/v1/parties?riderId=x")[0], 404)


class CommandLine(unittest.TestCase):
    """`moyeo party` over HTTP and gRPC: the same answers."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.__exit__)

    def moyeo(self, *arguments, grpc=False, code=0):
        where = (("--grpc", f"127.0.0.1:{self.daemon.grpc_port}") if grpc
                 else ("--url", f"http://127.0.0.1:{self.daemon.http_port}"))
        done = subprocess.run(
            [program("moyeo"), *arguments, *where], capture_output=True, text=True,
            timeout=60, env=environment())
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_both_transports(self):
        made = json.loads(self.moyeo(
            "party", "create", "--host", "mina", "--from", "37.5547,126.9707", "--from-name",
            "Seoul Station, exit 1", "--to", "37.4979,127.0276", "--in", "30", "--json",
            "--key", "cli-1", grpc=True))["party"]
        self.assertEqual(made["origin"]["name"], "Seoul Station, exit 1")
        party = made["id"]
        self.moyeo("party", "join", party, "--rider", "jun", "--key", "cli-2")
        for arguments in [
                ("party", "show", party), ("party", "list", "--rider", "jun"),
                ("party", "search", "--at", "37.5547,126.9707"),
                ("party", "preview", party, "--rider", "sora"),
                ("party", "match", "--rider", "sora", "--from", "37.555,126.9707", "--to",
                 "37.4979,127.0276", "--depart", made["departureTime"], "--explain"),
                ("events", "--kinds", "party.joined")]:
            over = [json.loads(self.moyeo(*arguments, "--json", grpc=grpc))
                    for grpc in (False, True)]
            self.assertEqual(over[0], over[1], arguments)
        table = self.moyeo("party", "show", party)
        self.assertIn("2 of 4 seats free", table)
        for grpc in (False, True):
            said = self.moyeo(
                "party", "join", party, "--rider", "x", "--seats", "3", grpc=grpc, code=1)
            self.assertIn("party_full", said)

    def test_watching(self):
        made = self.daemon.request("POST", "/v1/parties", body("watched"))[1]["party"]
        for grpc in (False, True):
            where = (("--grpc", f"127.0.0.1:{self.daemon.grpc_port}") if grpc
                     else ("--url", f"http://127.0.0.1:{self.daemon.http_port}"))
            watch = subprocess.Popen(
                [program("moyeo"), "party", "watch", made["id"], "--history", "--json", *where],
                stdout=subprocess.PIPE, text=True, env=environment())
            first = json.loads(watch.stdout.readline())
            self.assertEqual(first["kind"], "created")
            watch.terminate()
            watch.wait()
            watch.stdout.close()


class Torture(unittest.TestCase):
    """The short run; `make torture` is the long one."""

    def run_mode(self, *arguments):
        done = subprocess.run(
            [sys.executable, str(ROOT / "Tests" / "torture" / "torture.py"), *arguments, "--json"],
            capture_output=True, text=True, timeout=300, env={**os.environ, "MOYEOD": program()})
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_killed_under_load(self):
        figures = self.run_mode("kill", "--rounds", "5", "--seconds", "1")
        self.assertGreater(figures["acknowledged"], 20)

    def test_seats_are_sold_once(self):
        figures = self.run_mode("race", "--rounds", "3")
        self.assertEqual(figures["seats sold"], 90)

    def test_the_disk_fills_up(self):
        self.run_mode("full")


if __name__ == "__main__":
    unittest.main()
