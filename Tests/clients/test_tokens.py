"""A stock gRPC client with tokens, over TLS, on the fast path and on the other.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_tokens.py
"""

import os
import pathlib
import tempfile
import unittest

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc  # noqa: E402

import tls  # noqa: E402
import tokens  # noqa: E402
from protobuf_bytes import EVENTS, FARES, PARTIES, POSITIONS, field, nearby, position, report  # noqa: E402
from running_daemon import ROOT, Daemon  # noqa: E402

SECONDS = 60


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.one, cls.other = tokens.Signer("one"), tokens.Signer("two")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.one))
        cls.links = {}
        for name, fast, secure in (
                ("fast", "true", False), ("slow", "false", False),
                ("fast over TLS", "true", True), ("slow over TLS", "false", True)):
            daemon = Daemon(
                "--resources", str(ROOT),
                env={**tokens.settings(keys), "MOYEO_GRPC_FAST_PATH": fast,
                     **(tls.settings() if secure else {})},
                security=tls.client() if secure else None)
            cls.addClassCleanup(daemon.close)
            link = (grpc.secure_channel(
                daemon.grpc_address, grpc.ssl_channel_credentials(tls.read("authority")))
                if secure else grpc.insecure_channel(daemon.grpc_address))
            cls.addClassCleanup(link.close)
            cls.links[name] = link

    def call(self, link, path, request, token=None):
        """(code, reason) of a refusal, the answer's bytes else."""
        metadata = [("authorization", f"Bearer {token}")] if token else []
        try:
            return link.unary_unary(path)(request, timeout=SECONDS, metadata=metadata)
        except grpc.RpcError as error:
            details = dict(error.trailing_metadata()).get("grpc-status-details-bin", b"")
            for name in ("unauthenticated", "token_expired", "forbidden", "unknown_layer"):
                if name.encode() in details:
                    return error.code(), name
            return error.code(), error.details()

    def test_every_cause_has_its_reason(self):
        unauthenticated = grpc.StatusCode.UNAUTHENTICATED
        denied = grpc.StatusCode.PERMISSION_DENIED
        mine = report("users", [position("ann", 37.5, 127.0)])
        near = nearby("users", 37.5, 127.0)
        for name, link in self.links.items():
            ann = self.one.token("ann")
            answer = self.call(link, POSITIONS + "Report", mine, ann)
            self.assertIsInstance(answer, bytes, (name, answer))
            for path, request, token, expected in (
                    (POSITIONS + "Nearby", near, None, (unauthenticated, "unauthenticated")),
                    (POSITIONS + "Nearby", near, "nonsense", (unauthenticated, "unauthenticated")),
                    (POSITIONS + "Nearby", near, self.other.token("ann"),
                     (unauthenticated, "unauthenticated")),
                    (POSITIONS + "Nearby", near, self.one.token("ann", aud="another"),
                     (unauthenticated, "unauthenticated")),
                    (POSITIONS + "Nearby", near, self.one.token("ann", seconds=-3600),
                     (unauthenticated, "token_expired")),
                    (POSITIONS + "Nearby", near, self.one.token("ann", "report"),
                     (denied, "forbidden")),
                    (POSITIONS + "Report", mine, self.one.token("ben"), (denied, "forbidden")),
                    (POSITIONS + "Nearby", near, self.one.token("ann", tenant="north"),
                     (grpc.StatusCode.NOT_FOUND, "unknown_layer")),
                    # The second call of a tenant finds its room open: the fast path answers it.
                    (POSITIONS + "Nearby", near, self.one.token("ben", tenant="north"),
                     (grpc.StatusCode.NOT_FOUND, "unknown_layer")),
                    (EVENTS + "List", b"", ann, (denied, "forbidden")),
                    (PARTIES + "Join", field(1, "x") + field(2, "ben"), ann,
                     (denied, "forbidden")),
                    (FARES + "ListTariffs", b"", None, (unauthenticated, "unauthenticated"))):
                with self.subTest(name, path=path, expected=expected):
                    self.assertEqual(self.call(link, path, request, token), expected)
            for token in (ann, self.one.token("ben", "read")):
                found = self.call(link, POSITIONS + "Nearby", near, token)
                self.assertIsInstance(found, bytes, (name, found))
                self.assertIn(b"ann", found)

    def test_streams_and_the_health_service(self):
        for name, link in self.links.items():
            with self.subTest(name):
                self.assertEqual(
                    link.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=SECONDS),
                    b"\x08\x01")
                mine = report("streamed", [position("ann", 37.5, 127.0)])
                self.call(link, POSITIONS + "Report", mine, self.one.token("ann"))
                area = nearby("streamed", 37.5, 127.0) + field(4, 5000.0)

                def watch(token):
                    return link.unary_stream(POSITIONS + "Watch")(
                        area, timeout=SECONDS, metadata=[("authorization", f"Bearer {token}")])

                stream = watch(self.one.token("ben", "read"))
                self.assertTrue(next(stream))
                stream.cancel()
                for token, code in (
                        (self.one.token("ben", "report"), grpc.StatusCode.PERMISSION_DENIED),
                        (self.one.token("ben", seconds=-3600), grpc.StatusCode.UNAUTHENTICATED)):
                    with self.assertRaises(grpc.RpcError) as refused:
                        next(watch(token))
                    self.assertEqual(refused.exception.code(), code)


if __name__ == "__main__":
    unittest.main()
