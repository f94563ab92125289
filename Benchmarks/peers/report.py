"""peers.json and peers.md."""

import json
import platform
import subprocess
from pathlib import Path

from door_report import DOORS, door_section
from forms import OPERATIONS, System
from cost_reasons import number, reason


def machine() -> dict[str, object]:
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    cores = Path("/proc/cpuinfo").read_text().count("processor\t")
    memory = int(Path("/proc/meminfo").read_text().split()[1]) // 1024
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return {"processor": model, "cores": cores, "memoryMiB": memory, "system": system,
            "kernel": platform.release()}


def toolchain(python_packages: dict[str, str]) -> dict[str, str]:
    try:
        swift = subprocess.run(
            ["swiftc", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    except OSError:
        swift = "absent"
    return {"swift": swift, "python": platform.python_version(), **python_packages}


def comparisons(systems: list[System], rows: list[dict]) -> list[dict]:
    """Ratios of medians, ours : each peer's, of main forms."""
    main = {(r["operation"], r["system"]): r for r in rows if not r["extra"]}
    found = []
    for operation in OPERATIONS:
        ours = main[operation.key, "moyeo"]
        for system in systems:
            if system.key == "moyeo" or system.key in DOORS:
                continue
            theirs = main[operation.key, system.key]
            found.append({
                "operation": operation.key, "peer": system.key,
                "serverRatio": ours["serverMicroseconds"] / theirs["serverMicroseconds"],
                "ahead": ours["serverMicroseconds"] < theirs["serverMicroseconds"]})
    return found


def write(folder: Path, result: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    (folder / "peers.json").write_text(text, encoding="utf-8")
    (folder / "peers.md").write_text(markdown(result), encoding="utf-8")


def ratio(value: float) -> str:
    """Ours to theirs; below 1 is ahead."""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def markdown(result: dict) -> str:
    systems = result["systems"]
    rows, titles = result["rows"], {o.key: o.title for o in OPERATIONS}
    main = {(r["operation"], r["system"]): r for r in rows if not r["extra"]}
    ratios = {(c["operation"], c["peer"]): c for c in result["comparisons"]}
    peers = [s for s in systems if s["key"] != "moyeo" and s["key"] not in DOORS]
    names = {s["key"]: s["title"] for s in systems}
    out = ["# The same work on Moyeo, Redis and PostGIS", ""]
    out += [f"`{result['command']}`, {result['date']}.", "", heading(result), ""]
    out += noise(result)

    out += ["## Server CPU", "",
            "Microseconds of the server's CPU for one position or question, all its processes and "
            "threads: median of the rounds. Ratio: Moyeo's to the peer's in the same run, below 1 "
            "is less CPU. Each system has one connection; 16 under way are 16 requests sent at "
            "once, by 100 is a batch of the system or a pipeline, whichever costs less.", ""]
    out += ["| operation | Moyeo | " + " | ".join(
        f"{s['title']} | ratio" for s in peers) + " |",
        "|---|---:|" + "---:|---:|" * len(peers)]
    for operation in titles:
        cells = [titles[operation], cost(main[operation, "moyeo"])]
        for peer in peers:
            cells += [cost(main[operation, peer["key"]]),
                      f"**{ratio(ratios[operation, peer['key']]['serverRatio'])}**"]
        out.append("| " + " | ".join(cells) + " |")
    out += ["", "In brackets: least and most of the rounds. \\* medians over rounds that include "
            "void ones.", ""]

    out += door_section(result, titles, main)
    out += ["## Where Moyeo is not ahead", ""]
    behind = [c for c in result["comparisons"] if not c["ahead"]]
    for c in behind:
        why = reason(
            c["operation"], c["peer"], names[c["peer"]],
            lambda operation, system: main[operation, system]["serverMicroseconds"])
        out.append(f"- {titles[c['operation']]}: {ratio(c['serverRatio'])} times the CPU of "
                   f"{names[c['peer']]}. Why: {why}.")
    out += (["Nowhere in this table."] if not behind else []) + [""]

    out += ["## Latency of one connection", "",
            "Median and 99th percentile in microseconds of one request and its answer, the next "
            "one after it, client and server on one machine; of those under way together, until "
            "all are answered. Moyeo and Redis over plain sockets, PostGIS by psycopg.", ""]
    out += ["| operation | " + " | ".join(s["title"] for s in systems) + " |",
            "|---|" + "---:|" * len(systems)]
    for operation in titles:
        cells = [titles[operation]]
        for system in systems:
            row = main[operation, system["key"]]
            cells.append(f"{number(row['latencyMedianMicroseconds'])} "
                         f"({number(row['latencyP99Microseconds'])})")
        out.append("| " + " | ".join(cells) + " |")

    out += ["", "## Every form", "",
            "The last columns: CPU of that form to the CPU of the peers' in the first table.", "",
            "| operation | system | form | server CPU us | median us a request | counted | "
            + " | ".join(f"to {s['title']}" for s in peers) + " |",
            "|---|---|---|---:|---:|---:|" + "---:|" * len(peers)]
    for operation in titles:
        for system in systems:
            for row in rows:
                if row["operation"] == operation and row["system"] == system["key"]:
                    against = [
                        ratio(row["serverMicroseconds"]
                              / main[operation, peer["key"]]["serverMicroseconds"])
                        if system["key"] == "moyeo" or system["key"] in DOORS else ""
                        for peer in peers]
                    out.append(
                        f"| {titles[operation]} | {system['title']} | {row['form']} | "
                        f"{cost(row)} | {number(row['latencyMedianMicroseconds'])} | "
                        f"{row['units']:,} | " + " | ".join(against) + " |")

    out += ["", "## Loading and memory", "",
            "| | " + " | ".join(s["title"] for s in systems) + " |",
            "|---|" + "---:|" * len(systems),
            "| load, CPU us a point | " + " | ".join(
                number(s["loadMicroseconds"]) for s in systems) + " |",
            "| bytes a point | " + " | ".join(
                number(s["bytesPerPoint"]) for s in systems) + " |", "",
            "Moyeo: Report of 1,000 over gRPC, growth of resident memory, ids, tags and expiry "
            "included. Its door: GEOADD with TAGS in pipelines of 1,000, the same growth. Redis: "
            "GEOADD in pipelines of 1,000, growth of `used_memory`, no tags. "
            "PostGIS: INSERT ... SELECT with both indexes in place, table and indexes, no tags.",
            ""]
    others = [s for s in systems if s["key"] != "moyeo"]
    out += ["## The same answers", "",
            f"Share of hits that both name, over {result['agreementQueries']} queries; Redis "
            "rounds coordinates and PostGIS measures in a projection.", "",
            "| | " + " | ".join(s["title"] for s in others) + " |", "|---|" + "---:|" * len(others)]
    for moment, table in result["agreement"].items():
        for operation, shares in table.items():
            out.append(f"| {titles[operation]}, {moment} | " + " | ".join(
                f"{shares[s['key']] * 100:.2f} %" for s in others) + " |")
    out += ["", "## Settings", ""]
    for system in systems:
        out += [f"- {system['title']} ({system['version']}): {note}" for note in system["notes"]]
    return "\n".join(out) + "\n"


def heading(result: dict) -> str:
    machine, tools = result["machine"], result["toolchain"]
    versions = ", ".join(s["version"] for s in result["systems"])
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memoryMiB']:,} MiB, "
        f"{machine['system']}, Linux {machine['kernel']}. {versions}. {tools['swift']}; Python "
        f"{tools['python']}, " + ", ".join(
            f"{k} {v}" for k, v in tools.items() if k not in ("swift", "python"))
        + f". {result['points']:,} points, {result['queries']:,} queries, moves of 50 m, made by "
        f"`write-workload` from fixed seeds; {result['rounds']} rounds, forms one after the other "
        "in each, the order turning.")


def noise(result: dict) -> list[str]:
    shares = [s["foreign_share"] for s in result["samples"]]
    void = sum(s["void"] for s in result["samples"])
    out = [f"Other processes took {min(shares) * 100:.0f}-{max(shares) * 100:.0f} % of the machine "
           f"(median {sorted(shares)[len(shares) // 2] * 100:.0f} %) during the samples; "
           f"{void} of {len(shares)} samples are void (above 15 %)."]
    if 2 * void > len(shares):
        out.append("**Taken on a busy machine**: the ratios of CPU hold roughly, latencies do not.")
    table = ["", "| round | foreign CPU, median | most | void samples |", "|---|---:|---:|---:|"]
    for number_ in range(result["rounds"]):
        of_round = sorted(s["foreign_share"] for s in result["samples"] if s["round"] == number_)
        bad = sum(s["void"] for s in result["samples"] if s["round"] == number_)
        table.append(f"| {number_ + 1} | {of_round[len(of_round) // 2] * 100:.0f} % | "
                     f"{of_round[-1] * 100:.0f} % | {bad} of {len(of_round)} |")
    return out + table + [""]


def cost(row: dict) -> str:
    mark = "\\*" if row["voidRoundsUsed"] else ""
    return (f"{number(row['serverMicroseconds'])}{mark} ({number(row['leastMicroseconds'])}-"
            f"{number(row['mostMicroseconds'])})")
