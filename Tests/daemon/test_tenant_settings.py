"""Tenants with policies, times and layers of their own (`tenants.<name>.settings`).

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_tenant_settings.py
"""

import datetime
import json
import pathlib
import tempfile
import unittest

import tokens
from running_daemon import ROOT, Daemon, run

SERVER = tokens.ALL + " service"
SEOUL = {"latitude": 37.5547, "longitude": 126.9707}
GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}


def soon(minutes=60):
    return (datetime.datetime.now(datetime.timezone.utc)
            + datetime.timedelta(minutes=minutes)).isoformat()


class OwnSettings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.signer))
        file = pathlib.Path(folder.name) / "moyeo.json"
        file.write_text(json.dumps({
            "parties": {"maximumSeats": 4, "retentionDays": 30},
            "layers": {"users": {"ttlSeconds": 0}},
            "tenants": {
                "north": {"reads": 100, "settings": {
                    "parties": {"maximumSeats": 6, "sameAttributes": ["gender"]},
                    "tickets": {"requiredAttributes": ["level"]},
                    "layers": {"users": {"ttlSeconds": 30}, "others": {"ttlSeconds": 7.5}}}},
                "south": {"settings": {"parties": {"enabled": False}}}}}))
        cls.daemon = Daemon("--resources", str(ROOT), "--config", str(file), env=tokens.settings(keys))
        cls.addClassCleanup(cls.daemon.close)

    def ask(self, tenant, method, path, body=None):
        token = self.signer.token("server", SERVER, tenant)
        status, answer, _ = self.daemon.request(method, path, body, headers=tokens.bearer(token))
        return status, answer.get("error", {}).get("reason") if status != 200 else answer

    def create(self, tenant, seats, **more):
        return self.ask(tenant, "POST", "/v1/parties", {
            "hostId": f"host-{seats}-{len(more)}", "seats": seats, "origin": SEOUL,
            "destination": GANGNAM, "departureTime": soon(), **more})

    def test_parties_follow_the_tenants_own(self):
        for tenant in (None, "west"):
            self.assertEqual(self.create(tenant, 6)[0], 400, tenant)
            status, answer = self.create(tenant, 4)
            self.assertEqual(status, 200, answer)
            party = answer["party"]["id"]
            self.assertEqual(
                self.ask(tenant, "POST", f"/v1/parties/{party}/join", {"riderId": "ann"})[0], 200)
        status, answer = self.create("north", 6, attributes={"gender": "f"})
        self.assertEqual(status, 200, answer)
        path = f"/v1/parties/{answer['party']['id']}/join"
        # Whose attribute is not known does not ride where all must have the same.
        self.assertEqual(self.ask("north", "POST", path, {"riderId": "ann"}), (409, "policy_violation"))
        self.assertEqual(self.ask(
            "north", "POST", path, {"riderId": "ann", "attributes": {"gender": "f"}})[0], 200)

    def test_a_tenant_without_parties_has_none(self):
        self.assertEqual(self.create("south", 4), (404, "unknown_route"))
        self.assertEqual(self.ask("south", "GET", "/v1/layers")[0], 200)

    def test_tickets_follow_the_tenants_own(self):
        ticket = {"userId": "kim", "here": SEOUL}
        self.assertEqual(self.ask("west", "POST", "/v1/tickets", ticket)[0], 200)
        self.assertEqual(self.ask("north", "POST", "/v1/tickets", ticket)[0], 400)
        self.assertEqual(self.ask(
            "north", "POST", "/v1/tickets", {**ticket, "attributes": {"level": "b2"}})[0], 200)

    def test_layers_follow_the_tenants_own(self):
        for tenant, layer, seconds in (
                (None, "users", None), ("west", "users", None), ("north", "users", 30),
                ("north", "others", 7.5), ("west", "others", 60)):
            begin = datetime.datetime.now(datetime.timezone.utc)
            path = f"/v1/layers/{layer}/positions"
            self.assertEqual(self.ask(
                tenant, "POST", path, {"positions": [{"id": "a", **SEOUL}]})[0], 200)
            end = self.ask(tenant, "GET", path + "/a")[1]["position"].get("expiresAt")
            if seconds is None:
                self.assertIsNone(end, tenant)
            else:
                lived = (datetime.datetime.fromisoformat(end) - begin).total_seconds()
                self.assertGreater(lived, seconds - 1, (tenant, layer))
                self.assertLess(lived, seconds + 20, (tenant, layer))


class WhatCannotBeUsed(unittest.TestCase):
    def check(self, said, tenants):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "moyeo.json"
            file.write_text(json.dumps({"tenants": tenants}))
            code, _, error = run("--check-configuration", "--config", str(file))
        self.assertEqual(code, 2 if said else 0, error)
        self.assertIn(said, error)

    def test_values(self):
        for said, settings in (
                ("parties.maximumSeats", {"parties": {"maximumSeats": 99}}),
                ("parties.maximumSeats", {"parties": {"maximumSeats": "many"}}),
                ("parties.policyPack", {"parties": {"policyPack": "none-such"}}),
                ("tickets.openSeconds", {"tickets": {"openSeconds": 1}}),
                ("layers.users.ttlSeconds", {"layers": {"users": {"ttlSeconds": -1}}}),
                ("layers.Users", {"layers": {"Users": {"ttlSeconds": 1}}}),
                ("parties.seats", {"parties": {"seats": 3}}), ("http", {"http": {"port": 1}}),
                ("auth", {"auth": {"mode": "open"}})):
            with self.subTest(settings):
                self.check(said, {"north": {"settings": settings}})
        self.check("tenants.North", {"North": {"settings": {"parties": {"maximumSeats": 4}}}})
        self.check("tenants.default", {"default": {"settings": {"parties": {"maximumSeats": 4}}}})
        self.check("tenants.north.settings", {"north": {"settings": 7}})

    def test_values_that_can(self):
        self.check("", {"north": {"reads": 5, "settings": {
            "parties": {"maximumSeats": 4, "sameAttributes": ["gender"]},
            "tickets": {"openSeconds": 600}, "layers": {"users": {"columns": ["level"]}}}}})


if __name__ == "__main__":
    unittest.main()
