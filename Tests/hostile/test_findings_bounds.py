"""Findings B, M, F and the signals: work, memory, connections, files. Each has a daemon of its own.

    MOYEOD=.build/debug/moyeod Tests/run hostile/test_findings_bounds.py
"""

import json
import pathlib
import resource
import selectors
import signal
import socket
import sqlite3
import struct
import tempfile
import threading
import time
import unittest

from bodies import GANGNAM, SEOUL, at
from findings import eventually, open_files, processor_seconds, xxh64
from http2_wire import (
    DATA, GOAWAY, HEADERS, PREFACE, RST_STREAM, SETTINGS, WINDOW_UPDATE,
    ConnectionEnded, HTTP2Wire, frame, message)
from protobuf_bytes import POSITIONS, field, position, report
from running_daemon import ROOT, Daemon

# Longer than any refusal, far shorter than the minutes that were seen.
PATIENCE_SECONDS = 3


def grid(count, tags=("swift",)):
    side = int(count ** 0.5) + 1
    return [(f"g{i}", 37 + i % side / 1000, 127 + i // side / 1000, list(tags), {"level": 1})
            for i in range(count)]


class Work(unittest.TestCase):
    def start(self, *arguments, **more):
        daemon = Daemon("--resources", str(ROOT), *arguments, **more)

        def end():
            # What is left of a request without bound must not keep the test itself.
            if daemon.is_running:
                daemon.kill()
            daemon.close()
        self.addCleanup(end)
        return daemon

    def assert_answers(self, daemon, times=8):
        """/healthz on fresh connections, so that every event loop is asked."""
        for _ in range(times):
            try:
                status = daemon.request("GET", "/healthz", timeout=PATIENCE_SECONDS)[0]
            except TimeoutError:
                self.fail("/healthz does not answer")
            self.assertEqual(status, 200)

    def work(self, daemon, action):
        before = processor_seconds(daemon.pid)
        action()
        return processor_seconds(daemon.pid) - before

    def test_b1_a_watch_of_ten_thousand_large_fences_holds_up_nobody(self):
        daemon = self.start()
        daemon.report("b1", grid(8000))
        fences = b"".join(
            field(18, field(1, f"f{i}") + field(2, 37.0) + field(3, 127.0) + field(4, 2e7))
            for i in range(10_000))
        for _ in range(3):
            with HTTP2Wire(daemon.grpc_port, PATIENCE_SECONDS) as wire:
                stream = wire.open(POSITIONS + "Watch")
                wire.data(stream, message(field(1, "b1") + fences))
                try:
                    while not wire.calls[stream].ended and not wire.calls[stream].data:
                        wire.take()
                except TimeoutError:
                    pass
        self.assert_answers(daemon)
        self.assertEqual(daemon.terminate(seconds=20), 0, "SIGTERM ends it, whatever is running")

    def test_b2_decoding_stops_at_the_first_limit(self):
        daemon = self.start()
        # Reports to a layer that stands are read by the fast reader.
        daemon.report("b2", [("first", 37.5, 127.0)])
        wire = HTTP2Wire(daemon.grpc_port, 60)
        self.addCleanup(wire.close)

        def send(tags):
            # Different ones, of four letters.
            names = [f"{i:04x}" for i in range(tags)]
            call = wire.call(POSITIONS + "Report", report("b2", [
                position("a", 37.5, 127.0, names)]))
            self.assertIn(call.status, (0, 3), call)
        send(2000)
        few, many = (self.work(daemon, lambda n=n: send(n)) for n in (2500, 20_000))
        # Eight times the bytes; a quadratic search for repeats costs 64 times the work.
        self.assertLess(many, 20 * few + 0.02, f"{few:.4f} s, {many:.4f} s")

    def test_b2_attributes_and_ids_as_well(self):
        daemon = self.start()
        link = daemon.connection()

        def send(count, kind):
            body = {"latitude": 37.5, "longitude": 127.0}
            if kind == "excludeIds":
                body["excludeIds"] = [f"{i:05x}" for i in range(count)]
            elif kind == "tags":
                body["tags"] = [f"{i:05x}" for i in range(count)]
            else:
                body["where"] = [{"attribute": f"{i:05x}", "min": 1} for i in range(count)]
            daemon.request("POST", "/v1/layers/b2/nearby", body, connection=link)
        daemon.report("b2", grid(10))
        for kind in ("excludeIds", "tags", "where"):
            with self.subTest(kind):
                send(500, kind)
                few, many = (self.work(daemon, lambda n=n: send(n, kind)) for n in (1250, 10_000))
                self.assertLess(many, 20 * few + 0.05, f"{few:.4f} s, {many:.4f} s")
        link.close()

    def settings(self, values):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
        self.addCleanup(pathlib.Path(file.name).unlink)
        with file:
            json.dump(values, file)
        return file.name

    def behind(self, daemon, path, body, loops=8):
        """Sends a long request, then small ones on connections of their own; answers how many of
        them were answered before it, and its (status, answer)."""
        done, result = threading.Event(), []

        def long():
            try:
                result.append(daemon.request("POST", path, body, timeout=120)[:2])
            except OSError as error:
                result.append((0, str(error)))
            done.set()

        links = [daemon.connection(60) for _ in range(loops)]
        for link in links:
            daemon.request("GET", "/healthz", connection=link)
        thread = threading.Thread(target=long)
        thread.start()
        before, count = processor_seconds(daemon.pid), 0
        # The long one is under way once the daemon works on it.
        eventually(30, lambda: done.is_set() or processor_seconds(daemon.pid) > before + 0.3, 0.002)
        for link in links:
            daemon.request("GET", "/healthz", connection=link)
            count += not done.is_set()
            link.close()
        thread.join()
        return count, result[0]

    def test_b3_a_batch_of_questions_that_match_nothing_holds_up_nobody(self):
        daemon = self.start("--config", self.settings({"layers": {"b3": {"clusters": False}}}))
        daemon.report("b3", grid(40_000))
        question = {"latitude": 37.1, "longitude": 127.1,
                    "where": [{"attribute": "level", "min": 5}]}
        count, (status, answer) = self.behind(
            daemon, "/v1/layers/b3/nearby/batch", {"requests": [question] * 100})
        self.assertEqual(status, 200, answer)
        statuses = {one["status"] for one in answer["responses"]}
        self.assertLessEqual(statuses, {200, 422, 504}, answer["responses"][:1])
        if statuses == {200}:
            self.assertEqual(count, 8, "answered before the batch, each on a connection of its own")

    def test_b3_polygons_of_a_thousand_corners_too(self):
        daemon = self.start("--config", self.settings({"layers": {"b3": {"clusters": False}}}))
        daemon.report("b3", grid(20_000))
        comb = {"points": [
            {"latitude": 36 + (2 if i % 2 else 0.5), "longitude": 126 + i / 250}
            for i in range(999)] + [{"latitude": 35, "longitude": 128}]}
        question = {"latitude": 37.1, "longitude": 127.1, "within": comb,
                    "where": [{"attribute": "level", "min": 5}]}
        count, (status, answer) = self.behind(
            daemon, "/v1/layers/b3/nearby/batch", {"requests": [question] * 20})
        self.assertIn(status, (200, 413, 422), answer)
        if status == 200 and {one["status"] for one in answer["responses"]} == {200}:
            self.assertEqual(count, 8)

    def test_b4_naming_iterations_does_not_lift_the_ceiling(self):
        daemon = self.start()
        body = {"requests": [
            {"riderId": f"r{i}", "origin": {**SEOUL, "latitude": 37.5 + i / 1e4},
             "destination": GANGNAM, "departureTime": at(60), "departureWindowSeconds": 1800,
             "maxWalkMeters": 800, "maxDetourRatio": 1} for i in range(400)],
            "maxSeats": 4, "seed": 1, "iterations": 1_000_000}
        try:
            status, answer, _ = daemon.request(
                "POST", "/v1/parties/match-batch", body, timeout=25)
        except TimeoutError:
            self.fail("no answer in 25 s, where 10 s is the ceiling")
        self.assertIn(status, (200, 400, 422), answer)
        self.assert_answers(daemon)

    def test_b5_counting_tags_holds_up_nobody(self):
        """Histograms of a layer and of wide circles, and then one small call on the same
        connection, so on the same event loop: it is answered while they wait for the pool."""
        daemon = self.start("--config", self.settings(
            {"layers": {"b5": {"clusters": False}}, "heavy": {"threads": 1}}))
        tags = [f"t{i}" for i in range(16)]
        daemon.report("b5", grid(12_000, tags))
        circle = field(7, 37.1) + field(8, 127.1) + field(9, 9e5)
        with HTTP2Wire(daemon.grpc_port, 60) as wire:
            # Different limits, so that none shares another's answer.
            streams = []
            for limit in range(1, 17):
                streams.append(wire.open(POSITIONS + "TagHistogram"))
                area = circle if limit % 2 else b""
                wire.data(streams[-1], message(field(1, "b5") + area + field(10, limit)))
            small = wire.call(POSITIONS + "Get", field(1, "b5") + field(2, "g7"))
            waiting = sum(not wire.calls[one].ended for one in streams)
            self.assertEqual(small.status, 0, small)
            counted = [wire.finish(one) for one in streams]
        self.assertEqual({call.status for call in counted}, {0}, counted[:2])
        # On the event loop, all 16 would have been answered before.
        self.assertGreater(waiting, 0)

    def clustered(self, daemon, layer, positions):
        daemon.report(layer, positions)
        path = f"/v1/layers/{layer}/clusters?west=-180&south=-90&east=180&north=90&zoom=0"
        self.assertTrue(eventually(120, lambda: sum(
            one["pointCount"] for one in daemon.request("GET", path)[1].get("clusters", ())
        ) == len(positions)))

    def test_b6_chosen_ids_do_not_make_clusters_quadratic(self):
        daemon = self.start()
        names = sorted((f"{i:05}" for i in range(20_000)), key=lambda n: -xxh64(n.encode()))
        self.clustered(daemon, "warm", [("a", 37.5, 127.0)])
        few = self.work(daemon, lambda: self.clustered(
            daemon, "b6-few", [(name, 37.5, 127.0) for name in names[::8]]))
        many = self.work(daemon, lambda: self.clustered(
            daemon, "b6-many", [(name, 37.5, 127.0) for name in names]))
        # Eight times the objects of one point, in the order that was worst; 64 is quadratic.
        self.assertLess(many, 20 * few + 0.1, f"{few:.3f} s, {many:.3f} s")


class Memory(unittest.TestCase):
    def test_m1_requests_that_never_end_hold_little(self):
        with Daemon() as daemon:
            daemon.report("m1", grid(10))
            before = daemon.resident_bytes()
            sent = self.unfinished(daemon, streams=90, size=4_000_000)
            grown = daemon.resident_bytes() - before
            self.assertLess(grown, 128 << 20, f"{sent >> 20} MiB sent, {grown >> 20} MiB held")
            self.assertEqual(daemon.request("GET", "/healthz")[0], 200)

    def unfinished(self, daemon, streams, size):
        """Begins reports and sends all but their last byte, as far as the daemon's windows let it;
        answers the bytes that went out."""
        with HTTP2Wire(daemon.grpc_port, 5) as wire:
            windows, connection, initial = {}, 65_535, 65_535
            # The server's settings come first.
            while True:
                kind, flags, _, payload = wire.take()
                if kind == SETTINGS and not flags & 1:
                    for at_ in range(0, len(payload), 6):
                        key, value = struct.unpack_from(">HI", payload, at_)
                        initial = value if key == 4 else initial
                    break
            whole = message(b"", length=size)
            ids = [wire.open(POSITIONS + "Report") for _ in range(streams)]
            left = {one: size - 1 for one in ids}
            windows = dict.fromkeys(ids, initial)
            for one in ids:
                wire.send(frame(DATA, 0, one, whole))
                windows[one] -= 5
                connection -= 5
            sent, wire_silent = 0, False
            wire.socket.settimeout(0.5)
            while left and not wire_silent:
                progressed = False
                for one in list(left):
                    size_now = min(16_384, left[one], windows[one], connection)
                    if size_now > 0:
                        wire.send(frame(DATA, 0, one, b"\x12" * size_now))
                        windows[one] -= size_now
                        connection -= size_now
                        left[one] -= size_now
                        sent += size_now
                        progressed = True
                    if not left.get(one):
                        left.pop(one, None)
                if progressed and connection > 16_384:
                    continue
                try:
                    kind, _, stream, payload = wire.take()
                except ConnectionEnded:
                    break
                except TimeoutError:
                    wire_silent = not progressed
                    continue
                if kind == WINDOW_UPDATE:
                    step = struct.unpack(">I", payload)[0]
                    if stream:
                        windows[stream] = windows.get(stream, 0) + step
                    else:
                        connection += step
                elif kind in (RST_STREAM, HEADERS):
                    left.pop(stream, None)
                elif kind == GOAWAY:
                    break
            self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
            return sent

    def test_m2_silent_connections_leave_room_for_others(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

        with Daemon(preexec=few) as daemon:
            silent = []
            for port in (daemon.http_port, daemon.grpc_port):
                for _ in range(300):
                    # From an address of their own, as another machine's.
                    link = socket.socket()
                    link.settimeout(2)
                    try:
                        link.bind(("127.0.0.2", 0))
                        link.connect(("127.0.0.1", port))
                        silent.append(link)
                    except OSError:
                        link.close()
            self.addCleanup(lambda: [link.close() for link in silent])

            def answers():
                try:
                    return daemon.request("GET", "/healthz", timeout=2)[0] == 200
                except OSError:
                    return False
            self.assertTrue(eventually(30, answers), "neither port answers others")
            self.assertLess(open_files(daemon.pid), 256, "below the limit")
            # A loop that cannot accept must not spin.
            before, start = processor_seconds(daemon.pid), time.monotonic()
            selectors.DefaultSelector().select(2)
            spent = processor_seconds(daemon.pid) - before
            self.assertLess(spent, 0.5 * (time.monotonic() - start), "a core spins in accept")

    def test_m5_what_does_not_finish_arriving_is_dropped(self):
        # The defaults are 30 and 10 s (Tests/docs/test_limits.py holds them). A body still has longer than what
        # lies between two of its bytes, so that none ends because it is idle.
        with Daemon(env={"MOYEO_HTTP_BODY_SECONDS": "5", "MOYEO_GRPC_PREFACE_SECONDS": "3"}) as daemon:
            daemon.report("m5", grid(10))
            silent = [daemon.socket(60, grpc=True) for _ in range(20)]
            half = [daemon.socket(60, grpc=True) for _ in range(20)]
            for link in half:
                link.sendall(PREFACE[:12])
            slow = [daemon.socket(60) for _ in range(20)]
            for link in slow:
                link.sendall(b"POST /v1/layers/m5/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                             b"content-length: 100000\r\n\r\n{")
            waiting = selectors.DefaultSelector()
            for link in silent + half + slow:
                link.setblocking(False)
                waiting.register(link, selectors.EVENT_READ)
            end, next_byte = time.monotonic() + 45, 0
            while waiting.get_map() and time.monotonic() < end:
                for key, _ in waiting.select(0.5):
                    try:
                        ended = not key.fileobj.recv(4096)
                    except OSError:
                        ended = True
                    if ended:
                        waiting.unregister(key.fileobj)
                # A byte now and then, so that none of them is idle.
                if time.monotonic() > next_byte:
                    next_byte = time.monotonic() + 2
                    for link in slow:
                        try:
                            link.sendall(b" ")
                        except OSError:
                            pass
            open_ = {name: sum(link in {key.fileobj for key in waiting.get_map().values()}
                               for link in links)
                     for name, links in (("silent", silent), ("half a preface", half),
                                         ("slow body", slow))}
            for link in silent + half + slow:
                link.close()
            self.assertEqual(open_, {"silent": 0, "half a preface": 0, "slow body": 0})

    def test_m7_without_room_a_layer_is_refused_and_nothing_traps(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (3_000_000 << 10, 3_000_000 << 10))

        try:
            daemon = Daemon(preexec=little)
        except AssertionError as error:
            # A start without room says so in a sentence.
            self.assertNotIn("Fatal error", str(error))
            self.assertRegex(str(error), "memory|address space|room")
            return
        with daemon:
            for number in range(60):
                status, answer, _ = daemon.request(
                    "POST", f"/v1/layers/m7-{number}/positions",
                    {"positions": [{"id": "a", "latitude": 1, "longitude": 1}]})
                self.assertIn(status, (200, 429), answer)
            self.assertTrue(daemon.is_running)


class Quotas(unittest.TestCase):
    """M3: what is kept for ever has a bound, in objects and in bytes, also at a start."""

    def settings(self, **limits):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
        self.addCleanup(pathlib.Path(file.name).unlink)
        with file:
            json.dump({"limits": limits}, file)
        return ("--config", file.name)

    def send(self, daemon, layer, names, note=""):
        """Reports objects that never expire; answers how many were taken. Whoever finds no room
        is told so, and by nothing else."""
        status, answer, _ = daemon.request("POST", f"/v1/layers/{layer}/positions", {"positions": [
            {"id": name, "latitude": 37.5, "longitude": 127, "ttlSeconds": 0,
             "attributes": {"note": note}} for name in names]})
        if status == 429:
            self.assertEqual(answer["error"]["reason"], "quota_exceeded", answer)
            return 0
        self.assertEqual(status, 200, answer)
        self.assertLessEqual(
            {one["reason"] for one in answer.get("rejections", ())}, {"quota_exceeded"}, answer)
        self.assertEqual(answer["accepted"] + len(answer.get("rejections", ())), len(names))
        return answer["accepted"]

    def counts(self, daemon):
        layers = daemon.request("GET", "/v1/layers")[1]["layers"]
        return {one["name"]: one["objectCount"] for one in layers if one["objectCount"]}

    def fill(self, daemon, layer, names, note=""):
        return sum(self.send(daemon, layer, names[at_:at_ + 500], note)
                   for at_ in range(0, len(names), 500))

    def test_m3_objects_have_a_bound_in_a_layer_and_in_all(self):
        names = [f"o{i}" for i in range(1500)]
        # The least that a layer may be given.
        with Daemon(*self.settings(objectsPerLayer=1024, objects=1500)) as daemon:
            self.assertEqual(self.fill(daemon, "first", names), 1024)
            self.assertEqual(self.fill(daemon, "second", names), 476)
            self.assertEqual(self.fill(daemon, "third", names[:3]), 0)
            self.assertEqual(self.counts(daemon), {"first": 1024, "second": 476})
            # Those that are there are moved on, over gRPC as well.
            self.assertEqual(self.send(daemon, "first", names[:100]), 100)
            with HTTP2Wire(daemon.grpc_port) as wire:
                known, fresh = (wire.call(POSITIONS + "Report", report("second", [
                    position(name, 37.5, 127.0, ttl=0)])) for name in ("o1", "fresh"))
            self.assertEqual(
                [b"quota_exceeded" in one.data for one in (known, fresh)], [False, True])
            # One that leaves makes room for one.
            self.assertEqual(
                daemon.request("DELETE", "/v1/layers/first/positions/o0")[0], 200)
            self.assertEqual(self.send(daemon, "second", ["x", "y"]), 1)

    def test_m3_so_have_their_bytes(self):
        names = [f"o{i}" for i in range(300)]
        with Daemon(*self.settings(objectBytes=100_000)) as daemon:
            large = self.send(daemon, "m3", names, note="n" * 1500)
            self.assertTrue(20 <= large <= 66, large)
            self.assertEqual(daemon.request("DELETE", "/v1/layers/m3")[0], 200)
            self.assertEqual(self.send(daemon, "m3", names), 300)

    def test_m3_a_start_loads_no_more_than_that(self):
        names = [f"o{i}" for i in range(1200)]
        with Daemon() as daemon:
            for layer in ("first", "second"):
                self.assertEqual(self.fill(daemon, layer, names, note="n" * 1000), 1200)
            self.assertEqual(daemon.terminate(), 0)
            ports = daemon.arguments
            for limits, in_one, in_all in ((dict(objectsPerLayer=1024), 1024, 2048),
                                           (dict(objects=200), 200, 200),
                                           (dict(objectBytes=100_000), 100, 100)):
                with self.subTest(limits):
                    daemon.arguments = ports + self.settings(**limits)
                    daemon.start()
                    kept = self.counts(daemon)
                    self.assertTrue(kept, "nothing was loaded")
                    if sum(kept.values()) < 2400:
                        self.assertTrue(
                            any("positions were left out" in line for line in daemon.log))
                    self.assertLessEqual(max(kept.values()), in_one, kept)
                    self.assertLessEqual(sum(kept.values()), in_all, kept)
                    # It is full, and serves.
                    self.assertEqual(
                        self.send(daemon, "first", ["one more"], note="n" * 1000), 0)
                    self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
                    self.assertEqual(daemon.terminate(), 0)


class Files(unittest.TestCase):
    def test_f1_positions_of_another_program_are_set_aside(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "positions.sqlite"
            link = sqlite3.connect(file)
            link.execute("CREATE TABLE theirs (what TEXT)")
            link.execute("INSERT INTO theirs VALUES ('precious')")
            link.commit()
            link.close()
            with Daemon(directory=folder) as daemon:
                self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
                said = "".join(daemon.log)
            kept = b"".join(path.read_bytes() for path in pathlib.Path(folder).iterdir()
                            if path.is_file())
            self.assertIn(b"precious", kept, "it was deleted")
            self.assertIn("positions.sqlite", said)

    def test_f2_what_is_kept_is_the_owner_s_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            directory = pathlib.Path(folder) / "data"
            with Daemon(directory=self.made(directory), env={}) as daemon:
                daemon.report("f2", grid(10))
                self.assertTrue(eventually(20, lambda: (directory / "positions.sqlite").exists()))
                daemon.terminate()
            modes = {path.name: oct(path.stat().st_mode & 0o777)
                     for path in directory.rglob("*") if path.is_file()}
            self.assertEqual(set(modes.values()), {"0o600"}, modes)

    def made(self, directory):
        directory.mkdir(mode=0o700)
        return directory

    def test_f5_sigterm_does_not_wait_for_what_never_ends(self):
        with Daemon() as daemon:
            daemon.report("f5", grid(10))
            body = daemon.socket()
            body.sendall(b"POST /v1/layers/f5/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                         b"content-length: 100\r\n\r\n{")
            stream = daemon.socket()
            stream.sendall(b"GET /v1/layers/f5/watch?latitude=37&longitude=127&radiusMeters=9 "
                           b"HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\n\r\n")
            self.assertTrue(stream.recv(100))
            wire = HTTP2Wire(daemon.grpc_port)
            half = wire.open(POSITIONS + "Report")
            wire.send(frame(DATA, 0, half, b"\0\0\0\x10\0abc"))
            self.assertEqual(daemon.terminate(seconds=10), 0)
            for link in (body, stream, wire):
                link.close()

    def test_d11_a_hangup_does_not_end_it(self):
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            with self.subTest(number), Daemon() as daemon:
                daemon.process.send_signal(number)
                self.assertFalse(eventually(1, lambda: not daemon.is_running), "it ended")
                self.assertEqual(daemon.request("GET", "/healthz")[0], 200)
