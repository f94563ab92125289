"""HTTP/1.1 over a plain socket: sends what an ordinary client library refuses to send."""

import json
import re
import socket


class NoAnswer(Exception):
    """The daemon closed the connection, or was silent past the bound."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        """The parsed body; None where it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class HTTP1Wire:
    """One connection, opened again when the daemon has closed it; `seconds` bounds each answer."""

    def __init__(self, port, seconds=5):
        self.port, self.seconds = port, seconds
        self._socket = None
        self._buffer = b""

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket, self._buffer = None, b""

    def request(self, method, target, headers=(), body=b"", host="127.0.0.1"):
        """`method`, `target` and header pairs are bytes or text and go out as they are."""
        lines = [_bytes(method) + b" " + _bytes(target) + b" HTTP/1.1"]
        if host is not None:
            lines.append(b"host: " + _bytes(host))
        lines += [_bytes(name) + b": " + _bytes(value) for name, value in headers]
        if body or _bytes(method) in (b"POST", b"PUT", b"PATCH"):
            lines.append(b"content-length: %d" % len(body))
        data = b"\r\n".join(lines) + b"\r\n\r\n" + body
        fresh = self._socket is None
        try:
            return self.exchange(data, _bytes(method) == b"HEAD")
        except NoAnswer:
            # A kept connection may have been closed after its last answer; ask once more.
            if fresh:
                raise
            return self.exchange(data, _bytes(method) == b"HEAD")

    def exchange(self, data, is_head=False):
        """Sends bytes and reads one final answer."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self.port), self.seconds)
        try:
            try:
                self._socket.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # It may have answered before it closed.
            return self._read(is_head)
        except (OSError, NoAnswer) as error:
            self.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from None

    def _more(self):
        data = self._socket.recv(1 << 16)
        if not data:
            raise NoAnswer("the daemon closed the connection")
        self._buffer += data

    def _until(self, end):
        while end not in self._buffer:
            self._more()
        found, self._buffer = self._buffer.split(end, 1)
        return found

    def _exactly(self, count):
        while len(self._buffer) < count:
            self._more()
        found, self._buffer = self._buffer[:count], self._buffer[count:]
        return found

    def _read(self, is_head):
        head = self._until(b"\r\n\r\n").decode("latin-1")
        first, *lines = head.split("\r\n")
        found = re.match(r"HTTP/1\.[01] (\d{3})", first)
        if not found:
            raise NoAnswer(f"not an answer: {first[:80]!r}")
        status = int(found[1])
        if status < 200:
            return self._read(is_head)
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = b""
        if is_head or status in (204, 304):
            pass
        elif "chunked" in headers.get("transfer-encoding", ""):
            while size := int(self._until(b"\r\n").split(b";")[0], 16):
                body += self._exactly(size)
                self._exactly(2)
            self._until(b"\r\n")
        elif "content-length" in headers:
            body = self._exactly(int(headers["content-length"]))
        elif "event-stream" in headers.get("content-type", ""):
            headers["connection"] = "close"
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, headers, body)


def _bytes(text):
    return text if isinstance(text, bytes) else text.encode()
