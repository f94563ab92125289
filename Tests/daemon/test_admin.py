"""The operator's listener from outside: who may, what it does, what it refuses, and that the public port
knows nothing of it.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_admin.py
"""

import datetime
import http.client
import json
import pathlib
import re
import tempfile
import time
import unittest

import commutes
import tokens
from running_daemon import ROOT, Daemon, run

UNTIL = "2090-01-01T00:00:00Z"
BAN = {"until": f"{datetime.date.today().year + 2}-01-01T00:00:00Z", "reason": "three complaints"}
PATHS = [
    ("GET", "/v1/admin/statistics", None), ("GET", "/v1/admin/log-level", None),
    ("PUT", "/v1/admin/log-level", {"level": "info"}), ("POST", "/v1/admin/drain", None),
    ("POST", "/v1/admin/undrain", None), ("DELETE", "/v1/admin/drain", None),
    ("POST", "/v1/admin/snapshot", None), ("GET", "/v1/admin/tenants", None),
    ("GET", "/v1/admin/keys", None),
    ("GET", "/v1/admin/users/ann", None),
    ("POST", "/v1/admin/users/ann/ban", BAN),
    ("POST", "/v1/admin/users/ann/unban", {"reason": "x"}),
    ("POST", "/v1/admin/users/ann/clear-penalty", {"reason": "x"}),
    ("POST", "/v1/admin/parties/none/cancel", {"reason": "x"}),
    ("POST", "/v1/admin/tickets/ann/close", {"reason": "x"}),
    ("POST", "/v1/admin/commutes/none/close", {"reason": "x"}),
    ("POST", "/v1/admin/users/ann/erase", {"reason": "x"}),
]


class Operator:
    """Asks the operator's port."""

    def __init__(self, daemon, token=None):
        self.daemon, self.port, self.token = daemon, daemon.admin_port, token

    def __call__(self, method, path, body=None, token=None, **headers):
        """(status, parsed body, headers)"""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        token = token or self.token
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.daemon.request(method, path, body, headers, connection=link)


def reason(answer):
    return answer[1]["error"]["reason"]


class OpenMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--admin-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        cls.ask = Operator(cls.daemon)
        cls.url = f"http://127.0.0.1:{cls.ask.port}"

    def people(self, method, path, body=None, **headers):
        return self.daemon.request(method, path, body, headers)

    def wait_open(self, user):
        return self.people("POST", "/v1/tickets", {
            "userId": user, "here": {"latitude": 37.5, "longitude": 127.0}})

    def test_public_port_knows_none_of_it(self):
        for method, path, body in PATHS:
            answer = self.people(method, path, body)
            self.assertEqual((answer[0], reason(answer)), (404, "unknown_route"), path)

    def test_pages_are_there_too(self):
        self.assertEqual(self.ask("GET", "/healthz")[0], 200)
        self.assertEqual(self.ask("GET", "/readyz")[0], 200)
        self.assertIn("moyeo_connections_open", self.ask("GET", "/metrics")[1])
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/"):
            wrong = self.ask("POST", path)
            self.assertEqual((wrong[0], wrong[2]["allow"]), (405, "GET, HEAD"), path)
        # The calls of people are not.
        self.assertEqual(reason(self.ask("GET", "/v1/layers")), "unknown_route")

    def test_statistics_and_tenants(self):
        self.daemon.report("users", [("s1", 37.5, 127.0)])
        seen = self.ask("GET", "/v1/admin/statistics")[1]
        layer = {each["name"]: each for each in seen["layers"]}["users"]
        self.assertGreaterEqual(layer["objects"], 1)
        for name in ("coalescing", "commits", "connections", "streams"):
            self.assertIn(name, seen)
        tenants = self.ask("GET", "/v1/admin/tenants")[1]["tenants"]
        self.assertEqual([each["name"] for each in tenants], ["default"])
        refused = self.ask("GET", "/v1/admin/statistics?tenant=nobody")
        self.assertEqual((refused[0], reason(refused)), (404, "unknown_tenant"))
        self.assertEqual(reason(self.ask("GET", "/v1/admin/statistics?x=1")), "unknown_field")

    def test_log_level(self):
        self.assertEqual(self.ask("GET", "/v1/admin/log-level")[1], {"level": "info"})
        for _ in range(2):
            changed = self.ask("PUT", "/v1/admin/log-level", {"level": "debug"})
            self.assertEqual(changed[:2], (200, {"level": "debug"}))
        self.assertEqual(self.ask("PUT", "/v1/admin/log-level", {"level": "info"})[0], 200)
        for body, why in (({"level": "loud"}, "bad_value"), ({}, "missing_field"),
                          ({"level": 3}, "bad_value"), ({"levle": "info"}, "unknown_field"),
                          ("[", "malformed_request"),
                          ('{"level":"info","level":"debug"}', "malformed_request")):
            self.assertEqual(reason(self.ask("PUT", "/v1/admin/log-level", body)), why, body)
        wrong = self.ask("POST", "/v1/admin/log-level", {"level": "info"})
        self.assertEqual((wrong[0], wrong[2]["allow"]), (405, "GET, PUT"))
        big = self.ask("PUT", "/v1/admin/log-level", json.dumps({"level": "x" * 20_000}))
        self.assertEqual((big[0], reason(big)), (413, "request_too_large"))

    def test_foreign_pages_and_names_are_refused(self):
        foreign = self.ask("POST", "/v1/admin/drain", None, Origin="http://evil.example")
        self.assertEqual((foreign[0], reason(foreign)), (403, "forbidden_origin"))
        rebound = self.ask("GET", "/v1/admin/tenants", None, Host="evil.example")
        self.assertEqual((rebound[0], reason(rebound)), (403, "forbidden_host"))

    def test_the_page_is_on_this_port_alone(self):
        status, page, headers = self.ask("GET", "/")
        self.assertEqual((status, headers["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])
        self.assertEqual(self.ask("GET", "/page-config.json")[1], {"authMode": "open"})
        names = re.findall(r'(?:src|href)="([^"#][^"]*)"', page)
        self.assertIn("js/main.js", names)
        for name in names:
            self.assertEqual(self.ask("GET", "/" + name)[0], 200, name)
        self.assertEqual(self.ask("HEAD", "/")[0], 200)
        self.assertEqual(reason(self.ask("POST", "/")), "method_not_allowed")
        self.assertEqual(reason(self.ask("GET", "/outline.geojson")), "unknown_route")
        for name in ("", "index.html", "js/main.js", "admin.css"):
            self.assertEqual(self.people("GET", f"/admin/{name}")[0], 404, name)

    def test_drain_and_back(self):
        for way in (("POST", "/v1/admin/undrain"), ("DELETE", "/v1/admin/drain")):
            for _ in range(2):
                self.assertEqual(self.ask("POST", "/v1/admin/drain")[1], {"draining": True})
            self.assertIs(self.ask("GET", "/v1/admin/statistics")[1]["draining"], True)
            self.assertEqual(self.people("GET", "/readyz")[:2], (503, "draining\n"))
            self.assertEqual(self.ask("GET", "/readyz")[0], 503)
            # What comes all the same is served.
            self.assertEqual(self.people("GET", "/v1/layers")[0], 200)
            for _ in range(2):
                self.assertEqual(self.ask(*way)[1], {"draining": False})
            self.assertEqual(self.people("GET", "/readyz")[0], 200)

    def test_snapshot_survives_a_kill(self):
        with Daemon("--admin-port", "0", env={"MOYEO_POSITIONS_WRITE_BEHIND_SECONDS": "3600"}) as daemon:
            daemon.report("users", [("kept", 37.5, 127.0)])
            wrote = Operator(daemon)("POST", "/v1/admin/snapshot")
            self.assertEqual(wrote[0], 200)
            self.assertEqual(wrote[1], {"tenants": 1, "written": 1})
            self.assertEqual(Operator(daemon)("POST", "/v1/admin/snapshot")[1]["written"], 0)
            daemon.kill()
            daemon.start()
            self.assertEqual(daemon.request("GET", "/v1/layers/users/positions/kept")[0], 200)

    def test_a_person(self):
        unknown = self.ask("GET", "/v1/admin/users/nobody")
        self.assertEqual((unknown[0], reason(unknown)), (404, "unknown_object"))
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)
        made = self.people("POST", "/v1/parties", {
            "hostId": "cara", "origin": {"latitude": 37.4979, "longitude": 127.0276},
            "destination": {"latitude": 37.5663, "longitude": 126.9779},
            "departureTime": soon.strftime("%Y-%m-%dT%H:%M:%SZ"), "seats": 4})
        self.assertEqual(made[0], 200, made[1])
        self.assertEqual(self.wait_open("cara")[0], 200)
        seen = self.ask("GET", "/v1/admin/users/cara")[1]
        self.assertEqual(
            [party["id"] for party in seen["parties"]], [made[1]["party"]["id"]])
        self.assertEqual(seen["ticket"]["state"], "open")
        self.assertEqual(
            [event["kind"] for event in seen["events"]], ["party.created", "ticket.opened"])
        # Where it ended there is nothing more; what is ahead of all events was never given.
        later = self.ask("GET", "/v1/admin/users/cara?after=" + seen["next"])[1]
        self.assertEqual(later["events"], [])
        for after, status, why in (("x", 400, "bad_value"), ("999999", 410, "resume_token_ahead")):
            answer = self.ask("GET", f"/v1/admin/users/cara?after={after}")
            self.assertEqual((answer[0], reason(answer)), (status, why))
        wrong = self.ask("POST", "/v1/admin/users/cara")
        self.assertEqual((wrong[0], wrong[2]["allow"]), (405, "GET"))

    def test_unknown_person(self):
        for method, path, body, status, why in (
                ("GET", "/v1/admin/users/nobody", None, 404, "unknown_object"),
                ("POST", "/v1/admin/users/nobody/unban", {"reason": "x"}, 404, "unknown_ticket"),
                ("POST", "/v1/admin/users/nobody/clear-penalty", {"reason": "x"}, 404,
                 "unknown_ticket"),
                ("POST", "/v1/admin/tickets/nobody/close", {"reason": "x"}, 404, "unknown_ticket"),
                ("POST", "/v1/admin/parties/nobody/cancel", {"reason": "x"}, 404, "unknown_party"),
                ("POST", "/v1/admin/commutes/nobody/close", {"reason": "x"}, 404, "unknown_commute"),
                ("POST", "/v1/admin/commutes/x/close", {"includeAppeared": True}, 400, "missing_field"),
                ("POST", "/v1/admin/commutes/x/close", {"reason": "x", "includeAppeared": 1}, 400,
                 "bad_value"),
                ("POST", "/v1/admin/commutes/x/close", {"reason": "x", "includeAppeared": "true"}, 400,
                 "bad_value"),
                ("POST", "/v1/admin/parties/x/cancel", {"reason": "x", "includeAppeared": True}, 400,
                 "unknown_field"),
                ("POST", "/v1/admin/users/" + "x" * 2000 + "/ban", BAN, 400, "bad_id")):
            answer = self.ask(method, path, body)
            self.assertEqual((answer[0], reason(answer)), (status, why), path)

    def test_bad_bans(self):
        for body, why in (({"reason": "x"}, "missing_field"), ({"until": UNTIL}, "missing_field"),
                          ({"until": UNTIL, "reason": "x"}, "bad_time"),
                          ({"until": "2001-01-01T00:00:00Z", "reason": "x"}, "bad_time"),
                          ({"until": "soon", "reason": "x"}, "bad_time"),
                          ({**BAN, "reason": " "}, "bad_value"),
                          ({**BAN, "reason": "x" * 501}, "bad_value")):
            answer = self.ask("POST", "/v1/admin/users/bad-ban/ban", body)
            self.assertEqual((answer[0], reason(answer)), (400, why), body)
        self.assertEqual(self.ask("GET", "/v1/admin/users/bad-ban")[0], 404)

    def events(self, user):
        seen = self.ask("GET", f"/v1/admin/users/{user}")
        self.assertEqual(seen[0], 200)
        return seen[1]["events"]

    def test_ban_and_unban(self):
        self.assertEqual(self.wait_open("bob")[0], 200)
        key = {"Idempotency-Key": "ban-bob"}
        first = self.ask("POST", "/v1/admin/users/bob/ban", BAN, **key)
        self.assertEqual((first[0], first[1]["state"]), (200, "closed"))
        # The same key, and no key: it is banned once.
        self.assertEqual(self.ask("POST", "/v1/admin/users/bob/ban", BAN, **key)[:2], first[:2])
        self.assertEqual(self.ask("POST", "/v1/admin/users/bob/ban", BAN)[:2], first[:2])
        other = self.ask("POST", "/v1/admin/users/bob/ban", {**BAN, "reason": "y"}, **key)
        self.assertEqual(reason(other), "idempotency_mismatch")
        told = [event for event in self.events("bob") if event["kind"] == "admin.banned"]
        self.assertEqual(len(told), 1)
        self.assertEqual(told[0]["body"]["reason"], "three complaints")
        self.assertEqual(told[0]["body"]["actor"], "open mode")
        self.assertNotIn("partyId", told[0])
        self.assertEqual(reason(self.wait_open("bob")), "banned")
        self.assertEqual(reason(self.create("bob")), "banned")
        made = self.create("host-of-bob")
        self.assertEqual(made[0], 200)
        party = made[1]["party"]["id"]
        self.assertEqual(reason(self.join(party, "bob")), "banned")
        lifted = self.ask("POST", "/v1/admin/users/bob/unban", {"reason": "talked"})
        self.assertNotIn("bannedUntil", lifted[1])
        self.assertEqual(
            self.ask("POST", "/v1/admin/users/bob/unban", {"reason": "again"})[:2], lifted[:2])
        kinds = [event["kind"] for event in self.events("bob")]
        self.assertEqual(kinds.count("admin.unbanned"), 1)
        self.assertEqual(self.wait_open("bob")[0], 200)
        self.assertEqual(self.join(party, "bob")[0], 200)

    def create(self, host):
        return self.people("POST", "/v1/parties", {
            "hostId": host, "origin": {"latitude": 37.4979, "longitude": 127.0276},
            "destination": {"latitude": 37.5663, "longitude": 126.9779},
            "departureTime": self.soon(), "seats": 4})

    def join(self, party, rider):
        return self.people("POST", f"/v1/parties/{party}/join", {"riderId": rider})

    @staticmethod
    def soon():
        now = datetime.datetime.now(datetime.timezone.utc)
        return (now + datetime.timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def test_cancel_a_party(self):
        party = self.create("cleo")[1]["party"]["id"]
        path = f"/v1/admin/parties/{party}/cancel"
        first = self.ask("POST", path, {"reason": "fraud"})
        self.assertEqual((first[0], first[1]["state"]), (200, "cancelled"))
        self.assertEqual(self.ask("POST", path, {"reason": "fraud"})[:2], first[:2])
        told = self.events("cleo")
        self.assertEqual(
            [event["kind"] for event in told],
            ["party.created", "party.cancelled", "admin.party_cancelled"])
        self.assertEqual(told[-1]["partyId"], party)
        self.assertEqual(told[-1]["body"]["reason"], "fraud")

    def test_close_a_commute(self):
        commute = self.people("POST", "/v1/commutes", commutes.every_day("cole"))[1]["commute"]["id"]
        days = [day["partyId"] for day in commutes.appeared(
            lambda path: self.people("GET", path)[1], commute, 2)]
        self.assertEqual(self.join(days[0], "rita")[0], 200)
        path = f"/v1/admin/commutes/{commute}/close"
        first = self.ask("POST", path, {"reason": "fraud"})
        self.assertEqual((first[0], first[1]["id"], first[1]["state"]), (200, commute, "cancelled"))
        self.assertEqual(self.ask("POST", path, {"reason": "fraud"})[:2], first[:2])
        self.assertEqual(self.states(days), ["open"] * len(days))
        # Its days as well, though it was closed before.
        both = {"reason": "fraud", "includeAppeared": True}
        second = self.ask("POST", path, both)
        self.assertEqual(second[0], 200)
        self.assertEqual(self.ask("POST", path, both)[:2], second[:2])
        self.assertEqual(self.states(days), ["cancelled"] * len(days))
        told = [event for event in self.people(
            "GET", "/v1/events?after=0&kinds=admin.commute_closed")[1]["events"]
            if event.get("commuteId") == commute]
        self.assertEqual([event["body"]["reason"] for event in told], ["fraud", "fraud"])
        self.assertNotIn("partyId", told[0])
        code, out, error = run(
            "events", "--kinds", "admin.commute_closed", "--json", "--url",
            f"http://127.0.0.1:{self.daemon.http_port}", name="moyeo")
        self.assertEqual(code, 0, error)
        self.assertIn(commute, out)
        self.assertEqual(
            self.people("GET", f"/v1/parties/{days[0]}")[1]["party"]["endReason"], "operator")

    def states(self, parties):
        return [self.people("GET", f"/v1/parties/{one}")[1]["party"]["state"] for one in parties]

    def test_close_a_ticket_and_clear_a_penalty(self):
        for name in ("dan", "eve"):
            self.assertEqual(self.wait_open(name)[0], 200)
        closed = self.ask("POST", "/v1/admin/tickets/dan/close", {"reason": "asleep"})
        self.assertEqual(closed[1]["state"], "closed")
        self.assertEqual(
            self.ask("POST", "/v1/admin/tickets/dan/close", {"reason": "asleep"})[:2], closed[:2])
        kinds = [event["kind"] for event in self.events("dan")]
        self.assertEqual(kinds, ["ticket.opened", "ticket.closed", "admin.ticket_closed"])
        self.assertEqual(self.wait_open("dan")[0], 200)
        self.people("POST", "/v1/tickets/dan/propose", {"otherId": "eve"})
        self.people("POST", "/v1/tickets/eve/accept", {"otherId": "dan"})
        self.assertEqual(
            self.people("POST", "/v1/tickets/dan/dodge", {"otherId": "eve"})[0], 200)
        self.assertEqual(reason(self.wait_open("dan")), "penalty")
        cleared = self.ask("POST", "/v1/admin/users/dan/clear-penalty", {"reason": "ill"})
        self.assertNotIn("penaltyUntil", cleared[1])
        self.assertEqual(self.wait_open("dan")[0], 200)

    def command(self, *arguments):
        return run("admin", *arguments, "--url", self.url, name="moyeo")

    def test_command_line(self):
        code, out, _ = self.command("statistics", "--json")
        self.assertEqual(code, 0)
        self.assertIn("layers", json.loads(out))
        self.assertEqual(self.command("tenants")[0], 0)
        self.assertEqual(self.command("keys")[1].splitlines(), ["keys: none", "moreKeys: false"])
        self.assertEqual(self.command("log-level")[1].strip(), "level: info")
        self.assertEqual(self.command("snapshot")[0], 0)
        self.assertEqual(self.command("drain")[1].strip(), "draining: true")
        self.assertEqual(self.command("drain", "--end")[1].strip(), "draining: false")
        ban = ("ban", "fay", "--until", BAN["until"], "--reason", "rude")
        self.assertEqual(self.command(*ban)[0], 0)
        self.assertIn("admin.banned", self.command("user", "fay")[1])
        self.assertEqual(self.command("unban", "fay", "--reason", "sorry")[0], 0)
        code, _, complaint = self.command("cancel-party", "none", "--reason", "x")
        self.assertEqual(code, 1)
        self.assertIn("unknown_party", complaint)
        code, _, complaint = self.command("close-commute", "none", "--include-appeared", "--reason", "x")
        self.assertEqual(code, 1)
        self.assertIn("unknown_commute", complaint)
        self.assertEqual(self.command("ban", "fay")[0], 2)
        code, _, complaint = self.command("user", "no one/at all")
        self.assertEqual(code, 1)
        self.assertIn("no one/at all", complaint)
        self.assertEqual(self.command("log-level", "loud")[0], 1)
        self.assertEqual(self.command("user")[0], 2)
        self.assertEqual(run("admin", "tenants", "--url", "http://127.0.0.1:1", name="moyeo")[0], 3)


class WithTokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.signer))
        cls.daemon = Daemon("--admin-port", "0", env=tokens.settings(keys))
        cls.addClassCleanup(cls.daemon.close)
        cls.ask = Operator(cls.daemon)

    def test_only_the_role_may(self):
        stranger = tokens.Signer("two")
        for method, path, body in PATHS:
            for token, wanted in (
                    (None, "unauthenticated"), (stranger.token("olga", "admin"), "unauthenticated"),
                    (self.signer.token("olga", "admin", seconds=-3600), "token_expired")):
                answer = self.ask(method, path, body, token=token)
                self.assertEqual((answer[0], reason(answer)), (401, wanted), path)
            for scopes in (tokens.ALL, tokens.ALL + " service"):
                answer = self.ask(method, path, body, token=self.signer.token("ann", scopes))
                self.assertEqual((answer[0], reason(answer)), (403, "forbidden"), path)
            # Whatever is wrong with it then, it is not who asks.
            answer = self.ask(method, path, body, token=self.signer.token("olga", "admin"))
            self.assertNotIn(answer[0], (401, 403), (path, answer))

    def test_no_call_is_missing_above(self):
        described = self.ask("GET", "/openapi.json", token=self.signer.token("olga", "admin"))[1]
        calls = {(method.upper(), path) for path, methods in described["paths"].items()
                 for method in methods if path.startswith("/v1/")}
        listed = {(method, re.sub(r"/(users|parties|tickets|commutes)/\w+", r"/\1/{id}", path))
                  for method, path, _ in PATHS}
        self.assertEqual(listed, calls)
        self.assertEqual(self.ask("GET", "/healthz")[0], 200)
        self.assertEqual(reason(self.ask("GET", "/metrics")), "unauthenticated")

    def test_the_role_opens_no_other_call(self):
        token = self.signer.token("olga", "admin")
        self.assertEqual(self.ask("GET", "/v1/admin/tenants", token=token)[0], 200)
        self.assertEqual(
            self.daemon.request("GET", "/v1/layers", headers=tokens.bearer(token))[0], 403)

    def test_keys_are_listed_without_their_hashes(self):
        made = {}
        for tenant in ("default", "blue"):
            code, said, error = run(
                "keys", "create", "--tenant", tenant, "--scopes", "read,service", "--name",
                f"of {tenant}", "--expires", "90d", "--data-directory",
                str(self.daemon.directory), name="moyeo")
            self.assertEqual(code, 0, error)
            made[tenant] = said.split()[-1]
        # The daemon has taken a change in once the newest key opens something.
        end = time.monotonic() + 20
        while self.daemon.request(
                "GET", "/v1/layers", headers=tokens.bearer(made["blue"]))[0] != 200:
            self.assertLess(time.monotonic(), end, "the key is not taken")
        all_of_them = self.ask(
            "GET", "/v1/admin/keys", token=self.signer.token("olga", "admin"))[1]
        self.assertEqual(
            {key["name"]: (key["tenant"], key["scopes"]) for key in all_of_them["keys"]},
            {"of default": ("default", ["read", "service"]),
             "of blue": ("blue", ["read", "service"])})
        self.assertIs(all_of_them["moreKeys"], False)
        for key in all_of_them["keys"]:
            self.assertEqual(
                set(key), {"id", "tenant", "scopes", "name", "createdAt", "expiresAt"})
        own = self.ask("GET", "/v1/admin/keys",
                       token=self.signer.token("tom", "admin", tenant="blue"))[1]
        self.assertEqual([key["name"] for key in own["keys"]], ["of blue"])
        kept = (self.daemon.directory / "keys.json").read_text()
        for text in made.values():
            self.assertNotIn(text.split("_")[2], json.dumps(all_of_them) + kept)

    def test_the_record_names_the_operator(self):
        token = self.signer.token("olga", "admin")
        self.assertEqual(self.ask("POST", "/v1/admin/users/guy/ban", BAN, token=token)[0], 200)
        seen = self.ask("GET", "/v1/admin/users/guy", token=token)[1]
        told = [each for each in seen["events"] if each["kind"] == "admin.banned"]
        self.assertEqual(told[0]["body"]["actor"], "olga")

    def test_the_operator_of_one_tenant_sees_no_other(self):
        token = self.signer.token("tom", "admin read", tenant="blue")
        self.daemon.request("GET", "/v1/layers", headers=tokens.bearer(token))
        own = self.ask("GET", "/v1/admin/statistics", token=token)
        self.assertEqual(own[0], 200)
        self.assertNotIn("connections", own[1])
        self.assertNotIn("draining", own[1])
        for method, path, body in (
                ("GET", "/v1/admin/statistics?tenant=default", None),
                ("GET", "/v1/admin/tenants", None), ("POST", "/v1/admin/drain", None),
                ("GET", "/v1/admin/keys?tenant=default", None),
                ("POST", "/v1/admin/snapshot", None),
                ("PUT", "/v1/admin/log-level", {"level": "trace"}),
                ("GET", "/v1/admin/users/ann?tenant=default", None),
                ("POST", "/v1/admin/users/ann/ban?tenant=default", BAN)):
            answer = self.ask(method, path, body, token=token)
            self.assertEqual((answer[0], reason(answer)), (403, "forbidden"), path)


class Settings(unittest.TestCase):
    def test_open_mode_stays_on_loopback(self):
        code, _, complaint = run(
            "--check-configuration",
            env={"MOYEO_ADMIN_PORT": "0", "MOYEO_ADMIN_HOST": "0.0.0.0"})
        self.assertEqual(code, 2)
        self.assertIn("admin.host", complaint)

    def test_each_port_is_its_own(self):
        code, _, complaint = run("--check-configuration", "--admin-port", "8080")
        self.assertEqual(code, 2)
        self.assertIn("admin.port", complaint)

    def test_off_unless_set(self):
        with Daemon() as daemon:
            self.assertNotIn("adminPort", "".join(daemon.log))


if __name__ == "__main__":
    unittest.main()
