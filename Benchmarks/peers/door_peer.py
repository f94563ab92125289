"""Moyeo's door for clients of Redis: the commands that Redis gets, and one that Redis has not."""

import subprocess
from pathlib import Path

import moyeo_daemon
import redis_peer
from forms import System
from processes import free_port, resident_bytes
from redis_peer import KEY, Connection, around, command
from workload import Workload

# More than the city: the door finds the nearest and needs no guess.
WHOLE_CITY = 200_000

# (key, title, settings, note)
VARIANTS = (
    ("door", "Moyeo's door, default settings", {},
     "all settings as they are without any: clusters on, positions kept on disk"),
    ("door_bare", "Moyeo's door, bare",
     {"MOYEO_LAYERS_OBJECTS_CLUSTERS": "false", "MOYEO_POSITIONS_KEEP": "false"},
     "clusters off, positions not kept on disk, as the Redis beside it"))


class DoorDialect(redis_peer.Dialect):
    """One key, whose members carry their tags: every update sends them again."""

    # Redis's own form competes, so that clients that are not changed are measured too.
    radii = (*redis_peer.FIRST_RADII, WHOLE_CITY)
    radii_of_tags = (WHOLE_CITY,)

    def report(self, point) -> bytes:
        return command(
            "GEOADD", KEY, *self.tags(point.tags), point.longitude, point.latitude, point.id)

    def report_many(self, points) -> list[bytes]:
        """A command for each set of tags."""
        groups: dict[tuple, list] = {}
        for point in points:
            groups.setdefault(tuple(point.tags), []).append(point)
        return [
            command("GEOADD", KEY, *self.tags(tags), *[
                x for p in members for x in (p.longitude, p.latitude, p.id)])
            for tags, members in groups.items()]

    def search(self, query, tag: str | None, radius: float, limit: int) -> bytes:
        return command(
            "GEOSEARCH", KEY, *around(query, radius, limit), *self.tags([tag] if tag else []))

    def tags(self, tags) -> tuple:
        return ("TAGS", len(tags), *tags) if tags else ()

    def label(self, tag: str | None, radius: float) -> str:
        if radius == WHOLE_CITY:
            return "one GEOSEARCH, no guess" + (", TAGS" if tag else "")
        return super().label(tag, radius)

    def load(self, system: System, connection: Connection, workload: Workload) -> None:
        points, pid = workload.points, system.server.pid
        before, start = resident_bytes(pid), system.server.processor_seconds()
        for first in range(0, len(points), 1000):
            part = [self.report(p) for p in points[first:first + 1000]]
            connection.answers(b"".join(part), len(part))
        spent = system.server.processor_seconds() - start
        system.load_microseconds = spent * 1e6 / len(points)
        system.bytes_per_point = (resident_bytes(pid) - before) / len(points)


def start(folder: Path, daemon: Path, resources: Path | None, key: str, settings: dict[str, str]
          ) -> tuple[moyeo_daemon.MeasuredDaemon, int]:
    port = free_port()
    server = moyeo_daemon.start(
        folder, daemon, resources, name=key, settings=settings, more=("--resp-port", str(port)))
    return server, port


def prepare(server, port: int, daemon: Path, workload: Workload, key: str, title: str, note: str
            ) -> System:
    version = subprocess.run([str(daemon), "--version"], capture_output=True, text=True).stdout
    system = System(key, title, f"Moyeo {version.split()[-1]}", server)
    if "debug" in daemon.resolve().parts:
        system.notes.append("**a debug build: its figures mean nothing**")
    system.notes.append(note)
    redis_peer.add_forms(system, port, DoorDialect(), workload)
    return system
