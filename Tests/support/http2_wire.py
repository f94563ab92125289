"""gRPC over HTTP/2 frames of our own making (RFC 9113): well formed or not, as the caller likes."""

import socket
import struct
import urllib.parse

import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = 0, 1, 2, 3, 4
PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 5, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY_FLAG = 1, 1, 4, 8, 32
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
ENHANCE_YOUR_CALM, REFUSED_STREAM, CANCEL = 11, 7, 8


class ConnectionEnded(Exception):
    """The peer closed the connection; `goaway` is (last stream, code, text) when it said why."""

    def __init__(self, goaway):
        super().__init__(f"connection ended, GOAWAY {goaway}")
        self.goaway = goaway


def frame(kind, flags, stream, payload=b""):
    return (struct.pack(">I", len(payload))[1:] + bytes([kind & 255, flags & 255])
            + struct.pack(">I", stream & 0xFFFFFFFF) + payload)


def message(payload, compressed=0, length=None):
    """A gRPC length-prefixed message; `length` lies."""
    return struct.pack(">BI", compressed, len(payload) if length is None else length) + payload


def header_block(authority, path, more=(), content_type="application/grpc", method="POST"):
    """A request's fields, literal and without indexing (RFC 7541, 6.2.2): no state on any side."""
    fields = [(":method", method), (":scheme", "http"), (":path", path),
              (":authority", authority), ("content-type", content_type), ("te", "trailers"), *more]
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)


class Call:
    """What came back on one stream."""

    def __init__(self):
        self.headers, self.trailers = {}, {}
        self.data = b""
        self.ended = False
        self.reset = None

    @property
    def status(self):
        """The gRPC status; None when the stream was reset or is still open."""
        value = self.trailers.get("grpc-status", self.headers.get("grpc-status"))
        return None if value is None else int(value)

    @property
    def text(self):
        found = self.trailers.get("grpc-message", self.headers.get("grpc-message", ""))
        return urllib.parse.unquote(found)

    @property
    def messages(self):
        found, rest = [], self.data
        while len(rest) >= 5:
            size = int.from_bytes(rest[1:5], "big")
            if len(rest) < 5 + size:
                break
            found.append(rest[5:5 + size])
            rest = rest[5 + size:]
        return found

    def __repr__(self):
        return (f"<{self.headers.get(':status')} grpc {self.status} {self.text!r} "
                f"{len(self.data)} bytes reset={self.reset}>")


class HTTP2Wire:
    """One connection; every wait is bounded by `seconds`."""

    def __init__(self, port, seconds=5, preface=PREFACE, settings=b"", handshake=True):
        self.socket = socket.create_connection(("127.0.0.1", port), seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.authority = f"127.0.0.1:{port}"
        self.decoder = hpack.Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.next_stream = 1
        self.calls = {}
        self.goaway = None
        self.pings = []
        self._buffer = b""
        # What the peer lets this side send (RFC 9113, 5.2): in all, and on each stream.
        self._window, self._initial_window = 65_535, 65_535
        self._windows = {}
        # SETTINGS_MAX_CONCURRENT_STREAMS (3); None until the peer has said it.
        self.maximum_streams = None
        if handshake:
            self.send(preface + frame(SETTINGS, 0, 0, settings))

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self._drain()
            raise ConnectionEnded(self.goaway) from None

    def _drain(self):
        try:
            while True:
                self.take()
        except (ConnectionEnded, OSError):
            pass

    # Calls

    def header_block(self, path, more=(), **fields):
        return header_block(self.authority, path, more, **fields)

    def open(self, path, more=(), end=False, **fields):
        """Begins a call; answers its stream."""
        stream = self.next_stream
        self.next_stream += 2
        self.calls[stream] = Call()
        flags = END_HEADERS | (END_STREAM if end else 0)
        self.send(frame(HEADERS, flags, stream, self.header_block(path, more, **fields)))
        return stream

    def data(self, stream, payload, end=True):
        """Sends bytes of a call as the peer's windows let it; stops where the call has ended."""
        while True:
            room = min(self._window, self.window(stream), 16_384)
            if room <= 0 and payload:
                if self.calls[stream].ended:
                    return
                self.take()
                continue
            piece, payload = payload[:room], payload[room:]
            last = end and not payload
            self.send(frame(DATA, END_STREAM if last else 0, stream, piece))
            self._window -= len(piece)
            self._windows[stream] = self.window(stream) - len(piece)
            if not payload:
                return

    def window(self, stream):
        return self._windows.get(stream, self._initial_window)

    def call(self, path, payload, more=(), **fields):
        """A unary call with an encoded message; answers its Call."""
        stream = self.open(path, more, **fields)
        self.data(stream, message(payload))
        return self.finish(stream)

    def finish(self, stream):
        call = self.calls[stream]
        while not call.ended:
            self.take()
        return call

    # Frames

    def _need(self, count):
        while len(self._buffer) < count:
            data = self.socket.recv(1 << 18)
            if not data:
                raise ConnectionEnded(self.goaway)
            self._buffer += data

    def take(self):
        """Reads one frame, keeps what it says, answers (kind, flags, stream, payload)."""
        try:
            self._need(9)
            length = int.from_bytes(self._buffer[:3], "big")
            self._need(9 + length)
        except ConnectionResetError:
            raise ConnectionEnded(self.goaway) from None
        kind, flags = self._buffer[3], self._buffer[4]
        stream = int.from_bytes(self._buffer[5:9], "big") & 0x7FFFFFFF
        payload, self._buffer = self._buffer[9:9 + length], self._buffer[9 + length:]
        call = self.calls.get(stream)
        if kind == HEADERS:
            # The state of the table follows every block, whosever it is.
            fields = dict(self.decoder.decode(payload))
            if call:
                (call.trailers if call.headers else call.headers).update(fields)
        elif kind == DATA:
            if call:
                call.data += payload
            if payload:
                self.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(payload))))
        elif kind == SETTINGS and not flags & ACK:
            for at in range(0, length - 5, 6):
                key, value = struct.unpack_from(">HI", payload, at)
                if key == 3:
                    self.maximum_streams = value
                elif key == 4:
                    step, self._initial_window = value - self._initial_window, value
                    self._windows = {one: n + step for one, n in self._windows.items()}
            self.send(frame(SETTINGS, ACK, 0))
        elif kind == WINDOW_UPDATE:
            step = int.from_bytes(payload, "big")
            if stream:
                self._windows[stream] = self.window(stream) + step
            else:
                self._window += step
        elif kind == PING:
            if flags & ACK:
                self.pings.append(payload)
            else:
                self.send(frame(PING, ACK, 0, payload))
        elif kind == GOAWAY:
            last, code = struct.unpack(">II", payload[:8])
            self.goaway = (last & 0x7FFFFFFF, code, payload[8:])
        elif kind == RST_STREAM and call:
            call.reset, call.ended = int.from_bytes(payload, "big"), True
        if call and kind in (DATA, HEADERS) and flags & END_STREAM:
            call.ended = True
        return kind, flags, stream, payload


def _text(value):
    value = value if isinstance(value, bytes) else value.encode()
    if len(value) < 127:
        return bytes([len(value)]) + value
    out, rest = b"\x7f", len(value) - 127
    while rest >= 128:
        out, rest = out + bytes([rest & 127 | 128]), rest >> 7
    return out + bytes([rest]) + value
