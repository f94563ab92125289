"""A proxy in front of a daemon that cuts connections when a test says so; standard library only."""

import contextlib
import selectors
import socket
import threading


class FaultyProxy:
    """Forwards bytes to `upstream`, a port of loopback that may change while the proxy stands.

    `cut_once(marker, until)` waits for a request that holds `marker`, passes it on, keeps back all
    that is answered, calls `until` (which returns once the request took effect) and then closes the
    connection: the caller cannot know what became of its request.
    """

    def __init__(self, upstream):
        self.upstream = upstream
        self.connections = 0
        self.cuts = 0
        self._marker = self._until = None
        self._lock = threading.Lock()
        self._links = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def grpc_address(self):
        return f"grpc://127.0.0.1:{self.port}"

    def cut_once(self, marker, until):
        self._marker, self._until = marker.encode(), until

    def cut_all(self):
        """Closes every connection that stands."""
        with self._lock:
            links = list(self._links)
        for link in links:
            self._shut(link)

    def close(self):
        # An accept under way is not woken by closing alone.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()

    @staticmethod
    def _shut(link):
        with contextlib.suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.upstream), timeout=10)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            with self._lock:
                self.connections += 1
                self._links |= {near, far}
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near, far):
        seen = b""
        with selectors.DefaultSelector() as ready, near, far:
            ready.register(near, selectors.EVENT_READ)
            ready.register(far, selectors.EVENT_READ)
            with contextlib.suppress(OSError):
                while True:
                    for key, _ in ready.select():
                        data = key.fileobj.recv(1 << 16)
                        if not data:
                            raise ConnectionError
                        if key.fileobj is far:
                            near.sendall(data)
                            continue
                        far.sendall(data)
                        if self._marker is None:
                            continue
                        # The marker may come in two pieces.
                        seen = seen[-200:] + data
                        if self._marker in seen:
                            self._marker = None
                            self._until()
                            self.cuts += 1
                            raise ConnectionError
            self._shut(near)
            self._shut(far)
        with self._lock:
            self._links -= {near, far}
