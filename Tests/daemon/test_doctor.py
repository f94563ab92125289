"""moyeo doctor: what it says of settings, keys, certificates, webhooks, erasures and the operators' port,
in whole sentences with what to do, and by its exit status.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_doctor.py
"""

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

import tls
import tokens
from ports import free_port
from running_daemon import ROOT, Daemon, MissingProgram, program, run
from test_webhooks import Receiver


def made_certificate(folder, days):
    """A certificate of its own that ends in so many days, and its key."""
    openssl = shutil.which("openssl")
    if not openssl:
        raise MissingProgram("install Debian's package openssl for certificates that end soon")

    def call(*arguments):
        subprocess.run([openssl, *arguments], check=True, capture_output=True, cwd=folder)

    call("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=127.0.0.1")
    call("x509", "-req", "-in", "request.pem", "-signkey", "key.pem", "-days", str(days),
         "-out", "certificate.pem")
    os.chmod(f"{folder}/key.pem", 0o600)
    return f"{folder}/certificate.pem", f"{folder}/key.pem"


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.directory = self.folder / "data"
        self.directory.mkdir(mode=0o700)

    def doctor(self, *arguments, env=None, code=None):
        """Findings by subject, each a list of (grade, text)."""
        given = ("--settings", *arguments) if "--config" not in arguments else arguments
        status, out, error = run(
            "doctor", "--data-directory", str(self.directory), "--json", *given, name="moyeo",
            env={"MOYEOD": program(), **(env or {})}, timeout=60)
        found = {}
        for one in json.loads(out)["findings"]:
            self.assertEqual(set(one), {"grade", "subject", "text"})
            self.assertTrue(one["text"].strip(), one)
            found.setdefault(one["subject"], []).append((one["grade"], one["text"]))
        is_wrong = any(grade == "wrong" for each in found.values() for grade, _ in each)
        self.assertEqual(status, 1 if is_wrong else 0, (found, error))
        if code is not None:
            self.assertEqual(status, code, found)
        return found

    def says(self, found, subject, grade, *parts):
        """One of a subject's findings has the grade and all parts, and is a sentence."""
        for given, text in found.get(subject, []):
            if given == grade and all(part in text for part in parts):
                return text
        self.fail(f"no {grade} of {subject} says {parts}: {found.get(subject)}")

    def keys(self, *arguments):
        code, said, error = run(
            "keys", "create", "--data-directory", str(self.directory), *arguments, name="moyeo")
        self.assertEqual(code, 0, error)
        return said.split()[-1]


class OfSettings(Doctor):
    def test_nothing_is_set(self):
        found = self.doctor(code=0)
        self.says(found, "settings", "fine", "moyeod takes the settings of the environment.")
        self.says(found, "identity", "notice", "auth.mode is open", "set auth.mode to tokens")
        self.says(found, "certificate", "fine", "on this machine alone")
        self.says(found, "operators", "fine", "set admin.port")
        self.says(found, "disk", "fine", "are free")
        self.says(found, "erasures", "fine", "nobody was erased")
        self.assertFalse({"tracing", "webhooks", "client CA", "key files"} & set(found))
        # Without being asked it looks at no settings.
        code, out, _ = run(
            "doctor", "--data-directory", str(self.directory), "--json", name="moyeo")
        self.assertEqual(code, 0)
        self.assertNotIn("identity", out)

    def test_a_file_of_settings(self):
        file = self.folder / "moyeo.json"
        file.write_text(json.dumps({"admin": {"port": 0}}))
        found = self.doctor("--config", str(file), code=0)
        self.says(found, "settings", "fine", str(file))
        self.says(found, "operators", "notice", "admin.port is 0")
        file.write_text(json.dumps({"admin": {"prot": 0}}))
        self.says(self.doctor("--config", str(file), code=1), "settings", "wrong", "admin.prot")
        found = self.doctor("--config", str(self.folder / "none"), code=1)
        self.says(found, "settings", "wrong", "cannot be read", "give the file")

    def test_text_for_people(self):
        code, out, error = run(
            "doctor", "--settings", "--data-directory", str(self.directory), name="moyeo",
            env={"MOYEO_AUTH_MODE": "tokens"})
        self.assertEqual(code, 1)
        self.assertRegex(out, r"(?m)^WRONG +API keys +No API key holds .*make a key")
        self.assertIn("1 problem", error)

    def test_tracing_is_read_where_it_is_set(self):
        found = self.doctor(env={
            "MOYEO_TRACING_ENDPOINT": "http://me:secret@collector.example:4318/v1/traces"})
        text = self.says(found, "tracing", "fine", "http://collector.example:4318.")
        self.assertNotIn("secret", text)
        found = self.doctor(env={"MOYEO_TRACING_ENDPOINT": "collector:4318"}, code=1)
        self.says(found, "tracing", "wrong", "no address of HTTP", "http://127.0.0.1:4318")


class OfIdentity(Doctor):
    def test_signing_keys_of_a_file(self):
        path = self.folder / "jwks.json"
        settings = tokens.settings(path)
        found = self.doctor(env=settings, code=1)
        self.says(found, "settings", "wrong", "there is no such file")
        path.write_text(tokens.key_set(tokens.Signer("one")))
        found = self.doctor(env=settings, code=0)
        self.says(found, "identity", "fine", "1 key that signs tokens is loaded", str(path))
        self.says(found, "API keys", "fine", "No API key holds", "moyeo keys create")
        keys = json.loads(path.read_text())["keys"]
        path.write_text(json.dumps({"keys": keys + [{"kty": "RSA", "kid": "x", "alg": "PS256"}]}))
        self.says(self.doctor(env=settings, code=0), "identity", "notice", "left out")

    def test_signing_keys_of_a_url(self):
        document = {"body": tokens.key_set(tokens.Signer("one")).encode()}

        class KeySet(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(document["body"])))
                self.end_headers()
                self.wfile.write(document["body"])

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), KeySet)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/jwks"
        found = self.doctor(env=tokens.settings(url), code=0)
        self.says(found, "identity", "fine", "1 key that signs tokens is loaded", url)
        server.shutdown()
        server.server_close()
        found = self.doctor(env=tokens.settings(url), code=1)
        self.says(found, "identity", "wrong", "cannot be had", url, "Mend auth.jwks")

    def test_api_keys(self):
        mode = {"MOYEO_AUTH_MODE": "tokens"}
        found = self.doctor(env=mode, code=1)
        self.says(found, "API keys", "wrong", "nobody may call", "make a key")
        self.keys("--scopes", "read", "--expires", "90d")
        self.says(self.doctor(env=mode, code=0), "API keys", "fine", "1 API key holds.")
        soon = self.keys("--scopes", "read", "--expires", "3d").split("_")[1]
        found = self.doctor(env=mode, code=0)
        self.says(found, "API keys", "notice", "2 API keys hold", soon, "moyeo keys rotate")
        os.chmod(self.directory / "keys.json", 0o644)
        self.says(self.doctor(env=mode, code=0), "rights", "notice", "keys.json")
        (self.directory / "keys.json").write_text("{")
        found = self.doctor(env=mode, code=1)
        self.says(found, "API keys", "wrong", "cannot be read", "restore the file")


class OfCertificates(Doctor):
    def settings(self, days, **more):
        certificate, key = made_certificate(str(self.folder), days)
        return {"MOYEO_TLS_CERTIFICATE": certificate, "MOYEO_TLS_KEY": key, **more}

    def test_how_long_it_is_good(self):
        for days, grade, parts in (
                (400, "fine", ("is good until",)),
                (15, "fine", ("for 14 days",)),
                (14, "notice", ("ends in 13 days", "put a new one in its place")),
                (1, "notice", ("ends within a day",)),
                (-1, "wrong", ("ended on", "put a new one in its place"))):
            found = self.doctor(env=self.settings(days), code=1 if grade == "wrong" else 0)
            self.says(found, "certificate", grade, *parts)
            self.assertNotIn("client CA", found)

    def test_what_cannot_be_used(self):
        found = self.doctor(env={"MOYEO_TLS_CERTIFICATE": "/none", "MOYEO_TLS_KEY": "/none"}, code=1)
        self.says(found, "settings", "wrong", "/none cannot be read")

    def test_client_authority(self):
        authority = self.folder / "authority"
        authority.mkdir()
        soon, _ = made_certificate(str(authority), 5)
        good = self.settings(400, MOYEO_TLS_CLIENT_AUTHORITY=tls.path("authority"))
        self.says(self.doctor(env=good, code=0), "client CA", "fine", "is good until 2126")
        found = self.doctor(env={**good, "MOYEO_TLS_CLIENT_AUTHORITY": soon}, code=0)
        self.says(found, "client CA", "notice", "ends in 4 days")
        # The one that ends first counts.
        both = authority / "both.pem"
        both.write_text(pathlib.Path(tls.path("authority")).read_text()
                        + pathlib.Path(soon).read_text())
        found = self.doctor(env={**good, "MOYEO_TLS_CLIENT_AUTHORITY": str(both)}, code=0)
        self.says(found, "client CA", "notice", "ends in 4 days")

    def test_a_private_key_that_everybody_can_read(self):
        settings = self.settings(400)
        self.says(self.doctor(env=settings, code=0), "key files", "fine", "Only their owner")
        for mode in (0o604, 0o644):
            os.chmod(settings["MOYEO_TLS_KEY"], mode)
            self.says(self.doctor(env=settings, code=1), "key files", "wrong", "chmod o=")
        # A group of its own is how Debian shares them.
        os.chmod(settings["MOYEO_TLS_KEY"], 0o640)
        self.doctor(env=settings, code=0)

    def test_calls_in_the_clear_on_the_network(self):
        found = self.doctor(
            env={"MOYEO_AUTH_MODE": "tokens", "MOYEO_HOST": "0.0.0.0"}, code=1)
        self.says(found, "certificate", "notice", "in the clear on the network", "set tls.certificate")


class OfWebhooks(Doctor):
    def create(self, url):
        code, said, error = run(
            "webhooks", "create", "--url", url, "--from-oldest", "--data-directory", str(self.directory),
            name="moyeo")
        self.assertEqual(code, 0, error)
        return said.split()[1]

    def test_where_they_lead(self):
        one = self.create("https://127.0.0.1:1/here")
        two = self.create("https://no-such-host.invalid/there")
        found = self.doctor(code=1)
        self.says(found, "webhooks", "fine", "2 are set")
        self.says(found, "webhooks", "wrong", one, "not of the public internet", "delete")
        self.says(found, "webhooks", "wrong", two, "cannot be looked up")
        allowed = {"MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true"}
        run("webhooks", "delete", two, "--data-directory", str(self.directory), name="moyeo")
        self.says(self.doctor(env=allowed, code=0), "webhooks", "fine", "1 is set")
        clear = self.create("http://127.0.0.1:1/here")
        self.says(
            self.doctor(env=allowed, code=0), "webhooks", "notice", clear, "in the clear", "https")

    def test_a_file_that_cannot_be_read(self):
        (self.directory / "webhooks.json").write_text("{")
        self.says(self.doctor(code=1), "webhooks", "wrong", "cannot be read", "restore the file")

    def test_dead_letters(self):
        receiver = Receiver(lambda event: 410)
        self.addCleanup(receiver.shutdown)
        self.create(receiver.url)
        settings = {"MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true",
                    "MOYEO_WEBHOOKS_MAXIMUM_ATTEMPTS": "1", "MOYEO_WEBHOOKS_OUTAGE_HOURS": "0"}
        with Daemon("--resources", str(ROOT), directory=self.directory, env=settings) as daemon:
            opened = daemon.request("POST", "/v1/tickets", {
                "userId": "ann", "here": {"latitude": 37.5, "longitude": 127.0}})
            self.assertEqual(opened[0], 200, opened)
            receiver.wait_until(lambda: receiver.refused, "an attempt")
            found = {}
            while "letters" not in found:
                # Each look waits for another attempt's outcome to be kept.
                found = self.doctor(env=settings)
            self.says(found, "letters", "notice", "1 event could not be delivered",
                      "moyeo webhooks letters", "moyeo webhooks replay")


class OfErasures(Doctor):
    def test_the_list(self):
        port = free_port()
        settings = {"MOYEO_ADMIN_PORT": str(port)}
        with Daemon("--resources", str(ROOT), directory=self.directory, env=settings) as daemon:
            daemon.request("POST", "/v1/tickets", {
                "userId": "ann", "here": {"latitude": 37.5, "longitude": 127.0}})
            code, _, error = run(
                "admin", "erase", "ann", "--reason", "asked for", "--url",
                f"http://127.0.0.1:{port}", name="moyeo")
            self.assertEqual(code, 0, error)
        found = self.doctor(code=0)
        self.says(found, "erasures", "fine", "1 person was erased", "keep copies")
        kept = (self.directory / "erasures.list").read_text()
        (self.directory / "erasures.list").unlink()
        found = self.doctor(code=1)
        self.says(found, "erasures", "wrong", "lacks 1", "put a kept copy of it back")
        # One that another record has seen.
        words = kept.split()
        other = " ".join([*words[:4], "f" * 32, words[5]])
        (self.directory / "erasures.list").write_text(kept + other + "\n")
        os.chmod(self.directory / "erasures.list", 0o600)
        self.says(self.doctor(code=0), "erasures", "notice", "the next start does it")


class OfOperators(Doctor):
    def serve(self, **settings):
        self.port = free_port()
        self.settings = {"MOYEO_ADMIN_PORT": str(self.port), **settings}
        daemon = Daemon(directory=self.directory, env=self.settings, ready=False,
                        security=tls.client("client") if "MOYEO_TLS_KEY" in settings else None)
        self.addCleanup(daemon.close)
        daemon.wait_until_ready()
        return daemon

    def test_open_mode(self):
        daemon = self.serve()
        found = self.doctor(env=self.settings, code=0)
        self.says(found, "operators", "fine", f"http://127.0.0.1:{self.port} answers operators")
        other = {"MOYEO_ADMIN_PORT": str(free_port())}
        found = self.doctor(env=other, code=1)
        self.says(found, "operators", "wrong", "does not answer though a daemon runs")
        # Another port of this very daemon is no operators' one.
        found = self.doctor(env={"MOYEO_ADMIN_PORT": str(daemon.http_port)}, code=1)
        self.says(found, "operators", "wrong", "refuses")
        daemon.terminate()
        found = self.doctor(env=self.settings, code=0)
        self.says(found, "operators", "notice", "no daemon runs", "start it")

    def test_who_calls(self):
        signer = tokens.Signer("one")
        path = self.folder / "jwks.json"
        path.write_text(tokens.key_set(signer))
        self.serve(**tokens.settings(path))
        found = self.doctor(env=self.settings, code=0)
        self.says(found, "operators", "fine", "asks who calls", "--token")
        found = self.doctor("--token", signer.token("olga", "admin"), env=self.settings, code=0)
        self.says(found, "operators", "fine", "takes this token")
        found = self.doctor(
            env={**self.settings, "MOYEO_TOKEN": signer.token("olga", "admin")}, code=0)
        self.says(found, "operators", "fine", "takes this token")
        found = self.doctor("--token", signer.token("ann"), env=self.settings, code=1)
        self.says(found, "operators", "wrong", "scope admin", "moyeo keys create")
        expired = signer.token("olga", "admin", seconds=-600)
        found = self.doctor("--token", expired, env=self.settings, code=1)
        text = self.says(found, "operators", "wrong", "expired", "another --token")
        self.assertNotIn(expired, text)

    def test_with_tls(self):
        key = self.folder / "key.pem"
        shutil.copyfile(tls.path("server.key"), key)
        os.chmod(key, 0o600)
        self.serve(**tls.settings(key=str(key)))
        found = self.doctor("--ca", tls.path("authority"), env=self.settings, code=0)
        self.says(found, "operators", "fine", f"https://127.0.0.1:{self.port} answers operators")
        found = self.doctor("--ca", tls.path("stranger-authority"), env=self.settings, code=1)
        self.says(found, "operators", "wrong", "--ca")


if __name__ == "__main__":
    unittest.main()
