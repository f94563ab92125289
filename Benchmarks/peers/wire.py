"""Load over the wire, by `moyeo bench` against a daemon of its own; for Benchmarks/run-wire."""

import argparse
import datetime
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import moyeo_daemon
import report
from processes import PeerError

# Nobody goes before the generator on its core, where that is allowed.
PRIORITY = -20
RATES = ("25%", "50%", "75%")


@dataclass(frozen=True)
class Arrangement:
    """Which cores the daemon and the generator have; a generator with a core of its own never
    sleeps, so that its requests leave in time."""

    daemon: set[int]
    generator: set[int]
    spins: bool

    @classmethod
    def of(cls, shared: bool) -> "Arrangement":
        cores = sorted(os.sched_getaffinity(0))
        if shared or len(cores) == 1:
            return cls(set(cores), set(cores), False)
        return cls(set(cores[:-1]), {cores[-1]}, True)

    def __str__(self) -> str:
        if not self.spins:
            return "on the same cores, the generator asleep between requests"
        named = ", ".join(map(str, sorted(self.daemon)))
        return (f"the daemon on core {named}, the generator alone on core {min(self.generator)}, "
                "awake all the time and not decoding meanwhile, in closed loops too")

    def begin(self) -> None:
        """In the generator's process."""
        os.sched_setaffinity(0, self.generator)
        if self.spins:
            try:
                os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
            except PermissionError:
                pass


@dataclass(frozen=True)
class Lane:
    title: str
    arguments: list[str] = field(default_factory=list)
    wire: str = "grpc"
    # Of one caller there is nothing to take a share of.
    rates: tuple[str, ...] = RATES


LANES = [
    Lane("gRPC Nearby, 20 hits, 16 callers", ["--mode", "nearby"]),
    Lane("gRPC Nearby, 20 hits, 128 callers", ["--mode", "nearby", "--callers", "128"], rates=()),
    Lane("gRPC Nearby, 20 hits, 1 caller",
         ["--mode", "nearby", "--callers", "1", "--connections", "1"], rates=()),
    Lane("gRPC NearbyBatch of 100", ["--mode", "nearby-batch"]),
    Lane("gRPC Report of 1", ["--mode", "report", "--batch-size", "1"]),
    Lane("gRPC Report of 100", ["--mode", "report"]),
    Lane("StreamReports, packed, 100 a message", ["--mode", "stream-reports"]),
    Lane("gRPC Nearby and Report of 1, half each",
         ["--mode", "mixed", "--batch-size", "1"]),
    Lane("HTTP Nearby, 20 hits, JSON", ["--mode", "nearby"], "http"),
    Lane("HTTP Report of 100, JSON", ["--mode", "report"], "http"),
]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/run-wire", description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000, help="points (1,000,000)")
    parser.add_argument("--seconds", type=float, default=8, help="of each measurement (8)")
    parser.add_argument("--tries", type=int, default=3,
                        help="of a lane with void runs; the best is kept (3)")
    parser.add_argument("--shared-cores", action="store_true",
                        help="daemon and generator on all cores, the generator sleeps")
    parser.add_argument("--daemon", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--command", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--resources", type=Path, help="passed to the daemon")
    parser.add_argument("--scratch", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, required=True, help="folder for wire.json, .md")
    return parser.parse_args()


def note(text: str) -> None:
    print(f"[{datetime.datetime.now():%H:%M:%S}] {text}", file=sys.stderr, flush=True)


def bench(options: argparse.Namespace, arrangement: Arrangement, address: list[str],
          more: list[str]) -> list[dict]:
    if arrangement.spins:
        more = [*more, "--spin"]
    ran = subprocess.run(
        [str(options.command), "bench", *address, "--generate", str(options.points),
         "--layer", moyeo_daemon.LAYER, "--json", *more], preexec_fn=arrangement.begin,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        raise PeerError(f"moyeo bench {' '.join(more)}: {ran.stderr.strip()}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def measured(options: argparse.Namespace, arrangement: Arrangement, server) -> list[dict]:
    addresses = {"grpc": ["--grpc", server.grpc_address], "http": ["--url", server.url]}
    note(f"loading {options.points:,} points")
    bench(options, arrangement, addresses["grpc"], ["--duration", "1", "--warm-up", "0"])
    rows = []
    for lane in LANES:
        tries = []
        while not tries or (voids(tries[-1]) and len(tries) < options.tries):
            note(lane.title + (f", once more ({len(tries)})" if tries else ""))
            tries.append(bench(options, arrangement, addresses[lane.wire], [
                *lane.arguments, "--no-load", "--server-pid", str(server.pid),
                "--warm-up", "1.5", "--duration", str(options.seconds),
                *(part for rate in lane.rates for part in ("--rate", rate))]))
        rows.append({"lane": lane.title, "rates": list(lane.rates), "runs": min(tries, key=voids)})
    return rows


def voids(runs: list[dict]) -> int:
    return sum(bool(run["void"]) for run in runs)


def us(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def markdown(result: dict) -> str:
    machine = result["machine"]
    lines = [
        "# Load over the wire", "",
        f"`{result['command']}`, {result['date']}.", "",
        f"{machine['processor']}, {machine['cores']} cores, {machine['memoryMiB']:,} MiB, "
        f"{machine['system']}, Linux {machine['kernel']}. {result['toolchain']['swift']}. "
        f"{result['points']:,} points, clusters off, nothing kept on disk, "
        f"{result['seconds']:g} s a measurement after 1.5 s; daemon and `moyeo bench` on this "
        f"machine, {result['arrangement']}.", "",
        "Latencies in microseconds; those of an open loop from the time at which a request was to "
        "leave. Server CPU in microseconds by the daemon's process clock. A run is void (\\*) when "
        "the generator's lateness (p99) is above 10 % of the latency's, when other processes took "
        "more than 15 % of the machine, or when a request failed.", "",
        "## Closed loop", "",
        "| | requests/s | items/s | CPU a request | CPU an item | p50 | p99 | p99.9 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for row in result["rows"]:
        lines.append(closed_line(row["lane"], row["runs"][0]))
    lines += [
        "", "## Open loop", "",
        "| | of the peak | requests/s | p50 | p99 | p99.9 | lateness p99 | CPU a request |",
        "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for row in result["rows"]:
        for rate, run in zip(row["rates"], row["runs"][1:]):
            lines.append(open_line(row["lane"], rate, run))
    reasons = sorted({reason for row in result["rows"] for run in row["runs"]
                      for reason in run["void"]})
    if reasons:
        lines += ["", "Void runs say: " + "; ".join(reasons) + "."]
    return "\n".join(lines) + "\n"


def latency(run: dict) -> dict:
    """Of reads and writes together where a lane has both: the worse of the two."""
    found = run["latencyMicroseconds"].values()
    return {key: max((kind[key] for kind in found), default=0.0) for key in ("p50", "p99", "p99.9")}


def closed_line(title: str, run: dict) -> str:
    seen = latency(run)
    per_second = run["requestsPerSecond"]
    items = run["items"] / max(run["seconds"], 1e-9)
    mark = "\\*" if run["void"] else ""
    return (f"| {title}{mark} | {per_second:,.0f} | {items:,.0f} "
            f"| {us(run['serverMicrosecondsPerRequest'])} | {us(run['serverMicrosecondsPerItem'])} "
            f"| {us(seen['p50'])} | {us(seen['p99'])} | {us(seen['p99.9'])} |")


def open_line(title: str, rate: str, run: dict) -> str:
    seen = latency(run)
    mark = "\\*" if run["void"] else ""
    return (f"| {title}{mark} | {rate} | {run['requestsPerSecond']:,.0f} "
            f"| {us(seen['p50'])} | {us(seen['p99'])} | {us(seen['p99.9'])} "
            f"| {us(run['latenessMicroseconds']['p99'])} "
            f"| {us(run['serverMicrosecondsPerRequest'])} |")


def main() -> int:
    options = arguments()
    options.scratch.mkdir(parents=True, exist_ok=True)
    arrangement = Arrangement.of(options.shared_cores)
    server = moyeo_daemon.start(
        options.scratch, options.daemon, options.resources, arrangement.daemon)
    try:
        rows = measured(options, arrangement, server)
    except PeerError as error:
        print(f"run-wire: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("run-wire: interrupted", file=sys.stderr)
        return 130
    finally:
        server.stop()
    result = {
        "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC",
        "command": os.environ["WIRE_COMMAND"], "machine": report.machine(),
        "toolchain": report.toolchain({}), "points": options.points, "seconds": options.seconds,
        "arrangement": str(arrangement), "rows": rows}
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "wire.json").write_text(json.dumps(result, indent=1) + "\n")
    text = markdown(result)
    (options.results / "wire.md").write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
