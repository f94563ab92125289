"""The operator's port with TLS and with mutual TLS: nothing of it is said in the clear, and nobody without
a certificate of the authority gets as far as a token.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_admin_tls.py
"""

import http.client
import json
import pathlib
import signal
import socket
import ssl
import tempfile
import time
import unittest

import tls
import tokens
from running_daemon import ROOT, Daemon, run
from test_admin import reason

PATIENCE_SECONDS = 30


class AdminTLS(unittest.TestCase):
    def serve(self, mutual=False, **settings):
        self.daemon = Daemon(
            "--resources", str(ROOT), "--admin-port", "0",
            env={**tls.settings(mutual), **settings},
            security=tls.client("client" if mutual else None))
        self.addCleanup(self.daemon.close)
        self.port = self.daemon.admin_port

    def link(self, context):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=context)

    def ask(self, method, path, body=None, context=None, **headers):
        """(status, parsed body, headers)"""
        link = self.link(context or tls.client())
        try:
            return self.daemon.request(method, path, body, headers, connection=link)
        finally:
            link.close()

    def handshake(self, context):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as plain:
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                return secure.version(), secure.selected_alpn_protocol(), secure.getpeercert(True)

    def test_calls_and_page(self):
        self.serve()
        for path in ("/healthz", "/readyz", "/metrics", "/", "/v1/admin/statistics"):
            self.assertEqual(self.ask("GET", path)[0], 200, path)
        self.assertEqual(self.ask("POST", "/v1/admin/drain")[1], {"draining": True})
        # The page's own writes carry its origin, which has the other scheme now.
        origin = f"https://127.0.0.1:{self.port}"
        self.assertEqual(self.ask("DELETE", "/v1/admin/drain", Origin=origin)[0], 200)
        foreign = self.ask("POST", "/v1/admin/drain", Origin="https://evil.example")
        self.assertEqual((foreign[0], reason(foreign)), (403, "forbidden_origin"))

    def test_versions_and_alpn(self):
        self.serve()
        context = tls.client()
        context.set_alpn_protocols(["h2", "http/1.1"])
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context.minimum_version = context.maximum_version = version
            spoken, alpn, _ = self.handshake(context)
            self.assertEqual((spoken, alpn), (version.name.replace("_", "."), "http/1.1"))
        old = tls.client()
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            self.handshake(old)

    def test_nothing_is_answered_in_the_clear(self):
        self.serve()
        for request in (b"GET /v1/admin/tenants HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                        b"GET / HTTP/1.0\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=20) as link:
                link.sendall(request)
                said = b""
                try:
                    while piece := link.recv(65536):
                        said += piece
                except ConnectionResetError:
                    pass
                # An alert of TLS at the most.
                self.assertNotIn(b"HTTP", said)
                self.assertNotIn(b"default", said)
        # Who trusts another authority does not go on.
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.handshake(tls.client(authority="stranger-authority"))

    def test_mutual(self):
        self.serve(mutual=True)
        self.assertEqual(
            self.ask("GET", "/v1/admin/tenants", context=tls.client("client"))[0], 200)
        # The page and health are no exception.
        for who in (None, "stranger"):
            for path in ("/", "/healthz", "/v1/admin/tenants"):
                with self.subTest(who=who, path=path), \
                        self.assertRaises((ssl.SSLError, ConnectionError, http.client.BadStatusLine)):
                    self.ask("GET", path, context=tls.client(who))

    def test_a_certificate_is_no_token(self):
        signer = tokens.Signer("one")
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "jwks.json"
            keys.write_text(tokens.key_set(signer))
            self.serve(mutual=True, **tokens.settings(keys))
            context = tls.client("client")
            refused = self.ask("GET", "/v1/admin/tenants", context=context)
            self.assertEqual((refused[0], reason(refused)), (401, "unauthenticated"))
            taken = self.ask("GET", "/v1/admin/tenants", context=context,
                             **tokens.bearer(signer.token("olga", "admin")))
            self.assertEqual(taken[0], 200)

    def test_a_renewed_certificate_greets_new_connections(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = tls.put(folder, "server")
            self.serve(**tls.settings(certificate=certificate, key=key))
            before = self.handshake(tls.client())[2]
            open_link = self.link(tls.client())
            self.addCleanup(open_link.close)
            self.daemon.request("GET", "/healthz", connection=open_link)
            tls.put(folder, "renewed")
            self.daemon.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + PATIENCE_SECONDS
            while self.handshake(tls.client())[2] == before:
                self.assertLess(time.monotonic(), end, "the certificate is the old one")
            self.assertEqual(
                self.daemon.request("GET", "/readyz", connection=open_link)[0], 200)

    def test_the_command_line(self):
        self.serve(mutual=True)
        address = f"https://127.0.0.1:{self.port}"
        who = {"MOYEO_CLIENT_CERTIFICATE": tls.path("client"),
               "MOYEO_CLIENT_KEY": tls.path("client.key")}
        ask = ("admin", "statistics", "--json", "--url", address)
        code, out, error = run(*ask, "--ca", tls.path("authority"), name="moyeo", env=who)
        self.assertEqual(code, 0, error)
        self.assertIn("layers", json.loads(out))
        for arguments, env in (((), who), (("--ca", tls.path("authority")), {})):
            code, _, error = run(*ask, *arguments, name="moyeo", env=env)
            self.assertEqual(code, 3, error)


if __name__ == "__main__":
    unittest.main()
