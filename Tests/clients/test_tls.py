"""Stock clients over TLS and mutual TLS, with and without gzip, on both wires and both paths; and the
certificate that changes under them.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_tls.py
"""

import http.client
import os
import signal
import socket
import ssl
import tempfile
import unittest

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc  # noqa: E402

import tls  # noqa: E402
from protobuf_bytes import FARES, POSITIONS, field, nearby, position, report  # noqa: E402
from running_daemon import ROOT, Daemon, run  # noqa: E402
from stock import go_client, run_go  # noqa: E402
from waiting import until  # noqa: E402

MANY = [(f"o{i}", 37.5 + i / 1e5, 127.0, ["swift"]) for i in range(400)]


def channel(daemon, client=None, authority="authority", compression=None):
    credentials = grpc.ssl_channel_credentials(
        tls.read(authority), *((tls.read(f"{client}.key"), tls.read(client)) if client else ()))
    return grpc.secure_channel(daemon.grpc_address, credentials, compression=compression)


class OverTLS(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemons = {}
        for name, mutual, fast in (("plain", False, "true"), ("mutual", True, "true"),
                                   ("slow", True, "false")):
            daemon = Daemon(
                "--resources", str(ROOT),
                env={**tls.settings(mutual), "MOYEO_GRPC_FAST_PATH": fast},
                security=tls.client("client" if mutual else None))
            cls.addClassCleanup(daemon.close)
            daemon.report("clients", MANY)
            cls.daemons[name] = daemon

    def test_grpcio_calls_streams_and_compresses(self):
        for name, daemon in self.daemons.items():
            for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
                with self.subTest(name, compression=compression), \
                        channel(daemon, "client", compression=compression) as link:
                    near = link.unary_unary(POSITIONS + "Nearby")
                    answer = near(nearby("clients", 37.5, 127.0, 400), timeout=20)
                    self.assertGreater(len(answer), 10_000)
                    items = [position(f"new{i}", 37.5, 127.0) for i in range(300)]
                    link.unary_unary(POSITIONS + "Report")(report("clients", items), timeout=20)
                    stream = link.unary_stream(POSITIONS + "Watch")(
                        nearby("clients", 37.5, 127.0) + field(4, 5000.0))
                    self.assertTrue(next(stream))
                    stream.cancel()
                    with self.assertRaises(grpc.RpcError) as refused:
                        near(nearby("nowhere", 37.5, 127.0), timeout=20)
                    self.assertEqual(refused.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_both_encodings_answer_alike(self):
        box = b"".join(field(2 + i, float(v)) for i, v in enumerate((126, 37, 128, 38)))
        for name, daemon in self.daemons.items():
            for path, request in ((FARES + "ListTariffs", b""),
                                  (POSITIONS + "TagHistogram", field(1, "clients") + box)):
                answers = set()
                for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
                    with channel(daemon, "client", compression=compression) as link:
                        answers.add(link.unary_unary(path)(request, timeout=20))
                with self.subTest(name, path=path):
                    self.assertEqual(len(answers), 1)
                    self.assertGreater(len(answers.pop()), 5)

    def test_wrong_certificates_are_refused(self):
        cases = (("mutual", "stranger", "authority"), ("mutual", None, "authority"),
                 ("slow", "stranger", "authority"), ("plain", None, "stranger-authority"))
        for name, client, authority in cases:
            with self.subTest(name, client=client, authority=authority), \
                    channel(self.daemons[name], client, authority) as link:
                with self.assertRaises(grpc.RpcError) as refused:
                    link.unary_unary(POSITIONS + "ListLayers")(b"", timeout=5)
                self.assertEqual(refused.exception.code(), grpc.StatusCode.UNAVAILABLE)
        with grpc.insecure_channel(self.daemons["plain"].grpc_address) as link:
            with self.assertRaises(grpc.RpcError):
                link.unary_unary(POSITIONS + "ListLayers")(b"", timeout=5)

    def test_grpc_go(self):
        go_client()
        for name, daemon in self.daemons.items():
            for gzip in ("false", "true"):
                with self.subTest(name, gzip=gzip):
                    told = run_go(
                        daemon, callers=8, calls=600, seconds=20, method="nearby", gzip=gzip,
                        ca=tls.path("authority"), certificate=tls.path("client"),
                        key=tls.path("client.key"))
                    self.assertEqual(told["failures"], {}, told["examples"])
                    self.assertEqual((told["connections"], told["connectionsEnded"]), (1, 0))
                    self.assertEqual(told["calls"], 600)

    def test_http_asks_for_the_same(self):
        for name, daemon in self.daemons.items():
            with self.subTest(name):
                self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
        daemon = self.daemons["mutual"]
        for context in (tls.client("stranger"), tls.client()):
            with self.assertRaises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
                link = http.client.HTTPSConnection(
                    "127.0.0.1", daemon.http_port, context=context, timeout=10)
                self.addCleanup(link.close)
                link.request("GET", "/healthz")
                link.getresponse()

    def test_versions_and_protocols(self):
        daemon = self.daemons["plain"]
        for port, offered, spoken in ((daemon.http_port, ["h2", "http/1.1"], "http/1.1"),
                                      (daemon.http_port, [], None),
                                      (daemon.grpc_port, ["http/1.1", "h2"], "h2")):
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                context = tls.client()
                context.minimum_version = context.maximum_version = version
                if offered:
                    context.set_alpn_protocols(offered)
                with socket.create_connection(("127.0.0.1", port), timeout=10) as link, \
                        context.wrap_socket(link, server_hostname="localhost") as secure:
                    self.assertEqual(secure.selected_alpn_protocol(), spoken)
                    cipher = secure.cipher()[0]
                    self.assertTrue("GCM" in cipher or "CHACHA20" in cipher, cipher)
        weak = tls.client()
        weak.maximum_version = ssl.TLSVersion.TLSv1_2
        weak.set_ciphers("AES128-SHA:AES256-GCM-SHA384:ECDHE-ECDSA-AES128-SHA")
        with socket.create_connection(("127.0.0.1", daemon.http_port), timeout=10) as link:
            with self.assertRaises(ssl.SSLError):
                weak.wrap_socket(link, server_hostname="localhost")

    def test_the_command_line(self):
        daemon = self.daemons["mutual"]
        identity = ("--ca", tls.path("authority"), "--client-certificate", tls.path("client"),
                    "--client-key", tls.path("client.key"))
        layers = ("layers",)
        for address in (("--url", daemon.url), ("--grpc", f"grpcs://localhost:{daemon.grpc_port}"),
                        ("--grpc", f"grpcs://127.0.0.1:{daemon.grpc_port}")):
            with self.subTest(address[0]):
                code, out, error = run(*layers, *address, *identity, name="moyeo")
                self.assertEqual((code, error), (0, ""))
                self.assertIn("clients", out)
                # Nobody's authority: the system's.
                self.assertEqual(run(*layers, *address, "--timeout", "5", name="moyeo")[0], 3)
                # A certificate that nobody knows.
                wrong = identity[:2] + ("--client-certificate", tls.path("stranger"),
                                        "--client-key", tls.path("stranger.key"))
                # In TLS 1.3 the client learns of it only after its own handshake.
                self.assertIn(
                    run(*layers, *address, *wrong, "--timeout", "5", name="moyeo")[0], (1, 3))
        environment = {"MOYEO_URL": daemon.url, "MOYEO_CA": tls.path("authority"),
                       "MOYEO_CLIENT_CERTIFICATE": tls.path("client"),
                       "MOYEO_CLIENT_KEY": tls.path("client.key")}
        self.assertEqual(run(*layers, name="moyeo", env=environment)[0], 0)
        code, _, error = run(
            *layers, "--url", "http://127.0.0.1:1", "--ca", tls.path("authority"), name="moyeo")
        self.assertEqual(code, 2)
        self.assertIn("no TLS", error)
        code, _, error = run(
            *layers, "--url", daemon.url, "--ca", "/none.pem", name="moyeo")
        self.assertNotEqual(code, 0)
        self.assertIn("/none.pem", error)

    def test_a_handshake_that_does_not_end_is_dropped(self):
        daemon = Daemon(
            env={**tls.settings(), "MOYEO_HTTP_HEAD_SECONDS": "0.2",
                 "MOYEO_GRPC_PREFACE_SECONDS": "0.2"}, security=tls.client())
        self.addCleanup(daemon.close)
        for is_grpc in (False, True):
            for begin in (b"", bytes([0x16, 3, 1, 2, 0, 1])):
                with self.subTest(grpc=is_grpc, begin=begin):
                    with daemon.socket(timeout=20, grpc=is_grpc) as link:
                        link.sendall(begin)
                        self.assertEqual(link.recv(1), b"")
        self.assertEqual(
            daemon.metric("moyeo_http_connection_events_total", event="no_handshake"), 2)
        self.assertEqual(
            daemon.metric("moyeo_grpc_connection_events_total", event="no_preface"), 2)


class Renewal(unittest.TestCase):
    """The certificate changes on disk, by itself and at SIGHUP."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        certificate, key = tls.put(self.folder.name, "server")
        self.settings = tls.settings(certificate=certificate, key=key)

    def start(self, seconds):
        daemon = Daemon(env={**self.settings, "MOYEO_TLS_CHECK_SECONDS": seconds},
                        security=tls.client())
        self.addCleanup(daemon.close)
        return daemon

    def greeting(self, daemon, grpc=False):
        context = tls.client()
        context.set_alpn_protocols(["h2"] if grpc else ["http/1.1"])
        with daemon.socket(grpc=grpc) as link, \
                context.wrap_socket(link, server_hostname="localhost") as secure:
            return dict(part[0] for part in secure.getpeercert()["subject"])["commonName"]

    def test_it_is_taken_at_sighup_and_open_connections_go_on(self):
        daemon = self.start("3600")
        daemon.report("clients", [("o", 37.5, 127.0)])
        kept = daemon.connection()
        self.addCleanup(kept.close)
        self.assertEqual(daemon.request("GET", "/healthz", connection=kept)[0], 200)
        link = channel(daemon)
        self.addCleanup(link.close)
        stream = link.unary_stream(POSITIONS + "Watch")(
            nearby("clients", 37.5, 127.0) + field(4, 5000.0))
        self.assertTrue(next(stream))

        # A key that is not the certificate's: the old pair stays, and the log says why.
        tls.put(self.folder.name, "renewed", "client")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: any("cannot be used" in line for line in daemon.log), "no warning", 20)
        self.assertEqual(self.greeting(daemon), "moyeo test server")

        tls.put(self.folder.name, "renewed")
        daemon.process.send_signal(signal.SIGHUP)
        until(lambda: self.greeting(daemon) == "moyeo test renewed", "not taken at SIGHUP", 20)
        self.assertEqual(self.greeting(daemon, grpc=True), "moyeo test renewed")
        self.assertEqual(daemon.request("GET", "/healthz", connection=kept)[0], 200)
        daemon.report("clients", [("p", 37.5, 127.0)])
        self.assertTrue(next(stream))
        self.assertEqual(daemon.metric("moyeo_tls_reloads_total", outcome="taken"), 1)
        self.assertEqual(daemon.metric("moyeo_tls_reloads_total", outcome="refused"), 1)
        self.assertGreater(daemon.metric("moyeo_tls_certificate_expiry_timestamp_seconds"), 4.9e9)

    def test_a_change_is_seen_by_itself(self):
        daemon = self.start("0.1")
        self.assertEqual(self.greeting(daemon), "moyeo test server")
        tls.put(self.folder.name, "renewed")
        until(lambda: self.greeting(daemon) == "moyeo test renewed", "not seen", 20)

    def test_settings_that_do_not_fit_end_the_start(self):
        for settings, told in (
                ({"MOYEO_TLS_CERTIFICATE": "/none.pem", "MOYEO_TLS_KEY": "/none.key"}, "/none.pem"),
                ({"MOYEO_TLS_CERTIFICATE": tls.path("server")}, "tls.key"),
                ({"MOYEO_TLS_CLIENT_AUTHORITY": tls.path("authority")}, "tls.certificate"),
                (tls.settings(key=tls.path("client.key")), "belong together")):
            for arguments in (("--check-configuration",), ("--http-port", "0", "--grpc-port", "0")):
                with self.subTest(told, arguments=arguments):
                    code, _, error = run(*arguments, env=settings)
                    self.assertEqual(code, 2)
                    self.assertIn(told, error)
