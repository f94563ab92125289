"""moyeod on a data directory, a machine or settings that are not as they should be.

    MOYEOD=.build/debug/moyeod python3 -m unittest discover -s Tests/daemon -v
"""

import json
import os
import pathlib
import resource
import signal
import socket
import sqlite3
import stat
import subprocess
import tempfile
import threading
import time
import unittest


from running_daemon import ROOT, Daemon, environment, run  # noqa: E402
from running_daemon import program as binary  # noqa: E402
from waiting import until  # noqa: E402


def party(host):
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7200))
    return {"hostId": host, "origin": {"latitude": 37.5663, "longitude": 126.9779},
            "destination": {"latitude": 37.4979, "longitude": 127.0276}, "seats": 4,
            "departureTime": moment, "allowRaisedShares": True}


class Directory(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "data"

    def start(self, *more):
        return Daemon("--data-directory", str(self.path), "--resources", str(ROOT), *more)

    def refused(self, *more):
        code, _, error = run(
            "--data-directory", str(self.path), "--resources", str(ROOT), "--http-port", "0",
            "--grpc-port", "0", *more)
        self.assertEqual(code, 1, error)
        self.assertNotIn("Fatal", error)
        return error

    def use(self, daemon):
        status, answer, _ = daemon.request(
            "POST", "/v1/parties", party("host"), {"Idempotency-Key": "k"})
        self.assertEqual(status, 200, answer)
        return answer["party"]["id"]

    def test_a_secret_that_does_not_serve_the_record_is_refused_and_left(self):
        with self.start() as daemon:
            first = self.use(daemon)
        secret = self.path / "idempotency.secret"
        original = secret.read_bytes()
        for text in (None, b"", original[:20], b"0" * 32 + b"\n"):
            secret.unlink(missing_ok=True)
            if text is not None:
                secret.write_bytes(text)
            error = self.refused()
            self.assertIn("idempotency.secret", error)
            self.assertIn("--forget-idempotency-keys", error)
            self.assertEqual(secret.read_bytes() if secret.exists() else None, text)
        secret.write_bytes(original)
        with self.start() as daemon:
            status, answer, _ = daemon.request(
                "POST", "/v1/parties/search", {"latitude": 37.5663, "longitude": 126.9779})
            self.assertEqual(status, 200)
            self.assertEqual(self.use_again(daemon), first)
        secret.write_bytes(b"")
        with self.start("--forget-idempotency-keys") as daemon:
            self.assertEqual(daemon.request("GET", f"/v1/parties/{first}")[0], 200)
        self.assertEqual((self.path / "idempotency.secret.aside-1").read_bytes(), b"")

    def use_again(self, daemon):
        """The same key: the same party, or told that the request differs (its time does)."""
        status, answer, _ = daemon.request(
            "POST", "/v1/parties", party("host"), {"Idempotency-Key": "k"})
        if status != 200:
            self.assertEqual(answer["error"]["reason"], "idempotency_mismatch", answer)
            listed = daemon.request("GET", "/v1/parties?hostId=host")[1]
            return listed["parties"][0]["id"]
        return answer["party"]["id"]

    def test_a_record_that_lost_its_file_is_not_begun_anew(self):
        with self.start() as daemon:
            self.use(daemon)
        (self.path / "moyeo.sqlite").write_bytes(b"")
        error = self.refused()
        self.assertIn("moyeo.sqlite is missing or empty", error)
        self.assertIn("restore a backup", error)
        self.assertEqual((self.path / "moyeo.sqlite").read_bytes(), b"")

    def test_positions_that_cannot_be_opened_do_not_keep_it_from_starting(self):
        self.path.mkdir(mode=0o755)
        (self.path / "positions.sqlite").mkdir()
        with self.start("--config", self.config({"positions": {"writeBehindSeconds": 1}})) as daemon:
            text = daemon.request("GET", "/readyz")[1]
            self.assertIn("degraded: positions:", text)
            warnings = [line for line in daemon.log if "message=degraded" in line]
            self.assertEqual(len(warnings), 1, daemon.log)
            self.assertIn("level=warning", warnings[0])
            metrics = daemon.request("GET", "/metrics")[1]
            self.assertIn('moyeo_degraded{part="positions"} 1', metrics)
            # Healed without a restart.
            (self.path / "positions.sqlite").rmdir()
            until(lambda: daemon.request("GET", "/readyz")[1] == "ready\n", "ready again", 20)
            until(lambda: any("works again" in line for line in daemon.log), "it is logged", 20)
            metrics = daemon.request("GET", "/metrics")[1]
            self.assertIn('moyeo_degraded{part="positions"} 0', metrics)
            self.assertIn('moyeo_degraded_total{part="positions"} 1', metrics)

    def test_another_programs_positions_are_set_aside(self):
        self.path.mkdir(mode=0o700)
        (self.path / "positions.sqlite").write_text("someone's notes\n" * 100)
        with self.start() as daemon:
            until(lambda: "positions-file" in daemon.request("GET", "/readyz")[1], "not ready", 20)
            aside = self.path / "positions.sqlite.aside-1"
            self.assertTrue(aside.read_text().startswith("someone's notes"))
            aside.unlink()
            until(lambda: daemon.request("GET", "/readyz")[1] == "ready\n", "ready again", 20)

    def test_files_are_for_their_owner_alone(self):
        self.path.mkdir(mode=0o755)
        os.chmod(self.path, 0o755)
        with self.start() as daemon:
            self.use(daemon)
            self.assertTrue(any("others could read" in line for line in daemon.log), daemon.log)
            self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o700)
            for file in self.path.iterdir():
                self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file.name)

    def test_a_record_that_is_no_database_is_refused_and_left(self):
        self.path.mkdir(mode=0o700)
        (self.path / "moyeo.sqlite").write_bytes(b"A" * 8192)
        self.assertIn("is damaged", self.refused())
        self.assertEqual((self.path / "moyeo.sqlite").read_bytes(), b"A" * 8192)

    def damage(self, table):
        """Overwrites the last page of a table of the record; answers the file's bytes."""
        file = self.path / "moyeo.sqlite"
        link = sqlite3.connect(f"file:{file}?immutable=1", uri=True)
        page, = link.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        link.close()
        content = bytearray(file.read_bytes())
        size = int.from_bytes(content[16:18], "big")
        # sqlite.org/fileformat2.html, section 1.6: 5 is an inner page, whose last child is named.
        while content[(page - 1) * size] == 5:
            page = int.from_bytes(content[(page - 1) * size + 8:(page - 1) * size + 12], "big")
        self.assertGreater(page, 1)
        content[(page - 1) * size:page * size] = b"\xff" * size
        file.write_bytes(content)
        return bytes(content)

    def test_a_record_with_a_damaged_page_is_served_read_only(self):
        with self.start() as daemon:
            kept = self.use(daemon)
            for i in range(60):
                status, answer, _ = daemon.request("POST", "/v1/parties", party(f"victim-{i:03}"))
                self.assertEqual(status, 200, answer)
            last = answer["party"]["id"]
            daemon.report("users", [("mina", 37.5663, 126.9779)], ttl=3600)
            self.assertEqual(daemon.terminate(), 0)
        damaged = self.damage("parties")
        with self.start() as daemon:
            text = daemon.request("GET", "/readyz")[1]
            self.assertIn("ready", text)
            self.assertRegex(text, "read-only: .*(damaged|malformed)")
            self.assertTrue(any("moyeo doctor" in line for line in daemon.log), daemon.log)
            status, answer, _ = daemon.request("POST", "/v1/parties", party("new"))
            self.assertEqual((status, answer["error"]["reason"]), (503, "read_only"), answer)
            # What is not there may stand where it cannot be read: nothing is denied.
            for one in (kept, last):
                status, answer, _ = daemon.request("GET", f"/v1/parties/{one}")
                if status != 200:
                    self.assertEqual(
                        (status, answer["error"]["reason"]), (503, "unavailable"), answer)
                    self.assertIn("cannot be read", answer["error"]["message"])
            self.assertEqual(
                daemon.request("GET", "/v1/layers/users/positions/mina")[0], 200)
            self.assertIn("moyeo_read_only 1", daemon.request("GET", "/metrics")[1])
            self.assertEqual(daemon.terminate(), 0)
        self.assertEqual((self.path / "moyeo.sqlite").read_bytes(), damaged, "it was written to")
        code, output, error = run("doctor", "--data-directory", str(self.path), name="moyeo")
        self.assertEqual(code, 1, error)
        self.assertRegex(output, "WRONG .*restore a backup")

    def config(self, settings):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            json.dump(settings, file)
        return file.name


class Machine(unittest.TestCase):
    def test_too_few_descriptors_exit_with_1_and_say_so(self):
        with tempfile.TemporaryDirectory() as folder:
            for limit in (16, 64):
                done = subprocess.run(
                    [binary(), "--data-directory", folder, "--http-port", "0", "--grpc-port", "0"],
                    capture_output=True, text=True, timeout=30, env=environment(),
                    preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_NOFILE, (limit, limit)))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"at most {limit} files and connections", done.stderr)
                self.assertIn("LimitNOFILE", done.stderr)

    def test_the_soft_limit_of_descriptors_is_raised(self):
        def few():
            resource.setrlimit(
                resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        daemon = Daemon(preexec=few)
        self.addCleanup(daemon.close)
        soft, hard = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
        self.assertEqual(soft, hard)
        self.assertEqual(daemon.terminate(), 0)

    def test_a_taken_port_is_named_with_its_setting(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for flag, other, setting in (("--http-port", "--grpc-port", "http.port"),
                                         ("--grpc-port", "--http-port", "grpc.port")):
                code, _, error = run(flag, port, other, "0")
                self.assertEqual(code, 1, error)
                self.assertIn(f"port {port} ({setting}) is taken", error)
                self.assertIn(flag, error)


class Signals(unittest.TestCase):
    def test_others_than_the_ends_change_nothing(self):
        with Daemon() as daemon:
            for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
                daemon.process.send_signal(number)
            end = time.monotonic() + 10
            while time.monotonic() < end and not any("SIGHUP" in line for line in daemon.log):
                time.sleep(0.02)
            self.assertTrue(any("SIGHUP" in line for line in daemon.log))
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)

    def test_a_long_poll_does_not_hold_the_end_up(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            newest = daemon.request("GET", "/v1/events?after=0&limit=1000")[1]["next"]
            answers = []

            def poll():
                answers.append(
                    daemon.request("GET", f"/v1/events?after={newest}&waitSeconds=20")[0])

            thread = threading.Thread(target=poll)
            thread.start()
            # Until the daemon has it, it cannot know of the request.
            time.sleep(0.5)
            start = time.monotonic()
            self.assertEqual(daemon.terminate(), 0, daemon.log)
            self.assertLess(time.monotonic() - start, 3)
            thread.join(5)
            self.assertEqual(answers, [200])

    def test_the_end_comes_within_its_limit_whatever_is_open(self):
        with Daemon(env={"MOYEO_SHUTDOWN_GRACE_SECONDS": "1"}) as daemon:
            half = [daemon.socket() for _ in range(4)]
            for link in half:
                link.sendall(b"POST /v1/layers/users/positions HTTP/1.1\r\nhost: localhost\r\n"
                             b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{")
            time.sleep(0.3)
            start = time.monotonic()
            self.assertEqual(daemon.terminate(), 0, daemon.log)
            # The grace, two seconds more, and what a loaded machine takes.
            self.assertLess(time.monotonic() - start, 5)
            for link in half:
                link.close()


class Settings(unittest.TestCase):
    def test_what_makes_no_sense_is_refused_and_named(self):
        cases = [
            ({"layrs": {}}, "layrs"), ({"http": {"tls": {}}}, "http.tls"),
            ({"layers": {"users": {"columns": {}}}}, "layers.users.columns"),
            ({"http": {"port": 7000}, "grpc": {"port": 7000}}, "grpc.port is 7000, as http.port"),
        ]
        for settings, named in cases:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(settings, file)
                file.flush()
                code, _, error = run("--check-configuration", "--config", file.name)
                self.assertEqual(code, 2, (settings, error))
                self.assertIn(named, error)


if __name__ == "__main__":
    unittest.main()
