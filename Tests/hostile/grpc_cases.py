"""gRPC: damaged messages in sound frames, damaged length prefixes, damaged HTTP/2 frames."""

import struct

from bodies import GANGNAM, LAYER, SEOUL
from case import dice
from http2_wire import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PREFACE, PRIORITY,
    PRIORITY_FLAG, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, message)
from protobuf_bytes import (
    CLUSTERS, EVENTS, FARES, PARTIES, POSITIONS, ROUTES, create_party, field, nearby, place,
    position, report, varint)

PLACES = (SEOUL["latitude"], SEOUL["longitude"]), (GANGNAM["latitude"], GANGNAM["longitude"])


def good_calls(name):
    box = b"".join(field(2 + i, float(v)) for i, v in enumerate((126, 37, 128, 38)))
    near = nearby(LAYER, 37.5, 127.0, 3, 5000, ["swift"])
    trip = field(1, place(*PLACES[0])) + field(2, place(*PLACES[1]))
    return [
        (POSITIONS + "Report", report(LAYER, [
            position("kim", 37.5, 127.0, ["swift"], 600), position("lee", 37.6, 127.1)])),
        (POSITIONS + "Nearby", near),
        (POSITIONS + "NearbyBatch", field(1, LAYER) + field(2, near) + field(2, near)),
        (POSITIONS + "Within", field(1, LAYER) + box),
        (POSITIONS + "Get", field(1, LAYER) + field(2, "kim")),
        (POSITIONS + "Remove", field(1, LAYER) + field(2, "nobody")),
        (POSITIONS + "TagHistogram", field(1, LAYER) + box),
        (POSITIONS + "ListLayers", b""),
        (CLUSTERS + "GetClusters", field(1, LAYER) + box + field(6, 5)),
        (CLUSTERS + "GetTile", field(1, LAYER) + field(2, 3) + field(3, 6) + field(4, 3)),
        (PARTIES + "Create", create_party(name, *PLACES, 4_000_000_000)),
        (PARTIES + "Get", field(1, "none")),
        (PARTIES + "Join", field(1, "none") + field(2, "r")),
        (PARTIES + "Search", field(1, PLACES[0][0]) + field(2, PLACES[0][1])),
        (EVENTS + "List", field(1, 0)),
        (FARES + "Estimate", trip), (ROUTES + "Plan", trip),
    ]


def damaged(random, data):
    """A protobuf message with bytes changed, cut or put in."""
    out = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        spot = random.randrange(len(out) + 1)
        kind = random.randrange(5)
        if kind == 0 and out:
            out[spot % len(out)] = random.randrange(256)
        elif kind == 1:
            del out[spot:]
        elif kind == 2:
            out[spot:spot] = random.choice([
                b"\xff" * 10, b"\x80" * 11, b"\x0a\xff\xff\xff\xff\x0f", b"\x0b", b"\x0c", b"\x07",
                b"\x00", varint(0xFFFFFFFF), b"\x0a\x03\xff\xfe\xfd", b"\x12\x00",
                struct.pack("<d", float("nan")), varint(1 << 29 << 3)])
        elif kind == 3:
            out[spot:spot] = bytes(out[:random.randrange(1, 40)])
        else:
            out += field(random.randrange(1, 40), random.choice(
                [b"", b"x" * 5000, "\u0000", 1e308, -1, float("inf")]))
    return bytes(out)


def damaged_messages(count=900):
    """(label, path, message): each is answered with a gRPC status that is no fault of ours."""
    for number in range(count):
        random = dice("damaged", number)
        path, good = random.choice(good_calls(f"damaged-{number}"))
        yield f"damaged/{number}", path, damaged(random, good)


def damaged_prefixes():
    """(label, path, bytes of DATA): the length prefix lies, or the flag names no compression."""
    for path, good in good_calls("prefix"):
        for label, data in (
                ("empty", b""), ("short", b"\0\0"), ("flag", message(good, compressed=1)),
                ("flag-255", message(good, compressed=255)), ("more", message(good, length=999)),
                ("less", message(good, length=max(0, len(good) - 1))),
                ("huge", message(good, length=0xFFFFFFFF)), ("two", message(good) * 2),
                ("tail", message(good) + b"\0")):
            yield f"prefix/{label}", path, data


def frame_attacks(count=320):
    """(label, bytes after the preface): the daemon may answer, refuse the stream or end the
    connection, and does so soon; the bytes end with a PING, so that a connection that stays shows
    that it lives."""
    for number in range(count):
        random = dice("frames", number)
        kind = number % 16
        stream = random.choice([0, 1, 2, 3, 0x7FFFFFFF, 0x80000001])
        size = random.choice([0, 1, 4, 5, 6, 7, 8, 9, 12, 100])
        noise = random.randbytes(size)
        if kind == 0:
            data = frame(random.randrange(256), random.randrange(256), stream, noise)
        elif kind == 1:
            data = frame(SETTINGS, random.choice([0, 1]), stream, noise)
        elif kind == 2:
            data = frame(SETTINGS, 0, 0, struct.pack(
                ">HI", random.choice([1, 2, 3, 4, 5, 6, 8, 99]),
                random.choice([0, 1, 2, 16_383, 1 << 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])))
        elif kind == 3:
            data = frame(WINDOW_UPDATE, 0, stream, struct.pack(
                ">I", random.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF]))) * random.choice([1, 2])
        elif kind == 4:
            data = frame(HEADERS, END_HEADERS | random.choice([0, END_STREAM]), stream, noise)
        elif kind == 5:
            data = frame(HEADERS, 0, 1, b"\x83") + frame(
                random.choice([CONTINUATION, DATA, HEADERS, PING]), random.choice([0, 4]),
                random.choice([1, 3]), noise)
        elif kind == 6:
            data = frame(CONTINUATION, END_HEADERS, stream, noise)
        elif kind == 7:
            data = frame(DATA, random.choice([0, END_STREAM, PADDED]), stream, noise)
        elif kind == 8:
            data = frame(RST_STREAM, 0, stream, noise)
        elif kind == 9:
            data = frame(PRIORITY, 0, stream, noise)
        elif kind == 10:
            data = frame(PUSH_PROMISE, END_HEADERS, stream, noise)
        elif kind == 11:
            data = frame(GOAWAY, 0, stream, noise)
        elif kind == 12:
            data = frame(PING, random.choice([0, 1, 255]), stream, noise)
        elif kind == 13:
            data = struct.pack(">I", 0xFFFFFF)[1:] + bytes([random.randrange(10), 0]) \
                + struct.pack(">I", 1) + noise
        elif kind == 14:
            data = frame(HEADERS, END_HEADERS | random.choice([PADDED, PRIORITY_FLAG, 40]), 1,
                         noise)
        else:
            data = random.randbytes(random.randrange(1, 300))
        yield f"frames/{number}", data


def header_attacks():
    """(label, header block): what HTTP/2 forbids in a request, or gRPC does not serve."""
    def literal(*pairs):
        out = b""
        for name, value in pairs:
            name = name.encode() if isinstance(name, str) else name
            value = value.encode() if isinstance(value, str) else value
            out += b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
        return out

    path = POSITIONS + "ListLayers"
    usual = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "x"),
             ("content-type", "application/grpc"), ("te", "trailers")]
    yield "headers/none", b""
    for missing in range(len(usual)):
        yield f"headers/without/{usual[missing][0]}", literal(
            *(pair for at, pair in enumerate(usual) if at != missing))
    for index, value in ((0, "GET"), (0, ""), (0, "post"), (2, ""), (2, "*"), (2, "nearby"),
                         (2, "/x"), (2, "//"), (2, "/moyeo.v1.PositionService/"), (2, "/a/b/c/d"),
                         (2, "/moyeo.v1.PositionService/nearby"), (3, ""), (4, "text/html"),
                         (4, "application/grpc-web"), (4, "application/grpc+json"), (4, ""),
                         (5, "gzip"), (1, "ftp")):
        changed = list(usual)
        changed[index] = (usual[index][0], value)
        yield f"headers/{usual[index][0]}={value}", literal(*changed)
    for name, value in (("Upper", "x"), ("connection", "close"), ("transfer-encoding", "chunked"),
                        (":status", "200"), (":unknown", "x"), ("", "x"), ("a b", "x"),
                        ("x", "a\x00b"), ("x", "a\r\nb"), ("grpc-timeout", "x"),
                        ("grpc-timeout", "99999999999S"), ("grpc-timeout", "-1S"),
                        ("grpc-timeout", "0n"), ("grpc-encoding", "gzip"),
                        ("grpc-encoding", "snappy"), ("grpc-accept-encoding", ",,,"),
                        ("idempotency-key", "a" * 120), ("content-length", "5"),
                        ("content-length", "x"), ("key-bin", "!!!"), (b"x", b"\xff\xfe")):
        yield f"headers/with/{name!r}", literal(*usual, (name, value))
    yield "headers/pseudo-last", literal(*usual[4:], *usual[:4])
    yield "headers/twice", literal(*usual, *usual)
    yield "headers/many", literal(*usual, *((f"x{i}", "y") for i in range(2000)))
    yield "headers/index-0", b"\x80"
    yield "headers/index-far", b"\xff\xff\xff\xff\x7f"
    yield "headers/table-size", b"\x3f\xff\xff\xff\xff\x7f"
    yield "headers/huffman", b"\0\x81\xff\x81\xff"
    yield "headers/cut", literal(*usual)[:-3]


PREFACES = [
    b"", b"GET / HTTP/1.1\r\n\r\n", PREFACE[:10], PREFACE.replace(b"SM", b"XX"),
    b"\x16\x03\x01" * 9, PREFACE + frame(PING, 0, 0, b"x" * 8), PREFACE * 2, b"\0" * 24]
