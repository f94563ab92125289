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


class _Headers:
    """Header blocks of requests: sent once in full, then by their numbers in the peer's table
    (RFC 7541, 6.1 and 6.2.1), as every gRPC client does."""

    # The first after the static table.
    FIRST = 62

    def __init__(self, authority: str):
        # name (the index of the static table, or text) and value, in their order.
        self._fixed = [(1, authority), (31, "application/grpc"), ("te", "trailers")]
        self._known: list[tuple[int | str, str]] = []

    def block(self, path: str) -> bytes:
        # :method POST, :scheme http.
        out = b"\x83\x86"
        for field in ((4, path), *self._fixed):
            if field in self._known:
                number = self.FIRST + len(self._known) - 1 - self._known.index(field)
                assert number < 127
                out += bytes([0x80 | number])
            else:
                self._known.append(field)
                name, value = field
                out += bytes([0x40 | name]) if isinstance(name, int) else b"\x40" + _text(name)
                out += _text(value)
        return out


def _text(value: str) -> bytes:
    assert len(value) < 127
    return bytes([len(value)]) + value.encode()


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
        self._headers = _Headers(self._authority)
        self._next_stream = 1
        self._window = 65_535
        # SETTINGS_INITIAL_WINDOW_SIZE (4) as large as may be: nothing to hand back later.
        settings = struct.pack(">HI", 4, LARGEST_WINDOW)
        more = struct.pack(">I", LARGEST_WINDOW - 65_535)
        self._socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(SETTINGS, 0, 0, settings)
            + _frame(WINDOW_UPDATE, 0, 0, more))

    def _awake(self) -> None:
        # The daemon closes idle connections.
        now = time.monotonic()
        if now - self._used > IDLE_SECONDS:
            self._socket.close()
            self._open()
        self._used = now

    def _message(self, stream: int, request: bytes, ends: bool) -> list[bytes]:
        message = struct.pack(">BI", 0, len(request)) + request
        self._window -= len(message)
        return [
            _frame(DATA, END_STREAM if ends and first + LARGEST_FRAME >= len(message) else 0,
                   stream, message[first:first + LARGEST_FRAME])
            for first in range(0, len(message), LARGEST_FRAME)]

    def _send(self, frames: list[bytes]) -> None:
        while self._window < 0:
            self._take_frame({})
        self._socket.sendall(b"".join(frames))

    def calls(self, requests: list[tuple[str, bytes]]) -> list[bytes]:
        """Unary calls, all under way at once: paths and encoded requests in, responses out."""
        self._awake()
        answers: dict[int, bytearray] = {}
        frames = []
        for path, request in requests:
            stream = self._next_stream
            self._next_stream += 2
            answers[stream] = bytearray()
            frames.append(_frame(HEADERS, END_HEADERS, stream, self._headers.block(path)))
            frames += self._message(stream, request, True)
        self._send(frames)
        waiting = len(requests)
        while waiting:
            waiting -= self._take_frame(answers)
        if any(len(answer) < 5 for answer in answers.values()):
            raise PeerError(f"{requests[0][0]} answered an error")
        return [bytes(answer[5:]) for answer in answers.values()]

    def stream(self, path: str):
        """A call with messages both ways, on a connection of its own: a message in, its answer
        out."""
        stream = self._next_stream
        self._next_stream += 2
        self._send([_frame(HEADERS, END_HEADERS, stream, self._headers.block(path))])

        def exchange(request: bytes) -> bytes:
            self._send(self._message(stream, request, False))
            answer = {stream: bytearray()}
            data = answer[stream]
            while len(data) < 5 or len(data) < 5 + int.from_bytes(data[1:5]):
                if self._take_frame(answer):
                    raise PeerError(f"{path} ended")
            return bytes(data[5:])

        return exchange

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
