"""The daemon under test: the one at MOYEO_URL, or the binary MOYEOD started with a small demo."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY_SECONDS = 60


class Daemon:
    def __init__(self):
        self.process = None
        self.url = os.environ.get("MOYEO_URL", "").rstrip("/")
        if not self.url:
            self._start()

    @staticmethod
    def binary():
        """MOYEOD, or what was built last; None when there is neither."""
        given = os.environ.get("MOYEOD")
        if given:
            return given
        built = [ROOT / ".build" / kind / "moyeod" for kind in ("release", "debug")]
        built = [path for path in built if path.is_file()]
        return str(max(built, key=lambda path: path.stat().st_mtime)) if built else None

    def _start(self):
        self.directory = tempfile.TemporaryDirectory()
        environment = {**os.environ, "MOYEO_DEMO_USERS": "2000"}
        self.process = subprocess.Popen(
            [
                self.binary(), "--demo", "seoul", "--http-port", "0", "--grpc-port", "0",
                "--resources", str(ROOT), "--data-directory", self.directory.name,
            ],
            env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        ready = threading.Event()
        log = []

        # Reads on to the end, so that the daemon never blocks on a full pipe.
        def read():
            for line in self.process.stderr:
                log.append(line)
                found = re.search(r"message=serving .*httpPort=(\d+)", line)
                if found:
                    self.url = f"http://127.0.0.1:{found[1]}"
                    ready.set()
            ready.set()

        threading.Thread(target=read, daemon=True).start()
        ready.wait(READY_SECONDS)
        if not self.url:
            self.stop()
            raise RuntimeError("the daemon did not start:\n" + "".join(log))

    def stop(self):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process.stderr.close()
            self.process = None
            self.directory.cleanup()

    def call(self, method, path, body=None, **query):
        """JSON of an answer; raises urllib.error.HTTPError for one that is not 2xx."""
        address = self.url + path
        if query:
            address += "?" + urllib.parse.urlencode(query, doseq=True)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            address, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def bytes(self, path):
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return answer.read()

    def report(self, layer, positions):
        """Positions as (id, latitude, longitude[, tags[, attributes]]); they never expire."""
        for start in range(0, len(positions), 1000):
            items = []
            for position in positions[start : start + 1000]:
                name, latitude, longitude, *rest = position
                items.append({
                    "id": name, "latitude": latitude, "longitude": longitude, "ttlSeconds": 0,
                    "tags": rest[0] if rest else [],
                    "attributes": rest[1] if len(rest) > 1 else {},
                })
            answer = self.call("POST", f"/v1/layers/{layer}/positions", {"positions": items})
            assert answer["accepted"] == len(items), answer

    def object_count(self, layer):
        layers = self.call("GET", "/v1/layers")["layers"]
        return next(one["objectCount"] for one in layers if one["name"] == layer)
