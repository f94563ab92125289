"""GEOADD and GEOSEARCH over a plain socket with hiredis' parser: Redis, and what speaks like it."""

import socket
import subprocess
import time
from pathlib import Path

import hiredis

from forms import BATCH, LIMIT, RADIUS_LIMIT, RADIUS_METERS, UNDER_WAY, Form, System
from processes import PeerError, Server, free_port, fresh_folder, wait_until
from workload import TAGS, Workload

KEY = "objects"
# Redis has no nearest-k: a client guesses a radius and doubles it until enough is found. The
# first guess that costs least is chosen before the rounds.
FIRST_RADII = (40, 75, 150, 300, 600, 1200, 2400)
FIRST_RADII_OF_TAGS = (300, 600, 1200, 2400, 4800, 9600, 19_200)


# The door closes connections that were idle for longer.
IDLE_SECONDS = 120


class Connection:
    def __init__(self, port: int):
        self.port = port
        self.open()

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = hiredis.Reader()
        self.used = time.monotonic()

    def close(self) -> None:
        self.socket.close()

    def answers(self, request: bytes, count: int = 1) -> list:
        now = time.monotonic()
        if now - self.used > IDLE_SECONDS:
            self.close()
            self.open()
        self.used = now
        self.socket.sendall(request)
        found = []
        while len(found) < count:
            answer = self.reader.gets()
            if answer is False:
                data = self.socket.recv(1 << 18)
                if not data:
                    raise PeerError("the server closed the connection")
                self.reader.feed(data)
            elif isinstance(answer, Exception):
                raise PeerError(f"a command was refused: {answer}")
            else:
                found.append(answer)
        return found


def command(*parts) -> bytes:
    out = [b"*%d\r\n" % len(parts)]
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        out.append(b"$%d\r\n%s\r\n" % (len(part), part))
    return b"".join(out)


def start(folder: Path) -> tuple[Server, int]:
    port = free_port()
    data = fresh_folder(folder / "redis")
    server = Server("redis", [
        "redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", str(data),
        "--save", "", "--appendonly", "no"], data)
    return server, port


class Dialect:
    """How a server that speaks RESP is asked. This one is Redis's; the door's is in door_peer.py."""

    radii = FIRST_RADII
    radii_of_tags = FIRST_RADII_OF_TAGS

    def report(self, point) -> bytes:
        return command("GEOADD", KEY, point.longitude, point.latitude, point.id)

    def report_many(self, points) -> list[bytes]:
        """One command for all of them, or as few as there can be."""
        return [command("GEOADD", KEY, *[
            x for p in points for x in (p.longitude, p.latitude, p.id)])]

    def search(self, query, tag: str | None, radius: float, limit: int) -> bytes:
        return command(
            "GEOSEARCH", KEY if tag is None else f"tag:{tag}", *around(query, radius, limit))

    def label(self, tag: str | None, radius: float) -> str:
        return f"{'key per tag, ' if tag else ''}first radius {radius} m"

    def load(self, system: System, connection: Connection, workload: Workload) -> None:
        load(system, connection, workload)


def around(query, radius: float, limit: int) -> tuple:
    return ("FROMLONLAT", query.longitude, query.latitude, "BYRADIUS", radius, "m",
            "ASC", "COUNT", limit, "WITHCOORD", "WITHDIST")


def prepare(server: Server, port: int, workload: Workload) -> System:
    def ready() -> bool:
        try:
            return Connection(port).answers(command("PING")) == [b"PONG"]
        except OSError:
            return False

    wait_until(ready, server)
    text = subprocess.run(["redis-server", "--version"], capture_output=True, text=True).stdout
    system = System("redis", "Redis GEOSEARCH", f"Redis {text.split('v=')[1].split()[0]}", server)
    system.notes.append("no persistence; a key per tag, tag keys take no updates")
    add_forms(system, port, Dialect(), workload)
    return system


def add_forms(system: System, port: int, dialect: Dialect, workload: Workload) -> None:
    """Loads the workload, and adds every form of every operation."""
    connection = Connection(port)
    system.close = connection.close
    system.resp_port = port
    dialect.load(system, connection, workload)

    def nearest(tag: str | None, radius: float) -> Form:
        return Form(
            dialect.label(tag, radius), lambda requests: find_nearest(connection, requests),
            request=lambda i: searches(dialect, workload, i, tag, radius))

    for radius in dialect.radii:
        system.add("nearest", nearest(None, radius))
    within = [dialect.search(q, None, RADIUS_METERS, RADIUS_LIMIT) for q in workload.queries]
    system.add("radius", Form(
        "BYRADIUS", lambda i: connection.answers(within[i % len(within)])[0]))

    def many_within(count: int):
        return lambda i: b"".join(
            [within[k % len(within)] for k in range(i * count, (i + 1) * count)])

    for suffix, count in (("16", UNDER_WAY), ("100", BATCH)):
        system.add(f"radius_{suffix}", Form(
            "BYRADIUS, pipelined", lambda request, count=count: connection.answers(request, count),
            count, request=many_within(count)))
    for tag in TAGS:
        for radius in dialect.radii_of_tags:
            system.add(tag, nearest(tag, radius))
    updates(system, connection, dialect, workload)

    def ids(operation: str, i: int) -> list[str]:
        form = system.forms[operation][0]
        hits = form.call(form.request(i) if form.request else i)
        return [hit[0].decode() for hit in hits]

    system.ids = ids


def load(system: System, connection: Connection, workload: Workload) -> None:
    def used() -> int:
        info = connection.answers(command("INFO", "memory"))[0]
        return int(info.split(b"used_memory:")[1].split(b"\r\n")[0])

    points = workload.points
    before, start = used(), system.server.processor_seconds()
    for first in range(0, len(points), 1000):
        part = [command("GEOADD", KEY, p.longitude, p.latitude, p.id)
                for p in points[first:first + 1000]]
        connection.answers(b"".join(part), len(part))
    spent = system.server.processor_seconds() - start
    system.load_microseconds = spent * 1e6 / len(points)
    system.bytes_per_point = (used() - before) / len(points)
    for tag in TAGS:
        members = [p for p in points if tag in p.tags]
        for first in range(0, len(members), 1000):
            part = [command("GEOADD", f"tag:{tag}", p.longitude, p.latitude, p.id)
                    for p in members[first:first + 1000]]
            connection.answers(b"".join(part), len(part))


def searches(dialect: Dialect, workload: Workload, i: int, tag: str | None, radius: float
             ) -> list[bytes]:
    """Requests for one query: the first radius and its doubles up to the whole city."""
    query = workload.queries[i % len(workload.queries)]
    requests = []
    while not requests or radius < 200_000:
        requests.append(dialect.search(query, tag, radius, LIMIT))
        radius *= 2
    return requests


def find_nearest(connection: Connection, requests: list[bytes]) -> list:
    hits = []
    for request in requests:
        hits = connection.answers(request)[0]
        if len(hits) >= LIMIT:
            break
    return hits


def updates(system: System, connection: Connection, dialect: Dialect, workload: Workload) -> None:
    singles = [dialect.report(m) for m in workload.moves]
    system.single_updates = singles

    def pipeline(count: int):
        return lambda i: b"".join([singles[k] for k in workload.moves_at(i * count, count)])

    def few_commands(i: int) -> tuple[bytes, int]:
        chosen = [workload.moves[k] for k in workload.moves_at(i * BATCH, BATCH)]
        commands = dialect.report_many(chosen)
        return b"".join(commands), len(commands)

    def single(i: int):
        connection.answers(singles[i % len(singles)])

    system.add("update", Form("GEOADD", single))
    system.add("update_16", Form(
        "GEOADD, pipelined", lambda request: connection.answers(request, UNDER_WAY), UNDER_WAY,
        request=pipeline(UNDER_WAY)))
    system.add("update_100", Form(
        "one GEOADD of 100", lambda request: connection.answers(*request), BATCH,
        request=few_commands))
    system.add("update_100", Form(
        "GEOADD, pipelined", lambda request: connection.answers(request, BATCH), BATCH,
        request=pipeline(BATCH)))

    # By then the form of one at a time is chosen and stands first.
    def many_searches(operation: str, count: int):
        def requests(i: int) -> list[list[bytes]]:
            best = system.forms[operation][0].request
            return [best(k) for k in range(i * count, (i + 1) * count)]
        return requests

    def find_many(waiting: list[list[bytes]]):
        turn = 0
        while waiting:
            answers = connection.answers(
                b"".join([requests[turn] for requests in waiting]), len(waiting))
            turn += 1
            waiting = [
                requests for requests, hits in zip(waiting, answers)
                if len(hits) < LIMIT and turn < len(requests)]

    for suffix, count in (("16", UNDER_WAY), ("100", BATCH)):
        for operation in ("nearest", "t1"):
            system.add(f"{operation}_{suffix}", Form(
                "GEOSEARCH as one at a time, pipelined", find_many, count,
                request=many_searches(operation, count)))

    def mixed_request(i: int):
        if i % 2 == 0:
            return singles[i // 2 % len(singles)]
        return system.forms["nearest"][0].request(i // 2)

    def mixed(request):
        if isinstance(request, bytes):
            connection.answers(request)
        else:
            find_nearest(connection, request)

    system.add("mix", Form(
        "GEOADD, GEOSEARCH as one at a time", mixed, request=mixed_request))

    def many_mixed(count: int):
        half = count // 2
        return lambda i: (pipeline(half)(i), many_searches("nearest", half)(i))

    def mixed_many(half: int):
        def call(request):
            updates, waiting = request
            # All leave together; searches that found too few follow.
            answers = connection.answers(
                updates + b"".join([requests[0] for requests in waiting]), 2 * half)[half:]
            find_many([requests[1:] for requests, hits in zip(waiting, answers)
                       if len(hits) < LIMIT and len(requests) > 1])
        return call

    for suffix, count in (("16", UNDER_WAY), ("100", BATCH)):
        system.add(f"mix_{suffix}", Form(
            "GEOADD, GEOSEARCH as one at a time, pipelined", mixed_many(count // 2), count,
            request=many_mixed(count)))
