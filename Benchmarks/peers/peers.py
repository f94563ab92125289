"""Runs the same workload against Moyeo, Redis and PostGIS; called by Benchmarks/run-peers."""

import argparse
import datetime
import os
import shlex
import signal
import sys
from importlib.metadata import version
from pathlib import Path

import door_peer
import moyeo_daemon
import moyeo_peer
import postgis_peer
import redis_peer
import report
import throughput
from measuring import Measuring, agreement
from processes import PeerError
from workload import Workload

# Below this share of common hits the systems do not do the same work.
LEAST_AGREEMENT = 0.95


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/run-peers", description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000, help="points (1,000,000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (5)")
    parser.add_argument("--quick", action="store_true",
                        help="a tenth of the calls: to see that everything works")
    parser.add_argument("--daemon", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--resources", type=Path, help="passed to the daemon")
    parser.add_argument("--workload", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help="folder for peers.json, .md")
    found = parser.parse_args()
    if found.rounds < 1:
        parser.error("--rounds is at least 1")
    return found


def note(text: str) -> None:
    print(f"[{datetime.datetime.now():%H:%M:%S}] {text}", file=sys.stderr, flush=True)


def stop(number, frame) -> None:
    raise KeyboardInterrupt


def measured(options: argparse.Namespace, servers: list):
    """Yields the result so far after each round."""
    workload = Workload.read(options.workload)
    note(f"{len(workload.points):,} points, {len(workload.queries):,} queries, "
         f"{len(workload.moves):,} moves")
    systems = []
    daemon = moyeo_daemon.start(options.scratch, options.daemon, options.resources)
    servers.append(daemon)
    note("loading Moyeo")
    systems.append(moyeo_peer.prepare(daemon, options.daemon, workload))
    redis, redis_port = redis_peer.start(options.scratch)
    servers.append(redis)
    note("loading Redis")
    systems.append(redis_peer.prepare(redis, redis_port, workload))
    postgres, postgres_port, password = postgis_peer.start(options.scratch)
    servers.append(postgres)
    note("loading PostGIS")
    systems.append(postgis_peer.prepare(postgres, postgres_port, password, workload))

    for key, title, settings, about in door_peer.VARIANTS:
        door, port = door_peer.start(
            options.scratch, options.daemon, options.resources, key, settings)
        servers.append(door)
        note(f"loading {title}")
        systems.append(door_peer.prepare(
            door, port, options.daemon, workload, key, title, about))

    checked = min(len(workload.queries), 20 if options.quick else 200)
    agreed = {"loaded": agreement(systems, checked)}
    for operation, shares in agreed["loaded"].items():
        for peer, share in shares.items():
            if share < LEAST_AGREEMENT:
                raise PeerError(f"{operation}: {peer} and Moyeo have only {share:.1%} of the hits "
                                "in common; they would not be doing the same work")
    note("warming up, choosing each system's cheapest form")
    measuring = Measuring(
        systems, options.rounds, 0.1 if options.quick else 1, 0.3 if options.quick else 2.5, note)
    for rounds in measuring.run():
        if rounds == options.rounds:
            agreed["after the updates"] = {
                key: shares for key, shares in agreement(systems, checked).items()
                if key in ("nearest", "radius")}
        rows = measuring.summaries()
        many = throughput.measure(
            systems, workload, options.scratch / "throughput", 1 if options.quick else 3,
            options.quick, note) if rounds == options.rounds else []
        yield {
            "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
            "command": os.environ.get("PEERS_COMMAND") or shlex.join(sys.argv),
            "machine": report.machine(),
            "toolchain": report.toolchain(
                {name: version(name) for name in ("grpcio", "psycopg", "hiredis")}),
            "points": len(workload.points), "queries": len(workload.queries),
            "rounds": rounds, "quick": options.quick,
            "systems": [
                {"key": s.key, "title": s.title, "version": s.version, "notes": s.notes,
                 "loadMicroseconds": s.load_microseconds, "bytesPerPoint": s.bytes_per_point}
                for s in systems],
            "agreementQueries": checked, "agreement": agreed,
            "rows": rows, "comparisons": report.comparisons(systems, rows),
            "throughput": many, "samples": measuring.sample_rows()}
    for system in systems:
        system.close()


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    servers: list = []
    try:
        # Written after each round: an interrupted run leaves the rounds that it finished.
        for result in measured(options, servers):
            report.write(options.results, result)
        print(report.markdown(result))
        return 0
    except PeerError as error:
        print(f"run-peers: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("run-peers: interrupted", file=sys.stderr)
        return 130
    finally:
        # Once only: a second signal must not leave a server behind.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        for server in reversed(servers):
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
