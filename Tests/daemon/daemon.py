"""Starts the built daemon (MOYEOD) for tests; standard library only."""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """The daemon to test: MOYEOD, else the newest of the usual build folders."""
    named = os.environ.get("MOYEOD")
    if named:
        return named
    built = [ROOT / ".build" / kind / "moyeod" for kind in ("debug", "release")]
    built = [path for path in built if path.exists()]
    if not built:
        raise FileNotFoundError("build moyeod first, or name it in MOYEOD")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def environment(**extra):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MOYEO")}
    env["SWIFT_BACKTRACE"] = "enable=no"
    env.update(extra)
    return env


def run(*arguments, env=None, timeout=30, cwd=None):
    """Runs the daemon to its end: (exit code, standard output, standard error)."""
    done = subprocess.run(
        [binary(), *arguments], capture_output=True, text=True, timeout=timeout,
        env=environment(**(env or {})), cwd=cwd or tempfile.gettempdir())
    return done.returncode, done.stdout, done.stderr


class Daemon:
    """A running daemon on free ports; leaves by SIGTERM."""

    def __init__(self, *arguments, env=None, ports=True, ready=True):
        self.folder = tempfile.TemporaryDirectory()
        if ports:
            arguments = ("--http-port", "0", "--grpc-port", "0", *arguments)
        self.process = subprocess.Popen(
            [binary(), "--data-directory", self.folder.name, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(**(env or {})), cwd=self.folder.name)
        self.log = []
        self.output = []
        self._serving = threading.Event()
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stderr, self.log), daemon=True),
            threading.Thread(
                target=self._read, args=(self.process.stdout, self.output), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        if not self._serving.wait(60) or self.process.poll() is not None:
            self.process.kill()
            raise AssertionError("the daemon did not start: " + "".join(self.log))
        if ready:
            self.wait_until_ready()

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line)
            found = re.search(r'httpPort"?[=:]"?(\d+)', line)
            if found:
                self.http_port = int(found.group(1))
                self.grpc_port = int(re.search(r'grpcPort"?[=:]"?(\d+)', line).group(1))
                self._serving.set()
        self._serving.set()

    def wait_until_ready(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.request("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError("never ready: " + "".join(self.log))

    def connection(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, connection=None):
        """(status, parsed JSON or text, headers)"""
        link = connection or self.connection()
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers = {"Content-Type": "application/json", **(headers or {})}
        if isinstance(body, str):
            body = body.encode()
        link.request(method, path, body=body, headers=headers or {})
        answer = link.getresponse()
        data = answer.read()
        kind = answer.headers.get("content-type", "")
        value = json.loads(data) if "json" in kind and data else data.decode("utf-8", "replace")
        if connection is None:
            link.close()
        return answer.status, value, answer.headers

    def socket(self, timeout=10):
        return socket.create_connection(("127.0.0.1", self.http_port), timeout=timeout)

    def raw(self, data, timeout=10, half_close=False):
        """Sends bytes as they are and reads until the daemon closes or falls silent."""
        with self.socket(timeout) as link:
            try:
                link.sendall(data)
                if half_close:
                    link.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            out = b""
            try:
                while piece := link.recv(65536):
                    out += piece
            except (ConnectionResetError, TimeoutError):
                pass
            return out

    def terminate(self, seconds=30, number=signal.SIGTERM):
        """The exit code after a signal."""
        self.process.send_signal(number)
        return self.wait(seconds)

    def wait(self, seconds=30):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the daemon did not end: " + "".join(self.log[-20:]))
        for thread in self._threads:
            thread.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.terminate()
        elif not self.process.stdout.closed:
            self.wait()
