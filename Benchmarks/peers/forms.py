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


OPERATIONS = [
    Operation("nearest", "nearest 20", 20_000),
    Operation("radius", "radius 1 km, limit 50, sorted", 20_000),
    Operation("update_batch", "update, batched by 100", 100_000, writes=True),
    Operation("update_one", "update, one at a time", 20_000, writes=True),
    Operation("mix", "50/50 single updates and nearest 20", 20_000, writes=True),
    Operation("nearest_16", "nearest 20, 16 requests under way", 20_000),
    Operation("update_16", "single updates, 16 requests under way", 40_000, writes=True),
    Operation("t10", "nearest 20, tag carried by 10 %", 20_000),
    Operation("t1", "nearest 20, tag carried by 1 %", 20_000),
    Operation("t01", "nearest 20, tag carried by 0.1 %", 20_000),
]

BATCH = 100
# Requests under way at once, on one connection.
UNDER_WAY = 16
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

    def add(self, operation: str, form: Form) -> None:
        self.forms.setdefault(operation, []).append(form)
