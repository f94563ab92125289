"""Modes of torture.py in which the machine itself fails: disk, power, clock, the first start."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from ledger import Ledger, check_file
from service import Service, Unknown, binary
from shim import Shim, copy_directory, mixed, power_cut

from running_daemon import Daemon


def _torture():
    # torture.py runs as a program; it is imported once more only here.
    import torture
    return torture


def sure_claims(ledger):
    sure = {}
    for rider, (party, state) in ledger.riders.items():
        if state == "in" and party not in ledger.cancelled:
            sure.setdefault(party, []).append(rider)
    return sure


def wait_until_writable(service, seconds=30):
    """Until commands are taken again: /readyz names no read-only record."""
    end, text = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        try:
            text = service.call("GET", "/readyz")[1]
            if "read-only" not in text:
                return
        except Unknown:
            pass
        time.sleep(0.05)
    raise AssertionError(f"still read-only {seconds} s after the faults ended: {text}")


def count_lost(service, ledger, dice, everything):
    """Raises when anything acknowledged is lost, doubled or oversold."""
    tools = _torture()
    tools.verify(service, ledger, dice)
    again = tools.settle_unconfirmed(service, ledger)
    tools.verify(service, ledger, dice, everything=everything)
    return again


def figures(options, ledger, **more):
    # A loss, a double or an oversold seat raises before this is reached.
    return {"rounds": options.rounds, "acknowledged": ledger.acknowledged, "lost": 0, "doubled": 0,
            "oversold": 0, "parties": len(ledger.history), **more}


def disk_faults(options):
    """Writes, syncs and reads fail now and then; then they do not, and all must be there."""
    tools, dice, ledger = _torture(), random.Random(options.seed), Ledger()
    told = restarts = again = 0
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "data"
        shim = Shim(directory, pathlib.Path(scratch) / "control", seed=options.seed)
        service = Service(directory, environment=shim.environment())
        service.start()
        for number in range(options.rounds):
            clients, stop = tools.load(
                service, ledger, options.threads, f"d{number}", options.seed)
            time.sleep(dice.uniform(0.05, 0.3))
            faults = mixed(dice)
            shim.set(**faults)
            time.sleep(dice.uniform(0.2, options.seconds))
            kills = dice.random() < 0.4
            if kills:
                service.kill()
            shim.set()
            stop.set()
            tools.finish(clients)
            if kills:
                restarts += 1
                check_file(directory, sure_claims(ledger))
                service.start()
            wait_until_writable(service)
            told += sum("message=degraded" in line for line in service.log)
            service.log.clear()
            again += count_lost(service, ledger, dice, number + 1 == options.rounds)
            tools.progress(f"round {number + 1}: {faults}, {ledger.acknowledged} acknowledged")
        assert told > 0, "no fault was ever told"
        assert service.stop() == 0
    return figures(options, ledger, **{
        "restarts": restarts, "episodes told": told, "unconfirmed, sent again": again})


def power_cuts(options):
    """The power goes under load: what was synced is there, of the rest any sector or none."""
    tools, dice, ledger = _torture(), random.Random(options.seed), Ledger()
    again = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        directory, before = scratch / "data", scratch / "before"
        directory.mkdir(mode=0o700)
        for number in range(options.rounds):
            shutil.rmtree(before, ignore_errors=True)
            copy_directory(directory, before)
            log = scratch / f"log-{number}"
            shim = Shim(directory, scratch / "control", log=log, seed=options.seed)
            service = Service(directory, environment=shim.environment())
            service.start()
            if number > 0:
                # What the cut left is looked at before anything is repeated.
                again += count_lost(service, ledger, dice, False)
            clients, _ = tools.load(service, ledger, options.threads, f"p{number}", options.seed)
            time.sleep(dice.uniform(0.05, options.seconds))
            service.kill()
            tools.finish(clients)
            left = scratch / "left"
            left.mkdir(mode=0o700)
            power_cut(before, log, left, dice, dice.choice([0, 0.3, 0.5, 0.9, 1]))
            log.unlink()
            check_file(left, sure_claims(ledger))
            shutil.rmtree(directory)
            left.rename(directory)
            tools.progress(f"round {number + 1}: {ledger.acknowledged} acknowledged")
        service = Service(directory)
        service.start()
        again += count_lost(service, ledger, dice, True)
        assert service.stop() == 0
    return figures(options, ledger, **{"unconfirmed, sent again": again})


def clock_steps(options):
    """The wall clock is set back and forth under load: checkpoints, recovery and write-behind go
    on by the monotonic clock."""
    tools, dice, ledger = _torture(), random.Random(options.seed), Ledger()
    copied, again = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "data"
        shim = Shim(directory, pathlib.Path(scratch) / "control", seed=options.seed)
        service = Service(
            directory, environment={**shim.environment(), "MOYEO_POSITIONS_WRITE_BEHIND_SECONDS": "1"})
        service.start()
        for number in range(options.rounds):
            hours = [-2, 0, 1, 0, -6, -1][number % 6]
            clients, stop = tools.load(
                service, ledger, options.threads, f"c{number}", options.seed)
            time.sleep(0.1)
            shim.set(clock=hours * 3600)
            time.sleep(0.1)
            status, answer = service.call(
                "POST", "/v1/layers/users/positions",
                {"positions": [{"id": f"u{number}", "latitude": 37.5, "longitude": 127}]})
            assert status == 200, answer
            began, main = time.time(), directory / "moyeo.sqlite"
            kept = [directory / name for name in ("positions.sqlite", "positions.sqlite-wal")]
            end = time.monotonic() + 20
            waits = {"the record": [main], "positions": kept}
            while waits and time.monotonic() < end:
                for what, paths in list(waits.items()):
                    if any(path.exists() and path.stat().st_mtime > began for path in paths):
                        del waits[what]
                time.sleep(0.01)
            copied.append((time.time() - began) * 1000)
            stop.set()
            tools.finish(clients)
            assert not waits, f"after a step to {hours} h nothing was written for 20 s: {list(waits)}"
            # While read-only, the record is opened again by the monotonic clock, too.
            shim.set(clock=hours * 3600, fail_sync=1)
            service_refuses(service)
            shim.set(clock=(hours - 3) * 3600)
            wait_until_writable(service)
            again += count_lost(service, ledger, dice, number + 1 == options.rounds)
            tools.progress(f"round {number + 1}: {hours} h, copied after {copied[-1]:.0f} ms")
        assert service.stop() == 0
    return figures(options, ledger, **{
        "written after a step, ms": tools.spread(copied), "unconfirmed, sent again": again})


def service_refuses(service):
    """Commands until one is refused; each has its own host."""
    tools = _torture()
    for attempt in range(40):
        host = f"refused-{time.monotonic_ns()}-{attempt}"
        try:
            status, answer = service.call("POST", "/v1/parties", tools.party_body(host, 900))
        except Unknown:
            continue
        if status != 200:
            return
        time.sleep(0.02)
    raise AssertionError("no command was refused while every sync fails")


def first_starts(options):
    """A first start is killed at every few milliseconds of its life; the next one must do."""
    tools, dice = _torture(), random.Random(options.seed)
    cut_short = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.rounds):
            directory = pathlib.Path(scratch) / str(number)
            service = Service(directory)
            starting = Daemon(directory=directory, start=False)
            starting.launch()
            # Until there is something of the record; from then on by the clock.
            end = time.monotonic() + 20
            while time.monotonic() < end and not (
                    directory.exists() and any(directory.glob("moyeo.sqlite*"))):
                time.sleep(0.0005)
            time.sleep(dice.uniform(0, 0.12))
            starting.kill()
            names = {path.name for path in directory.iterdir()}
            cut_short += "idempotency.secret" not in names
            service.start()
            status, answer = service.call("POST", "/v1/parties", tools.party_body("h"), "k")
            assert status == 200, answer
            service.kill()
            service.start()
            again = service.call("POST", "/v1/parties", tools.party_body("h"), "k")
            # The departure differs by a second at most times, the key does not.
            assert again[0] == 200 or again[1]["error"]["reason"] == "idempotency_mismatch", again
            assert service.stop() == 0
            shutil.rmtree(directory)
        assert cut_short > 0 or options.rounds < 8, "no start was cut short"
    return {"rounds": options.rounds, "cut short": cut_short, "begun anew": options.rounds}


def small_disk(options):
    """A disk of 24 MiB that the log fills again and again."""
    tools, dice, ledger = _torture(), random.Random(options.seed), Ledger()
    if os.environ.get("MOYEO_TORTURE_MOUNTS") != "1":
        # Mounts of its own, gone with the process.
        again = subprocess.run(
            ["unshare", "-m", sys.executable, *sys.argv, "--json"],
            env={**os.environ, "MOYEO_TORTURE_MOUNTS": "1"}, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr or "a small disk needs the right to mount one"
        return json.loads(again.stdout)
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "disk"
        directory.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(directory)], check=True)
        try:
            service = Service(directory)
            service.start()
            for number in range(options.rounds):
                # Something else takes all the room but little, and gives it back later.
                hog = directory / "other"
                free = shutil.disk_usage(directory).free
                hog.write_bytes(bytes(max(0, free - dice.randint(100_000, 1_000_000))))
                clients, stop = tools.load(
                    service, ledger, options.threads, f"s{number}", options.seed)
                time.sleep(options.seconds)
                stop.set()
                tools.finish(clients)
                # Kept replies and reads go on, whatever the disk says.
                status, _ = service.call("POST", "/v1/parties/search", {
                    "latitude": tools.ORIGIN["latitude"], "longitude": tools.ORIGIN["longitude"]})
                assert status == 200, "reads go on"
                hog.unlink()
                wait_until_writable(service)
                count_lost(service, ledger, dice, False)
            service.kill()
            service.start()
            count_lost(service, ledger, dice, True)
            assert service.stop() == 0
        finally:
            subprocess.run(["umount", "-l", str(directory)], check=False)
    return figures(options, ledger)


def export_import(options):
    """What is exported of a layer and imported into another is the same, in each format."""
    program = binary("moyeo")
    assert program, "build moyeo first, or name it in MOYEO"
    dice = random.Random(options.seed)
    count = 200
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch) / "data"
        service = Service(directory, environment={"MOYEO_POSITIONS_WRITE_BEHIND_SECONDS": "1"})
        service.start()
        words = ["swift", "a;b", "c|d", "한국어", "[x", "e,f", "c++"]
        positions = []
        for number in range(count):
            one = {"id": f"id {number},\"{number}\"" if number % 3 else f"{number:04}",
                   "latitude": dice.uniform(-89, 89), "longitude": dice.uniform(-180, 180),
                   "tags": dice.sample(words, dice.randint(0, 3)),
                   "ttlSeconds": dice.choice([0, 3600, 86400, 7200.25]),
                   "attributes": {"whole": number, "half": number + 0.5, "code": f"0{number}",
                                  "list": [1, "two", None], "yes": True, "이름": "값;,\n\""}}
            positions.append(one)
        status, answer = service.call(
            "POST", "/v1/layers/users/positions", {"positions": positions})
        assert status == 200 and answer["accepted"] == count, answer
        time.sleep(2.5)

        def layer(name):
            found = {}
            for one in positions:
                status, answer = service.call(
                    "GET", f"/v1/layers/{name}/positions/" + quote(one["id"]))
                assert status == 200, (name, one["id"], answer)
                shown = answer["position"]
                shown.pop("ageSeconds", None)
                shown.pop("version", None)
                found[one["id"]] = shown
            return found

        wanted = layer("users")
        for kind in ("csv", "geojson", "spatialite"):
            file = pathlib.Path(scratch) / f"out.{'sqlite' if kind == 'spatialite' else kind}"
            for arguments in (
                    ["export", "--data-directory", str(directory), "--format", kind, "--what",
                     "positions", "--layer", "users", "--to", str(file)],
                    ["import", str(file), "--layer", f"copy-{kind}", "--strict", "--url",
                     f"http://127.0.0.1:{service.port}"]):
                done = subprocess.run([program, *arguments], capture_output=True, text=True)
                assert done.returncode == 0, (kind, done.stdout, done.stderr)
            got = layer(f"copy-{kind}")
            for name, one in wanted.items():
                assert same(one, got[name]), f"{kind}: {one} came back as {got[name]}"
        assert service.stop() == 0
    return {"formats": 3, "positions": count, "different": 0}


def same(one, other):
    ignored = {"layer", "layerVersion"}
    return ({key: value for key, value in one.items() if key not in ignored}
            == {key: value for key, value in other.items() if key not in ignored})


def quote(text):
    import urllib.parse
    return urllib.parse.quote(text, safe="")


MODES = {
    "faults": (disk_faults, 40), "power": (power_cuts, 40), "clock": (clock_steps, 12),
    "start": (first_starts, 60), "smalldisk": (small_disk, 10), "export": (export_import, 1),
}
