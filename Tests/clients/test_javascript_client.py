"""The JavaScript client in Node: every call, its retries and streams, its examples and its types.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run clients/test_javascript_client.py
"""

import email.utils
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import unittest

import tokens
from example_outputs import printed
from faulty_proxy import FaultyProxy
from python_client import (
    GANGNAM, SEOUL, OneDaemon, OneDaemonWithTokens, create_party, fresh, soon)
from running_daemon import ROOT, Daemon, MissingProgram
from scripted_server import FINE, ScriptedHTTP, error_event, event_stream, refusal
from waiting import until

FOLDER = ROOT / "clients" / "javascript"
HERE = pathlib.Path(__file__).parent / "javascript"
EXAMPLES = sorted(path for path in (FOLDER / "examples").glob("*.js")
                  if "// It prints:" in path.read_text())
QUICK = {"base": 10, "longest": 50}


def program(name, package):
    found = shutil.which(name)
    if not found:
        raise MissingProgram(f"install Debian's package {package} for the tests of the client")
    return found


def node(*arguments, timeout=60):
    return subprocess.run([program("node", "nodejs"), *map(str, arguments)], capture_output=True,
                          text=True, timeout=timeout)


def ask(address, call, values=None, **told):
    """Makes one call; answers what ask.mjs says last."""
    done = node(HERE / "ask.mjs", json.dumps(
        {"address": address, "call": call, "values": values, **told}))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


class Follower:
    """A stream that another process reads; its events as they come."""

    def __init__(self, test, address, call, values, count, **told):
        self.events, self.last, self.asked = [], None, 0
        self._process = subprocess.Popen(
            [program("node", "nodejs"), str(HERE / "ask.mjs"), json.dumps(
                {"address": address, "call": call, "values": values, "count": count,
                 "options": QUICK, **told})], stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        test.addCleanup(self._close)

    def _read(self):
        for line in self._process.stdout:
            told = json.loads(line)
            if "event" in told:
                self.events.append(told["event"])
            self.asked = told.get("asked", self.asked)
            self.last = told

    def finished(self, seconds=30):
        self._thread.join(seconds)
        assert not self._thread.is_alive(), self.events
        assert "error" not in self.last, self.last
        return self.events

    def _close(self):
        self._process.kill()
        self._process.wait()
        self._thread.join()
        self._process.stdout.close()


class Calls(OneDaemon, unittest.TestCase):
    def test_every_group_of_calls(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            done = node(HERE / "calls.mjs", daemon.url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.split(" fine\n")[:-1],
                         ["positions", "clusters", "parties", "commutes", "fares", "tickets",
                          "givingUp"])

    def test_every_call_is_tried_there(self):
        module = (FOLDER / "moyeo.js").read_text()
        tried = (HERE / "calls.mjs").read_text()
        holders = re.findall(r"^class (\w+)Calls \{$(.*?)^\}$", module, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(holders), 9)
        groups = {"Party": "parties"}
        for holder, body in holders:
            group = groups.get(holder, holder.lower() + "s")
            for method in re.findall(r"^  (\w+)\(request", body, re.MULTILINE):
                with self.subTest(f"{group}.{method}"):
                    self.assertIn(f"moyeo.{group}.{method}(", tried)

    def test_examples_print_what_they_say(self):
        self.assertEqual(len(EXAMPLES), 10)
        # Requests that wait are put together each minute: here each second.
        daemon = self.enterContext(
            Daemon("--resources", str(ROOT), env={"MOYEO_PARTIES_BATCH_SECONDS": "1"}))
        for example in EXAMPLES:
            with self.subTest(example.name):
                done = node(example, daemon.url)
                self.assertEqual(done.stderr, "")
                self.assertEqual(done.stdout.splitlines(), printed(example))

    def test_examples_for_maps_draw(self):
        done = node(HERE / "maps.mjs", self.daemon.url)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.split(" fine\n")[:-1], ["kakao", "maplibre", "viewport"])

    def test_examples_for_maps_are_short(self):
        for path in (FOLDER / "examples" / "kakao.js", FOLDER / "examples" / "maplibre.js",
                     FOLDER / "examples" / "maplibre-tiles.js",
                     ROOT / "Tests" / "MoyeoClientTests" / "NaverMapExample.swift"):
            with self.subTest(path.name):
                self.assertLess(len(path.read_text().splitlines()), 40)

    def test_the_generated_end_is_that_of_the_protos(self):
        done = subprocess.run([sys.executable, str(FOLDER / "scripts" / "generate"), "--check"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_types_hold(self):
        done = subprocess.run(
            [program("tsc", "node-typescript"), "--noEmit", "--allowJs", "--checkJs", "--strict",
             "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "es2022",
             "--moduleResolution", "node", str(FOLDER / "moyeo.js")],
            capture_output=True, text=True, cwd=FOLDER)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Retries(unittest.TestCase):
    def scripted(self, *answers):
        server = ScriptedHTTP(*answers)
        self.addCleanup(server.close)
        return server

    def join(self, server, **told):
        return ask(server.address, "parties.join", {"id": "p", "riderId": "ann"}, pretends=True,
                   **told)

    def test_one_effect_though_the_connection_is_cut(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            proxy = FaultyProxy(daemon.http_port)
            self.addCleanup(proxy.close)
            host = fresh("host")

            def created():
                _, page, _ = daemon.request("GET", "/v1/events?limit=1000&kinds=party.created")
                return [event["partyId"] for event in page["events"] if host in event["userIds"]]

            proxy.cut_once(host, lambda: until(created, "the party is there"))
            told = ask(proxy.url, "parties.create", {
                "hostId": host, "origin": SEOUL, "destination": GANGNAM,
                "departureTime": f"{soon():%FT%TZ}"}, options=QUICK)
            self.assertEqual(proxy.cuts, 1)
            self.assertEqual(created(), [told["answer"]["party"]["id"]])
            # What is not set-state is left to the caller.
            daemon.report("doomed", [("a", 37.5, 127.0)])
            proxy.cut_once("doomed", lambda: None)
            before = proxy.connections
            told = ask(proxy.url, "positions.deleteLayer", {"layer": "doomed"}, options=QUICK)
            self.assertEqual((told["error"]["name"], told["error"]["sent"]), ("Unreachable", True))
            self.assertEqual(proxy.connections, before + 1)

    def test_the_time_given_is_waited_for_and_jitter_comes_on_top(self):
        for reason, status in (("overloaded", 503), ("rate_limited", 429), ("quota_exceeded", 429),
                               ("unavailable", 503)):
            with self.subTest(reason):
                server = self.scripted(
                    refusal(status, reason, 2000), refusal(status, reason, 700), FINE)
                self.assertEqual(self.join(server)["waits"], [2100, 900])
                self.assertEqual(len(set(server.keys)), 1)
                self.assertGreaterEqual(len(server.keys[0]), 32)

    def test_proxies_say_it_by_header_alone(self):
        self.assertEqual(
            self.join(self.scripted((503, {"Retry-After": "3"}, "down"), FINE))["waits"], [3100])
        self.assertEqual(self.join(self.scripted(
            (429, {"Retry-After": "nonsense"}, ""), (502, {}, ""), FINE))["waits"], [100, 200])
        date = email.utils.formatdate(time.time() + 8, usegmt=True)
        wait, = self.join(self.scripted((503, {"Retry-After": date}, ""), FINE))["waits"]
        self.assertTrue(5000 < wait < 8200, wait)

    def test_what_waiting_does_not_mend_is_not_repeated(self):
        for status, reason, wait in (
                (409, "superseded", 250), (409, "party_full", None), (429, "quota_exceeded", None),
                (500, "internal", None), (401, "token_expired", None), (422, "too_much_work", 100)):
            with self.subTest(reason):
                server = self.scripted(refusal(status, reason, wait), FINE)
                told = self.join(server)
                self.assertEqual((told["error"]["reason"], told["waits"]), (reason, []))
                self.assertEqual(len(server.requests), 1)

    def test_a_wait_beyond_the_deadline_is_not_begun(self):
        server = self.scripted(refusal(503, "overloaded", 20_000))
        self.assertEqual(self.join(server)["waits"], [])
        server = self.scripted(refusal(503, "overloaded", 2000))
        self.assertEqual(self.join(server, options={"timeout": 6500})["waits"], [2100, 2200])
        server = self.scripted(refusal(503, "overloaded"))
        told = self.join(server, options={"attempts": 3})
        self.assertEqual((told["waits"], told["error"]["reason"]), ([100, 200], "overloaded"))

    def test_errors_carry_what_the_wire_tells(self):
        server = self.scripted((400, {"Content-Type": "application/json"}, json.dumps({
            "error": {"code": "INVALID_ARGUMENT", "reason": "null_island", "message": "no", "fields": [
                {"field": "positions[0].latitude", "reason": "null_island", "message": "refused"}],
                "metadata": {"limit": "3"}}, "rejections": [{"id": "a"}]})))
        error = self.join(server)["error"]
        self.assertEqual(
            (error["status"], error["code"], error["metadata"]), (400, "INVALID_ARGUMENT", {"limit": "3"}))
        self.assertEqual(error["rejections"], [{"id": "a"}])
        self.assertIn("positions[0].latitude: refused (null_island)", error["message"])
        told = self.join(self.scripted((200, {"Content-Type": "text/html"}, "<html>")))
        self.assertEqual(told["error"]["name"], "UnexpectedAnswer")


class Streams(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon("--resources", str(ROOT))
        self.addCleanup(self.daemon.close)
        self.proxy = FaultyProxy(self.daemon.http_port)
        self.addCleanup(self.proxy.close)

    def follow(self, call, values, count=10**6, **told):
        return Follower(self, self.proxy.url, call, values, count, **told)

    def restart(self, kill=True):
        self.daemon.kill() if kill else self.daemon.terminate()
        self.daemon.start()
        self.proxy.upstream = self.daemon.http_port

    def create(self, count=1):
        for _ in range(count):
            party = create_party(self.daemon)
        return party

    def test_the_feed_has_no_gap_and_no_duplicate(self):
        reader = self.follow("events.watch", {"after": 0}, 9)
        self.create(3)
        until(lambda: len(reader.events) == 3, "three events")
        self.restart()
        self.create(3)
        until(lambda: len(reader.events) == 6, "six events")
        self.proxy.cut_all()
        self.create(2)
        until(lambda: len(reader.events) == 8, "eight events")
        self.restart(kill=False)
        self.create()
        self.assertEqual([event["sequence"] for event in reader.finished()], list(range(1, 10)))

    def test_a_party_is_heard_from_its_version_on(self):
        party = self.create()
        self.proxy.cut_once("/events?afterVersion=", lambda: None)
        reader = self.follow("parties.watch", {"id": party["id"]}, 1)
        until(lambda: self.proxy.cuts == 1, "the opening was cut")
        self.daemon.request(
            "POST", f"/v1/parties/{party['id']}/join", {"riderId": fresh("rider")})
        self.assertEqual([event["kind"] for event in reader.finished()], ["joined"])

    def test_positions_tiles_and_matches_begin_anew(self):
        self.daemon.report("mine", [("a", 37.5, 127.0)])
        positions = self.follow(
            "positions.watch", {"layer": "mine", "latitude": 37.5, "longitude": 127.0,
                                "radiusMeters": 100})
        tiles = self.follow(
            "clusters.watchTiles", {"layer": "mine", "west": 126.9, "south": 37.4, "east": 127.1,
                                    "north": 37.6, "zoom": 10})
        matches = self.follow(
            "parties.watchMatches", {"riderId": "ann", "origin": SEOUL, "destination": GANGNAM,
                                     "departureTime": f"{soon():%FT%TZ}"})
        for reader in (positions, tiles, matches):
            until(lambda: reader.events, "the first event")
        self.restart(kill=False)
        for reader, kinds in ((positions, ["enter", "reset", "enter"]), (tiles, ["reset"] * 2),
                              (matches, ["candidates"] * 2)):
            until(lambda: [event["kind"] for event in reader.events] == kinds, kinds)
        self.daemon.report("mine", [("b", 37.5, 127.0)])
        party = self.create()
        until(lambda: positions.events[-1].get("id") == "b", "b is in")
        until(lambda: tiles.events[-1]["kind"] == "changed", "a change")
        until(lambda: matches.events[-1].get("partyId") == party["id"], "the candidate")

    def test_refusals_in_the_middle(self):
        def event(sequence):
            return f'event: x\r\nid: {sequence}\r\ndata: {{"kind": "x", "sequence": {sequence}}}\r\n\r\n'

        server = ScriptedHTTP(
            event_stream(event(1), event(2), error_event("too_slow_consumer", 1000)),
            event_stream(event(2), event(3)), refusal(503, "overloaded", 4000),
            event_stream(event(4), error_event("resume_token_expired")))
        self.addCleanup(server.close)
        told = ask(server.address, "events.watch", {}, count=9, pretends=True)
        self.assertEqual(told["error"]["reason"], "resume_token_expired")
        self.assertEqual(told["waits"], [1100, 100, 4200])
        self.assertEqual([headers.get("last-event-id") for _, _, headers, _ in server.requests],
                         [None, "2", "3", "3"])

    def test_final_errors_end_for_good(self):
        for call, values, reason in (
                ("events.watch", {"after": 10**9}, "resume_token_ahead"),
                ("parties.watch", {"id": "nobody"}, "unknown_party"),
                ("positions.watch", {"layer": "nowhere", "latitude": 1, "longitude": 1,
                                     "radiusMeters": 1}, "unknown_layer")):
            with self.subTest(reason):
                told = ask(self.daemon.url, call, values, count=1, pretends=True)
                self.assertEqual((told["error"]["reason"], told["waits"]), (reason, []))
        told = ask("http://127.0.0.1:1", "events.watch", {}, count=1, pretends=True)
        self.assertEqual((told["error"]["name"], told["waits"]),
                         ("Unreachable", [100, 200, 400, 800]))


class Tokens(OneDaemonWithTokens, unittest.TestCase):
    def test_an_expired_token_is_renewed_once(self):
        given = [self.token(-60), self.token(600)]
        told = ask(self.daemon.url, "positions.listLayers", times=20, tokens=given)
        self.assertEqual((told.get("answer"), told["asked"]), (20, 2))
        told = ask(self.daemon.url, "positions.listLayers", tokens=given[:1])
        self.assertEqual((told["error"]["reason"], told["asked"]), ("token_expired", 2))
        told = ask(self.daemon.url, "positions.listLayers", options={"token": given[0]})
        self.assertEqual(told["error"]["reason"], "token_expired")

    def test_a_stream_goes_on_with_the_next_token(self):
        headers = tokens.bearer(self.token())
        reader = Follower(self, self.daemon.url, "events.watch", {"after": 0}, 2,
                          tokens=[self.token(3), self.token(600)])
        create_party(self.daemon, headers)
        until(lambda: len(reader.events) == 1, "the first event")
        until(lambda: reader.asked == 2, "the next token")
        create_party(self.daemon, headers)
        self.assertEqual([event["sequence"] for event in reader.finished()], [1, 2])
        self.assertEqual(reader.last["asked"], 2)


if __name__ == "__main__":
    unittest.main()
