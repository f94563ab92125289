"""`GET /moyeo.js`: the JavaScript client for pages, which needs no identity.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_served_module.py
"""

import pathlib
import tempfile
import unittest

import tokens
from running_daemon import ROOT, Daemon

FILE = ROOT / "clients" / "javascript" / "moyeo.js"


class ClientModule(unittest.TestCase):
    def test_it_is_the_file_with_a_validator(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            status, text, headers = daemon.request("GET", "/moyeo.js")
            self.assertEqual((status, headers["content-type"]),
                             (200, "text/javascript; charset=utf-8"))
            self.assertEqual(text, FILE.read_text())
            status, text, _ = daemon.request(
                "GET", "/moyeo.js", headers={"If-None-Match": headers["etag"]})
            self.assertEqual((status, text), (304, ""))

    def test_it_needs_no_token_and_other_pages_may_load_it_where_they_may_call(self):
        with tokens.key_file(tokens.Signer("one")) as keys, Daemon(
                "--resources", str(ROOT), env={
                    **tokens.settings(keys),
                    "MOYEO_HTTP_CORS_ORIGINS": "https://app.example"}) as daemon:
            status, _, headers = daemon.request(
                "GET", "/moyeo.js", headers={"Origin": "https://app.example"})
            self.assertEqual(
                (status, headers["access-control-allow-origin"]), (200, "https://app.example"))
            _, _, headers = daemon.request(
                "GET", "/moyeo.js", headers={"Origin": "https://other.example"})
            self.assertNotIn("access-control-allow-origin", headers)
            self.assertEqual(daemon.request("GET", "/v1/layers")[0], 401)

    def test_resources_without_it_serve_the_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("data", "page"):
                (pathlib.Path(folder) / name).symlink_to(ROOT / name)
            with Daemon("--resources", folder) as daemon:
                self.assertEqual(daemon.request("GET", "/")[0], 200)
                self.assertEqual(daemon.request("GET", "/moyeo.js")[0], 404)


if __name__ == "__main__":
    unittest.main()
