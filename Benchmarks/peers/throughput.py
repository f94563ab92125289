"""Commands a second of servers that speak RESP, and what each costs, with many callers.

Callers share four connections, as behind a pool: 16 callers are windows of 4 on each. The clients
are as many processes as connections; on a machine of few cores they take cores from the server,
which is why its CPU a command stands beside the rate.
"""

import pickle
import statistics
import subprocess
import sys
import time
from pathlib import Path

from forms import LIMIT, System
from processes import PeerError
from workload import Workload

# (callers, connections)
CALLERS = ((1, 1), (16, 4), (128, 4))
OPERATIONS = {"update": "update", "nearest": "nearest 20", "mix": "50/50 updates and nearest 20"}
QUESTIONS = 20_000


def questions(system: System, operation: str, workload: Workload, quick: bool) -> list[list[bytes]]:
    count = QUESTIONS // 10 if quick else QUESTIONS
    nearest = system.forms["nearest"][0].request

    singles = system.single_updates
    found = []
    for i in range(count):
        if operation == "update" or (operation == "mix" and i % 2 == 0):
            found.append([singles[i % len(singles)]])
        else:
            found.append(nearest(i))
    return found


def sample(system: System, path: Path, callers: int, connections: int, seconds: float) -> dict:
    program = Path(__file__).with_name("resp_load.py")
    clients = [
        subprocess.Popen(
            [sys.executable, str(program), str(system.resp_port), str(path),
             str(callers // connections), str(seconds), str(LIMIT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(connections)]
    try:
        for client in clients:
            if client.stdout.readline() != "ready\n":
                raise PeerError(f"a client of {system.title} did not begin")
        began, spent = time.monotonic(), system.server.processor_seconds()
        for client in clients:
            client.stdin.write("go\n")
            client.stdin.flush()
        done = 0
        for client in clients:
            line = client.stdout.readline()
            if not line.strip().isdigit():
                raise PeerError(f"a client of {system.title} broke off")
            done += int(line)
        elapsed = time.monotonic() - began
        spent = system.server.processor_seconds() - spent
    finally:
        for client in clients:
            client.kill()
            client.wait()
            client.stdin.close()
            client.stdout.close()
    if done == 0:
        raise PeerError(f"{system.title} answered nothing in {seconds} s")
    return {"perSecond": done / elapsed, "serverMicroseconds": spent * 1e6 / done}


def measure(systems: list[System], workload: Workload, folder: Path, rounds: int, quick: bool, note
            ) -> list[dict]:
    """Medians by operation, callers and system; systems take turns in each round."""
    seconds = 0.5 if quick else 4.0
    speaking = [s for s in systems if s.resp_port is not None]
    found: dict[tuple, list[dict]] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for operation in OPERATIONS:
        note(f"throughput: {operation}")
        paths = {}
        for system in speaking:
            paths[system.key] = folder / f"{system.key}-{operation}.pickle"
            with open(paths[system.key], "wb") as file:
                pickle.dump(questions(system, operation, workload, quick), file)
        for number in range(rounds):
            turn = number % len(speaking)
            for callers, connections in CALLERS:
                for system in speaking[turn:] + speaking[:turn]:
                    found.setdefault((operation, callers, system.key), []).append(
                        sample(system, paths[system.key], callers, connections, seconds))
        for path in paths.values():
            path.unlink()
    return [
        {"operation": operation, "callers": callers, "system": key, "samples": samples,
         "perSecond": statistics.median(s["perSecond"] for s in samples),
         "serverMicroseconds": statistics.median(s["serverMicroseconds"] for s in samples)}
        for (operation, callers, key), samples in found.items()]
