"""How long nearby takes for others while the daemon works on the worst requests found.

    MOYEOD=.build/release/moyeod python3 Tests/hostile/measure_neighbours.py [--rounds 5]

A process of its own asks nearby 250 times a second, each time on the next of eight connections, so
that it meets every event loop. In turn it is alone and beside one caller that sends one worst
request after another. Printed are the medians, over the rounds, of each kind's p50 and p99; the
target is that p99 beside at most doubles.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running_daemon import Daemon  # noqa: E402

OBJECTS = 200_000
PATH = "/v1/layers/n/nearby"
HEADERS = {"content-type": "application/json"}
COMB = {"points": [
    {"latitude": 36 + (2 if i % 2 else 0.5), "longitude": 126 + i / 250}
    for i in range(999)] + [{"latitude": 35, "longitude": 128}]}
HERE = {"latitude": 37.1, "longitude": 127.1}
NEVER = [{"attribute": "level", "min": 5}]
WORST = {
    "where": (PATH, {**HERE, "where": NEVER}),
    "tags": (PATH, {**HERE, "tags": ["a", "b"]}),
    "batch": (PATH + "/batch", {"requests": [{**HERE, "where": NEVER}] * 20}),
    "polygon": (PATH, {**HERE, "within": COMB, "where": NEVER}),
    "polygon alone": (PATH, {**HERE, "within": COMB}),
}


def ask():
    """The prober: asks until its input ends, prints each answer's milliseconds."""
    port, links, took = int(sys.argv[2]), [], []
    for _ in range(8):
        links.append(http.client.HTTPConnection("127.0.0.1", port, timeout=30))
    source, due, number = random.Random(3), time.monotonic(), 0
    while not select.select([sys.stdin], [], [], max(0, due - time.monotonic()))[0]:
        due = max(due + 0.004, time.monotonic() - 0.1)
        link = links[number % len(links)]
        number += 1
        body = json.dumps({"latitude": 36 + 2 * source.random(), "longitude": 126 + 2 * source.random(),
                           "limit": 20})
        began = time.monotonic()
        link.request("POST", PATH, body, HEADERS)
        link.getresponse().read()
        took.append((time.monotonic() - began) * 1000)
    print(json.dumps(took))


def attack():
    """Sends one worst request after another until its input ends."""
    link = http.client.HTTPConnection("127.0.0.1", int(sys.argv[2]), timeout=60)
    path, body = WORST[sys.argv[3]]
    text, statuses = json.dumps(body), {}
    while not select.select([sys.stdin], [], [], 0)[0]:
        link.request("POST", path, text, HEADERS)
        answer = link.getresponse()
        answer.read()
        statuses[answer.status] = statuses.get(answer.status, 0) + 1
    print(json.dumps(statuses))


class Helper:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, __file__, *map(str, arguments)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def end(self):
        return json.loads(self.process.communicate(timeout=90)[0])


def round_of(port, kind, seconds):
    attacker = Helper("attack", port, kind) if kind else None
    prober = Helper("ask", port)
    time.sleep(seconds)
    took = sorted(prober.end())
    statuses = attacker.end() if attacker else {}
    return took[len(took) // 2], took[len(took) * 99 // 100], statuses


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=3)
    options.add_argument("--kinds", default=",".join(WORST))
    options.add_argument("--courtesy", type=int, help="renice of the pool's threads, to compare")
    options = options.parse_args()
    kinds = options.kinds.split(",")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as settings:
        json.dump({"layers": {"n": {"clusters": False}}}, settings)
        settings.flush()
        with Daemon("--config", settings.name) as daemon:
            source = random.Random(1)
            daemon.report("n", [
                (f"o{i}", 36 + 2 * source.random(), 126 + 2 * source.random(), ["ab"[i % 2]],
                 {"level": i % 4}) for i in range(OBJECTS)])
            # The pool's threads begin with the first long request.
            daemon.request("POST", WORST["where"][0], WORST["where"][1])
            if options.courtesy is not None:
                for task in pathlib.Path(f"/proc/{daemon.pid}/task").iterdir():
                    if (task / "comm").read_text().strip() == "moyeo-pool":
                        os.setpriority(os.PRIO_PROCESS, int(task.name), options.courtesy)
            found = {}
            for _ in range(options.rounds):
                for kind in kinds:
                    for name in (None, kind):
                        found.setdefault((kind, name), []).append(
                            round_of(daemon.http_port, name, options.seconds))
            print(f"{'beside':>14} | p50 alone, beside | p99 alone, beside | ratio | answers")
            for kind in kinds:
                alone, beside = found[kind, None], found[kind, kind]
                values = [statistics.median(one[i] for one in many)
                          for i in (0, 1) for many in (alone, beside)]
                print(f"{kind:>14} | {values[0]:6.2f} {values[1]:8.2f}   | {values[2]:6.2f} "
                      f"{values[3]:8.2f}   | {values[3] / values[2]:5.2f} | {beside[-1][2]}")


if __name__ == "__main__":
    {"ask": ask, "attack": attack}.get(sys.argv[1] if sys.argv[1:] else "", main)()
