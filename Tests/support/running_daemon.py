"""Starts and stops moyeod for every test suite and benchmark; standard library only.

MOYEOD and MOYEO name the programs; without them the newest of the usual build folders is taken.
"""

import atexit
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

import postgres_records

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY_SECONDS = 60


class MissingProgram(Exception):
    """A program that the tests run is not built or not installed; a test that needs it fails."""


def program(name="moyeod"):
    """The path of moyeod or moyeo; raises MissingProgram where there is none."""
    named = os.environ.get(name.upper())
    if named:
        if not os.access(named, os.X_OK):
            raise MissingProgram(f"{name.upper()} names {named}, which is not a program")
        return named
    built = [ROOT / ".build" / kind / name for kind in ("debug", "release")]
    built = [path for path in built if path.exists()]
    if not built:
        raise MissingProgram(f"build {name} first, or name it in {name.upper()}")
    return str(max(built, key=lambda path: path.stat().st_mtime))


def environment(**extra):
    """This process's environment without settings of Moyeo, so that a run depends on none."""
    found = {key: value for key, value in os.environ.items() if not key.startswith("MOYEO")}
    found["SWIFT_BACKTRACE"] = "enable=no"
    found.update(extra)
    return found


def run(*arguments, name="moyeod", env=None, timeout=30, cwd=None, given=None):
    """Runs a program to its end: (exit code, standard output, standard error)."""
    done = subprocess.run(
        [program(name), *arguments], capture_output=True, text=True, timeout=timeout,
        env=environment(**(env or {})), cwd=cwd or tempfile.gettempdir(), input=given)
    return done.returncode, done.stdout, done.stderr


class Daemon:
    """A data directory and the moyeod that owns it, on ports that were free.

    It is started at once unless `start` is false, and may be killed and started again. Without
    `directory` it owns a temporary one that goes with it.
    """

    def __init__(self, *arguments, directory=None, env=None, ports=True, ready=True, start=True,
                 executable=None, preexec=None, security=None):
        self._temporary = None if directory else tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(directory or self._temporary.name)
        self.arguments = (("--http-port", "0", "--grpc-port", "0") if ports else ()) + arguments
        self.environment = env or {}
        self.executable = executable
        # What requests over HTTP trust and who they are; None: no TLS.
        self.security = security
        self.process = None
        self.log = []
        self.output = []
        if start:
            self.start(ready=ready, preexec=preexec)

    # Starting and ending

    def start(self, ready=True, preexec=None, patience=READY_SECONDS):
        """Answers the milliseconds from the process's begin until it serves (`ready`: until
        /readyz answers 200)."""
        began = time.monotonic()
        serving = self.launch(preexec)
        process = self.process
        if not serving.wait(patience) or self.http_port is None:
            process.kill()
            raise AssertionError("the daemon did not start: " + self.log_tail())
        if ready:
            self.wait_until_ready(patience - (time.monotonic() - began))
        return (time.monotonic() - began) * 1000

    def launch(self, preexec=None):
        """Begins a process and waits for nothing; answers what is set once it serves or has ended."""
        self.http_port = self.grpc_port = None
        self.log, self.output = [], []
        serving = threading.Event()
        self.process = subprocess.Popen(
            [str(self.executable or program()), "--data-directory", str(self.directory),
             *self.arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", env=environment(
                **self.environment, **postgres_records.settings(self.directory, self.environment)),
            cwd=self.directory if os.path.isdir(self.directory) else None,
            preexec_fn=preexec)
        process = self.process
        # Whatever fails, nothing is left running.
        atexit.register(lambda: process.poll() is None and process.kill())
        self._readers = [
            threading.Thread(target=self._read, args=(stream, lines, serving), daemon=True)
            for stream, lines in ((process.stderr, self.log), (process.stdout, self.output))]
        for reader in self._readers:
            reader.start()
        return serving

    def _read(self, stream, lines, serving):
        # Reads on to the end, so that the daemon never blocks on a full pipe.
        for line in stream:
            lines.append(line)
            found = re.search(r'httpPort"?[=:]"?(\d+)', line)
            if found:
                self.grpc_port = int(re.search(r'grpcPort"?[=:]"?(\d+)', line).group(1))
                self.http_port = int(found.group(1))
                serving.set()
        if stream is self.process.stderr:
            serving.set()

    def wait_until_ready(self, seconds=READY_SECONDS):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.is_running:
            try:
                if self.request("GET", "/readyz")[0] == 200:
                    return
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.005)
        raise AssertionError("the daemon did not become ready: " + self.log_tail())

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def terminate(self, seconds=30, number=signal.SIGTERM):
        """The exit code after a signal; a daemon that does not end in time is killed and fails."""
        self.process.send_signal(number)
        return self.wait(seconds)

    def kill(self):
        self.terminate(number=signal.SIGKILL)

    def wait(self, seconds=30):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the daemon did not end in {seconds} s: " + self.log_tail())
        for reader in self._readers:
            reader.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def close(self):
        """Ends it if it still runs, and removes a directory of its own."""
        if self.is_running:
            self.terminate()
        elif self.process is not None and not self.process.stdout.closed:
            self.wait()
        if self._temporary:
            self._temporary.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    # Looking at it

    def log_tail(self, lines=20):
        return "".join(self.log[-lines:])

    @property
    def pid(self):
        return self.process.pid

    @property
    def url(self):
        return f"http{'s' if self.security else ''}://127.0.0.1:{self.http_port}"

    @property
    def admin_port(self):
        """Where it has one (--admin-port)."""
        return int(re.search(r'adminPort"?[=:]"?(\d+)', "".join(self.log)).group(1))

    @property
    def grpc_address(self):
        return f"127.0.0.1:{self.grpc_port}"

    def resident_bytes(self):
        """Resident memory (Linux)."""
        text = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text).group(1)) * 1024

    def metric(self, name, **labels):
        """The sum of the samples of a metric that carry these labels."""
        total = 0.0
        for line in self.request("GET", "/metrics")[1].splitlines():
            found = re.match(r"(\w+)(?:\{(.*)\})? (\S+)$", line)
            if found and found[1] == name and all(
                    f'{key}="{value}"' in (found[2] or "") for key, value in labels.items()):
                total += float(found[3])
        return total

    # Asking it

    def connection(self, timeout=30):
        if self.security:
            return http.client.HTTPSConnection(
                "127.0.0.1", self.http_port, timeout=timeout, context=self.security)
        return http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, connection=None, timeout=30):
        """(status, parsed JSON or text, headers)"""
        link = connection or self.connection(timeout)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers = {"Content-Type": "application/json", **(headers or {})}
        if isinstance(body, str):
            body = body.encode()
        try:
            link.request(method, path, body=body, headers=headers or {})
            answer = link.getresponse()
            data = answer.read()
        finally:
            if connection is None:
                link.close()
        kind = answer.headers.get("content-type", "")
        value = json.loads(data) if "json" in kind and data else data.decode("utf-8", "replace")
        if answer.status >= 400 and isinstance(value, dict) and isinstance(value.get("error"), dict):
            self._hold_to_description(method, path, answer.status, value["error"].get("reason"))
        return answer.status, value, answer.headers

    # /openapi.json, which is the same of every daemon as far as refusals go.
    _description = None

    def _hold_to_description(self, method, path, status, reason):
        """Each refusal that a test meets must be one that /openapi.json tells of."""
        if Daemon._description is None:
            link = self.connection(10)
            try:
                link.request("GET", "/openapi.json")
                Daemon._description = json.loads(link.getresponse().read())["paths"]
            except (OSError, http.client.HTTPException, KeyError, ValueError):
                return
            finally:
                link.close()
        words = path.partition("?")[0].split("/")
        for template, methods in Daemon._description.items():
            parts = template.split("/")
            if method.lower() not in methods or len(parts) != len(words) or not all(
                    part.startswith("{") or part == word for part, word in zip(parts, words)):
                continue
            told = methods[method.lower()]["responses"].get(str(status), {}).get("x-moyeo-reasons", [])
            assert reason in told, f"/openapi.json does not tell of {reason} ({status}): {method} {template}"
            return

    def socket(self, timeout=10, grpc=False):
        port = self.grpc_port if grpc else self.http_port
        return socket.create_connection(("127.0.0.1", port), timeout=timeout)

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

    def report(self, layer, positions, ttl=0):
        """Reports positions given as (id, latitude, longitude[, tags[, attributes]]), a thousand a
        call; all must be accepted."""
        for start in range(0, len(positions), 1000):
            items = []
            for name, latitude, longitude, *rest in positions[start:start + 1000]:
                items.append({
                    "id": name, "latitude": latitude, "longitude": longitude, "ttlSeconds": ttl,
                    "tags": rest[0] if rest else [],
                    "attributes": rest[1] if len(rest) > 1 else {}})
            status, answer, _ = self.request(
                "POST", f"/v1/layers/{layer}/positions", {"positions": items})
            assert status == 200 and answer["accepted"] == len(items), answer
