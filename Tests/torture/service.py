"""A moyeod to be tortured: started, killed, asked; standard library only."""

import atexit
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary(name="moyeod"):
    """MOYEOD or MOYEO, else what is built: release before debug; None when there is nothing."""
    named = os.environ.get(name.upper())
    if named:
        return named
    for kind in ("release", "debug"):
        path = ROOT / ".build" / kind / name
        if path.exists():
            return str(path)
    return None


class Unknown(Exception):
    """No answer: the command may have taken effect or not."""


class Service:
    """One data directory and the process that owns it now."""

    def __init__(self, directory, arguments=(), environment=None):
        self.directory = pathlib.Path(directory)
        self.arguments = arguments
        self.environment = environment or {}
        self.process = None
        self.port = None
        self.log = []

    def start(self, preexec=None, patience=120):
        """Milliseconds from the start of the process until /readyz answers 200."""
        env = {key: value for key, value in os.environ.items() if not key.startswith("MOYEO")}
        env.update({"SWIFT_BACKTRACE": "enable=no", **self.environment})
        began = time.monotonic()
        self.port = None
        self.log = []
        serving = threading.Event()
        self.process = subprocess.Popen(
            [binary(), "--data-directory", str(self.directory), "--resources", str(ROOT),
             "--http-port", "0", "--grpc-port", "0", *self.arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env,
            preexec_fn=preexec)
        process = self.process
        # Whatever fails, nothing is left running.
        atexit.register(lambda: process.poll() is None and process.kill())

        def read():
            for line in process.stderr:
                self.log.append(line)
                found = re.search(r"httpPort=(\d+)", line)
                if found:
                    self.port = int(found[1])
                    serving.set()
            serving.set()

        threading.Thread(target=read, daemon=True).start()
        serving.wait(patience)
        while time.monotonic() - began < patience and process.poll() is None and self.port:
            try:
                status, _ = self.call("GET", "/readyz", parse=False)
                if status == 200:
                    return (time.monotonic() - began) * 1000
            except Unknown:
                pass
            time.sleep(0.002)
        raise AssertionError("the daemon did not become ready: " + "".join(self.log[-20:]))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the daemon did not stop")
        self.process.stderr.close()
        return code

    def connect(self, timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, key=None, connection=None, parse=True):
        """(status, answer); raises Unknown when there is none."""
        link = connection or self.connect()
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            link.request(method, path, None if body is None else json.dumps(body), headers)
            answer = link.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            link.close()
            raise Unknown(str(error)) from None
        if connection is None:
            link.close()
        return answer.status, json.loads(data) if parse else data.decode()


def reason(answer):
    return answer.get("error", {}).get("reason", "")


# A command that says so itself was not confirmed: it may or may not have taken effect.
UNCONFIRMED = {"unavailable", "deadline_exceeded", "internal"}
