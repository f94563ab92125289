"""Protobuf messages by field number, well formed or not."""

import struct


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """Text and bytes go out with their length, floats as doubles, whole numbers as varints."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3) + varint(int(value))


def fields(data):
    """(number, value) pairs of a message; values are bytes or whole numbers, as on the wire."""
    at, found = 0, []
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        elif kind == 2:
            size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        found.append((key >> 3, value))
    return found


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def text(data, number, default=""):
    return next((v.decode() for n, v in fields(data) if n == number), default)


# Messages of moyeo.v1 that the suites send.

def point(latitude, longitude):
    return field(1, float(latitude)) + field(2, float(longitude))


def place(latitude, longitude, name=""):
    return field(1, name) + field(2, float(latitude)) + field(3, float(longitude))


def position(name, latitude, longitude, tags=(), ttl=None):
    out = field(1, name) + field(2, float(latitude)) + field(3, float(longitude))
    out += b"".join(field(4, tag) for tag in tags)
    return out + (field(6, float(ttl)) if ttl is not None else b"")


def report(layer, positions):
    return field(1, layer) + b"".join(field(2, one) for one in positions)


def nearby(layer, latitude, longitude, limit=None, radius=None, tags=()):
    out = field(1, layer) + field(2, float(latitude)) + field(3, float(longitude))
    if limit is not None:
        out += field(4, limit)
    if radius is not None:
        out += field(5, float(radius))
    return out + b"".join(field(6, tag) for tag in tags)


def create_party(host, origin, destination, departure_seconds):
    return (field(1, host) + field(2, place(*origin)) + field(3, place(*destination))
            + field(4, field(1, int(departure_seconds))))


POSITIONS = "/moyeo.v1.PositionService/"
CLUSTERS = "/moyeo.v1.ClusterService/"
PARTIES = "/moyeo.v1.PartyService/"
EVENTS = "/moyeo.v1.EventService/"
FARES = "/moyeo.v1.FareService/"
ROUTES = "/moyeo.v1.RouteService/"
