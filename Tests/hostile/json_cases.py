"""JSON that is broken, misplaced, too deep or out of range, for every call that takes a body."""

import copy
import json
import math
import urllib.parse

from bodies import LAYER, NEARBY, calls, encoded
from case import Case, dice, one_of, refused
from texts import NASTY_NUMBERS, NASTY_TEXTS, NOT_JSON_NUMBERS


def _paths(value, prefix=()):
    """Every place in a document, as the keys that lead there."""
    yield prefix
    items = value.items() if isinstance(value, dict) else (
        enumerate(value) if isinstance(value, list) else ())
    for key, inner in items:
        yield from _paths(inner, prefix + (key,))


def _put(document, path, value):
    out = copy.deepcopy(document)
    if not path:
        return value
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return out


def _broken(random, data):
    """Bytes changed, cut, doubled or turned round."""
    body = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        kind = random.randrange(5)
        spot = random.randrange(len(body) or 1)
        if not body:
            return b""
        if kind == 0:
            body[spot] = random.randrange(256)
        elif kind == 1:
            del body[spot:]
        elif kind == 2:
            del body[spot:spot + random.randrange(1, 20)]
        elif kind == 3:
            body[spot:spot] = body[spot:spot + random.randrange(1, 20)]
        else:
            body[spot:spot] = random.choice(
                [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\x00", b"\\u0000", b"\\ud800", b'"',
                 b"{", b"]", b",", b"\xef\xbb\xbf", b"//", b"\\"])
    return bytes(body)


def broken(count=1200):
    for number in range(count):
        random = dice("broken", number)
        method, path, good = random.choice(calls(f"broken-{number}"))
        yield Case(f"broken/{number}", method, path, JSON, _broken(random, encoded(good)))


def misplaced(count=1000):
    """A value of another kind, a nasty text, or a place that is missing, doubled or unknown."""
    others = [None, True, False, 0, -1, 1e300, "", "x", [], {}, [[]], {"a": 1}, [None], "2026"]
    for number in range(count):
        random = dice("misplaced", number)
        method, path, good = random.choice(calls(f"misplaced-{number}"))
        place = random.choice([one for one in _paths(good)])
        label = f"misplaced/{number}"
        kind = random.randrange(4)
        if kind == 0:
            yield Case(label, method, path, JSON, encoded(
                _put(good, place, random.choice(others))))
        elif kind == 1:
            yield Case(label, method, path, JSON, json.dumps(
                _put(good, place, random.choice(NASTY_TEXTS))).encode())
        elif kind == 2 and place:
            text = encoded(_put(good, place, "@@"))
            yield Case(label, method, path, JSON, text.replace(
                b'"@@"', random.choice(NASTY_NUMBERS).encode()))
        else:
            yield Case(label, method, path, JSON, encoded({**good, "kolour": 1}),
                       expect=refused(400, "unknown_field", field="kolour"))


RANGES = [
    # Field, what is within, the reason outside.
    ("latitude", lambda x: -90 <= x <= 90, "latitude_out_of_range"),
    ("longitude", lambda x: -180 <= x <= 180, "longitude_out_of_range"),
    ("limit", lambda x: 1 <= x <= 1000 and x == int(x), None),
    ("radiusMeters", lambda x: 0 <= x, None),
    ("maxAgeSeconds", lambda x: 0 <= x, None),
]


def numbers():
    """Each numeric field of Nearby with each nasty number, in a body and in a query: a number out
    of its range is refused by name, one within is answered."""
    path = f"/v1/layers/{LAYER}/nearby"
    good = {"latitude": 37.5, "longitude": 127.0, "limit": 3, "radiusMeters": 5.0,
            "maxAgeSeconds": 100.0}
    for field, within, reason in RANGES:
        for text in NASTY_NUMBERS:
            body = encoded({**good, field: "@@"}).replace(b'"@@"', text.encode())
            if text in NOT_JSON_NUMBERS:
                expect = refused(400, "malformed_request")
            else:
                value = float(text)
                if value == 0 and field in ("latitude", "longitude"):
                    continue
                expect = None if within(value) and value < math.inf else refused(400)
                # What no such field can hold is refused as no number of its kind.
                if expect and text.lstrip("-").isdigit() and abs(value) < 2**31:
                    expect = refused(400, *([reason] if reason else []), field=field)
            yield Case(f"numbers/{field}/{text[:20]}", "POST", path, JSON, body, expect=expect)
            query = urllib.parse.urlencode({**good, field: text})
            yield Case(f"numbers/query/{field}/{text[:20]}", "GET", f"{path}?{query}",
                       expect=one_of(200, 400))


def deep():
    """Nesting as deep as a body allows, in a place that holds any JSON and in one that does not."""
    path = f"/v1/layers/{LAYER}/positions"
    for depth in (10, 50, 90, 101, 500, 1000, 5000, 20_000, 100_000):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            for middle in (b"1", b""):
                value = opening * depth + middle + closing * depth
                yield Case(f"deep/{depth}", "POST", path, JSON,
                           b'{"positions":[{"id":"deep","latitude":1,"longitude":1,'
                           b'"attributes":{"a":' + value + b"}}]}")
                yield Case(f"deep/whole/{depth}", "POST", path, JSON, value)
                yield Case(f"deep/unclosed/{depth}", "POST", path, JSON, opening * depth,
                           expect=refused(400, "malformed_request", "unknown_field"))


def odd_documents():
    for number, (method, path, good) in enumerate(calls("odd")):
        data = encoded(good)
        first = next(iter(good))
        doubled = data[:-1] + b"," + encoded({first: good[first]})[1:]
        for kind, body in (
                ("empty", b""), ("blank", b" \n"), ("null", b"null"), ("list", b"[]"),
                ("text", b'"x"'), ("number", b"7"), ("comma", data[:-1] + b",}"),
                ("comment", b"/* x */" + data), ("tail", data + b"x"), ("two", data + data),
                ("quotes", data.replace(b'"', b"'")), ("bom", b"\xef\xbb\xbf" + data),
                ("utf-16", data.decode().encode("utf-16")), ("nul", data + b"\x00"),
                ("doubled", doubled), ("latin-1", data[:-1] + b',"\xe9":1}')):
            yield Case(f"odd/{kind}/{number}", method, path, JSON, body)


def nearby_texts():
    """Nasty texts where Nearby takes a text: what is answered is well formed."""
    for number, text in enumerate(NASTY_TEXTS):
        for field, value in (("tags", [text]), ("notTags", [text]), ("excludeIds", [text]),
                             ("tagMatch", text), ("cursor", text), ("minVersion", text),
                             ("where", [{"attribute": text, "min": 1}]),
                             ("where", [{"attribute": "level", "equals": text}])):
            if field == "minVersion" and not text:
                continue
            yield Case(f"texts/{field}/{number}", "POST", f"/v1/layers/{LAYER}/nearby", JSON,
                       json.dumps({**NEARBY, field: value}).encode())


JSON = (("content-type", "application/json"),)
FAMILIES = [broken, misplaced, numbers, deep, odd_documents, nearby_texts]
