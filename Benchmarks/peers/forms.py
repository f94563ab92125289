"""What is measured: operations, and the forms in which a system carries them out."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Operation:
    key: str
    title: str
    # Positions or questions over all rounds of a full run.
    units: int
    # Whether it moves objects: then every form takes the same moves, so that all systems hold
    # the same positions afterwards.
    writes: bool = False


# Requests under way at once, on one connection, and questions or positions in a batch or pipeline.
UNDER_WAY = 16
BATCH = 100


@dataclass(frozen=True)
class Family:
    """The same work one request at a time, with 16 under way, and by 100."""

    key: str
    title: str
    units: int = 20_000
    writes: bool = False

    def operations(self) -> list[Operation]:
        return [
            Operation(self.key, f"{self.title}, one at a time", self.units, self.writes),
            Operation(f"{self.key}_16", f"{self.title}, {UNDER_WAY} under way", self.units,
                      self.writes),
            Operation(f"{self.key}_100", f"{self.title}, by {BATCH}",
                      5 * self.units if self.key == "update" else self.units, self.writes)]


FAMILIES = [
    Family("nearest", "nearest 20"),
    Family("radius", "radius 1 km, limit 50, sorted"),
    Family("update", "update", writes=True),
    Family("mix", "50/50 updates and nearest 20", writes=True),
    Family("t1", "nearest 20, tag carried by 1 %"),
]
OPERATIONS = [
    *(operation for family in FAMILIES for operation in family.operations()),
    Operation("t10", "nearest 20, tag carried by 10 %, one at a time", 20_000),
    Operation("t01", "nearest 20, tag carried by 0.1 %, one at a time", 20_000),
]

# Whose answers are compared.
SEARCHES = ("nearest", "radius", "t10", "t1", "t01")
LIMIT = 20
RADIUS_METERS = 1000
RADIUS_LIMIT = 50


@dataclass
class Form:
    """One way to carry out an operation. `call(i)` is one request and its whole answer; `i`
    counts requests, and a system takes the i-th query, or the moves from i * units on. Where
    there is a `request`, it is made from `i` before the clock runs, and `call` takes it."""

    label: str
    call: Callable[[object], object]
    # Positions or questions in one call.
    units: int = 1
    # An extra form has a row of its own; the others compete, and the cheapest is the system's.
    extra: bool = False
    request: Callable[[int], object] | None = None
    # Undoes, outside the measurement, what calls first..<first + count of an extra form wrote.
    restore: Callable[[int, int], None] | None = None


@dataclass
class System:
    """A server with its forms by operation; `ids` asks for the answer to compare."""

    key: str
    title: str
    version: str
    server: object
    forms: dict[str, list[Form]] = field(default_factory=dict)
    # (operation key, query index) -> ids of the hits, in order.
    ids: Callable[[str, int], list[str]] | None = None
    # Of loading: CPU microseconds and bytes a point.
    load_microseconds: float = 0.0
    bytes_per_point: float = 0.0
    notes: list[str] = field(default_factory=list)
    close: Callable[[], None] = lambda: None
    # Where it speaks RESP, for the throughput of many callers.
    resp_port: int | None = None
    single_updates: list[bytes] = field(default_factory=list)

    def add(self, operation: str, form: Form) -> None:
        self.forms.setdefault(operation, []).append(form)
