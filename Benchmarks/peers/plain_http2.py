"""gRPC over one plain socket: HTTP/2 framing and nothing else (RFC 9113).

grpcio's Python client needs 100-200 us a call by itself. This one needs about what the Redis
client needs, so that latencies compare.
"""

import socket
import struct
import time

from processes import PeerError

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
LARGEST_WINDOW = 2**31 - 1
# What every peer takes (SETTINGS_MAX_FRAME_SIZE).
LARGEST_FRAME = 16_384
IDLE_SECONDS = 5


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def _literal(name: bytes, value: str) -> bytes:
    """A header field without indexing (RFC 7541, 6.2.2); `name` is a coded index or literal."""
    assert len(value) < 127
    return name + bytes([len(value)]) + value.encode()


class PlainConnection:
    def __init__(self, host: str, port: int):
        self._address = (host, port)
        self._authority = f"{host}:{port}"
        self._open()

    def _open(self) -> None:
        self._socket = socket.create_connection(self._address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._used = time.monotonic()
        self._buffer = bytearray()
        self._next_stream = 1
        self._window = 65_535
        # SETTINGS_INITIAL_WINDOW_SIZE (4) as large as may be: nothing to hand back later.
        settings = struct.pack(">HI", 4, LARGEST_WINDOW)
        more = struct.pack(">I", LARGEST_WINDOW - 65_535)
        self._socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(SETTINGS, 0, 0, settings)
            + _frame(WINDOW_UPDATE, 0, 0, more))

    def method(self, path: str):
        """Calls of a unary method, all under way at once: encoded requests in, responses out."""
        headers = (
            b"\x83\x86" + _literal(b"\x04", path) + _literal(b"\x01", self._authority)
            + _literal(b"\x0f\x10", "application/grpc") + _literal(b"\x00\x02te", "trailers"))

        def call(requests: list[bytes]) -> list[bytes]:
            # The daemon closes idle connections.
            now = time.monotonic()
            if now - self._used > IDLE_SECONDS:
                self._socket.close()
                self._open()
            self._used = now
            answers: dict[int, bytearray] = {}
            frames = []
            for request in requests:
                stream = self._next_stream
                self._next_stream += 2
                answers[stream] = bytearray()
                message = struct.pack(">BI", 0, len(request)) + request
                frames.append(_frame(HEADERS, END_HEADERS, stream, headers))
                for first in range(0, len(message), LARGEST_FRAME):
                    part = message[first:first + LARGEST_FRAME]
                    last = first + LARGEST_FRAME >= len(message)
                    frames.append(_frame(DATA, END_STREAM if last else 0, stream, part))
                self._window -= len(message)
            while self._window < 0:
                self._take_frame({})
            self._socket.sendall(b"".join(frames))
            waiting = len(requests)
            while waiting:
                waiting -= self._take_frame(answers)
            if any(len(answer) < 5 for answer in answers.values()):
                raise PeerError(f"{path} answered an error")
            return [bytes(answer[5:]) for answer in answers.values()]

        return call

    def _take_frame(self, answers: dict[int, bytearray]) -> bool:
        """Reads one frame; true at the end of one of the streams."""
        buffer = self._buffer
        while len(buffer) < 9 or len(buffer) < 9 + int.from_bytes(buffer[:3]):
            data = self._socket.recv(1 << 18)
            if not data:
                raise PeerError("the daemon closed the connection")
            buffer += data
        length = int.from_bytes(buffer[:3])
        kind, flags = buffer[3], buffer[4]
        of_stream = int.from_bytes(buffer[5:9])
        payload = bytes(buffer[9:9 + length])
        del buffer[:9 + length]
        if kind == DATA and of_stream in answers:
            answers[of_stream] += payload
        elif kind == SETTINGS and not flags & ACK:
            self._socket.sendall(_frame(SETTINGS, ACK, 0, b""))
        elif kind == PING and not flags & ACK:
            self._socket.sendall(_frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE and of_stream == 0:
            self._window += int.from_bytes(payload)
        elif kind in (RST_STREAM, GOAWAY):
            raise PeerError(f"the daemon sent frame {kind}: {payload!r}")
        return kind in (DATA, HEADERS) and of_stream in answers and bool(flags & END_STREAM)

    def close(self) -> None:
        self._socket.close()
