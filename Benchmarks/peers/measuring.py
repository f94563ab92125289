"""Rounds: every form of an operation right after the others, on the process clocks."""

import gc
import statistics
import time
from collections import defaultdict
from dataclasses import asdict, dataclass

from forms import OPERATIONS, SEARCHES, Form, Operation, System
from processes import CORES, machine_seconds

# A sample is void when processes that are neither the client nor the measured server took more.
FOREIGN_LIMIT = 0.15
WARM_UP = -1
# One try of a hundred calls has chosen a form that costs half as much again.
WARM_UP_TRIES = 3


@dataclass
class Sample:
    """One form in one round."""

    round: int
    operation: str
    system: str
    form: str
    extra: bool
    calls: int
    units: int
    # Server CPU per position or question.
    server_microseconds: float
    client_microseconds: float
    # One request on the one connection.
    latency_median_microseconds: float
    latency_p99_microseconds: float
    foreign_share: float

    @property
    def is_void(self) -> bool:
        return self.foreign_share > FOREIGN_LIMIT


class Measuring:
    def __init__(self, systems: list[System], rounds: int, scale: float, budget_seconds: float,
                 note):
        self.systems = systems
        self.rounds = rounds
        self.scale = scale
        # CPU seconds of server and client that a sample may take: slow forms get fewer calls.
        self.budget_seconds = budget_seconds
        self.note = note
        self.samples: list[Sample] = []
        # Seconds of CPU a call, from the warm-up.
        self.cost: dict[tuple[str, str, str], float] = {}
        # Moves taken so far; all systems take the same.
        self.next_move = 0
        self.next_query = 0

    def run(self):
        """Yields the number of rounds done after each."""
        for operation in OPERATIONS:
            self.warm_up(operation)
        for number in range(self.rounds):
            self.note(f"round {number + 1} of {self.rounds}")
            for operation in OPERATIONS:
                self.round(number, operation)
            yield number + 1

    def calls(self, operation: Operation, form: Form, part: float = 1) -> int:
        wanted = operation.units * self.scale * part / self.rounds / form.units
        return max(2, round(wanted / 2) * 2)

    def take_moves(self, operation: Operation, form: Form, calls: int) -> tuple[int, int]:
        """The first call's number for moves that nobody has seen, and the moves it takes."""
        per_call = form.units / 2 if operation.key.startswith("mix") else form.units
        return round(self.next_move / per_call), round(calls * per_call)

    def warm_up(self, operation: Operation) -> None:
        """Chooses each system's cheapest form, of searches by the median of a few tries. Candidates
        of an update take different moves, and every system all of them."""
        candidates = {s.key: [f for f in s.forms[operation.key] if not f.extra]
                      for s in self.systems}
        passes = max(map(len, candidates.values()))
        tries: dict[tuple[str, str], list[float]] = defaultdict(list)
        for number in range(passes * (1 if operation.writes else WARM_UP_TRIES)):
            k = number % passes
            used = 0
            for system in self.systems:
                forms = candidates[system.key]
                if k >= len(forms) and not operation.writes:
                    continue
                form = forms[min(k, len(forms) - 1)]
                calls = self.calls(operation, form, 0.2)
                if not operation.writes:
                    calls = min(calls, max(4, 100 // form.units))
                first, used = self.take_moves(operation, form, calls)
                if not operation.writes:
                    first = 0
                sample = self.sample(WARM_UP, operation, system, form, first, calls)
                tries[system.key, form.label].append(sample.server_microseconds)
            if operation.writes:
                self.next_move += next_start(used)
        found = {key: statistics.median(costs) for key, costs in tries.items()}
        for system in self.systems:
            forms = candidates[system.key]
            best = min(forms, key=lambda f: found[system.key, f.label])
            if len(forms) > 1:
                listed = ", ".join(f"{f.label} {found[system.key, f.label]:.1f}" for f in forms)
                system.notes.append(f"{operation.title}: {best.label} is the cheapest of {listed} "
                                    "us (warm-up)")
            extras = [f for f in system.forms[operation.key] if f.extra]
            for form in extras:
                calls = min(self.calls(operation, form, 0.1), 20)
                self.extra(WARM_UP, operation, system, form, 0, calls)
            system.forms[operation.key] = [best, *extras]

    def round(self, number: int, operation: Operation) -> None:
        mains = [(s, s.forms[operation.key][0]) for s in self.systems]
        extras = [(s, f) for s in self.systems for f in s.forms[operation.key][1:]]
        turn = number % len(mains)
        used = 0
        first_query = self.next_query
        for system, form in mains[turn:] + mains[:turn] + extras:
            calls = self.calls(operation, form)
            if operation.writes:
                first, moves = self.take_moves(operation, form, calls)
                used = used if form.extra else max(used, moves)
                (self.extra if form.extra else self.sample)(
                    number, operation, system, form, first, calls)
            else:
                cost = self.cost[operation.key, system.key, form.label]
                least = max(2, 10 // form.units)
                calls = max(least, min(calls, int(self.budget_seconds / max(cost, 1e-7))))
                self.sample(number, operation, system, form, first_query // form.units, calls)
        if operation.writes:
            self.next_move += next_start(used)
        else:
            self.next_query += 1000

    def extra(self, number: int, operation: Operation, system: System, form: Form, first: int,
              calls: int) -> None:
        self.sample(number, operation, system, form, first, calls)
        if form.restore is not None:
            form.restore(first, calls)

    def sample(self, number: int, operation: Operation, system: System, form: Form, first: int,
               calls: int) -> Sample:
        requests = [form.request(i) if form.request else i for i in range(first, first + calls)]
        call, clock, latencies = form.call, time.perf_counter_ns, []
        gc.collect()
        gc.disable()
        started = time.perf_counter()
        machine, own = machine_seconds(), time.process_time()
        server = system.server.processor_seconds()
        for request in requests:
            begun = clock()
            call(request)
            latencies.append(clock() - begun)
        server = system.server.processor_seconds() - server
        own = time.process_time() - own
        machine = machine_seconds() - machine
        elapsed = time.perf_counter() - started
        gc.enable()
        units = calls * form.units
        latencies.sort()
        sample = Sample(
            number, operation.key, system.key, form.label, form.extra, calls, units,
            server * 1e6 / units, own * 1e6 / units, statistics.median(latencies) / 1e3,
            latencies[min(calls - 1, calls * 99 // 100)] / 1e3,
            min(1.0, max(0.0, machine - server - own) / (elapsed * CORES)))
        if number == WARM_UP:
            self.cost[operation.key, system.key, form.label] = (server + own) / calls
        else:
            self.samples.append(sample)
        return sample

    def summaries(self) -> list[dict]:
        """Medians over the rounds of each form: of those not void if they are at least half,
        else of all."""
        groups: dict[tuple, list[Sample]] = {}
        for sample in self.samples:
            groups.setdefault((sample.operation, sample.system, sample.form), []).append(sample)
        rows = []
        for (operation, system, form), found in groups.items():
            valid = [s for s in found if not s.is_void]
            used = valid if 2 * len(valid) >= len(found) else found
            costs = sorted(s.server_microseconds for s in used)
            rows.append({
                "operation": operation, "system": system, "form": form, "extra": found[0].extra,
                "serverMicroseconds": statistics.median(costs),
                "leastMicroseconds": costs[0], "mostMicroseconds": costs[-1],
                "latencyMedianMicroseconds": statistics.median(
                    s.latency_median_microseconds for s in used),
                "latencyP99Microseconds": statistics.median(
                    s.latency_p99_microseconds for s in used),
                "units": sum(s.units for s in used), "rounds": len(found),
                "voidRounds": len(found) - len(valid), "voidRoundsUsed": used is found
                and len(valid) < len(found)})
        return rows

    def sample_rows(self) -> list[dict]:
        return [asdict(s) | {"void": s.is_void} for s in self.samples]


def next_start(moves: int) -> int:
    """Where the next moves begin, so that calls of 100, of 50, of 16 and of 8 begin there too."""
    return -(-moves // 400) * 400


def agreement(systems: list[System], queries: int) -> dict[str, dict[str, float]]:
    """The share of Moyeo's hits that each other system has too, by operation."""
    ours = next(s for s in systems if s.key == "moyeo")
    found: dict[str, dict[str, float]] = {}
    for operation in SEARCHES:
        for system in systems:
            if system is ours:
                continue
            same = total = 0
            for i in range(queries):
                expected, answered = ours.ids(operation, i), system.ids(operation, i)
                same += len(set(expected) & set(answered))
                total += max(len(expected), len(answered))
            found.setdefault(operation, {})[system.key] = same / total if total else 1.0
    return found
