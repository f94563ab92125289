"""The command line where the daemon or the file is not as it should be, and the replay's choices.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_command_line.py
"""

import csv
import gzip
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import waiting
from running_daemon import ROOT, Daemon, environment, program, run


def read_terminal(terminal, told):
    """What is written to a terminal until its other end is closed."""
    try:
        while part := os.read(terminal, 4096):
            told.append(part)
    except OSError:
        pass


def moyeo(*arguments, timeout=60, given=None):
    return run(*arguments, name="moyeo", timeout=timeout, given=given)


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.http = f"127.0.0.1:{cls.daemon.http_port}"
        cls.grpc = f"127.0.0.1:{cls.daemon.grpc_port}"

    def assert_sentence(self, error):
        """Words for people: no names of types, no cases of enumerations, no files of sources."""
        for raw in ("Error(", "file:", "NIO", "transportError", "notANetwork(", "database(",
                    "Domain", ".swift", "SELECT"):
            self.assertNotIn(raw, error)

    def test_a_wrong_port_is_said_with_the_right_option(self):
        at = ("--layer", "users", "--at", "37.5,127")
        code, _, error = moyeo("nearby", "--url", f"http://{self.grpc}", *at)
        self.assertIn(code, (1, 3), error)
        self.assertIn("--grpc", error)
        self.assert_sentence(error)
        code, _, error = moyeo("nearby", "--grpc", self.http, "--timeout", "5", *at)
        self.assertIn(code, (1, 3), error)
        self.assertIn("--url", error)
        self.assert_sentence(error)

    def test_output_that_cannot_be_written_fails_with_a_sentence(self):
        """Short output and output beyond what is buffered, on both wires."""
        self.daemon.report("full", [(f"o{i}", 37.5, 127 + i / 1e4) for i in range(1000)])
        where = ("--url", f"http://{self.http}"), ("--grpc", self.grpc)
        for wire in where:
            for arguments in (("layers",), ("layers", "--json"), ("tariffs",), (
                    "nearby", "--layer", "full", "--at", "37.5,127", "--limit", "1000", "--json"), (
                    "nearby", "--layer", "full", "--at", "37.5,127", "--all-pages")):
                with self.subTest(arguments, wire=wire[0]), open("/dev/full", "w") as full:
                    done = subprocess.run(
                        [program("moyeo"), *arguments, *wire], stdout=full, text=True,
                        stderr=subprocess.PIPE, timeout=60, env=environment())
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("cannot be written", done.stderr)
                    self.assert_sentence(done.stderr)

    def test_help_that_cannot_be_written_fails_with_a_sentence(self):
        for arguments in (("--help",), ("--version",), ("nearby", "--help"), ("completions", "bash")):
            with self.subTest(arguments), open("/dev/full", "w") as full:
                done = subprocess.run(
                    [program("moyeo"), *arguments], stdout=full, text=True,
                    stderr=subprocess.PIPE, timeout=60, env=environment())
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot be written", done.stderr)
                self.assert_sentence(done.stderr)

    def test_a_follower_whose_output_cannot_be_written_ends(self):
        """At the first event, not when the daemon stops."""
        made = self.daemon.request("POST", "/v1/parties", {
            "hostId": "writer", "origin": {"latitude": 37.5663, "longitude": 126.9779},
            "destination": {"latitude": 37.4979, "longitude": 127.0276},
            "departureTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))})
        self.assertEqual(made[0], 200, made)
        for wire in (("--url", f"http://{self.http}"), ("--grpc", self.grpc)):
            with self.subTest(wire[0]), open("/dev/full", "w") as full:
                done = subprocess.run(
                    [program("moyeo"), "events", "--follow", "--after", "0", *wire], stdout=full,
                    text=True, stderr=subprocess.PIPE, timeout=60, env=environment())
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("cannot be written", done.stderr)

    def test_scripts_of_completions(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", None), ("fish", None)):
            with self.subTest(shell):
                code, script, error = moyeo("completions", shell)
                self.assertEqual(code, 0, error)
                for word in ("nearby", "party", "completions"):
                    self.assertIn(word, script)
                if check:
                    subprocess.run(check, input=script, text=True, check=True)
        self.assertEqual(moyeo("completions", "tcsh")[0], 2)

    def test_every_command_has_a_manual_page(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [str(ROOT / "scripts" / "man-pages"), folder], check=True, capture_output=True,
                env={**environment(), "MOYEO": str(program("moyeo"))})
            pages = {path.name: path.read_text() for path in pathlib.Path(folder).iterdir()}
            for name in ("moyeo.1", "moyeo-nearby.1", "moyeo-party-create.1", "moyeo-keys-rotate.1"):
                self.assertIn(name, pages)
            for words in (("nearby",), ("party", "create"), ("import",)):
                help_text = moyeo(*words, "--help")[1]
                page = pages[f"moyeo-{'-'.join(words)}.1"].replace("\\-", "-")
                for option in set(re.findall(r"^  (--[a-z-]+)", help_text, re.MULTILINE)):
                    self.assertIn(option, page, words)
            for name in pages:
                done = subprocess.run(
                    ["groff", "-man", "-ww", "-Tutf8", "-z", str(pathlib.Path(folder, name))],
                    capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_figures_of_a_simulation_and_an_export_are_json_when_asked(self):
        code, text, error = moyeo(
            "simulate", "--users", "50", "--layer", "moving", "--duration", "0.2", "--json",
            "--resources", str(ROOT), "--url", f"http://{self.http}")
        self.assertEqual(code, 0, error)
        figures = json.loads(text)
        self.assertEqual((figures["layer"], figures["refused"]), ("moving", 0))
        with tempfile.TemporaryDirectory() as folder:
            for form in ("geojson", "csv", "spatialite"):
                made = pathlib.Path(folder, form)
                code, text, error = moyeo(
                    "export", "--data-directory", str(self.daemon.directory), "--format", form,
                    "--to", str(made), "--json")
                self.assertEqual(code, 0, error)
                figures = json.loads(text)
                self.assertEqual((figures["file"], figures["format"]), (str(made), form))
                self.assertGreaterEqual(figures["parties"], 0)
                self.assertTrue(made.exists())
            for form, words in (("geojson", "FeatureCollection"), ("csv", "source,line")):
                code, text, error = moyeo(
                    "export", "--data-directory", str(self.daemon.directory), "--format", form,
                    "--what", "lines")
                self.assertEqual(code, 0, error)
                self.assertIn(words, text)
        code, _, error = moyeo("export", "--format", "csv", "--json")
        self.assertEqual(code, 2)
        self.assertIn("--to", error)

    def test_keys_and_webhooks_are_json_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            def told(*words):
                code, out, error = moyeo(*words, "--json", "--data-directory", folder)
                self.assertEqual(code, 0, error)
                return json.loads(out)

            key = told("keys", "create", "--scopes", "read,service", "--name", "dispatch",
                       "--expires", "90d")
            self.assertEqual((key["tenant"], key["scopes"], key["name"], key["state"]),
                             ("default", ["read", "service"], "dispatch", "good"))
            newer = told("keys", "rotate", key["id"])
            self.assertEqual((newer["replaces"], newer["name"]), (key["id"], "dispatch"))
            self.assertNotEqual(newer["key"], key["key"])
            self.assertEqual(told("keys", "revoke", key["id"])["state"], "revoked")
            listed = told("keys", "list")["keys"]
            self.assertEqual({one["id"]: one["state"] for one in listed},
                             {key["id"]: "revoked", newer["id"]: "good"})
            self.assertTrue(all("key" not in one for one in listed))
            hook = told("webhooks", "create", "--url", "https://example.org/moyeo", "--kinds",
                        "party.joined,party.left")
            secret = hook.pop("secret")
            self.assertEqual(told("webhooks", "list")["webhooks"], [hook])
            self.assertEqual(hook["kinds"], ["party.joined", "party.left"])
            turned = told("webhooks", "rotate", hook["id"])
            self.assertEqual(turned["id"], hook["id"])
            self.assertNotEqual(turned["secret"], secret)
            self.assertEqual(told("webhooks", "delete", hook["id"]), {"id": hook["id"]})
            self.assertEqual(told("webhooks", "list")["webhooks"], [])

    def test_files_that_are_no_road_networks_are_said_in_sentences(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "roads.sqlite")
            text.write_text("no database " * 100)
            for path in (text, pathlib.Path(folder, "missing.sqlite")):
                code, _, error = moyeo("prepare-roads", str(path))
                self.assertEqual(code, 1)
                self.assertIn("cannot be read", error)
                self.assert_sentence(error)

    def test_a_packed_file_is_said_to_be_one_whatever_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "points.csv.gz")
            file.write_bytes(gzip.compress(b"id,latitude,longitude\na,37.5,127\n"))
            code, _, error = moyeo(
                "import", str(file), "--layer", "users", "--url", f"http://{self.http}")
            self.assertEqual(code, 1)
            self.assertIn("gunzip -c", error)

    def test_an_import_ends_within_its_time_limit_on_both_wires(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("id,latitude,longitude\n" + "".join(
                f"a{i},37.5,127.0\n" for i in range(20)))
            file.flush()
            os.kill(self.daemon.pid, signal.SIGSTOP)
            try:
                for wire in (("--url", f"http://{self.http}"), ("--grpc", self.grpc)):
                    with self.subTest(wire):
                        start = time.monotonic()
                        code, _, error = moyeo(
                            "import", file.name, "--layer", "late", "--timeout", "1", *wire)
                        took = time.monotonic() - start
                        self.assertEqual(code, 3, error)
                        self.assertIn("in time", error)
                        # One second, and what starting and ending take; it used to be 15.
                        self.assertLess(took, 6)
            finally:
                os.kill(self.daemon.pid, signal.SIGCONT)


class Ends(unittest.TestCase):
    """What a command does when it, or its daemon, is told to stop."""

    def start(self, daemon, *arguments):
        process = subprocess.Popen(
            [program("moyeo"), *arguments, "--url", daemon.url], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def test_an_interrupted_import_sums_up_and_exits_with_130(self):
        with Daemon() as daemon:
            process = self.start(
                daemon, "import", "-", "--format", "csv", "--layer", "cut", "--batch-size", "1")
            process.stdin.write("id,latitude,longitude\n" + "".join(
                f"a{i},37.5,127.0\n" for i in range(10)))
            process.stdin.flush()

            def count():
                status, answer, _ = daemon.request("GET", "/v1/layers")
                return sum(one["objectCount"] for one in answer["layers"] if one["name"] == "cut")
            # Rows are taken as they arrive.
            waiting.until(lambda: count() == 10, "ten rows are accepted")
            process.send_signal(signal.SIGINT)
            # It is noticed at the next row.
            output, error = process.communicate("".join(
                f"b{i},37.5,127.0\n" for i in range(100_000)), timeout=60)
            self.assertEqual(process.returncode, 130, error)
            self.assertIn("rows accepted", output)
            self.assertIn("interrupted", error)
            self.assertLess(count(), 100_000)

    def test_a_followed_stream_that_ends_says_so(self):
        with Daemon() as daemon:
            process = self.start(daemon, "events", "--follow", "--after", "0", "--timeout", "1")
            waiting.until(lambda: daemon.metric("moyeo_streams_open"), "a stream is open")
            daemon.terminate()
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, error)
            self.assertIn("nobody answers", error)

    def test_a_followed_stream_goes_on_over_a_restart(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            def create(host):
                code, _, error = moyeo(
                    "party", "create", "--host", host, "--from", "37.5551,126.9368",
                    "--to", "37.4979,127.0276", "--in", "30", "--url", daemon.url)
                self.assertEqual(code, 0, error)

            process = self.start(
                daemon, "events", "--follow", "--after", "0", "--kinds", "party.created", "--json")
            create("ann")
            self.assertEqual(json.loads(process.stdout.readline())["body"]["hostId"], "ann")
            port = daemon.http_port
            daemon.terminate()
            daemon.arguments = ("--resources", str(ROOT), "--http-port", str(port), "--grpc-port", "0")
            daemon.start()
            create("ben")
            self.assertEqual(json.loads(process.stdout.readline())["body"]["hostId"], "ben")
            process.kill()
            process.communicate()

    def test_an_export_opens_as_a_map(self):
        """Layers, geometries and counts as QGIS reads them, by the same library."""
        with Daemon("--resources", str(ROOT)) as daemon, tempfile.TemporaryDirectory() as folder:
            code, _, error = moyeo(
                "party", "create", "--host", "ann", "--from", "37.5551,126.9368",
                "--to", "37.4979,127.0276", "--in", "30", "--url", daemon.url)
            self.assertEqual(code, 0, error)
            daemon.report("users", [("kim", 37, 127)])
            # The end writes what is not written yet.
            daemon.terminate()
            made = str(pathlib.Path(folder, "map.sqlite"))
            code, _, error = moyeo(
                "export", "--data-directory", str(daemon.directory), "--format", "spatialite",
                "--to", made)
            self.assertEqual(code, 0, error)
            told = subprocess.run(
                ["ogrinfo", "-ro", "-so", "-al", made], capture_output=True, text=True, check=True)
            layers = dict(part.split("\n", 1) for part in told.stdout.split("Layer name: ")[1:])
            for name, geometry in (
                    ("parties", "Point"), ("party_lines", "Line String"), ("positions", "Point")):
                self.assertIn(f"Geometry: {geometry}", layers[name])
                self.assertIn("Feature Count: 1", layers[name])
                self.assertIn("WGS 84", layers[name])

    def test_an_export_tells_an_agreed_fare_from_an_estimate(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            for host, more in (
                    ("ann", ()), ("bob", ("--agreed-fare", "21000", "--currency", "KRW"))):
                code, _, error = moyeo(
                    "party", "create", "--host", host, "--from", "37.5551,126.9368",
                    "--to", "37.4979,127.0276", "--in", "30", *more, "--url", daemon.url)
                self.assertEqual(code, 0, error)
            daemon.terminate()
            code, told, error = moyeo(
                "export", "--what", "parties", "--data-directory", str(daemon.directory), "--format", "csv")
            self.assertEqual(code, 0, error)
            fares = {row["hostId"]: row for row in csv.DictReader(told.splitlines())}
            self.assertEqual(
                (fares["bob"]["agreedFare"], fares["bob"]["expectedFare"], fares["bob"]["currency"]),
                ("21000", "21000", "KRW"))
            self.assertEqual(fares["ann"]["agreedFare"], "")
            self.assertGreater(int(fares["ann"]["expectedFare"]), 0)

    def test_kept_positions_open_as_a_map(self):
        """The daemon's own file, without an export."""
        with Daemon("--resources", str(ROOT)) as daemon:
            daemon.report("users", [("kim", 37.25, 127.5), ("lee", 37.5, 127.75)])
            daemon.terminate()
            told = subprocess.run(
                ["ogrinfo", "-ro", "-al", str(daemon.directory / "positions.sqlite"), "map"],
                capture_output=True, text=True, check=True).stdout
            self.assertIn("Geometry: Point", told)
            self.assertIn("Feature Count: 2", told)
            self.assertIn("WGS 84", told)
            self.assertIn("Extent: (127.500000, 37.250000) - (127.750000, 37.500000)", told)
            self.assertRegex(told, r"layer \(String\) = users\s+id \(String\) = kim")

    def test_progress_is_for_terminals_and_not_with_json(self):
        """A terminal is told of an import, a pipe and who asks for JSON are not."""
        with Daemon("--resources", str(ROOT)) as daemon, tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "many.csv")
            file.write_text("id,latitude,longitude\n" + "".join(
                f"p{i},37.5,{127 + i / 1e5}\n" for i in range(3000)))
            arguments = ("import", str(file), "--layer", "many", "--url", daemon.url)
            for more, isTold in (((), True), (("--json",), False)):
                mine, its = os.openpty()
                # Beside the command, so that it never waits for room in the terminal.
                told = []
                reader = threading.Thread(target=read_terminal, args=(mine, told))
                reader.start()
                done = subprocess.run(
                    [program("moyeo"), *arguments, *more], stdout=subprocess.PIPE, stderr=its,
                    timeout=60, env=environment())
                os.close(its)
                reader.join(30)
                os.close(mine)
                self.assertEqual(done.returncode, 0, told)
                self.assertEqual(b"[#" in b"".join(told) or b"[." in b"".join(told), isTold, (more, told))
            _, _, error = moyeo(*arguments)
            self.assertNotIn("[", error)

    def test_a_watch_writes_a_line_an_event(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            daemon.report("users", [("kim", 37.5, 127)])
            process = self.start(
                daemon, "watch", "--layer", "users", "--at", "37.5,127", "--radius", "100")
            self.assertTrue(process.stdout.readline().startswith("enter kim 37.500000,127.000000"))
            daemon.report("users", [("lee", 37.5, 127)])
            self.assertTrue(process.stdout.readline().startswith("enter lee"))
            process.kill()
            process.communicate()

    def test_a_report_of_a_replay_is_a_page(self):
        code, page, error = moyeo("report", "-", given=json.dumps({
            "requests": 2, "currency": "USD", "modes": [
                {"mode": "online", "matchedShare": 1, "ridersByGroupSize": [0, 2, 0, 0]}]}))
        self.assertEqual(code, 0, error)
        self.assertIn("<h2>Replay: stdin</h2>", page)
        self.assertIn("<svg", page)
        code, _, error = moyeo("report", "-", given="{}")
        self.assertEqual(code, 1)
        self.assertIn("is not what bench, replay or evaluate-fares print", error)

    def test_names_that_do_not_exist_are_told_with_the_nearest(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            for arguments, words in (
                    (("tariffs", "--area", "atlantis"), ("no area", "there are")),
                    (("events", "--kinds", "party.jooined"), ("did you mean party.joined",))):
                code, _, error = moyeo(*arguments, "--url", daemon.url)
                self.assertEqual(code, 2, error)
                for word in words:
                    self.assertIn(word, error)

    def test_there_is_a_version(self):
        code, output, _ = moyeo("--version")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"^moyeo \d+\.\d+\.\d+")


class Replay(unittest.TestCase):
    """The greedy way by one's own saving, and by that of all."""

    def trips(self, seed, count=300):
        draw = random.Random(seed)
        file = tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            rows = csv.writer(file)
            rows.writerow(["tpep_pickup_datetime", "pickup_longitude", "pickup_latitude",
                           "dropoff_longitude", "dropoff_latitude"])
            for i in range(count):
                rows.writerow([
                    f"2015-01-15 18:{i * 30 // count:02}:{draw.randrange(60):02}",
                    round(-73.985 + draw.uniform(-0.004, 0.004), 6),
                    round(40.755 + draw.uniform(-0.004, 0.004), 6),
                    round(-73.975 + draw.uniform(-0.05, 0.05), 6),
                    round(40.74 + draw.uniform(-0.05, 0.05), 6)])
        return file.name

    def replay(self, file, *more):
        code, output, error = moyeo(
            "replay", file, "--json", "--resources", str(ROOT), "--iterations", "0", *more)
        self.assertEqual(code, 0, error)
        return {mode["mode"]: mode for mode in json.loads(output)["modes"]}

    def test_the_total_saving_may_be_weighed(self):
        own = total = 0
        for seed in range(3):
            file = self.trips(seed)
            first = self.replay(file)
            self.assertEqual(self.replay(file, "--greedy", "own")["online"]["saving"],
                             first["online"]["saving"])
            second = self.replay(file, "--greedy", "total")
            self.assertEqual(set(second), {"online, total", "batch"})
            self.assertEqual(second["batch"]["saving"], first["batch"]["saving"])
            own += first["online"]["saving"]
            total += second["online, total"]["saving"]
        self.assertGreater(total, own)
        self.assertEqual(moyeo("replay", file, "--greedy", "most")[0], 2)
