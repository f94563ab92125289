"""Moyeo: gRPC by grpcio (the figures that are compared), a plain HTTP/2 socket, HTTP/JSON."""

import datetime
import json
import queue
import socket
import subprocess
import time
from pathlib import Path

import grpc

import moyeo_daemon
from forms import BATCH, LIMIT, RADIUS_LIMIT, RADIUS_METERS, UNDER_WAY, Form, System
from moyeo.v1 import positions_pb2 as pb
from moyeo_daemon import LAYER
from plain_http2 import IDLE_SECONDS, PlainConnection
from processes import PeerError, Server, resident_bytes
from workload import TAGS, Workload

SERVICE = "/moyeo.v1.PositionService/"
# About 50 m: extra forms of updates move objects away and back, so that all systems agree.
AWAY_DEGREES = 0.00045


def prepare(server: Server, daemon: Path, workload: Workload) -> System:
    ports = moyeo_daemon.ports(server)
    channel = grpc.insecure_channel(
        f"127.0.0.1:{ports['grpcPort']}", options=[("grpc.max_receive_message_length", -1)])
    grpc.channel_ready_future(channel).result(timeout=30)
    version = subprocess.run([str(daemon), "--version"], capture_output=True, text=True).stdout
    system = System("moyeo", "Moyeo", f"Moyeo {version.split()[-1]}", server)
    if "debug" in daemon.resolve().parts:
        system.notes.append("**a debug build: its figures mean nothing**")
    system.notes.append("clusters off, positions not kept on disk, time to live 86,400 s kept for "
                        "every object; every update refreshes expiry and tags")
    load(system, channel, workload)
    plain = PlainConnection("127.0.0.1", ports["grpcPort"])
    web = WebConnection(ports["httpPort"])
    check_expiry(web, workload.points[0].id)
    forms = MoyeoForms(system, channel, plain, web, workload)
    forms.add()
    system.notes.append(f"layer as served: {web.get('/v1/layers')}")

    def close() -> None:
        forms.stream.close()
        plain.close()
        web.socket.close()
        channel.close()

    system.close = close
    return system


def unary(channel, name: str, response):
    return channel.unary_unary(SERVICE + name, None, response.FromString)


def position(move, shift: float = 0.0) -> pb.Position:
    return pb.Position(
        id=move.id, latitude=move.latitude + shift, longitude=move.longitude, tags=move.tags)


def report(moves, shift: float = 0.0) -> bytes:
    request = pb.ReportRequest(layer=LAYER, positions=[position(m, shift) for m in moves])
    return request.SerializeToString()


def load(system: System, channel, workload: Workload) -> None:
    call = unary(channel, "Report", pb.ReportResponse)
    pid, points = system.server.pid, workload.points
    before, start = resident_bytes(pid), system.server.processor_seconds()
    for first in range(0, len(points), 1000):
        part = points[first:first + 1000]
        answer = call(report(part))
        if answer.accepted != len(part):
            raise PeerError(f"Moyeo refused positions: {answer.rejections[:1]}")
    spent = system.server.processor_seconds() - start
    system.load_microseconds = spent * 1e6 / len(points)
    system.bytes_per_point = (resident_bytes(pid) - before) / len(points)


def check_expiry(web: "WebConnection", name: str) -> None:
    """Objects that expire during the run would make it cheaper."""
    stored = json.loads(web.get(f"/v1/layers/{LAYER}/positions/{name}"))["position"]
    expires = datetime.datetime.fromisoformat(stored["expiresAt"])
    left = expires - datetime.datetime.now(datetime.timezone.utc)
    if left.total_seconds() < 20 * 3600:
        raise PeerError(f"Moyeo's objects expire too soon: {stored}")


class WebConnection:
    """HTTP/1.1, one request at a time, kept alive."""

    def __init__(self, port: int):
        self.port = port
        self.open()

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.used = time.monotonic()

    def get(self, target: str) -> str:
        return self.answer(f"GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()).decode()

    def answer(self, request: bytes) -> bytes:
        # The daemon closes idle connections.
        now = time.monotonic()
        if now - self.used > IDLE_SECONDS:
            self.socket.close()
            self.open()
        self.used = now
        self.socket.sendall(request)
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.receive()
        head = data[:end].lower()
        if not head.startswith(b"http/1.1 200"):
            raise PeerError(f"HTTP: {data[:400]!r}")
        length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        while len(data) < end + 4 + length:
            data += self.receive()
        return data[end + 4:]

    def receive(self) -> bytes:
        data = self.socket.recv(1 << 18)
        if not data:
            raise PeerError("the daemon closed the connection")
        return data


class ReportStream:
    """A StreamReports call on which each message awaits its answer."""

    def __init__(self, channel):
        self.outgoing: queue.SimpleQueue = queue.SimpleQueue()
        call = channel.stream_stream(
            SERVICE + "StreamReports", pb.StreamReportsRequest.SerializeToString,
            pb.StreamReportsResponse.FromString)
        self.answers = call(iter(self.outgoing.get, None))
        self.send(pb.StreamReportsRequest(layer=LAYER, sequence=1))

    def send(self, request) -> pb.StreamReportsResponse:
        self.outgoing.put(request)
        return next(self.answers)

    def register(self, ids: list[str]) -> dict[str, int]:
        handles: dict[str, int] = {}
        for first in range(0, len(ids), 1000):
            part = ids[first:first + 1000]
            answer = self.send(pb.StreamReportsRequest(
                register=pb.RegisterHandles(ids=part), sequence=1))
            handles |= zip(part, answer.handles)
        if not all(handles.values()):
            raise PeerError("StreamReports knows no handle of a loaded object")
        return handles

    def close(self) -> None:
        self.outgoing.put(None)


class MoyeoForms:
    def __init__(self, system: System, channel, plain, web, workload: Workload):
        self.system = system
        self.channel = channel
        self.plain = plain
        self.web = web
        self.workload = workload
        self.stream = ReportStream(channel)
        self.handles = self.stream.register(sorted({m.id for m in workload.moves}))
        self.nearby = unary(channel, "Nearby", pb.NearbyResponse)
        self.nearby_batch = unary(channel, "NearbyBatch", pb.NearbyBatchResponse)
        self.report = unary(channel, "Report", pb.ReportResponse)

    def requests(self, limit: int, **more) -> list[pb.NearbyRequest]:
        return [
            pb.NearbyRequest(layer=LAYER, latitude=q.latitude, longitude=q.longitude, limit=limit,
                             **more) for q in self.workload.queries]

    def add(self) -> None:
        ask = {}
        ask["nearest"] = self.add_search("nearest", "limit=20", LIMIT)
        ask["radius"] = self.add_search(
            "radius", "limit=50&radiusMeters=1000", RADIUS_LIMIT, radius_meters=RADIUS_METERS)
        for tag in TAGS:
            ask[tag] = self.add_search(tag, f"limit=20&tags={tag}", LIMIT, tags=[tag])
        self.add_updates()
        self.system.ids = lambda operation, i: [hit.id for hit in ask[operation](i).hits]

    def add_search(self, operation: str, query: str, limit: int, **more):
        requests = self.requests(limit, **more)
        encoded = [r.SerializeToString() for r in requests]
        count, nearby = len(encoded), self.nearby
        plain = self.plain.method(SERVICE + "Nearby")

        def call(i: int):
            return nearby(encoded[i % count])

        self.system.add(operation, Form("gRPC unary Nearby", call))
        self.system.add(operation, Form(
            "gRPC unary Nearby, plain socket", lambda i: plain([encoded[i % count]]), extra=True))
        if operation not in ("nearest", "radius"):
            return call
        if operation == "nearest":
            self.system.add("nearest_16", Form(
                "gRPC unary Nearby, plain socket", plain, UNDER_WAY, request=lambda i: [
                    encoded[k % count] for k in range(i * UNDER_WAY, (i + 1) * UNDER_WAY)]))
        batches = [
            pb.NearbyBatchRequest(layer=LAYER, requests=[
                requests[k % count] for k in range(first, first + BATCH)]).SerializeToString()
            for first in range(0, count, BATCH)]

        def batch(i: int):
            answer = self.nearby_batch(batches[i % len(batches)])
            if any(item.status != 200 for item in answer.responses):
                raise PeerError("NearbyBatch answered an error")

        self.system.add(operation, Form("gRPC NearbyBatch of 100", batch, BATCH, extra=True))
        texts = [
            (f"GET /v1/layers/{LAYER}/nearby?latitude={q.latitude}&longitude={q.longitude}&{query}"
             " HTTP/1.1\r\nhost: localhost\r\n\r\n").encode() for q in self.workload.queries]
        self.system.add(operation, Form(
            "HTTP GET, JSON", lambda i: self.web.answer(texts[i % count]), extra=True))
        return call

    def add_updates(self) -> None:
        add, moves, at = self.system.add, self.workload.moves, self.workload.moves_at
        singles = [report([m]) for m in moves]
        find = self.system.forms["nearest"][0].call
        plain_find = self.system.forms["nearest"][1].call
        plain_report = self.plain.method(SERVICE + "Report")

        def hundred(i: int) -> bytes:
            return report([moves[k] for k in at(i * BATCH, BATCH)])

        def batch(request: bytes):
            expect(self.report(request), BATCH)

        def single(i: int):
            expect(self.report(singles[i % len(singles)]), 1)

        def expect(answer, count: int):
            if answer.accepted != count:
                raise PeerError(f"Moyeo refused positions: {answer.rejections[:1]}")

        def packed(first: int, count: int):
            chosen = [moves[k] for k in at(first, count)]
            return pb.StreamReportsRequest(sequence=1, packed=pb.PackedReports(
                handles=[self.handles[m.id] for m in chosen],
                latitude_e7=[round((m.latitude + AWAY_DEGREES) * 1e7) for m in chosen],
                longitude_e7=[round(m.longitude * 1e7) for m in chosen]))

        def friendly(i: int):
            chosen = [moves[k] for k in at(i * BATCH, BATCH)]
            return pb.StreamReportsRequest(
                sequence=1, positions=[position(m, AWAY_DEGREES) for m in chosen])

        def streamed(request):
            count = len(request.packed.handles) or len(request.positions)
            expect(self.stream.send(request), count)

        def away(i: int):
            return report([moves[i % len(moves)]], AWAY_DEGREES)

        def mixed_away(i: int):
            return away(i // 2) if i % 2 == 0 else i // 2

        def plain_mix(request):
            plain_report([request]) if isinstance(request, bytes) else plain_find(request)

        def back(first: int, count: int):
            for k in range(first, first + count):
                single(k)

        def batches_back(first: int, count: int):
            for i in range(first, first + count):
                batch(hundred(i))

        add("update_batch", Form("gRPC Report of 100", batch, BATCH, request=hundred))
        add("update_batch", Form(
            "StreamReports, packed handles, 100 a message", streamed, BATCH, extra=True,
            request=lambda i: packed(i * BATCH, BATCH), restore=batches_back))
        add("update_batch", Form(
            "StreamReports, positions, 100 a message", streamed, BATCH, extra=True,
            request=friendly, restore=batches_back))
        add("update_one", Form("gRPC Report of 1", single))
        add("update_one", Form(
            "gRPC Report of 1, plain socket", lambda request: plain_report([request]), extra=True,
            request=away,
            restore=back))
        add("update_one", Form(
            "StreamReports, packed handle, each awaited", streamed, extra=True,
            request=lambda i: packed(i, 1), restore=back))
        add("update_16", Form(
            "gRPC Report of 1, plain socket", plain_report, UNDER_WAY,
            request=lambda i: [singles[k] for k in at(i * UNDER_WAY, UNDER_WAY)]))
        add("mix", Form(
            "gRPC unary Report and Nearby",
            lambda i: single(i // 2) if i % 2 == 0 else find(i // 2)))
        add("mix", Form(
            "gRPC unary, plain socket", plain_mix, extra=True, request=mixed_away,
            restore=lambda first, count: back(first // 2, count // 2)))
