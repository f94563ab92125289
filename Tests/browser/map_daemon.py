"""The daemon whose map page is tested: the one at MOYEO_URL, or a small demo city of our own."""

import json
import os
import urllib.parse
import urllib.request

from running_daemon import ROOT, Daemon

# Whoever runs a daemon of their own for this names a demo as well.
DEMO_USERS = "2000"


class MapDaemon:
    def __init__(self):
        self.url = os.environ.get("MOYEO_URL", "").rstrip("/")
        self._daemon = None
        if not self.url:
            self._daemon = Daemon("--demo", "seoul", "--resources", str(ROOT),
                                  env={"MOYEO_DEMO_USERS": DEMO_USERS})
            self.url = self._daemon.url

    def stop(self):
        if self._daemon:
            self._daemon.close()

    def signal(self, number):
        """Sends a signal to the daemon, where it is our own."""
        if self._daemon:
            self._daemon.process.send_signal(number)

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
