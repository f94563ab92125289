"""PostgreSQL with PostGIS: GiST, k-nearest by `<->`, ST_DWithin; prepared statements, binary
answers (psycopg), commits not awaited on disk."""

import os
import pwd
import secrets
import shutil
import signal
import struct
import subprocess
import tempfile
from pathlib import Path

import psycopg

from forms import BATCH, FAMILIES, LIMIT, RADIUS_LIMIT, RADIUS_METERS, UNDER_WAY, Form, System
from processes import PeerError, Server, free_port, fresh_folder, wait_until
from workload import TAGS, Workload

# Korea 2000 / Central Belt: metres, scale 1 at 127 degrees. Projecting queries and moves is
# done before the rounds and costs PostGIS nothing in the figures.
PROJECTION = 5186
SETTINGS = {
    "shared_buffers": "1GB", "synchronous_commit": "off", "jit": "off",
    "max_parallel_workers_per_gather": "0", "random_page_cost": "1.1", "max_wal_size": "8GB",
    "checkpoint_timeout": "1h", "plan_cache_mode": "force_generic_plan",
}


def programs() -> Path:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: p.as_posix())
    if not folders:
        raise PeerError("PostgreSQL is missing: scripts/system-packages postgresql-15 "
                        "postgresql-15-postgis-3")
    return folders[-1].parent


def start(folder: Path) -> tuple[Server, int, str]:
    """PostgreSQL refuses to run as root: then it runs as the user `postgres`."""
    user = "postgres" if os.geteuid() == 0 else None
    if user is not None:
        try:
            pwd.getpwnam(user)
        except KeyError:
            raise PeerError("PostgreSQL must not run as root and there is no user postgres")
    data = fresh_folder(folder / "postgres", user)
    as_user = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    if user and subprocess.run(["ls", str(data)], capture_output=True, **as_user).returncode:
        # The checkout lies where that user may not go.
        shutil.rmtree(data)
        data = Path(tempfile.mkdtemp(prefix="moyeo-peers-"))
        shutil.chown(data, user, user)
    password = secrets.token_hex(16)
    secret = data / "password"
    secret.write_text(password)
    secret.chmod(0o600)
    if user is not None:
        shutil.chown(secret, user, user)
    made = subprocess.run(
        [str(programs() / "initdb"), "-D", str(data / "cluster"), "-U", "moyeo", "-E", "UTF8",
         "--locale", "C", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"],
        capture_output=True, text=True, cwd=data, **as_user)
    if made.returncode != 0:
        shutil.rmtree(data, ignore_errors=True)
        raise PeerError(f"initdb failed:\n{made.stderr}")
    port = free_port()
    arguments = [str(programs() / "postgres"), "-D", str(data / "cluster"), "-p", str(port),
                 "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
    for key, value in SETTINGS.items():
        arguments += ["-c", f"{key}={value}"]
    server = Server("postgres", arguments, data, user=user, stop_signal=signal.SIGINT)
    return server, port, password


def prepare(server: Server, port: int, password: str, workload: Workload) -> System:
    connection = None

    def ready() -> bool:
        nonlocal connection
        try:
            connection = psycopg.connect(
                host="127.0.0.1", port=port, user="moyeo", password=password, dbname="postgres",
                autocommit=True)
            return True
        except psycopg.OperationalError:
            return False

    wait_until(ready, server)
    connection.prepare_threshold = 0
    connection.prepared_max = None
    connection.execute("CREATE EXTENSION postgis")
    version = connection.execute(
        "SELECT current_setting('server_version'), postgis_lib_version()").fetchone()
    system = System("postgis", "PostGIS", f"PostgreSQL {version[0].split()[0]}, PostGIS "
                    f"{version[1]}", server)
    system.notes += [
        f"projected to EPSG:{PROJECTION} beforehand; "
        + ", ".join(f"{k}={v}" for k, v in SETTINGS.items()),
        "tags in a table of their own, which takes no updates"]
    system.close = connection.close
    load(system, connection, workload)
    PostGISForms(system, connection, workload).add()
    return system


def load(system: System, connection, workload: Workload) -> None:
    run = connection.execute
    run("CREATE UNLOGGED TABLE staging (id text, longitude float8, latitude float8, tags text[])")
    with connection.cursor().copy("COPY staging FROM STDIN") as copy:
        for p in workload.points:
            copy.write_row((p.id, p.longitude, p.latitude, p.tags))
    point = "ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)"
    run("CREATE TABLE objects_tagged AS SELECT id, "
        f"ST_Transform({point}, {PROJECTION})::geometry(Point, {PROJECTION}) AS place, tags "
        "FROM staging")
    start = system.server.processor_seconds()
    run(f"CREATE TABLE objects (id text PRIMARY KEY, place geometry(Point, {PROJECTION}))")
    run("CREATE INDEX ON objects USING gist (place)")
    run("INSERT INTO objects SELECT id, place FROM objects_tagged")
    spent = system.server.processor_seconds() - start
    system.load_microseconds = spent * 1e6 / len(workload.points)
    size = run("SELECT pg_total_relation_size('objects')").fetchone()[0]
    system.bytes_per_point = size / len(workload.points)
    # Measured with an index packed by CREATE INDEX, which answers faster than a grown one.
    run("DROP INDEX objects_place_idx")
    run("CREATE INDEX ON objects USING gist (place)")
    run("CREATE INDEX ON objects_tagged USING gist (place)")
    for tag in TAGS:
        run(f"CREATE INDEX ON objects_tagged USING gist (place) WHERE '{tag}' = ANY (tags)")
    run(f"CREATE TABLE objects_geography AS SELECT id, {point}::geography AS place FROM staging")
    run("CREATE INDEX ON objects_geography USING gist (place)")
    run("DROP TABLE staging")
    for table in ("objects", "objects_tagged", "objects_geography"):
        run(f"VACUUM (FREEZE, ANALYZE) {table}")
    run("CHECKPOINT")


def projected(connection, places) -> list[str]:
    """Hexadecimal EWKB in the table's projection."""
    rows = connection.execute(
        "SELECT encode(ST_AsEWKB(ST_Transform(ST_SetSRID(ST_MakePoint(x, y), 4326), %s)), 'hex') "
        "FROM unnest(%s::float8[], %s::float8[]) WITH ORDINALITY AS t(x, y, n) ORDER BY n",
        (PROJECTION, [p.longitude for p in places], [p.latitude for p in places]))
    return [row[0] for row in rows]


def geographic(place) -> str:
    return struct.pack("<BIIdd", 1, 0x2000_0001, 4326, place.longitude, place.latitude).hex()


class PostGISForms:
    def __init__(self, system: System, connection, workload: Workload):
        self.system = system
        self.connection = connection
        self.cursor = connection.cursor(binary=True)
        self.workload = workload
        self.queries = projected(connection, workload.queries)
        self.moves = projected(connection, workload.moves)
        self.geographic = [geographic(q) for q in workload.queries]

    def search(self, queries: list[str], table: str, limit: int, *, kind: str = "geometry",
               condition: str = "true"):
        coordinates = "place" if kind == "geometry" else "place::geometry"
        text = (
            f"SELECT id, ST_X({coordinates}), ST_Y({coordinates}), place <-> %(q)s::{kind} "
            f"FROM {table} WHERE {condition} ORDER BY place <-> %(q)s::{kind} LIMIT {limit}")
        cursor = self.cursor

        def call(i: int):
            cursor.execute(text, {"q": queries[i % len(queries)]}, prepare=True)
            return cursor.fetchall()

        return call, text

    def pipelined(self, queries: list[str], text: str, count: int):
        cursors = [self.connection.cursor(binary=True) for _ in range(count)]

        def call(i: int):
            with self.connection.pipeline():
                for k, cursor in enumerate(cursors):
                    q = queries[(i * count + k) % len(queries)]
                    cursor.execute(text, {"q": q}, prepare=True)
            return [cursor.fetchall() for cursor in cursors]

        return call

    def together(self, queries: list[str], table: str, limit: int, condition: str):
        """One statement of 100 questions."""
        text = (
            "SELECT n, h.* FROM unnest(%s::text[]) WITH ORDINALITY AS t(q, n) CROSS JOIN LATERAL "
            "(SELECT id, ST_X(place), ST_Y(place), place <-> q::geometry FROM "
            f"{table} WHERE {condition} ORDER BY place <-> q::geometry LIMIT {limit}) AS h")
        cursor = self.cursor

        def call(i: int):
            chosen = [queries[k % len(queries)] for k in range(i * BATCH, (i + 1) * BATCH)]
            cursor.execute(text, (chosen,), prepare=True)
            return cursor.fetchall()

        return call

    def add_search(self, operation: str, label: str, table: str, limit: int, condition: str):
        add = self.system.add
        one, text = self.search(self.queries, table, limit, condition=condition)
        add(operation, Form(label, one))
        if operation in (family.key for family in FAMILIES):
            for suffix, count in (("16", UNDER_WAY), ("100", BATCH)):
                add(f"{operation}_{suffix}", Form(
                    f"{label}, pipelined", self.pipelined(self.queries, text, count), count))
            add(f"{operation}_100", Form(
                f"{label}, one statement of 100", self.together(
                    self.queries, table, limit, condition.replace("%(q)s", "q")), BATCH))
        return one

    def add(self) -> None:
        add = self.system.add
        ask = {
            "nearest": self.add_search("nearest", "geometry in metres, <->", "objects", LIMIT,
                                       "true"),
            "radius": self.add_search(
                "radius", "geometry in metres, ST_DWithin, <->", "objects", RADIUS_LIMIT,
                f"ST_DWithin(place, %(q)s::geometry, {RADIUS_METERS})")}
        add("nearest", Form(
            "geography, <->", self.search(
                self.geographic, "objects_geography", LIMIT, kind="geography")[0], extra=True))
        add("radius", Form(
            "geography, ST_DWithin, <->", self.search(
                self.geographic, "objects_geography", RADIUS_LIMIT, kind="geography",
                condition=f"ST_DWithin(place, %(q)s::geography, {RADIUS_METERS}, false)")[0],
            extra=True))
        for tag in TAGS:
            ask[tag] = self.add_search(
                tag, "partial index", "objects_tagged", LIMIT, f"'{tag}' = ANY (tags)")
            add(tag, Form("filter", self.search(
                self.queries, "objects_tagged", LIMIT,
                condition=f"tags @> ARRAY['{tag}']")[0], extra=True))
        self.add_updates(ask["nearest"])
        self.system.ids = lambda operation, i: [row[0] for row in ask[operation](i)]

    def add_updates(self, nearest) -> None:
        workload, cursor, connection = self.workload, self.cursor, self.connection
        moves = list(zip(self.moves, (m.id for m in workload.moves)))
        one = "UPDATE objects SET place = %s::geometry WHERE id = %s"
        many = ("UPDATE objects SET place = m.place::geometry "
                "FROM unnest(%s::text[], %s::text[]) AS m(place, id) WHERE objects.id = m.id")

        def single(i: int):
            cursor.execute(one, moves[i % len(moves)], prepare=True)

        def hundred(i: int):
            return [moves[k] for k in workload.moves_at(i * BATCH, BATCH)]

        def statement(chosen):
            cursor.execute(many, ([m[0] for m in chosen], [m[1] for m in chosen]), prepare=True)

        def pipelined(count: int):
            def call(i: int):
                with connection.pipeline():
                    for k in workload.moves_at(i * count, count):
                        cursor.execute(one, moves[k], prepare=True)
            return call

        nearest_text = self.search(self.queries, "objects", LIMIT)[1]

        def mixed(count: int):
            half = count // 2
            cursors = [connection.cursor(binary=True) for _ in range(half)]

            def call(i: int):
                with connection.pipeline():
                    for each, k in zip(cursors, workload.moves_at(i * half, half)):
                        cursor.execute(one, moves[k], prepare=True)
                        q = self.queries[k % len(self.queries)]
                        each.execute(nearest_text, {"q": q}, prepare=True)
                return [each.fetchall() for each in cursors]

            return call

        add = self.system.add
        add("update", Form("a transaction each", single))
        add("update_16", Form("pipelined, one commit", pipelined(UNDER_WAY), UNDER_WAY))
        add("update_100", Form("one statement of 100, unnest", statement, BATCH, request=hundred))
        add("update_100", Form("pipelined, one commit", pipelined(BATCH), BATCH))
        add("mix", Form(
            "a transaction each, <->",
            lambda i: single(i // 2) if i % 2 == 0 else nearest(i // 2)))
        add("mix_16", Form("<->, pipelined, one commit", mixed(UNDER_WAY), UNDER_WAY))
        add("mix_100", Form("<->, pipelined, one commit", mixed(BATCH), BATCH))
