"""Streams of the Python client go on by themselves, over restarts and with renewed tokens.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_python_streams.py
"""

import contextlib
import threading
import unittest

import tokens
from python_client import (
    GANGNAM, KINDS, QUICK, SEOUL, OneDaemon, OneDaemonWithTokens, Pretended, addresses,
    create_party, for_each_client, fresh, moyeo, proxied, soon)
from running_daemon import ROOT, Daemon
from scripted_server import ScriptedHTTP, error_event, event_stream, refusal
from waiting import until


class Reader(threading.Thread):
    """Reads a stream on a thread of its own, until a number of events or an error."""

    def __init__(self, stream, count=10**9):
        super().__init__(daemon=True)
        self.stream, self.count = stream, count
        self.events, self.error = [], None
        self.start()

    def run(self):
        try:
            for event in self.stream:
                self.events.append(event)
                if len(self.events) >= self.count:
                    return
        except Exception as error:
            self.error = error

    def finished(self, test, seconds=30):
        self.join(seconds)
        test.assertFalse(self.is_alive(), f"{len(self.events)} events after {seconds} s")
        if self.error:
            raise self.error
        return self.events


class OverRestarts(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon("--resources", str(ROOT))
        self.addCleanup(self.daemon.close)

    @contextlib.contextmanager
    def client(self, kind, is_grpc):
        with proxied(self, kind, is_grpc) as (proxy, client):
            yield proxy, client, is_grpc

    def restart(self, proxy, is_grpc, kill=True):
        self.daemon.kill() if kill else self.daemon.terminate()
        self.daemon.start()
        proxy.upstream = self.daemon.grpc_port if is_grpc else self.daemon.http_port

    def create(self, count=1):
        for _ in range(count):
            party = create_party(self.daemon)
        return party

    def newest(self):
        after = 0
        while True:
            _, page, _ = self.daemon.request("GET", f"/v1/events?limit=1000&after={after}")
            if page["next"] == after:
                return after
            after = page["next"]

    @for_each_client
    def test_the_feed_has_no_gap_and_no_duplicate(self, proxy, client, is_grpc):
        start = self.newest()
        reader = Reader(client.events.watch(after=start), 9)
        self.create(3)
        until(lambda: len(reader.events) == 3, "three events")
        self.restart(proxy, is_grpc)
        self.create(3)
        until(lambda: len(reader.events) == 6, "six events")
        proxy.cut_all()
        self.create(2)
        until(lambda: len(reader.events) == 8, "eight events")
        self.restart(proxy, is_grpc, kill=False)
        self.create()
        events = reader.finished(self)
        self.assertEqual(
            [event.sequence for event in events], list(range(start + 1, start + 10)))
        self.assertEqual(reader.stream.resume_token, str(start + 9))

    @for_each_client
    def test_a_party_is_heard_from_its_version_on_though_the_first_opening_is_cut(
            self, proxy, client, is_grpc):
        party = self.create()
        events = client.parties.watch(id=party["id"])
        # Names of calls are packed in HTTP/2; the version, field 3 of the request, is not.
        version = f"\x1a\x01{party['version']}" if is_grpc else "/events?afterVersion="
        proxy.cut_once(version, lambda: None)
        reader = Reader(events, 1)
        until(lambda: proxy.cuts == 1, "the opening was cut")
        self.daemon.request(
            "POST", f"/v1/parties/{party['id']}/join", {"riderId": fresh("rider")})
        self.assertEqual([event.kind for event in reader.finished(self)], ["joined"])

    @for_each_client
    def test_positions(self, proxy, client, is_grpc):
        layer = fresh("layer")
        self.daemon.report(layer, [("a", 37.5, 127.0)])
        reader = Reader(client.positions.watch(
            layer=layer, latitude=37.5, longitude=127.0, radius_meters=100))
        until(lambda: [e.kind for e in reader.events][-1:] == ["enter"], "a is in")
        self.restart(proxy, is_grpc, kill=False)
        self.daemon.report(layer, [("b", 37.5, 127.0)])
        until(lambda: reader.events[-1].id == "b", "b is in")
        self.assertEqual([e.kind for e in reader.events][1:3], ["reset", "enter"])
        proxy.cut_all()
        self.daemon.report(layer, [("c", 37.5, 127.0)])
        until(lambda: reader.events[-1].id == "c", "c is in")

    @for_each_client
    def test_tiles(self, proxy, client, is_grpc):
        layer = fresh("layer")
        self.daemon.report(layer, [("a", 37.5, 127.0)])
        reader = Reader(client.clusters.watch_tiles(
            layer=layer, west=126.9, south=37.4, east=127.1, north=37.6, zoom=10))
        until(lambda: [e.kind for e in reader.events] == ["reset"], "the first reset")
        self.restart(proxy, is_grpc, kill=False)
        until(lambda: [e.kind for e in reader.events][1:2] == ["reset"], "another reset")
        self.daemon.report(layer, [("b", 37.55, 127.05)])
        until(lambda: reader.events[-1].kind == "changed", "a change")

    @for_each_client
    def test_matches(self, proxy, client, is_grpc):
        reader = Reader(client.parties.watch_matches(
            rider_id=fresh("rider"), origin=SEOUL, destination=GANGNAM, departure_time=soon()))
        until(lambda: [e.kind for e in reader.events] == ["candidates"], "nothing yet")
        self.restart(proxy, is_grpc)
        until(lambda: [e.kind for e in reader.events][1:] == ["candidates"], "the snapshot")
        party = self.create()["id"]
        until(lambda: reader.events[-1].kind == "candidate", "the candidate")
        self.assertEqual(reader.events[-1].party_id, party)
        self.daemon.request("POST", f"/v1/parties/{party}/cancel", {})
        until(lambda: reader.events[-1].kind == "gone", "gone again")

    @for_each_client
    def test_a_stored_request_is_stored_once(self, proxy, client, is_grpc):
        reader = Reader(client.parties.watch_matches(
            rider_id=fresh("rider"), origin=SEOUL, destination=GANGNAM, departure_time=soon(),
            store=True))
        until(lambda: reader.events, "the candidates")
        proxy.cut_all()
        until(lambda: len(reader.events) > 1, "the candidates again")
        self.assertEqual(len({event.match_id for event in reader.events}), 1)


class Ends(OneDaemon, unittest.TestCase):
    @for_each_client
    def test_final_errors_end_for_good(self, client):
        for stream, reason in (
                (client.events.watch(after=10**9), "resume_token_ahead"),
                (client.events.watch(resume_token="nonsense"), "bad_value"),
                (client.parties.watch(id="nobody"), "unknown_party"),
                (client.tickets.watch(user_id=fresh("nobody")), "unknown_ticket"),
                (client.positions.watch(layer="nowhere", latitude=1, longitude=1,
                                        radius_meters=1), "unknown_layer")):
            with self.subTest(reason), self.assertRaises(moyeo.Refused) as refused:
                next(stream)
            self.assertEqual(refused.exception.reason, reason)

    def test_a_stream_is_closed_while_it_waits(self):
        for address in addresses(self.daemon):
            with self.subTest(address), moyeo.Moyeo(address) as client:
                self.daemon.report("closed", [("a", 37.5, 127.0)])
                stream = client.positions.watch(
                    layer="closed", latitude=37.5, longitude=127.0, radius_meters=10)
                reader = Reader(stream)
                until(lambda: reader.events, "the first event")
                stream.close()
                reader.finished(self, 5)
                self.assertEqual(client.positions.list_layers().layers[0].name, "closed")

    def test_a_first_opening_gives_up_like_a_call(self):
        for kind in KINDS:
            for port in ("http://127.0.0.1:1", "grpc://127.0.0.1:1"):
                with self.subTest(kind=kind.__name__, address=port):
                    pretended = Pretended()
                    with kind(port, **pretended.options(kind)) as client:
                        with self.assertRaises(moyeo.Unreachable):
                            next(client.events.watch())
                    self.assertEqual(pretended.waits, [0.1, 0.2, 0.4, 0.8])

    def test_refusals_in_the_middle(self):
        """Too slow: read on. A token that cannot be renewed, or a log that was cut: the end."""
        def event(sequence):
            return (f'event: x\nid: {sequence}\ndata: {{"kind": "x", "sequence": {sequence}, '
                    f'"resumeToken": "{sequence}"}}\n\n')

        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                pretended = Pretended()
                server = ScriptedHTTP(
                    event_stream(event(1), event(2), error_event("too_slow_consumer", 1000)),
                    # As at least once allows.
                    event_stream(event(2), event(3)),
                    refusal(503, "overloaded", 4000),
                    event_stream(event(4), error_event("resume_token_expired")))
                self.addCleanup(server.close)
                with kind(server.address, **pretended.options(kind)) as client:
                    seen = []
                    with self.assertRaises(moyeo.Refused) as refused:
                        for one in client.events.watch():
                            seen.append(one.sequence)
                self.assertEqual(refused.exception.reason, "resume_token_expired")
                self.assertEqual(seen, [1, 2, 3, 4])
                self.assertEqual([round(wait, 2) for wait in pretended.waits], [1.1, 0.1, 4.2])
                self.assertEqual(
                    [path.partition("?")[2] for _, path, _, _ in server.requests],
                    ["", "resumeToken=2", "resumeToken=3", "resumeToken=3"])

    def test_patience_has_an_end_where_one_is_set(self):
        for kind in KINDS:
            with self.subTest(kind=kind.__name__):
                pretended = Pretended()
                server = ScriptedHTTP(event_stream(), refusal(503, "unavailable", 4000))
                self.addCleanup(server.close)
                with kind(server.address, retry=moyeo.RetryPolicy(stream_patience=20),
                          **pretended.options(kind)) as client:
                    with self.assertRaises(moyeo.Refused):
                        next(client.events.watch())
                self.assertGreater(len(pretended.waits), 3)
                self.assertLess(sum(pretended.waits), 40)


class Renewal(OneDaemonWithTokens, unittest.TestCase):
    @contextlib.contextmanager
    def client(self, kind, is_grpc):
        address = addresses(self.daemon)[is_grpc]
        yield (lambda source: kind(address, token=source, retry=QUICK)),

    class Source:
        """Hands out tokens one after another, and counts them."""

        def __init__(self, token, *seconds):
            self.token, self.seconds, self.asked = token, seconds, 0

        def __call__(self):
            seconds = self.seconds[min(self.asked, len(self.seconds) - 1)]
            self.asked += 1
            return self.token(seconds)

    @for_each_client
    def test_an_expired_token_is_renewed_once(self, opened):
        source = self.Source(self.token, -60, 600)
        client = self.enterContext(opened(source))
        client.positions.report(layer="mine", positions=[
            {"id": "svc", "latitude": 37.5, "longitude": 127.0, "ttl_seconds": 0}])
        self.assertEqual(source.asked, 2)
        # The new one is kept.
        client.positions.nearby(layer="mine", latitude=37.5, longitude=127.0)
        self.assertEqual(source.asked, 2)

    @for_each_client
    def test_one_that_is_refused_again_is_the_end(self, opened):
        renewing = self.Source(self.token, -60)
        for source in (renewing, self.signer.token("svc", seconds=-60)):
            with opened(source) as client:
                for ask in (client.positions.list_layers,
                            lambda: next(client.events.watch())):
                    with self.assertRaises(moyeo.Refused) as refused:
                        ask()
                    self.assertEqual(refused.exception.reason, "token_expired")
        # At first, after the refusal, and for the stream once more.
        self.assertEqual(renewing.asked, 3)

    @for_each_client
    def test_a_stream_goes_on_with_the_next_token(self, opened):
        source = self.Source(self.token, 2, 600)
        client = self.enterContext(opened(source))
        headers = tokens.bearer(self.token())
        _, page, _ = self.daemon.request("GET", "/v1/events?limit=1000", headers=headers)
        reader = Reader(client.events.watch(after=page["next"]), 2)
        create_party(self.daemon, headers)
        until(lambda: len(reader.events) == 1, "the first event")
        until(lambda: source.asked == 2, "the next token")
        create_party(self.daemon, headers)
        self.assertEqual([event.sequence for event in reader.finished(self)],
                         [page["next"] + 1, page["next"] + 2])

    def test_a_coroutine_gets_tokens_and_many_share_one_renewal(self):
        import asyncio
        source = self.Source(self.token, -60, 600)

        async def get():
            await asyncio.sleep(0)
            return source()

        async def main():
            for address in addresses(self.daemon):
                source.asked = 0
                async with moyeo.AsyncMoyeo(address, token=get) as client:
                    await asyncio.gather(*(client.positions.list_layers() for _ in range(20)))
                self.assertEqual(source.asked, 2)
        asyncio.run(main())

    def test_threads_share_one_renewal(self):
        for address in addresses(self.daemon):
            source = self.Source(self.token, -60, 600)
            with moyeo.Moyeo(address, token=source) as client:
                threads = [threading.Thread(target=client.positions.list_layers)
                           for _ in range(10)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join(30)
            self.assertEqual(source.asked, 2)


if __name__ == "__main__":
    unittest.main()
