"""Reads the points of a Mapbox vector tile (version 2 of its specification), without its attributes."""

import math

from protobuf_bytes import _varint as varint_at
from protobuf_bytes import fields

POINT, MOVE_TO = 1, 1


def points(tile, zoom, x, y):
    """(latitude, longitude) pairs of the points of a tile's layers: the middles of the units of the
    tile in which they lie. `unit_degrees` says how far from there a point may be."""
    found = []
    for layer in (value for number, value in fields(tile) if number == 3):
        parts = fields(layer)
        extent = next((value for number, value in parts if number == 5), 4096)
        for feature in (value for number, value in parts if number == 2):
            shape = fields(feature)
            kind = next((value for number, value in shape if number == 3), 0)
            if kind != POINT:
                raise ValueError(f"geometry type {kind}")
            geometry = next(value for number, value in shape if number == 4)
            found += [place(zoom, x + (dx + 0.5) / extent, y + (dy + 0.5) / extent)
                      for dx, dy in _points(geometry)]
    return found


def place(zoom, x, y):
    """The place at a point of the world's square, in tiles of a zoom."""
    side = 1 << zoom
    return (math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y / side)))), x / side * 360 - 180)


def unit_degrees(zoom, extent=4096):
    """Degrees of longitude, and at most of latitude, across one unit of a tile."""
    return 360 / (1 << zoom) / extent


def _points(geometry):
    """The points of MoveTo commands: a count, then as many steps from the point before."""
    at, x, y = 0, 0, 0
    while at < len(geometry):
        command, at = varint_at(geometry, at)
        if command & 7 != MOVE_TO:
            raise ValueError(f"command {command & 7}")
        for _ in range(command >> 3):
            dx, at = varint_at(geometry, at)
            dy, at = varint_at(geometry, at)
            x, y = x + (dx >> 1 ^ -(dx & 1)), y + (dy >> 1 ^ -(dy & 1))
            yield x, y
