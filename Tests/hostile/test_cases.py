"""Thousands of hostile requests, the same in every run: none is a fault of ours, each refusal says
why, every answer comes within its bound, and the daemon stays, at its size.

    MOYEOD=.build/debug/moyeod Tests/run hostile/test_cases.py
    Tests/run -k damaged hostile/test_cases.py
"""

import socket
import struct
import time
import unittest

import grpc_cases
import http_cases
import json_cases
import value_cases
from bodies import LAYER, NEARBY
from http1_wire import HTTP1Wire, NoAnswer
from http2_wire import (
    CONTINUATION, END_HEADERS, END_STREAM, HEADERS, PING, ConnectionEnded, HTTP2Wire, frame)
from protobuf_bytes import POSITIONS
from running_daemon import ROOT, Daemon

# For one answer of a daemon that may be a debug build on a busy machine; a call's own deadline.
ANSWER_SECONDS = 5
# What thousands of requests may leave behind: caches, arenas, the allocator's own.
GROWTH_BYTES = 256 << 20
LEAST_CASES = 5000
SHOWN = 8

HTTP_FAMILIES = json_cases.FAMILIES + value_cases.FAMILIES + http_cases.FAMILIES
# INTERNAL, UNKNOWN and DATA_LOSS are faults of the server's own.
FAULTS = {2, 13, 15}


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report(LAYER, [
            (f"near-{i}", 37.5663 + i / 1e4, 126.9779, ["swift"], {"level": i % 9 + 1})
            for i in range(50)])
        # What the process takes once every kind of call has run.
        cls.wire = HTTP1Wire(cls.daemon.http_port, ANSWER_SECONDS)
        cls.addClassCleanup(cls.wire.close)
        for case in json_cases.broken(200):
            cls.ask(case)
        cls.before = cls.daemon.resident_bytes()

    @classmethod
    def ask(cls, case):
        return cls.wire.request(
            case.method, case.target, case.headers, case.body, host=case.host)

    def tearDown(self):
        self.assertTrue(self.daemon.is_running, "the daemon is gone: " + self.daemon.log_tail())
        self.assertEqual(self.daemon.request("GET", "/healthz", timeout=ANSWER_SECONDS)[0], 200)
        grown = self.daemon.resident_bytes() - self.before
        self.assertLess(grown, GROWTH_BYTES, f"{grown >> 20} MiB more than before")
        faults = [line for line in self.daemon.log if "failed unexpectedly" in line]
        self.assertEqual(faults[:3], [])

    def check(self, cases):
        wrong = []
        for case in cases:
            try:
                found = case.wrong(self.ask(case))
            except NoAnswer as error:
                found = str(error)
            if found:
                wrong.append(f"{case}\n    {found}")
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} answers are wrong")

    def test_there_are_enough_cases(self):
        counts = {family.__name__: len(list(family())) for family in HTTP_FAMILIES}
        counts["cursors"] = len(list(value_cases.cursors("abc")))
        counts["raw"] = len(list(http_cases.raw()))
        for family in (grpc_cases.damaged_messages, grpc_cases.damaged_prefixes,
                       grpc_cases.frame_attacks, grpc_cases.header_attacks):
            counts[family.__name__] = len(list(family()))
        self.assertGreaterEqual(sum(counts.values()), LEAST_CASES, counts)

    def test_cursors(self):
        status, answer, _ = self.daemon.request("POST", value_cases.NEAR, NEARBY)
        self.assertEqual(status, 200)
        self.check(value_cases.cursors(answer["nextCursor"]))

    def test_raw_bytes(self):
        """What is no request gets 4xx, a cut connection, or silence for more; never 2xx or 5xx."""
        for label, data, is_forbidden in http_cases.raw():
            with socket.create_connection(("127.0.0.1", self.daemon.http_port), 5) as link:
                answer = b""
                try:
                    link.sendall(data)
                    link.shutdown(socket.SHUT_WR)
                    while piece := link.recv(65536):
                        answer += piece
                except (ConnectionResetError, BrokenPipeError):
                    pass
                except TimeoutError:
                    self.fail(f"{label}: neither an answer nor an end after {data[:200]!r}")
            self.assertNotRegex(answer, b"HTTP/1.1 5", (label, data[:200]))
            if is_forbidden:
                self.assertNotRegex(answer, b"^HTTP/1.1 2", (label, data[:200]))

    # gRPC

    def connect(self):
        return HTTP2Wire(self.daemon.grpc_port, ANSWER_SECONDS)

    def test_damaged_messages(self):
        wrong, wire = [], self.connect()
        for label, path, data in grpc_cases.damaged_messages():
            try:
                call = wire.call(path, data)
                if call.status is None or call.status in FAULTS:
                    wrong.append(f"{label}: {path} {data[:200].hex()} {call}")
                elif call.status and not call.text:
                    wrong.append(f"{label}: no message, {call}")
            except (ConnectionEnded, TimeoutError) as error:
                wrong.append(f"{label}: {path} {data[:200].hex()} {error!r}")
                wire.close()
                wire = self.connect()
        wire.close()
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} answers are wrong")

    def test_damaged_prefixes(self):
        wrong, wire = [], self.connect()
        for label, path, data in grpc_cases.damaged_prefixes():
            try:
                stream = wire.open(path)
                wire.data(stream, data)
                call = wire.finish(stream)
                # gRPC's own answer to a broken frame may be INTERNAL (its doc/statuscodes.md).
                if call.status in (None, 2, 15) and call.reset is None:
                    wrong.append(f"{label}: {path} {call}")
            except (ConnectionEnded, TimeoutError) as error:
                wrong.append(f"{label}: {path} {error!r}")
                wire.close()
                wire = self.connect()
        wire.close()
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} answers are wrong")

    def attack(self, label, data):
        """Answers what is wrong: the connection must end, or answer a ping, within the bound."""
        with self.connect() as wire:
            mark = b"hostile!"
            try:
                wire.send(data + frame(PING, 0, 0, mark))
                end = time.monotonic() + ANSWER_SECONDS
                while mark not in wire.pings:
                    wire.take()
                    if time.monotonic() > end:
                        return f"{label}: frames without end"
            except ConnectionEnded:
                return None
            except TimeoutError:
                # A header block or a frame that is not whole takes the ping for its own.
                return None if cut_short(data) else f"{label}: silence after {data[:100].hex()}"
        return None

    def test_damaged_frames(self):
        wrong = []
        for label, data in grpc_cases.frame_attacks():
            if cut_short(data):
                # Nothing is due before the frame is whole; that it is let go of at its end is.
                with self.connect() as wire:
                    wire.send(data)
            elif found := self.attack(label, data):
                wrong.append(found)
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} attacks")
        self.assert_serves()

    def test_damaged_headers(self):
        wrong = []
        for label, block in grpc_cases.header_attacks():
            pieces = [block[at:at + 16_000] for at in range(0, len(block), 16_000)] or [b""]
            data = b"".join(
                frame(CONTINUATION if at else HEADERS,
                      (END_HEADERS if at == len(pieces) - 1 else 0) | (0 if at else END_STREAM),
                      1, piece) for at, piece in enumerate(pieces))
            if found := self.attack(label, data):
                wrong.append(found)
        self.assertEqual(wrong[:SHOWN], [], f"{len(wrong)} attacks")
        self.assert_serves()

    def test_damaged_prefaces(self):
        for preface in grpc_cases.PREFACES:
            with socket.create_connection(("127.0.0.1", self.daemon.grpc_port), 5) as link:
                link.sendall(preface)
        self.assert_serves()

    def test_streams_that_are_reset_at_any_point(self):
        wire = self.connect()
        block = wire.header_block(POSITIONS + "Nearby")
        for number in range(150):
            stream = wire.next_stream
            wire.next_stream += 2
            wire.calls[stream] = None
            data = frame(HEADERS, END_HEADERS, stream, block)
            if number % 3:
                data += frame(0, 0, stream, b"\0\0\0\0\x20" + b"x" * (number % 30))
            wire.send(data + frame(3, 0, stream, struct.pack(">I", number % 14)))
        wire.close()
        self.assert_serves()

    def assert_serves(self):
        with self.connect() as wire:
            call = wire.call(POSITIONS + "ListLayers", b"")
            self.assertEqual(call.status, 0, call)


def cut_short(data):
    """Whether frames end amid one, or amid a header block."""
    at, open_block = 0, False
    while at + 9 <= len(data):
        length, kind, flags = int.from_bytes(data[at:at + 3], "big"), data[at + 3], data[at + 4]
        if kind in (HEADERS, CONTINUATION):
            open_block = not flags & END_HEADERS
        at += 9 + length
    return at != len(data) or open_block


def _add(family):
    def test(self):
        self.check(family())
    test.__doc__ = (family.__doc__ or family.__name__).splitlines()[0]
    setattr(Hostile, f"test_{family.__name__}", test)


for _family in HTTP_FAMILIES:
    _add(_family)
