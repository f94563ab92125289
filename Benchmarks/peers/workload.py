"""The workload files, as every system reads them."""

import csv
from dataclasses import dataclass
from pathlib import Path

TAGS = {"t10": "10 %", "t1": "1 %", "t01": "0.1 %"}


@dataclass(slots=True)
class Point:
    """A row of points.csv or moves.csv."""

    id: str
    latitude: float
    longitude: float
    tags: list[str]


@dataclass(slots=True)
class Query:
    latitude: float
    longitude: float


@dataclass
class Workload:
    points: list[Point]
    moves: list[Point]
    queries: list[Query]

    @classmethod
    def read(cls, folder: Path) -> "Workload":
        return cls(
            _points(folder / "points.csv"), _points(folder / "moves.csv"),
            _queries(folder / "queries.csv"))

    def moves_at(self, first: int, count: int) -> list[int]:
        """Indices of moves in their order, from the start again after the last."""
        return [(first + k) % len(self.moves) for k in range(count)]


def _points(path: Path) -> list[Point]:
    with open(path, newline="", encoding="utf-8") as file:
        return [
            Point(row["id"], float(row["latitude"]), float(row["longitude"]),
                  [tag for tag in (row.get("tags") or "").split(";") if tag])
            for row in csv.DictReader(file)]


def _queries(path: Path) -> list[Query]:
    with open(path, newline="", encoding="utf-8") as file:
        return [
            Query(float(row["latitude"]), float(row["longitude"])) for row in csv.DictReader(file)]
