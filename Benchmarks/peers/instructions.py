"""Instructions of a server for one command or call, counted by callgrind; called by
Benchmarks/run-instructions. Other processes and the machine's clock make no difference to them.

The kernel's part is not counted: tests count the system calls.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import door_peer
import moyeo_daemon
import moyeo_peer
import redis_peer
from forms import BATCH, LIMIT, RADIUS_LIMIT, RADIUS_METERS, UNDER_WAY
from moyeo.v1 import positions_pb2 as pb
from moyeo_daemon import LAYER
from plain_http2 import PlainConnection
from processes import PeerError, Server, fresh_folder, free_port, wait_until
from workload import Workload

POINTS = 20_000
# Redis has no nearest-k; of 20,000 points the nearest 20 lie within.
NEAREST_METERS = 1200
WARM_UP = 5
# (key, title, requests)
PLAIN = [
    ("ping", "RESP PING", 400), ("update", "RESP GEOADD", 400),
    ("update_16", "RESP GEOADD, pipelined by 16", 100),
    ("update_100", "RESP GEOADD, pipelined by 100", 30),
    ("nearest", "RESP GEOSEARCH, nearest 20", 200),
    ("nearest_16", "RESP GEOSEARCH, nearest 20, pipelined by 16", 20),
    ("radius_16", "RESP GEOSEARCH, 1 km, limit 50, pipelined by 16", 20)]
OURS = [
    ("http", "HTTP GET nearby, JSON, 20 hits", 200), ("grpc_nearby", "gRPC Nearby, 20 hits", 200),
    ("grpc_report", "gRPC Report of 1", 200),
    ("grpc_nearby_16", "gRPC Nearby, 20 hits, 16 under way", 20),
    ("grpc_report_16", "gRPC Report of 1, 16 under way", 20),
    ("grpc_batch", "gRPC NearbyBatch of 100, a query of 20 hits", 20)]


def under_callgrind(folder: Path, name: str, command: list[str], settings: dict[str, str]
                    ) -> Server:
    return Server(name, [
        "valgrind", "--tool=callgrind", "--instr-atstart=no",
        f"--callgrind-out-file={folder}/{name}.out", *command],
        fresh_folder(folder / name), environment=settings)


def control(server: Server, *words: str) -> None:
    subprocess.run(["callgrind_control", *words, str(server.pid)], check=True, capture_output=True)


def counted(folder: Path, server: Server, call, requests: int) -> int:
    """Instructions of so many requests, those of all threads."""
    for i in range(WARM_UP):
        call(i)
    control(server, "-i", "on")
    for i in range(WARM_UP):
        call(i)
    control(server, "-z")
    for i in range(requests):
        call(i)
    control(server, "-d", "counted")
    # It writes when it runs next.
    call(0)
    control(server, "-i", "off")
    dumps = list(folder.glob(f"{server.name}.out.*"))
    found = [int(re.search(r"^(?:summary|totals): (\d+)", d.read_text(), re.M).group(1))
             for d in dumps]
    for dump in dumps:
        dump.unlink()
    if not found:
        raise PeerError("callgrind has written nothing")
    return max(found)


def resp_calls(connection, dialect, workload: Workload, radius: float) -> dict:
    moves = [dialect.report(m) for m in workload.moves]
    nearest = [dialect.search(q, None, radius, LIMIT) for q in workload.queries]
    within = [dialect.search(q, None, RADIUS_METERS, RADIUS_LIMIT) for q in workload.queries]

    def many(commands: list[bytes], count: int):
        return lambda i: connection.answers(
            b"".join([commands[k % len(commands)] for k in range(i * count, (i + 1) * count)]),
            count)

    ping = redis_peer.command("PING")
    return {
        "ping": (1, lambda i: connection.answers(ping)), "update": (1, many(moves, 1)),
        "update_16": (16, many(moves, 16)), "update_100": (100, many(moves, 100)),
        "nearest": (1, many(nearest, 1)), "nearest_16": (16, many(nearest, 16)),
        "radius_16": (16, many(within, 16))}


def our_calls(grpc: PlainConnection, web, workload: Workload) -> dict:
    questions = [pb.NearbyRequest(
        layer="objects", latitude=q.latitude, longitude=q.longitude, limit=LIMIT)
        for q in workload.queries]
    nearby = [(moyeo_peer.NEARBY, q.SerializeToString()) for q in questions]
    batches = [(moyeo_peer.BATCH_OF_NEARBY, pb.NearbyBatchRequest(
        layer="objects", requests=questions[first:first + BATCH]).SerializeToString())
        for first in range(0, 20 * BATCH, BATCH)]
    reports = [(moyeo_peer.REPORT, pb.ReportRequest(
        layer="objects", positions=[moyeo_peer.position(m)]).SerializeToString())
        for m in workload.moves]
    texts = [(f"GET /v1/layers/objects/nearby?latitude={q.latitude}&longitude={q.longitude}"
              f"&limit={LIMIT} HTTP/1.1\r\nhost: localhost\r\n\r\n").encode()
             for q in workload.queries]

    def many(calls: list, count: int):
        return lambda i: grpc.calls(
            [calls[k % len(calls)] for k in range(i * count, (i + 1) * count)])

    return {
        "http": (1, lambda i: web.answer(texts[i % len(texts)])),
        "grpc_nearby": (1, many(nearby, 1)), "grpc_report": (1, many(reports, 1)),
        "grpc_nearby_16": (UNDER_WAY, many(nearby, UNDER_WAY)),
        "grpc_report_16": (UNDER_WAY, many(reports, UNDER_WAY)),
        "grpc_batch": (BATCH, many(batches, 1))}


def connected(port: int, server: Server):
    found = []

    def ready() -> bool:
        try:
            found.append(redis_peer.Connection(port))
        except OSError:
            return False
        return True

    wait_until(ready, server, 120)
    return found[0]


def load(connection, dialect, workload: Workload) -> None:
    for first in range(0, len(workload.points), 1000):
        part = [dialect.report(p) for p in workload.points[first:first + 1000]]
        connection.answers(b"".join(part), len(part))


def of_redis(folder: Path, workload: Workload, chosen: set[str]) -> dict[str, float]:
    port = free_port()
    server = under_callgrind(folder, "redis", [
        "redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "",
        "--appendonly", "no"], {})
    try:
        connection = connected(port, server)
        dialect = redis_peer.Dialect()
        load(connection, dialect, workload)
        calls = resp_calls(connection, dialect, workload, NEAREST_METERS)
        return {key: counted(folder, server, calls[key][1], requests) / requests / calls[key][0]
                for key, _, requests in PLAIN if key in chosen}
    finally:
        server.stop()


def of_daemon(folder: Path, daemon: Path, workload: Workload, chosen: set[str]
              ) -> dict[str, float]:
    # valgrind reads the names of functions, and stumbles over the rest of what debuggers read.
    plain = folder / "moyeod"
    subprocess.run(["strip", "-g", "-o", plain, daemon], check=True)
    resp, grpc, http = free_port(), free_port(), free_port()
    settings = {**door_peer.VARIANTS[1][2], "MOYEO_LOG_FORMAT": "text"}
    server = under_callgrind(folder, "door", [
        str(plain), "--host", "127.0.0.1", "--resp-port", str(resp), "--grpc-port", str(grpc),
        "--http-port", str(http), "--data-directory", str(folder / "door")], settings)
    try:
        connection = connected(resp, server)
        dialect = door_peer.DoorDialect()
        load(connection, dialect, workload)
        calls = resp_calls(connection, dialect, workload, door_peer.WHOLE_CITY)
        calls |= our_calls(
            PlainConnection("127.0.0.1", grpc), moyeo_peer.WebConnection(http), workload)
        return {key: counted(folder, server, calls[key][1], requests) / requests / calls[key][0]
                for key, _, requests in PLAIN + OURS if key in chosen}
    finally:
        server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(prog="Benchmarks/run-instructions", description=__doc__)
    parser.add_argument("--daemon", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--workload", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", help="some of " + ", ".join(k for k, _, _ in PLAIN + OURS))
    options = parser.parse_args()
    chosen = {key for key, _, _ in PLAIN + OURS}
    if options.only:
        chosen &= set(options.only.split(","))
    workload = Workload.read(options.workload)
    workload.points = workload.points[:POINTS]
    known = {point.id for point in workload.points}
    workload.moves = [move for move in workload.moves if move.id in known]
    folder = fresh_folder(options.scratch)
    try:
        theirs = of_redis(folder, workload, chosen)
        ours = of_daemon(folder, options.daemon, workload, chosen)
    except PeerError as error:
        print(f"run-instructions: {error}", file=sys.stderr)
        return 1
    print("| one of | redis-server | Moyeo | ratio |\n|---|---:|---:|---:|")
    for key, title, _ in PLAIN + OURS:
        if key not in ours:
            continue
        redis = theirs.get(key)
        cells = ("", "") if redis is None else (f"{redis:,.0f}", f"{ours[key] / redis:.2f}")
        print(f"| {title} | {cells[0]} | {ours[key]:,.0f} | {cells[1]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
