"""A redis-server for the tests, and the port of a daemon's door."""

import re
import shutil
import subprocess
import time

from ports import free_port
from resp_client import RESPClient


class RedisServer:
    """A redis-server without persistence."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def __enter__(self):
        program = shutil.which("redis-server")
        if program is None:
            raise AssertionError("redis-server is not installed: make test-packages")
        self.port = free_port()
        self.process = subprocess.Popen(
            [program, "--port", str(self.port), "--save", "", "--appendonly", "no", *self.arguments],
            stdout=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while True:
            try:
                with RESPClient(self.port) as client:
                    client.call("PING")
                return self
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.01)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def door_port(daemon):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        for line in daemon.log:
            found = re.search(r'respPort"?[=:]"?(\d+)', line)
            if found:
                return int(found.group(1))
        time.sleep(0.01)
    raise AssertionError("the daemon did not say which port the door has")
