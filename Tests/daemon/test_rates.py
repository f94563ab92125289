"""How much callers may ask: rates of tenants and people over HTTP, gRPC and the door for Redis, quotas of
single tenants, and settings that cannot be used.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_rates.py
"""

import base64
import json
import pathlib
import re
import tempfile
import unittest

import tokens
from http2_wire import HTTP2Wire
from protobuf_bytes import fields
from running_daemon import ROOT, Daemon, run

LAYERS = "/v1/layers"
LIST_LAYERS = "/moyeo.v1.PositionService/ListLayers"
# Slow enough that no machine is: one call comes back in 1,000 s.
RATE, BURST = "0.001", "3600"
SERVER = tokens.ALL + " service"


def report(*ids):
    return {"positions": [
        {"id": i, "latitude": 37.5, "longitude": 127, "ttlSeconds": 0} for i in ids]}


def reason(answer):
    return answer[1].get("error", {}).get("reason")


def details(call):
    """Type and encoded message of all that a gRPC refusal says beside its status."""
    text = call.trailers.get("grpc-status-details-bin") or call.headers["grpc-status-details-bin"]
    data = base64.b64decode(text + "=" * (-len(text) % 4))
    found = {}
    for number, value in fields(data):
        if number == 3:
            parts = dict(fields(value))
            found[parts[1].decode().rsplit(".", 1)[-1]] = parts.get(2, b"")
    return found


class TokenDaemon(unittest.TestCase):
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.signer))
        cls.daemon = Daemon(
            "--resources", str(ROOT), env={**tokens.settings(keys), **cls.settings})
        cls.addClassCleanup(cls.daemon.close)

    def token(self, subject, tenant=None, scope=tokens.ALL):
        return self.signer.token(subject, scope, tenant=tenant, seconds=86_000)

    def ask(self, method, path, body=None, token=None):
        return self.daemon.request(method, path, body, tokens.bearer(token))

    def until_refused(self, ask, most=50):
        """How many are answered before the first refusal, and that one."""
        for count in range(most):
            answer = ask()
            if answer[0] == 429:
                return count, answer
        self.fail(f"{most} calls and no refusal")


class People(TokenDaemon):
    """A person may do three reads, three reports and three commands, and no more for a quarter of an
    hour."""

    settings = {"MOYEO_RATES_CALLER_READS": RATE, "MOYEO_RATES_CALLER_REPORTS": RATE,
                "MOYEO_RATES_CALLER_COMMANDS": RATE, "MOYEO_RATES_BURST_SECONDS": BURST}

    def test_a_refusal_says_whose_allowance_and_when(self):
        ann = self.token("ann")
        count, (status, body, headers) = self.until_refused(lambda: self.ask("GET", LAYERS, token=ann))
        self.assertEqual(count, 3)
        error = body["error"]
        self.assertEqual((status, error["reason"], error["code"]),
                         (429, "rate_limited", "RESOURCE_EXHAUSTED"))
        self.assertEqual(error["metadata"], {"limit": "caller", "kind": "reads"})
        wait = int(headers["retry-after"])
        self.assertIn(wait, range(1, 1001))
        self.assertEqual(headers["ratelimit-policy"], '"caller-reads";q=3;w=3000')
        self.assertRegex(headers["ratelimit"], r'^"caller-reads";r=0;t=\d+$')
        self.assertEqual(int(headers["ratelimit"].rsplit("=", 1)[1]), wait)
        # Twice: the same, with no more to wait.
        again = self.ask("GET", LAYERS, token=ann)
        self.assertEqual(reason(again), "rate_limited")
        self.assertLessEqual(int(again[2]["retry-after"]), wait)
        # A second token of the same person is no second allowance.
        self.assertEqual(self.ask("GET", LAYERS, token=self.token("ann"))[0], 429)
        # Nor is the other wire.
        with HTTP2Wire(self.daemon.grpc_port, seconds=60) as wire:
            call = wire.call(LIST_LAYERS, b"", [("authorization", f"Bearer {ann}")])
            self.assertEqual(call.status, 8, call)
            said = details(call)
            self.assertEqual(dict(fields(said["ErrorInfo"]))[1], b"rate_limited")
            delay = dict(fields(dict(fields(said["RetryInfo"]))[1]))
            self.assertIn(delay[1], range(0, 1001))
        # Reports have an allowance of their own; what is malformed counts as well.
        statuses = [self.ask("POST", "/v1/layers/users/positions", body, ann)[0]
                    for body in (report("ann"), {"positions": 7}, report("ann"), report("ann"))]
        self.assertEqual(statuses, [200, 400, 200, 429])

    def test_the_fast_path_counts_as_http_does(self):
        ben = self.token("ben")
        with HTTP2Wire(self.daemon.grpc_port, seconds=60) as wire:
            statuses = [wire.call(LIST_LAYERS, b"", [("authorization", f"Bearer {ben}")]).status
                        for _ in range(5)]
        self.assertEqual(statuses, [0, 0, 0, 8, 8])
        self.assertEqual(self.ask("GET", LAYERS, token=ben)[0], 429)

    def test_nobody_takes_what_others_have(self):
        cho = self.token("cho")
        self.until_refused(lambda: self.ask("GET", LAYERS, token=cho))
        for other in (self.token("dan"), self.token("cho", "north"),
                      self.token("server", scope=SERVER)):
            self.assertEqual(self.ask("GET", LAYERS, token=other)[0], 200)
        # A server acts for many, so it is not counted as one of them.
        server = self.token("cho", scope=SERVER)
        for _ in range(10):
            self.assertEqual(self.ask("GET", LAYERS, token=server)[0], 200)

    def test_a_batch_counts_each_of_its_reads(self):
        eve = self.token("eve")
        item = {"method": "GET", "path": LAYERS}
        status, body, _ = self.ask("POST", "/v1/batch", {"requests": [item] * 5}, eve)
        self.assertEqual(status, 200)
        self.assertEqual([r["status"] for r in body["responses"]], [200, 200, 429, 429, 429])
        self.assertEqual(self.ask("POST", "/v1/batch", {"requests": []}, eve)[0], 429)

    def test_streams_and_tiles_count_when_they_are_opened(self):
        fay = self.token("fay")
        self.until_refused(lambda: self.ask("GET", LAYERS, token=fay))
        tile = "/v1/layers/users/tiles/12/3493/1587.mvt"
        self.assertEqual(self.ask("GET", tile, token=fay)[0], 429)
        # In an address, a token of an hour at most.
        short = self.signer.token("fay")
        self.assertEqual(self.daemon.request("GET", f"{tile}?access_token={short}")[0], 429)
        status, body, _ = self.daemon.request(
            "GET", "/v1/layers/users/watch?latitude=37.5&longitude=127&radiusMeters=500",
            headers={"Accept": "text/event-stream", **tokens.bearer(fay)})
        self.assertEqual((status, body["error"]["reason"]), (429, "rate_limited"))

    def test_pages_of_the_operator_are_answered_and_count_refusals(self):
        guy = self.token("guy")
        self.until_refused(lambda: self.ask("GET", LAYERS, token=guy))
        for page in ("/healthz", "/readyz"):
            for _ in range(5):
                self.assertEqual(self.daemon.request("GET", page)[0], 200)
        text = self.ask("GET", "/metrics", token=self.token("s", scope=SERVER))[1]
        counts = dict(re.findall(r'^moyeo_rate_limited_total\{(.*)\} (\d+)$', text, re.MULTILINE))
        self.assertEqual(len(counts), 6)
        self.assertGreater(int(counts['limit="caller",kind="reads"']), 0)
        self.assertEqual(counts['limit="tenant",kind="reads"'], "0")
        # No label grows with callers.
        self.assertNotIn("guy", text)
        for name in ("moyeo_long_calls_limit", "moyeo_long_calls_waiting"):
            self.assertRegex(text, rf"(?m)^{name} \d+$")


class Tenants(TokenDaemon):
    """All tenants may do three reads; one has no limit, and less room."""

    settings = {"MOYEO_RATES_READS": RATE, "MOYEO_RATES_BURST_SECONDS": BURST,
                "MOYEO_RATES_CALLER_READS": "0", "MOYEO_TENANTS_NORTH_READS": "0",
                "MOYEO_TENANTS_NORTH_LAYERS": "1", "MOYEO_TENANTS_NORTH_OBJECTS": "3",
                "MOYEO_TENANTS_NORTH_STREAMS": "1"}

    def test_a_flood_is_its_own_tenants(self):
        people = [self.token(f"person-{i}", "south") for i in range(6)]
        count = 0
        for person in people:
            status = self.ask("GET", LAYERS, token=person)[0]
            count += status == 200
        self.assertEqual(count, 3)
        answer = self.ask("GET", LAYERS, token=people[0])
        self.assertEqual(answer[1]["error"]["metadata"], {"limit": "tenant", "kind": "reads"})
        self.assertEqual(answer[2]["ratelimit-policy"], '"tenant-reads";q=3;w=3000')
        # Servers are the tenant's, too.
        self.assertEqual(
            self.ask("GET", LAYERS, token=self.token("s", "south", SERVER))[0], 429)
        # Others have their own, and north, by its own settings, no limit.
        self.assertEqual(self.ask("GET", LAYERS, token=self.token("ann", "east"))[0], 200)
        north = self.token("ann", "north")
        for _ in range(10):
            self.assertEqual(self.ask("GET", LAYERS, token=north)[0], 200)

    def test_quotas_of_one_tenant_are_not_anothers(self):
        for tenant, statuses in (("north", [200, 429]), ("west", [200, 200])):
            server = self.token("s", tenant, SERVER)
            found = [self.ask("POST", f"/v1/layers/{layer}/positions", report("a"), server)
                     for layer in ("users", "others")]
            self.assertEqual([answer[0] for answer in found], statuses, tenant)
        self.assertEqual(
            reason(self.ask("POST", "/v1/layers/third/positions", report("a"),
                            self.token("s", "north", SERVER))), "quota_exceeded")
        full = [self.ask("POST", "/v1/layers/users/positions", report(*"bcdef"),
                         self.token("s", tenant, SERVER))[1]["accepted"]
                for tenant in ("north", "west")]
        self.assertEqual(full, [2, 5])


class SettingsThatCannotBeUsed(unittest.TestCase):
    def check(self, said, **settings):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "moyeo.json"
            file.write_text(json.dumps(settings))
            code, _, error = run("--check-configuration", "--config", str(file))
        self.assertEqual(code, 2 if said else 0, error)
        self.assertIn(said, error)

    def test_values(self):
        self.check("rates.reads", rates={"reads": -1})
        self.check("rates.reads", rates={"reads": "many"})
        self.check("rates.burstSeconds", rates={"burstSeconds": 0})
        self.check("rates.rememberedCallers", rates={"rememberedCallers": 1})
        self.check("rates.rides", rates={"rides": 1})
        self.check("heavy.queueMilliseconds", heavy={"queueMilliseconds": -1})
        self.check("streams.maximumPerTenant", streams={"maximumPerTenant": 0})
        for value in (-1, "many", True, None, [1], 1e300):
            self.check("tenants.north.reads", tenants={"north": {"reads": value}})
        for value in (0, -1, 1.5, "many", True):
            self.check("tenants.north.layers", tenants={"north": {"layers": value}})
        self.check("tenants.north.seats", tenants={"north": {"seats": 1}})
        self.check("tenants.North", tenants={"North": {"reads": 1}})
        self.check("tenants.north", tenants={"north": 7})

    def test_values_that_can(self):
        self.check("", rates={"reads": 0.5, "callerReads": 0, "burstSeconds": 1},
                   tenants={"north": {"reads": 5, "callerReads": 0.5, "layers": 2, "streams": 9}})


if __name__ == "__main__":
    unittest.main()
