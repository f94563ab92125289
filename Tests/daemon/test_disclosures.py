"""Who was shown whose position is kept, where it is asked for, and found again by `moyeo disclosures`.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_disclosures.py
"""

import json
import pathlib
import tempfile
import time
import unittest

import tokens
from running_daemon import ROOT, Daemon, run

NEARBY = "/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=5"


class Disclosures(unittest.TestCase):
    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def found(self, directory, *words):
        """What the command says, and its lines as JSON."""
        code, out, error = run("disclosures", "--data-directory", str(directory), *words, "--json",
                               name="moyeo")
        self.assertEqual(code, 0, out + error)
        return [json.loads(line) for line in out.splitlines()]

    def test_the_log_answers_who_was_shown_whom(self):
        signer = tokens.Signer("one")
        keys = self.folder() / "keys.json"
        keys.write_text(tokens.key_set(signer))
        with Daemon("--resources", str(ROOT), env={
                **tokens.settings(keys), "MOYEO_DISCLOSURES_LAYERS": "users"}) as daemon:
            service = tokens.bearer(signer.token("backend", scope="read report service"))
            positions = [{"id": name, "latitude": 37.5, "longitude": 127.0}
                         for name in ("rider-1", "rider-2")]
            for layer in ("users", "bikes"):
                status, answer, _ = daemon.request(
                    "POST", f"/v1/layers/{layer}/positions", {"positions": positions}, service)
                self.assertEqual(status, 200, answer)
            person = tokens.bearer(signer.token("rider-7", scope="read"))
            for _ in range(3):
                self.assertEqual(daemon.request("GET", NEARBY, None, person)[0], 200)
            bikes = NEARBY.replace("users", "bikes")
            self.assertEqual(daemon.request("GET", bikes, None, person)[0], 200)
            one = "/v1/layers/users/positions/rider-2"
            self.assertEqual(daemon.request("GET", one, None, service)[0], 200)
            # What is refused shows nothing.
            self.assertEqual(daemon.request("GET", NEARBY)[0], 401)
            directory = daemon.directory
            daemon.terminate()
            lines = self.found(directory)
            self.assertEqual(
                [(line["to"], line["role"], line["call"], line["layer"], sorted(line["of"]))
                 for line in lines],
                [("rider-7", "user", "Nearby", "users", ["rider-1", "rider-2"]),
                 ("backend", "service", "Get", "users", ["rider-2"])])
            self.assertEqual([line["to"] for line in self.found(directory, "--of", "rider-1")],
                             ["rider-7"])
            self.assertEqual(len(self.found(directory, "--to", "backend")), 1)
            self.assertEqual(self.found(directory, "--tenant", "north"), [])
            self.assertEqual(self.found(directory, "--until", "2020-01-01"), [])
            code, out, error = run("disclosures", "--data-directory", str(directory), "--of",
                                   "rider-2", name="moyeo")
            self.assertEqual(code, 0, error)
            self.assertEqual(len(out.splitlines()), 3, out)
            self.assertIn("rider-7", out)

    def test_the_metrics_count_entries(self):
        with Daemon("--resources", str(ROOT), env={"MOYEO_DISCLOSURES_LAYERS": "users"}) as daemon:
            daemon.report("users", [("a", 37.5, 127.0)])
            self.assertEqual(daemon.request("GET", NEARBY)[0], 200)
            end = time.monotonic() + 30
            while daemon.metric("moyeo_disclosures_written_total") < 1:
                self.assertLess(time.monotonic(), end, "the entry is not written")

    def test_what_shows_positions_and_notes_nothing_is_refused_at_the_start(self):
        for words in (["--resp-port", "0"], ["--adapters", "messenger"]):
            code, _, error = run(
                "--http-port", "0", "--grpc-port", "0", "--resources", str(ROOT),
                "--data-directory", str(self.folder()), *words,
                env={"MOYEO_DISCLOSURES_LAYERS": "users"})
            self.assertEqual(code, 2, error)
            self.assertIn("disclosures.layers", error)

    def test_without_a_log_the_command_says_so(self):
        code, _, error = run("disclosures", "--data-directory", str(self.folder()), name="moyeo")
        self.assertEqual(code, 1)
        self.assertIn("disclosures.layers", error)
        code, _, error = run("disclosures", "--since", "yesterday", name="moyeo")
        self.assertEqual(code, 2)
        self.assertIn("--since", error)


if __name__ == "__main__":
    unittest.main()
