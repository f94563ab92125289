"""The Python client against the daemon: every group of calls, its examples, its package.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_python_client.py
"""

import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone

import tls
from example_outputs import printed
from python_client import (
    FOLDER, GANGNAM, KINDS, SEOUL, OneDaemon, addresses, for_each_client, fresh, moyeo, soon)
from running_daemon import ROOT, Daemon
from waiting import until

from moyeo.v1 import StreamReportsRequest, async_calls, calls, sync_calls

# Requests that wait are put together each minute: for examples, each second.
EVERY_SECOND = {"MOYEO_PARTIES_BATCH_SECONDS": "1"}
EXAMPLES = sorted((FOLDER / "examples").glob("*.py"))


class Calls(OneDaemon, unittest.TestCase):
    @for_each_client
    def test_positions(self, client):
        layer = fresh("layer")
        answer = client.positions.report(layer=layer, positions=[
            {"id": "a/b c?", "latitude": 37.5, "longitude": 127.0, "tags": ["Swift"],
             "attributes": {"level": 7, "name": "김", "list": [1, {"x": None}]}, "ttl_seconds": 600,
             "observed_at": datetime.now(timezone.utc)},
            {"id": "zero", "latitude": 0, "longitude": 0}])
        self.assertEqual((answer.accepted, answer.rejections[0].reason), (1, "null_island"))
        stored = client.positions.get(
            layer=layer, id="a/b c?", min_version=answer.version).position
        self.assertEqual((stored.id, stored.attributes["name"]), ("a/b c?", "김"))
        self.assertAlmostEqual(
            stored.expires_at.ToDatetime(timezone.utc).timestamp(),
            datetime.now(timezone.utc).timestamp() + 600, delta=60)
        near = {"layer": layer, "latitude": 37.5, "longitude": 127.0}
        hit = client.positions.nearby(
            **near, where=[{"attribute": "name", "equals": "김"}], tags=["swift"]).hits[0]
        self.assertEqual((hit.id, list(hit.tags)), ("a/b c?", ["swift"]))
        self.assertFalse(client.positions.nearby(**near, not_tags=["swift"]).hits)
        batch = client.positions.nearby_batch(
            layer=layer, requests=[{"latitude": 37.5, "longitude": 127.0}, {"latitude": 99}])
        self.assertEqual([one.status for one in batch.responses], [200, 400])
        box = {"west": 126.9, "south": 37.4, "east": 127.1, "north": 37.6}
        self.assertEqual(len(client.positions.within(layer=layer, **box).hits), 1)
        corners = [{"latitude": 37.4, "longitude": 126.9}, {"latitude": 37.4, "longitude": 127.1},
                   {"latitude": 37.6, "longitude": 127.0}]
        self.assertEqual(
            len(client.positions.within(layer=layer, within={"points": corners}).hits), 1)
        # A polygon in the query of a GET.
        tags = client.positions.tag_histogram(layer=layer, within={"points": corners}).tags
        self.assertEqual([(tag.tag, tag.count) for tag in tags], [("swift", 1)])
        self.assertIn(layer, [one.name for one in client.positions.list_layers().layers])
        self.assertTrue(client.positions.remove(layer=layer, id="a/b c?").removed)
        client.positions.delete_layer(layer=layer)
        self.assertNotIn(layer, [one.name for one in client.positions.list_layers().layers])

    @for_each_client
    def test_clusters(self, client):
        layer = fresh("layer")
        version = client.positions.report(layer=layer, positions=[
            {"id": f"o{i}", "latitude": 37.5 + i / 1e4, "longitude": 127.0, "ttl_seconds": 0,
             "attributes": {"level": i}} for i in range(30)]).version
        box = {"west": 126.9, "south": 37.4, "east": 127.1, "north": 37.6}
        found = client.clusters.get_clusters(
            layer=layer, **box, zoom=9, min_version=version,
            where=[{"attribute": "level", "min": 0, "max": 40}]).clusters
        self.assertEqual(sum(one.point_count for one in found), 30)
        cluster = client.clusters.get_clusters(layer=layer, **box, zoom=9).clusters[0]
        named = {"layer": layer, "cluster_id": cluster.id}
        self.assertGreater(len(client.clusters.get_children(**named).clusters), 1)
        zoom = client.clusters.get_expansion_zoom(**named).expansion_zoom
        self.assertEqual(zoom, cluster.expansion_zoom)
        page = client.clusters.get_leaves(**named, limit=20)
        rest = client.clusters.get_leaves(**named, limit=20, cursor=page.next_cursor)
        self.assertEqual(len({hit.id for hit in [*page.hits, *rest.hits]}), cluster.point_count)
        tile = client.clusters.get_tile(layer=layer, zoom=0, x=0, y=0, min_version=version)
        self.assertIn(layer.encode(), tile.tile)
        self.assertIn("mapbox-vector-tile", tile.content_type)
        again = client.clusters.get_tile(layer=layer, zoom=0, x=0, y=0, if_none_match=tile.etag)
        self.assertEqual((again.not_modified, again.tile), (True, b""))
        text = client.clusters.get_tile(layer=layer, zoom=0, x=0, y=0, format="json").tile
        self.assertIn(b"FeatureCollection", text)
        with self.assertRaises(moyeo.Refused) as refused:
            client.clusters.get_tile(layer=layer, zoom=99, x=0, y=0)
        self.assertEqual(refused.exception.reason, "bad_tile")

    @for_each_client
    def test_parties(self, client):
        host, rider, other = fresh("host"), fresh("rider"), fresh("other")
        trip = {"origin": SEOUL, "destination": GANGNAM, "departure_time": soon()}
        party = client.parties.create(host_id=host, **trip, seats=3, tags=["late"]).party
        self.assertEqual(client.parties.get(id=party.id).party.host_id, host)
        listed = client.parties.list(host_id=host, state=["open"]).parties
        self.assertEqual([one.id for one in listed], [party.id])
        found = client.parties.search(
            latitude=SEOUL["latitude"], longitude=SEOUL["longitude"], tags=["late"],
            from_=datetime.now(timezone.utc), to=soon() + timedelta(hours=1), limit=100)
        self.assertIn(party.id, [one.id for one in found.parties])
        match = client.parties.match(rider_id=rider, **trip, explain=True, limit=100)
        self.assertIn(party.id, [one.party.id for one in match.candidates])
        self.assertGreaterEqual(match.explanation.considered, 1)
        self.assertEqual(list(client.parties.list_ride_requests(rider_id=rider).requests), [])
        with self.assertRaises(moyeo.Refused) as refused:
            client.parties.get_ride_request(id="none", rider_id=rider)
        self.assertEqual(refused.exception.reason, "unknown_ride_request")
        with self.assertRaises(moyeo.Refused) as refused:
            client.parties.withdraw_ride_request(id="none", rider_id=rider)
        self.assertEqual(refused.exception.reason, "unknown_ride_request")
        self.assertEqual(list(client.parties.list_ride_offers(rider_id=rider).offers), [])
        for answer in (
                lambda: client.parties.get_ride_offer(id="none", rider_id=rider),
                lambda: client.parties.accept_ride_offer(id="none", rider_id=rider),
                lambda: client.parties.decline_ride_offer(id="none", rider_id=rider)):
            with self.assertRaises(moyeo.Refused) as refused:
                answer()
            self.assertEqual(refused.exception.reason, "unknown_ride_offer")
        shares = client.parties.preview_join(id=party.id, rider_id=rider).now
        self.assertEqual({share.rider_id for share in shares}, {host, rider})
        joined = client.parties.join(id=party.id, rider_id=rider).party
        self.assertEqual([one.rider_id for one in joined.riders], [host, rider])
        # Money is whole numbers over both wires.
        self.assertIsInstance(joined.fare.expected, int)
        self.assertEqual(sum(one.share for one in joined.riders), joined.fare.expected)
        asked = client.parties.create(
            host_id=fresh("lena"), **trip, approval="host",
            agreed_fare={"amount": 9001, "currency": "KRW"}).party
        self.assertEqual(asked.fare.source, "agreed")

        def ask(name):
            one = client.parties.join(id=asked.id, rider_id=fresh(name)).join_request
            self.assertEqual(one.state, "pending")
            return {"id": asked.id, "request_id": one.id}

        said = [client.parties.approve_join(**ask("amy")),
                client.parties.decline_join(**ask("bob")),
                client.parties.withdraw_join(**ask("cho"))]
        self.assertEqual([one.join_request.state for one in said],
                         ["approved", "declined", "withdrawn"])
        client.parties.join(id=party.id, rider_id=other)
        client.parties.remove_rider(id=party.id, rider_id=other, host_id=host, reason="host")
        client.parties.leave(id=party.id, rider_id=rider)
        updated = client.parties.update(id=party.id, rider_id=host, seats=2).party
        self.assertEqual(updated.seats, 2)
        with self.assertRaises(moyeo.Refused) as refused:
            client.parties.depart(id=party.id, rider_id=host)
        self.assertEqual(refused.exception.reason, "too_early")
        with self.assertRaises(moyeo.Refused) as refused:
            client.parties.settle(id=party.id, payer_id=host, amount=10_000)
        self.assertEqual(refused.exception.reason, "not_departed")
        cancelled = client.parties.cancel(id=party.id, rider_id=host).party
        self.assertEqual(cancelled.state, "cancelled")
        groups = client.parties.match_batch(
            requests=[{"rider_id": name, **trip} for name in ("a", "b")], iterations=10, seed=1)
        self.assertEqual(sorted(groups.groups[0].rider_ids), ["a", "b"])

    @for_each_client
    def test_commutes(self, client):
        host, rider = fresh("host"), fresh("rider")
        last = (datetime.now(timezone.utc) + timedelta(days=30)).date().isoformat()
        commute = client.commutes.create(
            host_id=host, origin=SEOUL, destination=GANGNAM, weekdays=["MON", "SUN"],
            local_time="07:45", time_zone="Asia/Seoul", to=last).commute
        self.assertEqual(commute.state, "active")
        self.assertEqual(client.commutes.get(id=commute.id, days=3).commute.host_id, host)
        self.assertEqual(len(client.commutes.list(host_id=host).commutes), 1)
        joined = client.commutes.join(id=commute.id, rider_id=rider).commute
        self.assertEqual([one.rider_id for one in joined.riders], [rider])
        changed = client.commutes.update(id=commute.id, rider_id=host, local_time="08:00").commute
        self.assertEqual(changed.local_time, "08:00")
        with self.assertRaises(moyeo.Refused) as refused:
            client.commutes.update(id=commute.id, rider_id=host, weekdays=["Monday"])
        self.assertEqual(refused.exception.reason, "bad_weekday")
        left = client.commutes.leave(id=commute.id, rider_id=rider).commute
        self.assertEqual(left.rider_count, 0)
        self.assertEqual(client.commutes.cancel(id=commute.id).commute.state, "cancelled")

    @for_each_client
    def test_fares_routes_places(self, client):
        night = datetime(2026, 11, 20, 23, 10, tzinfo=timezone(timedelta(hours=9)))
        fare = client.fares.estimate(
            origin=SEOUL, destination=GANGNAM, departure_time=night, rider_count=3).fare
        self.assertEqual(sum(line.amount for line in fare.lines), fare.expected)
        shares = client.fares.split(
            amount=10_000, currency="KRW", rule="equal",
            riders=[{"rider_id": "a"}, {"rider_id": "b"}, {"rider_id": "c"}]).shares
        self.assertEqual(sum(share.amount for share in shares), 10_000)
        tariffs = client.fares.list_tariffs(tariff_id=fare.tariff_id, at=night).tariffs
        self.assertEqual({tariff.currency for tariff in tariffs}, {"KRW"})
        route = client.routes.plan(origin=SEOUL, destination=GANGNAM, stops=[
            {"latitude": 37.52, "longitude": 127.0, "kind": "stop"}])
        self.assertEqual(list(route.stop_order), [0])
        self.assertAlmostEqual(route.path[0][1], SEOUL["latitude"], 3)
        client.positions.report(layer="places", positions=[
            {"id": "gangnam", **GANGNAM, "ttl_seconds": 0,
             "attributes": {"name": "강남역", "name_en": "Gangnam Station"}}])
        found = until(
            lambda: client.places.search(q="ㄱㄴㅇ", **GANGNAM).places, "the place is found")
        self.assertEqual(found[0].name, "강남역")
        self.assertEqual(client.places.reverse(**GANGNAM).places[0].id, "gangnam")

    @for_each_client
    def test_tickets(self, client):
        ann, ben, eve = fresh("ann"), fresh("ben"), fresh("eve")
        here = {"latitude": 37.4979, "longitude": 127.0276}
        for user in (ann, ben, eve):
            ticket = client.tickets.open(user_id=user, here=here, tags=["swift"]).ticket
            self.assertEqual(ticket.state, "open")
        self.assertTrue(client.tickets.heartbeat(user_id=ann).ticket.online)
        found = client.tickets.search(user_id=ann, limit=100, explain=True)
        self.assertIn(ben, [person.user_id for person in found.around])
        pair = {"user_id": ann, "other_id": ben}
        turned = {"user_id": ben, "other_id": ann}
        client.tickets.propose(**pair)
        client.tickets.withdraw(**pair)
        client.tickets.propose(**pair)
        client.tickets.decline(**turned)
        client.tickets.propose(**turned)
        ticket = client.tickets.accept(**pair).ticket
        self.assertEqual((ticket.state, ticket.matched_with), ("matched", ben))
        client.tickets.dodge(**pair)
        client.tickets.block(user_id=ann, other_id=eve)
        client.tickets.unblock(user_id=ann, other_id=eve)
        client.tickets.report_user(user_id=ben, other_id=ann)
        client.tickets.open(user_id=ben, here=here, tags=["swift"])
        client.tickets.propose(user_id=ben, other_id=eve)
        client.tickets.accept(user_id=eve, other_id=ben)
        client.tickets.rate(user_id=ben, other_id=eve, stars=5)
        self.assertEqual(client.tickets.close(user_id=eve).ticket.state, "closed")
        # A long poll with a deadline of its own.
        version = client.tickets.get(user_id=ben).ticket.version
        polled = client.tickets.get(
            user_id=ben, after_version=version, wait_seconds=0.1).ticket
        self.assertEqual(polled.version, version)

    @for_each_client
    def test_events(self, client):
        host = fresh("host")
        client.parties.create(
            host_id=host, origin=SEOUL, destination=GANGNAM, departure_time=soon())
        page = client.events.list(kinds=["party.created"], limit=1000, wait_seconds=1)
        self.assertIn(host, [event.body["hostId"] for event in page.events])
        with client.events.watch(after=page.events[-1].sequence - 1) as stream:
            event = next(stream)
        self.assertEqual((event.sequence, stream.resume_token),
                         (page.events[-1].sequence, str(event.sequence)))

    def test_report_streams(self):
        messages = [StreamReportsRequest(layer="streamed"), StreamReportsRequest(sequence=7)]
        messages[1].positions.add(id="a", latitude=37.5, longitude=127.0)
        with moyeo.Moyeo(f"grpc://{self.daemon.grpc_address}") as client:
            answers = list(client.stream_reports(messages))
            self.assertEqual((answers[-1].accepted, answers[-1].sequence), (1, 7))
        with moyeo.Moyeo(self.daemon.url) as client, self.assertRaises(moyeo.Refused) as refused:
            client.stream_reports(messages)
        self.assertEqual(refused.exception.reason, "unknown_route")

    def test_many_streams_leave_room_for_calls(self):
        """A connection carries 100 streams; a client opens another in time."""
        with moyeo.Moyeo(f"grpc://{self.daemon.grpc_address}") as client:
            self.daemon.report("many", [("a", 37.5, 127.0)])
            streams = [client.positions.watch(
                layer="many", latitude=37.5, longitude=127.0, radius_meters=10)
                for _ in range(110)]
            for stream in streams:
                self.assertEqual(next(stream).id, "a")
            self.assertTrue(client.positions.list_layers().layers)
            for stream in streams:
                stream.close()

    def test_every_call_is_tried_here(self):
        """A call that the tests of this file do not make fails."""
        text = pathlib.Path(__file__).read_text()
        streams = ("test_python_streams.py", "test_python_retries.py")
        text += "".join((pathlib.Path(__file__).parent / name).read_text() for name in streams)
        names = [name for name in vars(calls) if re.fullmatch(r"[A-Z]+(_[A-Z]+)+", name)]
        self.assertGreater(len(names), 50)
        for name in names:
            group, _, call = name.lower().partition("_")
            with self.subTest(name):
                self.assertIn(f"client.{group}.{call}(", text)


class Secure(unittest.TestCase):
    def test_over_tls_and_mutual_tls(self):
        with Daemon("--resources", str(ROOT), env=tls.settings(True),
                    security=tls.client("client")) as daemon:
            trust = moyeo.TLS(ca=tls.path("authority"), certificate=tls.path("client"),
                              key=tls.path("client.key"))
            for kind in KINDS:
                for address in (daemon.url, f"grpcs://127.0.0.1:{daemon.grpc_port}"):
                    with self.subTest(kind=kind.__name__, address=address):
                        with kind(address, tls=trust) as client:
                            client.positions.report(layer="safe", positions=[
                                {"id": "a", "latitude": 37.5, "longitude": 127.0}])
                        with kind(address, retry=moyeo.NO_RETRY) as client:
                            with self.assertRaises(moyeo.Unreachable):
                                client.positions.list_layers()


class Package(unittest.TestCase):
    def test_both_clients_have_the_same_calls(self):
        for name, holder in vars(sync_calls).items():
            if not name.endswith("Calls"):
                continue
            other = getattr(async_calls, name)
            self.assertEqual(list(vars(holder)), list(vars(other)))
            for method, body in vars(holder).items():
                if not method.startswith("_"):
                    with self.subTest(f"{name}.{method}"):
                        self.assertEqual(inspect.signature(body).parameters,
                                         inspect.signature(getattr(other, method)).parameters)

    def test_the_generated_code_is_that_of_the_protos(self):
        done = subprocess.run([sys.executable, str(FOLDER / "scripts" / "generate"), "--check"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_types_hold(self):
        """mypy, strictly, of the package and of the examples that use it."""
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml",
                 "--cache-dir", cache, "src/moyeo"], cwd=FOLDER, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            # All at once: it begins by reading what the package depends on.
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *map(str, EXAMPLES)],
                capture_output=True, text=True, env={**os.environ, "MYPYPATH": "src"}, cwd=FOLDER)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pip_installs_it_and_every_example_prints_what_it_says(self):
        with tempfile.TemporaryDirectory() as folder, \
                Daemon("--resources", str(ROOT), env=EVERY_SECOND) as daemon:
            # A copy, since building leaves files in the folder. What the package depends on is here
            # already, so that nothing is fetched.
            source = shutil.copytree(FOLDER, pathlib.Path(folder) / "source")
            done = subprocess.run(
                [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
                 "--target", folder, str(source)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            installed = pathlib.Path(folder) / "moyeo"
            self.assertTrue((installed / "py.typed").exists())
            self.assertTrue((installed / "v1" / "parties_pb2.pyi").exists())
            self.assertEqual(len(EXAMPLES), 10)
            for example in EXAMPLES:
                for address in addresses(daemon):
                    with self.subTest(example.name, address=address):
                        done = subprocess.run(
                            [sys.executable, "-W", "error", str(example), address],
                            capture_output=True, text=True, timeout=60, cwd=folder,
                            env={**os.environ, "PYTHONPATH": folder})
                        self.assertEqual(done.stderr, "")
                        self.assertEqual(done.stdout.splitlines(), printed(example, "#"))
                        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
