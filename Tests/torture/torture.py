"""moyeod under load, killed, filled and raced; every acknowledged effect must be there afterwards.

    python3 Tests/torture/torture.py                      100 rounds of kill -9
    python3 Tests/torture/torture.py kill --rounds 5      the short run of CI
    python3 Tests/torture/torture.py race --rounds 1000   32 clients, 10 parties of 4 seats
    python3 Tests/torture/torture.py backup               moyeo backup while clients join
    python3 Tests/torture/torture.py full                 the disk fills up
    python3 Tests/torture/torture.py fill --parties 100000   how long a restart takes
    python3 Tests/torture/torture.py faults               writes, syncs and reads fail
    python3 Tests/torture/torture.py power                power cuts under load
    python3 Tests/torture/torture.py clock                the wall clock is set back and forth
    python3 Tests/torture/torture.py start                a first start is killed at any moment
    python3 Tests/torture/torture.py smalldisk            the log fills a small disk (needs mounts)
    python3 Tests/torture/torture.py export               export and import are inverse
    python3 Tests/torture/torture.py tickets               32 people race for 10, kill -9 between
    .build/venv/bin/python Tests/torture/torture.py ticketrace   the same over both wires, without kills
    python3 Tests/torture/torture.py smoke                a little of each, for CI

Standard library only, but for ticketrace. MOYEOD (and MOYEO) name the programs; else the newest of .build.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ledger import Ledger, check_database, check_file  # noqa: E402
import faults  # noqa: E402
from tickets import ticket_rounds  # noqa: E402
from service import UNCONFIRMED, Service, Unknown, binary, reason  # noqa: E402
from running_daemon import MissingProgram  # noqa: E402

ORIGIN = {"name": "시청역 1번 출구, 서울", "latitude": 37.5663, "longitude": 126.9779}
DESTINATION = {"name": "강남역", "latitude": 37.4979, "longitude": 127.0276}


def departure(minutes):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def party_body(host, minutes=180):
    return {"hostId": host, "origin": ORIGIN, "destination": DESTINATION, "seats": 4,
            "departureTime": departure(minutes), "allowRaisedShares": True}


class Client(threading.Thread):
    """Creates, joins, leaves and cancels until the daemon is gone or it is told to stop."""

    def __init__(self, service, ledger, number, run, seed, stop):
        super().__init__(daemon=True)
        self.service, self.ledger, self.stop = service, ledger, stop
        self.name_ = f"{run}-{number}"
        self.random = random.Random(seed)
        self.count = 0
        self.mine = []  # riders of this client that are in
        self.latencies = []
        self.failure = None

    def run(self):
        try:
            link = self.service.connect()
            while not self.stop.is_set():
                if not self.step(link):
                    return
            link.close()
        except Exception as error:  # noqa: BLE001 - told by the main thread
            self.failure = error

    def step(self, link):
        ledger, dice = self.ledger, self.random.random()
        self.count += 1
        key = f"{self.name_}-{self.count}"
        with ledger.lock:
            known = list(ledger.parties)
        if dice < 0.25 or not known:
            host = f"host-{key}"
            body = party_body(host)
            answer = self.send(link, "/v1/parties", body, key)
            with ledger.lock:
                if answer is None:
                    ledger.open_creates[key] = body
                elif answer[0] == 200:
                    ledger.parties[answer[1]["party"]["id"]] = host
            return self.may_go_on(answer)
        if dice < 0.45 and self.mine:
            rider, party = self.mine.pop(self.random.randrange(len(self.mine)))
            with ledger.lock:
                ledger.riders[rider] = (party, "out?")
            answer = self.send(link, f"/v1/parties/{party}/leave", {"riderId": rider}, key)
            if answer is not None:
                with ledger.lock:
                    ledger.riders[rider] = (party, "out" if answer[0] == 200 else "in")
            return self.may_go_on(answer)
        party = self.random.choice(known[-40:])
        if dice < 0.48:
            with ledger.lock:
                ledger.cancelled.setdefault(party, None)
            answer = self.send(link, f"/v1/parties/{party}/cancel", {}, key)
            if answer is not None and answer[0] == 200:
                with ledger.lock:
                    ledger.cancelled[party] = True
            return self.may_go_on(answer)
        rider = f"rider-{key}"
        answer = self.send(link, f"/v1/parties/{party}/join", {"riderId": rider}, key)
        with ledger.lock:
            if answer is None:
                ledger.riders[rider] = (party, "in?")
            elif answer[0] == 200:
                ledger.riders[rider] = (party, "in")
                self.mine.append((rider, party))
        return self.may_go_on(answer)

    def send(self, link, path, body, key):
        """(status, answer), or None when it is not known whether it took effect."""
        began = time.monotonic()
        try:
            status, answer = self.service.call("POST", path, body, key, link)
        except Unknown:
            self.gone = True
            return None
        self.gone = False
        if status == 200:
            self.latencies.append(time.monotonic() - began)
            with self.ledger.lock:
                self.ledger.acknowledged += 1
        elif reason(answer) in UNCONFIRMED:
            return None
        return status, answer

    def may_go_on(self, answer):
        return not (answer is None and self.gone)


def load(service, ledger, threads, run, seed):
    stop = threading.Event()
    clients = [
        Client(service, ledger, number, run, f"{seed}/{run}/{number}", stop)
        for number in range(threads)
    ]
    for client in clients:
        client.start()
    return clients, stop


def finish(clients):
    for client in clients:
        client.join(60)
        assert not client.is_alive(), "a client hangs"
        if client.failure:
            raise client.failure


def settle_unconfirmed(service, ledger):
    """Sends again, with the same key, what was not confirmed: one effect, whatever happened."""
    count = 0
    for key, body in list(ledger.open_creates.items()):
        status, answer = service.call("POST", "/v1/parties", body, key)
        assert status == 200, answer
        again = service.call("POST", "/v1/parties", body, key)[1]
        assert again["party"]["id"] == answer["party"]["id"], "one key, two parties"
        ledger.parties[answer["party"]["id"]] = body["hostId"]
        count += 1
    ledger.open_creates.clear()
    for rider, (party, state) in list(ledger.riders.items()):
        if not state.endswith("?"):
            continue
        key = rider.removeprefix("rider-")
        count += 1
        if state == "in?":
            status, answer = service.call(
                "POST", f"/v1/parties/{party}/join", {"riderId": rider}, key)
            assert status == 200 or reason(answer) in ("party_full", "party_cancelled"), answer
            ledger.riders[rider] = (party, "in" if status == 200 else "out")
        else:
            status, answer = service.call(
                "POST", f"/v1/parties/{party}/leave", {"riderId": rider})
            assert status == 200 or reason(answer) == "party_cancelled", answer
            if status == 200:
                ledger.riders[rider] = (party, "out")
            else:
                del ledger.riders[rider]
    return count


def verify(service, ledger, dice, everything=False):
    before = set(ledger.history)
    ledger.read_events(service)
    ledger.check_acknowledged()
    parties = list(ledger.history)
    if not everything:
        fresh = [party for party in parties if party not in before]
        parties = fresh + dice.sample(sorted(before), min(40, len(before)))
    for party in parties:
        ledger.check_party(service, party)


def kill_rounds(options):
    dice = random.Random(options.seed)
    ledger = Ledger()
    ready, retried, latencies = [], 0, []
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory)
        service.start()
        for number in range(options.rounds):
            clients, _ = load(service, ledger, options.threads, f"r{number}", options.seed)
            time.sleep(dice.uniform(0.05, options.seconds))
            service.kill()
            finish(clients)
            latencies += [one for client in clients for one in client.latencies]
            sure = {}
            for rider, (party, state) in ledger.riders.items():
                if state == "in" and party not in ledger.cancelled:
                    sure.setdefault(party, []).append(rider)
            events = check_file(directory, sure)
            ready.append(service.start())
            # What is acknowledged must be there before anything is repeated.
            verify(service, ledger, dice)
            assert ledger.next == events, f"{events} events in the file, {ledger.next} served"
            retried += settle_unconfirmed(service, ledger)
            verify(service, ledger, dice, everything=number + 1 == options.rounds)
            progress(f"round {number + 1}: {ledger.acknowledged} acknowledged, "
                     f"{len(ledger.history)} parties, ready in {ready[-1]:.0f} ms")
        assert service.stop() == 0
    return {
        "rounds": options.rounds, "acknowledged": ledger.acknowledged,
        "unconfirmed, sent again": retried, "parties": len(ledger.history),
        "events": ledger.next, "ready ms": spread(ready),
        "ack ms": spread([1000 * one for one in latencies]),
    }


def race_rounds(options):
    """Clients race for too few seats; half of them send everything twice."""
    sold = refused = 0
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory)
        service.start()
        links = [service.connect() for _ in range(options.clients)]
        for number in range(options.rounds):
            parties = []
            for index in range(10):
                status, answer = service.call(
                    "POST", "/v1/parties", party_body(f"h{number}-{index}"), f"c{number}-{index}")
                assert status == 200, answer
                parties.append(answer["party"]["id"])
            results = [None] * options.clients
            barrier = threading.Barrier(options.clients)

            def client(index, number=number, parties=parties, results=results, barrier=barrier):
                dice = random.Random(f"{options.seed}/{number}/{index}")
                order = dice.sample(parties, len(parties))
                rider = f"r{number}-{index}"
                barrier.wait()
                for party in order:
                    path, key = f"/v1/parties/{party}/join", f"{rider}-{party}"
                    status, answer = service.call(
                        "POST", path, {"riderId": rider}, key, links[index])
                    if index % 2 == 0:
                        again, second = service.call(
                            "POST", path, {"riderId": rider}, key, links[index])
                        if status == 200 and again != 200:
                            results[index] = AssertionError(f"one key, two results: {second}")
                            return
                        status, answer = again, second
                    if status == 200:
                        results[index] = party
                        return
                    if reason(answer) != "party_full":
                        results[index] = AssertionError(f"{status} {answer}")
                        return

            threads = [
                threading.Thread(target=client, args=(index,)) for index in range(options.clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            for result in results:
                if isinstance(result, AssertionError):
                    raise result
            aboard = 0
            for index, party in enumerate(parties):
                shown = service.call("GET", f"/v1/parties/{party}")[1]["party"]
                riders = {rider["riderId"] for rider in shown["riders"]} - {f"h{number}-{index}"}
                told = {f"r{number}-{i}" for i, got in enumerate(results) if got == party}
                assert riders == told, f"{party} holds {riders}, told {told}"
                assert len(riders) <= 3, f"{party} is oversold"
                aboard += len(riders)
            assert aboard == min(30, options.clients), f"{aboard} of 30 seats sold"
            sold += aboard
            refused += options.clients - aboard
            progress(f"round {number + 1}: {sold} seats sold, {refused} clients without")
        ledger = Ledger()
        ledger.read_events(service)
        assert sum(ledger.joins.values()) == sold
        service.stop()
    return {"rounds": options.rounds, "seats sold": sold, "clients without": refused}


def backup_under_load(options):
    program = binary("moyeo")
    dice = random.Random(options.seed)
    ledger, took, commits = Ledger(), [], []
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as target:
        service = Service(directory)
        service.start()
        clients, stop = load(service, ledger, options.threads, "b", options.seed)
        for number in range(options.rounds):
            time.sleep(dice.uniform(0.1, options.seconds))
            with ledger.lock:
                before = {
                    rider: party for rider, (party, state) in ledger.riders.items()
                    if state == "in" and party not in ledger.cancelled}
            file = pathlib.Path(target) / f"{number}.sqlite"
            began, acknowledged = time.monotonic(), ledger.acknowledged
            done = subprocess.run(
                [program, "backup", "--data-directory", directory, "--to", str(file)],
                capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            took.append(1000 * (time.monotonic() - began))
            commits.append((ledger.acknowledged - acknowledged) / (took[-1] / 1000))
            # Whoever began to leave while the backup ran is in it or not.
            sure = {}
            with ledger.lock:
                for rider, party in before.items():
                    if ledger.riders[rider][1] == "in" and party not in ledger.cancelled:
                        sure.setdefault(party, []).append(rider)
            check_database(file, sure)
            progress(f"backup {number + 1}: {took[-1]:.0f} ms, "
                     f"{sum(map(len, sure.values()))} claims held")
        stop.set()
        finish(clients)
        service.stop()
    return {"backups": options.rounds, "backup ms": spread(took),
            "acknowledged/s beside": spread(commits)}


def disk_full(options):
    """A file may not grow past a limit: writes fail as on a full disk."""
    ledger = Ledger()

    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory)
        service.start()
        service.stop()
        limit = os.path.getsize(pathlib.Path(directory) / "moyeo.sqlite") + (1 << 20)

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        service.start(preexec=small)
        clients, stop = load(service, ledger, options.threads, "f", options.seed)
        end = time.monotonic() + 120
        told = None
        while time.monotonic() < end and service.is_running:
            try:
                told = service.call("GET", "/readyz")[1]
            except Unknown:
                break
            if "read-only" in told:
                break
            time.sleep(0.05)
        ended = not service.is_running
        assert ended or "read-only" in (told or ""), "the daemon did not notice"
        stop.set()
        if not ended:
            # Once the log is copied into the file there may be room again.
            status, answer = service.call("POST", "/v1/parties", party_body("late"), "late")
            if status == 200:
                ledger.parties[answer["party"]["id"]] = "late"
            else:
                assert reason(answer) in ("read_only", "unavailable"), answer
            status, _ = service.call("POST", "/v1/parties/search", {
                "latitude": ORIGIN["latitude"], "longitude": ORIGIN["longitude"]})
            assert status == 200, "reads go on"
        finish(clients)
        if not ended:
            service.kill()
        service.start()
        verify(service, ledger, random.Random(options.seed), everything=True)
        settle_unconfirmed(service, ledger)
        verify(service, ledger, random.Random(options.seed), everything=True)
        service.stop()
    return {"told": "ended" if ended else told.strip().splitlines()[-1],
            "acknowledged": ledger.acknowledged, "parties": len(ledger.history)}


def fill(options):
    """Creates many parties, then measures how soon a restart is ready."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.directory or scratch
        service = Service(directory)
        service.start()
        began = time.monotonic()
        counter = iter(range(options.parties))
        lock = threading.Lock()
        failures = []

        def create(seed):
            dice, link = random.Random(seed), service.connect()
            while True:
                with lock:
                    number = next(counter, None)
                if number is None or failures:
                    return
                body = party_body(f"host-{number}", dice.uniform(60, 1400))
                body["origin"] = {
                    "latitude": dice.uniform(37.45, 37.68), "longitude": dice.uniform(126.8, 127.15)}
                status, answer = service.call("POST", "/v1/parties", body, connection=link)
                if status != 200 and reason(answer) != "no_tariff_here":
                    failures.append(answer)

        threads = [
            threading.Thread(target=create, args=(f"{options.seed}/{i}",))
            for i in range(options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures[0]
        seconds = time.monotonic() - began
        ready = []
        for number in range(options.rounds):
            service.kill() if number % 2 else service.stop()
            ready.append(service.start())
        count = [
            line for line in service.call("GET", "/metrics")[1].splitlines()
            if line.startswith("moyeo_parties ")][0].split()[1]
        opened = [line for line in service.log if "record opened" in line][0].strip()
        service.stop()
    return {"parties": int(count), "created/s": round(options.parties / seconds),
            "ready ms": spread(ready), "log": opened.split(" ", 2)[2]}


def spread(values):
    if not values:
        return "-"
    ordered = sorted(values)
    high = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return (f"median {statistics.median(ordered):.1f}, p99 {high:.1f}, "
            f"largest {ordered[-1]:.1f}")


def progress(text):
    if sys.stderr.isatty() or os.environ.get("TORTURE_VERBOSE"):
        print(text, file=sys.stderr)


def smoke(options):
    """A few rounds of each mode, one after the other."""
    found = {}
    for mode, rounds in (("kill", 2), ("faults", 2), ("power", 2), ("clock", 2), ("start", 4),
                         ("export", 1), ("tickets", 3)):
        options.rounds, options.seconds = rounds, 0.6
        result = MODES[mode][0](options)
        found[mode] = ", ".join(f"{name} {value}" for name, value in result.items()
                                if isinstance(value, int))
    return found


def ticket_mode(options):
    """32 people race for 10, kill -9 between."""
    return ticket_rounds(options.rounds, options.seed, progress)


def ticket_race_mode(options):
    """32 people race for 10 over both wires."""
    # Needs grpcio, which no other mode does.
    from ticket_race import race_rounds as ticket_race_rounds
    return ticket_race_rounds(options.rounds, options.clients, progress)


MODES = {
    "smoke": (smoke, 1), **faults.MODES,
    "kill": (kill_rounds, 100), "race": (race_rounds, 1000), "backup": (backup_under_load, 10),
    "full": (disk_full, 1), "fill": (fill, 5), "tickets": (ticket_mode, 100),
    "ticketrace": (ticket_race_mode, 1000),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", nargs="?", default="kill", choices=MODES)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--parties", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1.5, help="longest load of a round")
    parser.add_argument("--directory", help="of fill: a data directory that stays")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    run, rounds = MODES[options.mode]
    options.rounds = options.rounds or rounds
    began = time.monotonic()
    try:
        figures = run(options)
    except MissingProgram as error:
        print(error, file=sys.stderr)
        return 2
    except AssertionError as error:
        print(f"FAILED (seed {options.seed}): {error}", file=sys.stderr)
        return 1
    figures["seconds"] = round(time.monotonic() - began, 1)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:>24}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
