"""Ids, tags, polygons, cursors, tokens and sizes: each with what the limits promise for it."""

import base64
import json
import math
import urllib.parse

from bodies import LAYER, NEARBY, POSITION, encoded
from case import Case, accepted, dice, one_of, refused
from json_cases import JSON
from texts import NASTY_TEXTS

POSITIONS = f"/v1/layers/{LAYER}/positions"
NEAR = f"/v1/layers/{LAYER}/nearby"


def _item_refused(reason, field):
    """A batch with one bad item among good ones: that one is refused, the others are taken."""
    def expect(answer):
        if answer.status != 200:
            return f"wanted 200, got {answer}"
        told = answer.json["rejections"]
        if [one["index"] for one in told] != [1]:
            return f"wanted item 1 alone refused, got {answer}"
        if told[0]["reason"] not in reason or not told[0]["field"].startswith(field):
            return f"wanted {reason} of {field}, got {answer}"
        return None if answer.json["accepted"] == 1 else f"wanted 1 accepted, got {answer}"
    return expect


def _item_taken(answer):
    if answer.status != 200 or answer.json["accepted"] != 2:
        return f"wanted both accepted, got {answer}"
    return None


def _beside(item):
    return encoded({"positions": [{**POSITION, "id": "beside"}, item]})


def ids():
    """128 bytes of UTF-8 at most and at least one; Get answers for what was accepted."""
    for number, text in enumerate(NASTY_TEXTS):
        size = len(text.encode())
        expect = None
        if not 1 <= size <= 128:
            expect = _item_refused(("bad_id", "missing_field"), "id")
        elif all(character.isalnum() for character in text):
            expect = _item_taken
        body = json.dumps({"positions": [{**POSITION, "id": "beside"}, {**POSITION, "id": text}]})
        yield Case(f"ids/report/{number}", "POST", POSITIONS, JSON, body.encode(), expect=expect)
        quoted = urllib.parse.quote(text, safe="")
        for method in ("GET", "DELETE"):
            yield Case(f"ids/{method}/{number}", method, f"{POSITIONS}/{quoted}",
                       expect=one_of(200, 400, 404, 405))


def tags(count=300):
    for number in range(count):
        random = dice("tags", number)
        many = random.choice([1, 2, 5, 31, 32, 33, 64])
        chosen = [random.choice(NASTY_TEXTS)[:random.randrange(1, 70)] for _ in range(many)]
        if number % 3 == 0:
            chosen = [f"tag{i}" for i in range(many)]
            expect = _item_taken if many <= 32 else _item_refused(("bad_tag", "too_many_items"),
                                                                  "tags")
        else:
            expect = one_of(200)
        yield Case(f"tags/{number}", "POST", POSITIONS, JSON,
                   json.dumps({"positions": [{**POSITION, "id": "beside"},
                                             {**POSITION, "id": f"tags-{number % 7}",
                                              "tags": chosen}]}).encode(), expect=expect)


def attributes():
    def item(value):
        return {**POSITION, "id": "attributes", "attributes": value}
    for size in (1, 100, 2000, 2100, 5000, 100_000):
        expect = _item_taken if size <= 2000 else _item_refused(("bad_attributes",), "attributes")
        yield Case(f"attributes/{size}", "POST", POSITIONS, JSON, _beside(item({"a": "x" * size})),
                   expect=expect)
    for value in (None, [], {}, {"": 1}, {"a": None}, {"a": [1, [2, {"b": []}]]}, {"a": 1e308},
                  {"한글": "값"}, {"a": "\x00"}, {f"k{i}": i for i in range(300)},
                  {"a.b": 1, "a": {"b": 2}}, {"__proto__": 1}):
        yield Case("attributes/value", "POST", POSITIONS, JSON, _beside(item(value)))


def _polygon(points):
    return {"points": [{"latitude": y, "longitude": x} for y, x in points]}


def polygons(count=400):
    for number in range(count):
        random = dice("polygons", number)
        kind = number % 8
        corners = random.choice([3, 4, 7, 50, 999, 1000, 1001, 1500])
        middle, expect = (random.uniform(-80, 80), random.uniform(-179, 179)), one_of(200, 400)
        points = [
            (middle[0] + 5 * math.sin(2 * math.pi * i / corners) * random.uniform(0.5, 1),
             middle[1] + 0.5 * math.cos(2 * math.pi * i / corners)) for i in range(corners)]
        if kind == 0:
            expect = accepted if corners <= 1000 else refused(400, "bad_polygon", "too_many_items")
        elif kind == 1:
            points = points[:random.randrange(0, 3)]
            expect = refused(400, "bad_polygon", "missing_field")
        elif kind == 2:
            points = [points[0]] * len(points)
        elif kind == 3:
            points = [(p[0], 180 * math.copysign(1, p[1])) for p in points]
        elif kind == 4:
            points[random.randrange(len(points))] = (91, 0)
            expect = refused(400)
        elif kind == 5:
            random.shuffle(points)
        elif kind == 6:
            points = [(random.choice([90, -90, 0]), random.choice([0, 180, -180, 90, -90]))
                      for _ in points]
        else:
            points = [(middle[0], middle[1] + i * 1e-12) for i in range(corners)]
        field = random.choice(["nearby", "within"])
        body = ({**NEARBY, "within": _polygon(points)} if field == "nearby"
                else {"polygon": _polygon(points), "limit": 2})
        yield Case(f"polygons/{kind}/{number}", "POST", f"/v1/layers/{LAYER}/{field}", JSON,
                   encoded(body), expect=expect)


def boxes():
    values = [-181, -180, -179.9999999, -90.1, -90, -1, 0, 1, 90, 90.1, 179.9999999, 180, 181]
    for number in range(150):
        random = dice("boxes", number)
        west, east = random.choice(values), random.choice(values)
        south, north = random.choice(values), random.choice(values)
        good = (abs(west) <= 180 and abs(east) <= 180 and abs(south) <= 90 and abs(north) <= 90
                and south <= north)
        query = f"west={west}&south={south}&east={east}&north={north}"
        yield Case(f"boxes/{number}", "GET", f"/v1/layers/{LAYER}/within?{query}&limit=2",
                   expect=accepted if good else refused(400))
        yield Case(f"boxes/clusters/{number}", "GET",
                   f"/v1/layers/{LAYER}/clusters?{query}&zoom={random.choice([0, 8, 16, 22])}",
                   expect=accepted if good else refused(400))


def cursors(good, count=300):
    """`good` is a cursor as the daemon gave it, for NEARBY."""
    for number in range(count):
        random = dice("cursors", number)
        text = bytearray(good.encode())
        for _ in range(random.randrange(1, 4)):
            kind, spot = random.randrange(4), random.randrange(len(text) or 1)
            if not text:
                break
            if kind == 0:
                text[spot] = random.choice(b"ABCabc019-_=+/.~")
            elif kind == 1:
                del text[spot:]
            elif kind == 2:
                text[spot:spot] = random.choice([b"A", b"==", b"/", b"\xc3\xa9"])
            else:
                text = bytearray(base64.urlsafe_b64encode(random.randbytes(len(text))))
        try:
            cursor = text.decode()
        except UnicodeDecodeError:
            cursor = text.decode("latin-1")
        expect = one_of(200, 400)
        if cursor.encode() == good.encode():
            expect = accepted
        yield Case(f"cursors/{number}", "POST", NEAR, JSON, encoded({**NEARBY, "cursor": cursor}),
                   expect=lambda answer, e=expect: e(answer) or (
                       None if answer.status == 200
                       else refused(400, "bad_cursor", field="cursor")(answer)))
    # A cursor holds for its own question only.
    for change in ({"latitude": 10}, {"tags": ["other"]}, {"tagMatch": "all"}, {"notTags": []},
                   {"where": []}, {"radiusMeters": 7}):
        yield Case("cursors/other", "POST", NEAR, JSON,
                   encoded({**NEARBY, "cursor": good, **change}),
                   expect=refused(400, "bad_cursor", field="cursor"))


def tokens(count=300):
    """Sequences, versions and idempotency keys."""
    for number in range(count):
        random = dice("tokens", number)
        text = random.choice([
            *NASTY_TEXTS, "1", "-1", "999999999999", "18446744073709551616", "0x1", "1.0", "e1-a",
            "00000000-0", "ffffffff-ffffffffffffffff", random.randbytes(20).hex()])
        quoted = urllib.parse.quote(text, safe="")
        kind = number % 4
        if kind == 0:
            yield Case(f"tokens/after/{number}", "GET", f"/v1/events?after={quoted}",
                       expect=one_of(200, 400, 410))
        elif kind == 1:
            yield Case(f"tokens/kinds/{number}", "GET", f"/v1/events?after=0&kinds={quoted}",
                       expect=one_of(200, 400))
        elif kind == 2:
            yield Case(f"tokens/cluster/{number}", "GET",
                       f"/v1/layers/{LAYER}/clusters/{quoted or 'x'}/leaves",
                       expect=one_of(200, 400, 404))
        else:
            yield Case(f"tokens/party/{number}", "GET", f"/v1/parties/{quoted or 'x'}",
                       expect=one_of(400, 404))


def sizes():
    """At each bound and just past it."""
    def positions(count):
        return encoded({"positions": [{"id": f"s{i}", "latitude": 1 + i / 1e4, "longitude": 1}
                                      for i in range(count)]})
    for count, expect in ((1, accepted), (1000, accepted),
                          (1001, refused(400, "too_many_items", field="positions"))):
        yield Case(f"sizes/positions/{count}", "POST", POSITIONS, JSON, positions(count),
                   expect=expect)
    for count, expect in ((100, accepted), (101, refused(400, "too_many_items"))):
        yield Case(f"sizes/batch/{count}", "POST", NEAR + "/batch", JSON,
                   encoded({"requests": [{"latitude": 1, "longitude": 1, "limit": 1}] * count}),
                   expect=expect)
    for count, expect in ((20, accepted), (21, refused(400, "too_many_items"))):
        yield Case(f"sizes/reads/{count}", "POST", "/v1/batch", JSON,
                   encoded({"requests": [{"method": "GET", "path": "/v1/layers"}] * count}),
                   expect=expect)
    for mebibytes in (2, 5, 8):
        for path in (POSITIONS, NEAR, "/v1/parties", "/v1/batch", "/v1/fares/split"):
            expect = (refused(413, "request_too_large") if mebibytes > 4
                      else one_of(400, 413))
            yield Case(f"sizes/{mebibytes} MiB", "POST", path, JSON, b" " * (mebibytes << 20),
                       expect=expect)
    for many in (1000, 10_000):
        for field in ("tags", "notTags", "excludeIds"):
            yield Case(f"sizes/{field}/{many}", "POST", NEAR, JSON,
                       encoded({**NEARBY, field: [f"x{i}" for i in range(many)]}),
                       expect=one_of(200, 400))
        yield Case(f"sizes/where/{many}", "POST", NEAR, JSON,
                   encoded({**NEARBY, "where": [{"attribute": "a", "min": 1}] * many}),
                   expect=one_of(200, 400))


FAMILIES = [ids, tags, attributes, polygons, boxes, tokens, sizes]
