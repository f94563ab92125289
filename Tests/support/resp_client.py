"""A client of RESP that keeps answers as the bytes that came, so that two servers can be compared."""

import socket


def encode(words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class RESPClient:
    def __init__(self, port, host="127.0.0.1", security=None):
        # Only so that a server that never answers ends the run.
        self.socket = socket.create_connection((host, port), timeout=600)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if security is not None:
            self.socket = security.wrap_socket(self.socket, server_hostname="localhost")
        self.stream = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def raw(self, *words):
        """The bytes of the answer to one command."""
        self.send(encode(words))
        return self.read()

    def pipeline(self, commands):
        self.send(b"".join(map(encode, commands)))
        return [self.read() for _ in commands]

    def call(self, *words):
        return parse(self.raw(*words))[0]

    def read(self):
        """The bytes of one answer."""
        line = self.stream.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError(f"the connection ended after {line!r}")
        mark, rest = line[:1], line[1:-2]
        if mark in b"$=":
            count = int(rest)
            return line if count < 0 else line + self.stream.read(count + 2)
        if mark in b"*~%":
            count = max(0, int(rest)) * (2 if mark == b"%" else 1)
            return line + b"".join(self.read() for _ in range(count))
        return line

    def rest(self):
        """What comes until the server closes."""
        return self.stream.read()


def parse(data, start=0):
    """The value of an answer, and where it ends."""
    end = data.index(b"\r\n", start)
    mark, rest = data[start:start + 1], data[start + 1:end]
    end += 2
    if mark in b"$=":
        count = int(rest)
        return (None, end) if count < 0 else (data[end:end + count], end + count + 2)
    if mark in b"*~%":
        if int(rest) < 0:
            return None, end
        out = []
        for _ in range(int(rest) * (2 if mark == b"%" else 1)):
            value, end = parse(data, end)
            out.append(value)
        return out, end
    if mark == b":":
        return int(rest), end
    if mark == b"_":
        return None, end
    return (mark + rest if mark == b"-" else rest), end
