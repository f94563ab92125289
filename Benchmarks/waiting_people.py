#!/usr/bin/env python3
"""What waiting costs the daemon: polling, long polling and watching, side by side.

    Benchmarks/waiting_people.py [--people 2000] [--seconds 30] [--changes 20]

People wait with a ticket each and want to know when somebody asks them. In each mode all of them do
the same for some seconds, each on a connection of its own, while every second a few are asked. What is
told: CPU of the daemon (user and system, /proc), its resident memory, requests a second, and how long
after the answer to the question the person asked knew of it (median and 99th percentile). MOYEOD names
the program; else the newest of .build.
"""

import argparse
import asyncio
import json
import os
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "support"))

from running_daemon import Daemon  # noqa: E402

POLL_SECONDS, WAIT_SECONDS = 5, 25
TICK = os.sysconf("SC_CLK_TCK")


class Connection:
    """One HTTP/1.1 connection that stays open."""

    async def open(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        return self

    async def request(self, method, path, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        kind = "content-type: application/json\r\n" if data else ""
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{kind}content-length: {len(data)}\r\n\r\n"
            .encode() + data)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length"))
        return int(head.split()[1]), json.loads(await self.reader.readexactly(length))

    def close(self):
        self.writer.close()


class Run:
    """One mode: who was asked when, who heard of it when, and how many requests it took."""

    def __init__(self):
        self.asked, self.delays, self.requests = {}, [], 0

    def heard(self, person):
        moment = self.asked.pop(person, None)
        if moment is not None:
            self.delays.append(time.monotonic() - moment)


async def poll(port, person, run, seed):
    connection, version = await Connection().open(port), None
    await asyncio.sleep(random.Random(seed).random() * POLL_SECONDS)
    while True:
        _, answer = await connection.request("GET", f"/v1/tickets/{person}")
        run.requests += 1
        if version is not None and answer["ticket"]["version"] != version:
            run.heard(person)
        version = answer["ticket"]["version"]
        await asyncio.sleep(POLL_SECONDS)


async def long_poll(port, person, run, seed):
    connection, version = await Connection().open(port), None
    while True:
        query = f"?afterVersion={version}&waitSeconds={WAIT_SECONDS}" if version else ""
        _, answer = await connection.request("GET", f"/v1/tickets/{person}{query}")
        run.requests += 1
        if version is not None and answer["ticket"]["version"] != version:
            run.heard(person)
        version = answer["ticket"]["version"]


async def watch(port, person, run, seed):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /v1/tickets/{person}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                 "accept: text/event-stream\r\n\r\n".encode())
    run.requests += 1
    while True:
        line = await reader.readline()
        if not line:
            return
        if line.startswith(b"event: "):
            run.heard(person)


def usage(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    memory = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    return (int(fields[11]) + int(fields[12])) / TICK, memory


async def ask(port, people, run, changes, seconds, draws):
    """Somebody who waits elsewhere asks people one after the other; a few each second."""
    connection = await Connection().open(port)
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        person, number = draws.choice(people), number + 1
        asker = f"asker-{draws.randrange(1 << 40)}"
        await connection.request("POST", "/v1/tickets", ticket(asker, draws))
        run.asked[person] = time.monotonic()
        status, _ = await connection.request(
            "POST", f"/v1/tickets/{asker}/propose", {"otherId": person})
        if status != 200:
            run.asked.pop(person, None)
        await asyncio.sleep(1 / changes)
    connection.close()


def ticket(person, draws):
    return {"userId": person, "tags": ["swift"],
            "here": {"latitude": 37.45 + draws.random() / 5, "longitude": 126.9 + draws.random() / 5}}


async def measure(name, waiter, daemon, people, options, draws):
    run, port = Run(), daemon.http_port
    tasks = [asyncio.create_task(waiter(port, person, run, i)) for i, person in enumerate(people)]
    # Everybody has begun; those who poll have polled once.
    await asyncio.sleep(POLL_SECONDS + 1)
    run.requests = 0
    cpu, _ = usage(daemon.process.pid)
    began = time.monotonic()
    await ask(port, people, run, options.changes, options.seconds, draws)
    spent = time.monotonic() - began
    after, memory = usage(daemon.process.pid)
    requests = run.requests
    await asyncio.sleep(POLL_SECONDS + 1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    delays = sorted(run.delays)
    print(f"| {name} | {100 * (after - cpu) / spent:.1f} % | {memory / 2**20:.0f} MiB "
          f"| {requests / spent:.0f} | {statistics.median(delays) * 1000:.0f} ms "
          f"| {delays[int(0.99 * (len(delays) - 1))] * 1000:.0f} ms | {len(delays)} "
          f"| {len(run.asked)} |", flush=True)




async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--changes", type=int, default=20, help="questions a second")
    options = parser.parse_args()
    draws = random.Random(20261122)
    people = [f"person-{i}" for i in range(options.people)]
    print("| way | CPU of a core | memory | requests/s | median | p99 | heard | not heard |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, waiter in (("poll every 5 s", poll), ("long poll of 25 s", long_poll),
                         ("watch (SSE)", watch)):
        # A daemon of its own for each, so that memory is told apart.
        with Daemon() as daemon:
            connections = [await Connection().open(daemon.http_port) for _ in range(16)]

            async def begin(part):
                for person in people[part::16]:
                    await connections[part].request("POST", "/v1/tickets", ticket(person, draws))

            await asyncio.gather(*(begin(part) for part in range(16)))
            for connection in connections:
                connection.close()
            await measure(name, waiter, daemon, people, options, draws)


asyncio.run(main())
