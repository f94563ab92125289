"""Damaged files for `moyeo import`, `moyeo evaluate-fares` and the tariff reader: each ends with an
exit code that is meant, a sentence, and no trap."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import file_cases
from running_daemon import ROOT, Daemon, environment, program

SECONDS = 20


class DamagedFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def end(self, label, name, *arguments):
        """Runs a program; answers its exit code and output after checking how it ended."""
        done = subprocess.run(
            [program(name), *arguments], capture_output=True, timeout=SECONDS, env=environment(),
            cwd=self.folder)
        said = done.stderr.decode("utf-8", "replace")
        self.assertIn(done.returncode, (0, 1, 2), (label, done.returncode, said[-500:]))
        self.assertNotIn("Fatal error", said, label)
        if done.returncode and not said.strip():
            self.assertTrue(done.stdout.strip(), f"{label}: exit code {done.returncode}, no word")
        return done.returncode, done.stdout.decode("utf-8", "replace"), said

    def test_imports(self):
        for number, (label, kind, data) in enumerate(file_cases.imports()):
            file = self.folder / f"import.{kind}"
            file.write_bytes(data)
            layer = f"files-{number % 40}"
            code, out, said = self.end(
                label, "moyeo", "import", str(file), "--layer", layer, "--json", "--url",
                self.daemon.url)
            with self.subTest(label):
                if out.strip():
                    told = json.loads(out)
                    self.assertIsInstance(told, dict)
        self.assertTrue(self.daemon.is_running)
        self.assertEqual(self.daemon.request("GET", "/healthz")[0], 200)

    def test_good_files_are_taken_whole(self):
        for kind, text in (("csv", file_cases.CSV), ("geojson", file_cases.GEOJSON),
                           ("ndjson", file_cases.NDJSON)):
            file = self.folder / f"good.{kind}"
            file.write_text(text)
            code, _, said = self.end(
                kind, "moyeo", "import", str(file), "--layer", f"good-{kind}", "--strict",
                "--url", self.daemon.url)
            self.assertEqual(code, 0, said)
            layers = self.daemon.request("GET", "/v1/layers")[1]["layers"]
            counts = {one["name"]: one["objectCount"] for one in layers}
            self.assertEqual(counts[f"good-{kind}"], 20)

    def test_trips(self):
        for label, data in file_cases.trips():
            file = self.folder / "trips.csv"
            file.write_bytes(data)
            code, out, _ = self.end(
                label, "moyeo", "evaluate-fares", "--file", str(file), "--json", "--resources",
                str(ROOT))
            if code == 0:
                self.assertIsInstance(json.loads(out), dict, label)

    def test_tariffs(self):
        folder = self.folder / "tariffs"
        folder.mkdir()
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps({"fares": {"tariffDirectories": [str(folder)]}}))
        for label, data in file_cases.tariffs():
            (folder / "tariff.json").write_bytes(data)
            code, _, said = self.end(
                label, "moyeod", "--check-configuration", "--config", str(settings),
                "--resources", str(ROOT))
            if code:
                self.assertIn("tariff", said, label)
