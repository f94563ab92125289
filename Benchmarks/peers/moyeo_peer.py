"""Moyeo: gRPC over a plain HTTP/2 socket (the figures that are compared), grpcio, HTTP/JSON."""

import datetime
import json
import socket
import subprocess
import time
from pathlib import Path

import grpc

from forms import BATCH, FAMILIES, LIMIT, RADIUS_LIMIT, RADIUS_METERS, UNDER_WAY, Form, System
from moyeo.v1 import positions_pb2 as pb
from moyeo_daemon import LAYER, MeasuredDaemon
from plain_http2 import IDLE_SECONDS, PlainConnection
from processes import PeerError, resident_bytes
from workload import TAGS, Workload

SERVICE = "/moyeo.v1.PositionService/"
NEARBY, BATCH_OF_NEARBY, REPORT = SERVICE + "Nearby", SERVICE + "NearbyBatch", SERVICE + "Report"
# About 50 m: extra forms of updates move objects away and back, so that all systems agree.
AWAY_DEGREES = 0.00045


def prepare(server: MeasuredDaemon, daemon: Path, workload: Workload) -> System:
    channel = grpc.insecure_channel(
        server.grpc_address, options=[("grpc.max_receive_message_length", -1)])
    grpc.channel_ready_future(channel).result(timeout=30)
    version = subprocess.run([str(daemon), "--version"], capture_output=True, text=True).stdout
    system = System("moyeo", "Moyeo", f"Moyeo {version.split()[-1]}", server)
    if "debug" in daemon.resolve().parts:
        system.notes.append("**a debug build: its figures mean nothing**")
    system.notes.append("clusters off, positions not kept on disk, time to live 86,400 s kept for "
                        "every object; every update refreshes expiry and tags")
    load(system, channel, workload)
    plain = PlainConnection("127.0.0.1", server.grpc_port)
    web = WebConnection(server.http_port)
    check_expiry(web, workload.points[0].id)
    streaming = PlainConnection("127.0.0.1", server.grpc_port)
    forms = MoyeoForms(system, channel, plain, streaming, web, workload)
    forms.add()
    system.notes.append(f"layer as served: {web.get('/v1/layers')}")

    def close() -> None:
        streaming.close()
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

    def __init__(self, connection: PlainConnection):
        self.exchange = connection.stream(SERVICE + "StreamReports")
        self.send(pb.StreamReportsRequest(layer=LAYER, sequence=1).SerializeToString())

    def send(self, request: bytes) -> pb.StreamReportsResponse:
        return pb.StreamReportsResponse.FromString(self.exchange(request))

    def register(self, ids: list[str]) -> dict[str, int]:
        handles: dict[str, int] = {}
        for first in range(0, len(ids), 1000):
            part = ids[first:first + 1000]
            answer = self.send(pb.StreamReportsRequest(
                register=pb.RegisterHandles(ids=part), sequence=1).SerializeToString())
            handles |= zip(part, answer.handles)
        if not all(handles.values()):
            raise PeerError("StreamReports knows no handle of a loaded object")
        return handles


class MoyeoForms:
    def __init__(self, system: System, channel, plain, streaming, web, workload: Workload):
        self.system = system
        self.channel = channel
        self.plain = plain
        self.web = web
        self.workload = workload
        self.stream = ReportStream(streaming)
        self.handles = self.stream.register(sorted({m.id for m in workload.moves}))
        self.nearby = unary(channel, "Nearby", pb.NearbyResponse)
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
        self.add_mixes()
        self.system.ids = lambda operation, i: [hit.id for hit in ask[operation](i).hits]

    def ask(self, requests: list[tuple[str, bytes]]) -> list[bytes]:
        return self.plain.calls(requests)

    def batch(self, requests: list[pb.NearbyRequest], first: int, count: int) -> bytes:
        return pb.NearbyBatchRequest(layer=LAYER, requests=[
            requests[k % len(requests)] for k in range(first, first + count)]).SerializeToString()

    def add_search(self, operation: str, query: str, limit: int, **more):
        add = self.system.add
        requests = self.requests(limit, **more)
        calls = [(NEARBY, r.SerializeToString()) for r in requests]
        count, nearby = len(calls), self.nearby

        def by_grpcio(i: int):
            return nearby(calls[i % count][1])

        add(operation, Form("gRPC Nearby", lambda i: self.ask([calls[i % count]])))
        if operation in (family.key for family in FAMILIES):
            add(f"{operation}_16", Form(
                "gRPC Nearby", self.ask, UNDER_WAY, request=lambda i: [
                    calls[k % count] for k in range(i * UNDER_WAY, (i + 1) * UNDER_WAY)]))
            add(f"{operation}_100", Form(
                "gRPC NearbyBatch", lambda request: check_batch(self.ask([request])[0]), BATCH,
                request=lambda i: (BATCH_OF_NEARBY, self.batch(requests, i * BATCH, BATCH))))
        if operation == "nearest":
            self.nearest_requests, self.nearest_calls = requests, calls
        if operation in ("nearest", "radius"):
            add(operation, Form("gRPC Nearby, grpcio", by_grpcio, extra=True))
            texts = [
                (f"GET /v1/layers/{LAYER}/nearby?latitude={q.latitude}&longitude={q.longitude}"
                 f"&{query} HTTP/1.1\r\nhost: localhost\r\n\r\n").encode()
                for q in self.workload.queries]
            add(operation, Form(
                "HTTP GET, JSON", lambda i: self.web.answer(texts[i % count]), extra=True))
        return by_grpcio

    def add_updates(self) -> None:
        add, moves, at = self.system.add, self.workload.moves, self.workload.moves_at
        self.singles = singles = [(REPORT, report([m])) for m in moves]

        def hundred(i: int) -> list[tuple[str, bytes]]:
            return [(REPORT, report([moves[k] for k in at(i * BATCH, BATCH)]))]

        def reported(requests: list[tuple[str, bytes]], each: int = 1):
            for answer in self.ask(requests):
                check_report(pb.ReportResponse.FromString(answer), each)

        def packed(first: int, count: int) -> bytes:
            chosen = [moves[k] for k in at(first, count)]
            return pb.StreamReportsRequest(sequence=1, packed=pb.PackedReports(
                handles=[self.handles[m.id] for m in chosen],
                latitude_e7=[round((m.latitude + AWAY_DEGREES) * 1e7) for m in chosen],
                longitude_e7=[round(m.longitude * 1e7) for m in chosen])).SerializeToString()

        def friendly(i: int) -> bytes:
            chosen = [moves[k] for k in at(i * BATCH, BATCH)]
            return pb.StreamReportsRequest(
                sequence=1, positions=[position(m, AWAY_DEGREES) for m in chosen]
            ).SerializeToString()

        def streamed(count: int):
            return lambda request: check_report(self.stream.send(request), count)

        def back(first: int, count: int):
            for i in range(first, first + count):
                reported([singles[i % len(singles)]])

        def batches_back(first: int, count: int):
            for i in range(first, first + count):
                reported(hundred(i), BATCH)

        add("update", Form("gRPC Report of 1", lambda i: reported([singles[i % len(singles)]])))
        add("update", Form(
            "StreamReports, packed handle, each awaited", streamed(1), extra=True,
            request=lambda i: packed(i, 1), restore=back))
        add("update", Form(
            "gRPC Report of 1, grpcio",
            lambda request: check_report(self.report(request), 1), extra=True,
            request=lambda i: report([moves[i % len(moves)]], AWAY_DEGREES), restore=back))
        add("update_16", Form(
            "gRPC Report of 1", reported, UNDER_WAY,
            request=lambda i: [singles[k] for k in at(i * UNDER_WAY, UNDER_WAY)]))
        add("update_100", Form(
            "gRPC Report of 100", lambda requests: reported(requests, BATCH), BATCH,
            request=hundred))
        add("update_100", Form(
            "StreamReports, packed handles, 100 a message", streamed(BATCH), BATCH, extra=True,
            request=lambda i: packed(i * BATCH, BATCH), restore=batches_back))
        add("update_100", Form(
            "StreamReports, positions, 100 a message", streamed(BATCH), BATCH, extra=True,
            request=friendly, restore=batches_back))

    def add_mixes(self) -> None:
        add, moves, at = self.system.add, self.workload.moves, self.workload.moves_at
        singles, searches = self.singles, self.nearest_calls

        def one(i: int):
            ring = singles if i % 2 == 0 else searches
            return self.ask([ring[i // 2 % len(ring)]])

        def sixteen(i: int) -> list[tuple[str, bytes]]:
            half = UNDER_WAY // 2
            return [singles[k] for k in at(i * half, half)] + [
                searches[k % len(searches)] for k in range(i * half, (i + 1) * half)]

        def hundred(i: int) -> list[tuple[str, bytes]]:
            half = BATCH // 2
            return [(REPORT, report([moves[k] for k in at(i * half, half)])),
                    (BATCH_OF_NEARBY, self.batch(self.nearest_requests, i * half, half))]

        def both(requests: list[tuple[str, bytes]]):
            reported, found = self.ask(requests)
            check_report(pb.ReportResponse.FromString(reported), BATCH // 2)
            check_batch(found)

        add("mix", Form("gRPC Report of 1, Nearby", one))
        add("mix_16", Form("gRPC Report of 1, Nearby", self.ask, UNDER_WAY, request=sixteen))
        add("mix_100", Form(
            "gRPC Report of 50, NearbyBatch of 50", both, BATCH, request=hundred))


def check_batch(answer: bytes) -> None:
    if any(item.status != 200 for item in pb.NearbyBatchResponse.FromString(answer).responses):
        raise PeerError("NearbyBatch answered an error")


def check_report(answer, count: int) -> None:
    """Of Report and of StreamReports."""
    if answer.accepted != count:
        raise PeerError(f"Moyeo refused positions: {answer.rejections[:1]}")
