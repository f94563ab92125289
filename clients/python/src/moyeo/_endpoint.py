"""Where a daemon is, and how the client makes itself known to it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

KEEPALIVE = (
    # Several channels to one address have connections of their own.
    ("grpc.use_local_subchannel_pool", 1),
    # A dead connection is known after half a minute; the daemon allows a ping every 5 s.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.max_receive_message_length", 256 << 20),
    # The client decides about further tries, and counts them.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 5_000),
)
# A connection carries a bounded number of streams (docs/calls.md, Watch an area).
STREAMS_PER_CHANNEL = 50


@dataclass(frozen=True)
class TLS:
    """Files in PEM: whom to trust (the system's authorities when absent), and who we are."""

    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    def context(self) -> ssl.SSLContext:
        """For HTTP."""
        context = ssl.create_default_context(cafile=self.ca)
        if self.certificate:
            context.load_cert_chain(self.certificate, self.key)
        return context

    def read(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        """For gRPC: authorities, key, certificate."""
        ca, key, certificate = (
            Path(name).read_bytes() if name else None
            for name in (self.ca, self.key, self.certificate))
        return ca, key, certificate


@dataclass(frozen=True)
class Endpoint:
    """An address: ``http://``, ``https://``, ``grpc://`` or ``grpcs://`` with host and port."""

    text: str
    is_grpc: bool
    is_secure: bool
    # Host and port.
    authority: str

    @staticmethod
    def of(text: str) -> Endpoint:
        """Raises ValueError for what is no address."""
        parts = urlsplit(text)
        if (parts.scheme not in ("http", "https", "grpc", "grpcs") or not parts.hostname
                or parts.query or parts.fragment
                or (parts.scheme.startswith("grpc") and (parts.port is None or parts.path))):
            raise ValueError(
                f"{text!r} is not an address of Moyeo: expected something like "
                "http://127.0.0.1:8080 or grpc://127.0.0.1:50051")
        return Endpoint(text.rstrip("/"), parts.scheme.startswith("grpc"),
                        parts.scheme in ("https", "grpcs"), parts.netloc)
