"""When the Python client asks again: never twice an effect, never earlier than it was told.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_python_retries.py
"""

import contextlib
import email.utils
import time
import unittest
from datetime import datetime

import grpc
from faulty_proxy import FaultyProxy
from python_client import (
    GANGNAM, KINDS, SEOUL, OneDaemon, Pretended, each, for_each_client, fresh, moyeo, proxied, soon)
from scripted_server import FINE, ScriptedGRPC, ScriptedHTTP, refusal
from waiting import until

from moyeo.v1 import PartyResponse, ReportResponse

CODES = grpc.StatusCode


class CutConnections(OneDaemon, unittest.TestCase):
    """The connection breaks after the daemon has carried the command out."""

    @contextlib.contextmanager
    def client(self, kind, is_grpc):
        with proxied(self, kind, is_grpc) as (proxy, client):
            yield client, proxy

    def events_of(self, user, kind):
        _, page, _ = self.daemon.request("GET", f"/v1/events?limit=1000&kinds={kind}")
        return [event for event in page["events"] if user in event["userIds"]]

    @for_each_client
    def test_a_party_is_created_once(self, client, proxy):
        host = fresh("host")
        proxy.cut_once(host, lambda: until(
            lambda: self.events_of(host, "party.created"), "the party is there"))
        party = client.parties.create(
            host_id=host, origin=SEOUL, destination=GANGNAM, departure_time=soon()).party
        self.assertEqual((proxy.cuts, proxy.connections), (1, 2))
        # One effect, and the answer is that of it.
        created = self.events_of(host, "party.created")
        self.assertEqual([event["partyId"] for event in created], [party.id])

    @for_each_client
    def test_with_another_key_it_would_be_refused(self, client, _):
        """What the test above rests on: the key, not the party's own rules, makes it one."""
        host = fresh("host")
        values = {"host_id": host, "origin": SEOUL, "destination": GANGNAM,
                  "departure_time": soon()}
        first = client.parties.create(**values, idempotency_key=host).party
        again = client.parties.create(**values, idempotency_key=host).party
        self.assertEqual(first.id, again.id)
        with self.assertRaises(moyeo.Refused) as refused:
            client.parties.create(**values)
        self.assertEqual(refused.exception.reason, "overlapping_party")

    @for_each_client
    def test_tickets_and_reads(self, client, proxy):
        user, other = fresh("ann"), fresh("ben")
        here = {"latitude": 37.4979, "longitude": 127.0276}
        client.tickets.open(user_id=user, here=here, tags=["swift"])
        client.tickets.open(user_id=other, here=here, tags=["swift"])
        proxy.cut_once(other, lambda: until(
            lambda: self.events_of(other, "ticket.proposed"), "the proposal is there"))
        ticket = client.tickets.propose(user_id=user, other_id=other).ticket
        self.assertEqual(list(ticket.proposals_to), [other])
        self.assertEqual(proxy.cuts, 1)
        self.assertEqual(len(self.events_of(other, "ticket.proposed")), 1)

        name = fresh("object")
        proxy.cut_once(name, lambda: None)
        answer = client.positions.report(layer="retried", positions=[
            {"id": name, "latitude": 37.5, "longitude": 127.0, "ttl_seconds": 0}])
        self.assertEqual((answer.accepted, proxy.cuts), (1, 2))
        proxy.cut_once("retried", lambda: None)
        self.assertEqual(
            client.positions.nearby(layer="retried", latitude=37.5, longitude=127.0,
                                    exclude_ids=["retried"]).hits[0].latitude, 37.5)

    @for_each_client
    def test_what_may_not_be_repeated_is_not(self, client, proxy):
        layer = fresh("layer").replace(".", "-")
        self.daemon.report(layer, [("a", 37.5, 127.0)])
        proxy.cut_once(layer, lambda: None)
        with self.assertRaises(moyeo.Unreachable) as failed:
            client.positions.delete_layer(layer=layer)
        self.assertTrue(failed.exception.sent)
        self.assertEqual(proxy.connections, 1)

    def test_nobody_there(self):
        proxy = FaultyProxy(1)
        self.addCleanup(proxy.close)
        for name, kind, address in each("http://127.0.0.1:1", "grpc://127.0.0.1:1"):
            with self.subTest(name):
                pretended = Pretended()
                with kind(address, **pretended.options(kind)) as client:
                    with self.assertRaises(moyeo.Unreachable) as failed:
                        client.positions.list_layers()
                self.assertIn("Nobody answers at", str(failed.exception))
                self.assertEqual(pretended.waits, [0.1, 0.2, 0.4, 0.8])


class ToldToWait(unittest.TestCase):
    def scripted(self, *answers):
        server = ScriptedHTTP(*answers)
        self.addCleanup(server.close)
        return server

    def scripted_grpc(self, *answers):
        server = ScriptedGRPC(*answers)
        self.addCleanup(server.close)
        return server

    def ask(self, server, kind, waits, reason=None, call=None, **options):
        """Makes one call; `reason`: of the refusal that ends it."""
        pretended = Pretended()
        with kind(server.address, **pretended.options(kind), **options) as client:
            call = call or (lambda: client.parties.join(id="p", rider_id="ann"))
            if reason is None:
                call()
            else:
                with self.assertRaises(moyeo.Refused) as refused:
                    call()
                self.assertEqual(refused.exception.reason, reason)
                self.assertIn(f"it is {reason}", str(refused.exception))
        self.assertEqual([round(wait, 3) for wait in pretended.waits], waits)

    def test_the_time_given_is_waited_for_and_jitter_comes_on_top(self):
        for kind in KINDS:
            for reason, status in (("overloaded", 503), ("rate_limited", 429),
                                   ("quota_exceeded", 429), ("unavailable", 503)):
                with self.subTest(kind=kind.__name__, reason=reason):
                    server = self.scripted(
                        refusal(status, reason, 2000), refusal(status, reason, 700), FINE)
                    self.ask(server, kind, [2.1, 0.9])
                    # One key for the command, over all attempts.
                    self.assertEqual(len(set(server.keys)), 1)
                    self.assertEqual(len(server.keys[0]), 36)
                    told = self.scripted_grpc(
                        (CODES.RESOURCE_EXHAUSTED, reason, 2), (CODES.UNAVAILABLE, reason, 0.7),
                        PartyResponse().SerializeToString())
                    self.ask(told, kind, [2.1, 0.9])
                    self.assertEqual(len(set(told.keys)), 1)
                    self.assertEqual(len(told.keys), 3)

    def test_proxies_say_it_by_header_alone(self):
        date = email.utils.formatdate(time.time() + 8, usegmt=True)
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                server = self.scripted((503, {"Retry-After": "3"}, "down"), FINE)
                self.ask(server, kind, [3.1])
                server = self.scripted((429, {"Retry-After": "nonsense"}, ""), (502, {}, ""), FINE)
                self.ask(server, kind, [0.1, 0.2])
                server = self.scripted((503, {"Retry-After": date}, ""), FINE)
                pretended = Pretended()
                with kind(server.address, **pretended.options(kind)) as client:
                    client.positions.list_layers()
                self.assertTrue(6 < pretended.waits[0] < 8.2, pretended.waits)

    def test_what_waiting_does_not_mend_is_not_repeated(self):
        for kind in KINDS:
            for status, reason, wait in (
                    (409, "superseded", 250), (409, "party_full", None), (429, "quota_exceeded", None),
                    (500, "internal", None), (404, "unknown_party", None), (401, "token_expired", None),
                    (410, "resume_token_expired", None), (422, "too_much_work", 100)):
                with self.subTest(kind=kind.__name__, reason=reason):
                    server = self.scripted(refusal(status, reason, wait), FINE)
                    self.ask(server, kind, [], reason)
                    self.assertEqual(len(server.requests), 1)

    def test_a_wait_beyond_the_deadline_is_not_begun(self):
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                self.ask(self.scripted(refusal(503, "overloaded", 20_000)), kind, [], "overloaded")
                self.ask(self.scripted(refusal(503, "overloaded", 2000)), kind, [2.1, 2.2],
                         "overloaded", timeout=6.5)
                self.ask(self.scripted(refusal(503, "overloaded")), kind, [0.1, 0.2], "overloaded",
                         retry=moyeo.RetryPolicy(attempts=3))
                self.ask(self.scripted(refusal(503, "overloaded")), kind, [], "overloaded",
                         retry=moyeo.NO_RETRY)
                self.ask(self.scripted_grpc((CODES.RESOURCE_EXHAUSTED, "overloaded", 20)), kind, [],
                         "overloaded")

    def test_deadline_exceeded_is_repeated_with_the_same_key(self):
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                server = self.scripted(
                    refusal(504, "deadline_exceeded", code="DEADLINE_EXCEEDED"), FINE)
                self.ask(server, kind, [0.1])
                self.assertEqual(len(set(server.keys)), 1)

    def test_errors_carry_what_the_wire_tells(self):
        body = ('{"error": {"code": "INVALID_ARGUMENT", "reason": "null_island", "message": "no",'
                '"fields": [{"field": "positions[0].latitude", "reason": "null_island",'
                '"message": "0, 0 is refused"}], "metadata": {"limit": "3"}}, "accepted": 0,'
                '"rejections": [{"index": 0, "id": "a", "reason": "null_island"}]}')
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                server = self.scripted((400, {"Content-Type": "application/json"}, body))
                with kind(server.address) as client, self.assertRaises(moyeo.Refused) as refused:
                    client.positions.report(layer="a", positions=[{"id": "a"}])
                error = refused.exception
                self.assertEqual((error.code, error.http_status), ("INVALID_ARGUMENT", 400))
                self.assertEqual(error.fields[0].field, "positions[0].latitude")
                self.assertEqual(error.metadata, {"limit": "3"})
                self.assertEqual(error.rejections[0]["id"], "a")
                self.assertIn("positions[0].latitude: 0, 0 is refused", str(error))
                server = self.scripted((200, {"Content-Type": "text/html"}, "<html>"))
                with kind(server.address) as client:
                    with self.assertRaises(moyeo.UnexpectedAnswer):
                        client.positions.list_layers()

    def test_a_newer_daemon_may_know_more(self):
        server = self.scripted((200, {"Content-Type": "application/json"},
                                '{"accepted": 1, "mood": "fine", "rejections": []}'))
        told = self.scripted_grpc(
            ReportResponse(accepted=1).SerializeToString() + b"\xca\x3e\x04fine")
        for kind in KINDS:
            for one in (server, told):
                with kind(one.address) as client:
                    answer = client.positions.report(layer="a", positions=[])
                    self.assertEqual(answer.accepted, 1)

    def test_an_answer_that_does_not_come_is_a_timeout(self):
        # A listener that never accepts: connections stand, nothing is answered.
        import socket
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            for name, kind, address in each(
                    f"http://127.0.0.1:{port}", f"grpc://127.0.0.1:{port}"):
                with self.subTest(name), kind(address, timeout=0.2) as client:
                    with self.assertRaises((moyeo.TimedOut, moyeo.Unreachable)) as failed:
                        client.positions.list_layers()
                    self.assertTrue(str(failed.exception).endswith("."), failed.exception)


class Requests(unittest.TestCase):
    def test_mistakes_are_told_before_anything_is_sent(self):
        for kind in KINDS:
            with kind("http://127.0.0.1:1") as client:
                for values, told in (
                        ({"departure_time": datetime(2026, 11, 20)}, "time zone"),
                        ({"departure_time": "tomorrow"}, "datetime"),
                        ({"origin": {"lat": 1}}, "no field 'lat'"),
                        ({"riders": [{"seats": "many"}]}, "seats")):
                    with self.subTest(told), self.assertRaises(ValueError) as refused:
                        client.parties.create(host_id="a", **values)
                    self.assertIn(told, str(refused.exception))

    def test_addresses(self):
        for text in ("127.0.0.1:8080", "ftp://a", "grpc://127.0.0.1", "http://", "http://a?b=c"):
            for kind in KINDS:
                with self.subTest(text), self.assertRaises(ValueError) as refused:
                    kind(text)
                self.assertIn("not an address of Moyeo", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
