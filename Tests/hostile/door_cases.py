"""Bad input of the doors for other apps (`--adapters`): for each door the same kinds of mistakes, made
of its own good calls, and what its dialect says to each.

Kinds: wrong encoding, a missing field, ten thousand items, 20 MiB, another content type, broken percent
coding, a key twice, NUL, deep nesting, another method.
"""

import json
import random

from bodies import GANGNAM, SEOUL, at
from case import SEED
from reasons import reasons

FORM = "application/x-www-form-urlencoded; charset=utf-8"
JSON = "application/json"
HUGE = 20 << 20
LAYER = "doors"
MANY = 10_000
REASONS = reasons()

# What no UTF-8 text holds: a stray byte, an overlong form, half of a surrogate pair, a cut sequence.
NOT_UTF8 = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82"]
BAD_ESCAPES = ["%", "%2", "%zz", "%ff", "%c3%28", "%ed%a0%80", "%u0041", "%-1"]


class Bad:
    """A bad request: chunked where `length` is false."""

    def __init__(self, label, method, target, headers, body=b"", length=True):
        self.label, self.method, self.target = label, method, target
        self.headers, self.body, self.length = headers, body, length

    def __repr__(self):
        return f"{self.label}: {self.method} {self.target!r} {self.body[:200]!r}"


class Call:
    """A good call of a door: `fields` in the order sent, `required` of which none may lack."""

    def __init__(self, method, path, fields, required, texts=(), lists=()):
        self.method, self.path, self.fields, self.required = method, path, fields, required
        # Fields that take any text, and those that repeat.
        self.texts, self.lists = texts, lists


class StudyQueue:
    """Answers 501 to what is malformed, whatever the mistake (StudyStatus)."""

    name = "study-queue"
    content_type = FORM
    headers = (("idtoken", "doors-ann"),)
    paths = ["/v1/queue", "/v1/queue/search", "/v1/queue/studyrequest", "/v1/queue/studyaccept",
             "/v1/queue/dodge", "/v1/queue/rate/doors-ben", "/v1/queue/myQueueState", "/queue",
             "/queue/onqueue", "/queue/hobbyrequest"]
    methods = ["PUT", "PATCH", "OPTIONS", "TRACE", "LINK"]
    other_types = ["text/plain", JSON, "multipart/form-data; boundary=x", "application/xml"]

    def calls(self):
        place = [("lat", "37.4979"), ("long", "127.0276")]
        tags = [("studylist", "swift"), ("studylist", "math")]
        other = [("otheruid", "doors-ben")]
        rating = other + [("reputation", str(i % 2)) for i in range(5)] + [("comment", "kind")]
        yield Call("POST", "/v1/queue", place + tags, ["lat", "long"], ["studylist"], ["studylist"])
        yield Call("POST", "/queue", [*place, ("hf", "walks")], ["lat", "long"], ["hf"], ["hf"])
        yield Call("POST", "/v1/queue/search", place, ["lat", "long"])
        for path in ("/v1/queue/studyrequest", "/v1/queue/studyaccept", "/v1/queue/dodge",
                     "/queue/hobbyrequest", "/queue/hobbyaccept"):
            yield Call("POST", path, other, ["otheruid"], ["otheruid"])
        yield Call("POST", "/v1/queue/rate/doors-ben", rating, ["reputation"],
                   ["otheruid", "comment"], ["reputation"])

    def encoded(self, fields):
        return "&".join(f"{name}={value}" for name, value in fields).encode()

    def special(self, call, dice):
        """What only forms can be: escapes, names, pairs."""
        good = self.encoded(call.fields)
        for escape in BAD_ESCAPES:
            yield "escape", good + b"&more=" + escape.encode()
            yield "escape", good + b"&" + escape.encode() + b"=1"
            for name in call.texts:
                yield "escape", replaced(self, call, name, escape)
        yield "deep", good + b"&" + b"[" * 5000 + b"=1&" + call.required[0].encode() + b"=1"
        yield "nul", good + b"&more=%00"
        yield "nul", good + b"&a%00b=1"
        yield "nameless", good + b"&=value"
        yield "many", good + b"".join(b"&more=%d" % i for i in range(MANY))
        for name in call.lists:
            yield "many", good + b"".join(b"&%s=t%d" % (name.encode(), i) for i in range(MANY))
            yield "many", good + b"".join(
                b"&%s[%d]=t%d" % (name.encode(), i, i) for i in range(MANY))
        for name in call.required:
            if name not in call.lists:
                yield "twice", good + f"&{name}={dice.randrange(99)}".encode()
                yield "twice", good + f"&{name}[]={dice.randrange(99)}".encode()

    def wrong(self, answer, kind):
        return dialect_wrong(answer, 501, ["message", "reason"])


class OfJSON:
    """What bodies of JSON have in common."""

    content_type = JSON
    # Whether texts may hold NUL when it is escaped, as ids of the API may.
    takes_escaped_nul = False

    def encoded(self, fields):
        return json.dumps(dict(fields), ensure_ascii=False).encode()

    def special(self, call, dice):
        good = self.encoded(call.fields)
        cut = good[:-1]
        for depth in (6000, 60_000):
            yield "deep", b"[" * depth
            yield "deep", b'{"more":' * depth
            yield "deep", cut + b', "more": ' + b"[" * depth + b"]" * depth + b"}"
        yield "deep", b'{"more":' * 6000 + b"1" + b"}" * 6000
        for name in call.required:
            value = json.dumps(dict(call.fields)[name]).encode()
            yield "twice", cut + b', "%s": %s}' % (name.encode(), value)
            yield "twice", b'{"%s": null, ' % name.encode() + good[1:]
        for name in call.texts:
            yield "many", self.encoded(
                [(key, [f"t{i}" for i in range(MANY)] if key == name else value)
                 for key, value in call.fields])
            nul = () if self.takes_escaped_nul else (b"\\u0000",)
            for text in (*nul, b"\\ud800", b"\\udc00\\ud800", b"\x00", b"\\x", b"\n"):
                yield "nul" if text in (b"\\u0000", b"\x00") else "escape", replaced(
                    self, call, name, text.decode("latin-1"), raw=True)
        yield "nul", good + b"\x00"
        yield "nul", good.replace(b'"', b'\x00"', 1)
        for name in call.lists:
            yield "many", self.encoded(
                [(key, [f"t{i}" for i in range(MANY)] if key == name else value)
                 for key, value in call.fields])
        for body in (b"", b"{", b"[]", b"null", b'"text"', b"a=b", b"1", b"{}{}", good + b",",
                     b"\xef\xbb\xbf" + good[:-1], good.decode().encode("utf-16")):
            yield "shape", body


class TaxiParty(OfJSON):
    """Answers 400 to what is malformed and 444 to what is no call (TaxiStatus)."""

    name = "taxi-party"
    headers = (("authorization", "doors-ann"), ("sesackey", "doors-key"))
    paths = ["/v1/posts", "/v1/posts/geolocation", "/v1/posts/likes/me", "/v1/posts/users/ann",
             "/v1/posts/none/like", "/map-direction/v1/driving", "/map-geocode/v2/geocode"]
    methods = ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK"]
    # The app's own client leaves the type out at times; what is no JSON is refused as such.
    other_types = []

    def __init__(self, post_id="none"):
        self.post_id = post_id

    def calls(self):
        moment = at(300).replace("T", " ").replace("Z", " +0000")
        yield Call("POST", "/v1/posts", [
            ("title", "together"), ("content", "서울역,126.9707,37.5547"),
            ("content1", "강남역,127.0276,37.4979"), ("content2", "4"), ("content3", moment),
            ("product_id", "taxi_party")], ["content", "content1", "content2", "content3"],
            ["title", "content", "product_id"])
        yield Call("POST", f"/v1/posts/{self.post_id}/like", [("like_status", True)],
                   ["like_status"])

    def queries(self):
        for escape in BAD_ESCAPES + ["%00"]:
            yield "/v1/posts?product_id=" + escape
            yield "/v1/posts?limit=1&more=" + escape
            yield "/v1/posts/geolocation?longitude=127&latitude=37&more=" + escape
            yield "/map-direction/v1/driving?start=127,37&goal=127.1,37.5&more=" + escape

    def wrong(self, answer, kind):
        return dialect_wrong(answer, 444 if kind in ("method", "path") else 400,
                             ["message", "reason"], also=["code"])


class Messenger(OfJSON):
    """Answers 400 with E11 to what is malformed and E97 to what is no call (MessengerCode)."""

    name = "messenger"
    headers = (("x-moyeo-dialect", "messenger"),)
    takes_escaped_nul = True
    paths = ["/v1/tickets", "/v1/tickets/search", "/v1/parties/match", "/v1/batch",
             "/v1/fares/split", f"/v1/layers/{LAYER}/within"]
    methods = ["PUT", "PATCH", "TRACE", "LINK"]
    # The API reads JSON in a body that is called a form, as curl does by itself, or a text.
    other_types = ["multipart/form-data; boundary=x", "application/xml", "text/html", "image/png"]

    def calls(self):
        yield Call("POST", "/v1/tickets", [
            ("userId", "doors-ann"), ("here", SEOUL), ("tags", ["swift"])], ["userId", "here"],
            ["userId"], ["tags"])
        yield Call("POST", "/v1/tickets/none/propose", [("otherId", "doors-ben")], ["otherId"],
                   ["otherId"])
        yield Call("POST", "/v1/parties", [
            ("hostId", "doors-host"), ("origin", SEOUL), ("destination", GANGNAM),
            ("departureTime", at(300)), ("seats", 4), ("tags", ["airport"])],
            ["hostId", "origin", "destination", "departureTime"], ["hostId"], ["tags"])
        yield Call("POST", f"/v1/layers/{LAYER}/positions", [
            ("positions", [{"id": "kim", **SEOUL}])], [])

    def queries(self):
        for escape in BAD_ESCAPES:
            yield "/v1/parties?more=" + escape
            yield f"/v1/layers/{LAYER}/nearby?latitude=37.5&longitude=127&tags=" + escape

    def wrong(self, answer, kind):
        wrong = dialect_wrong(answer, 400, ["code", "errorCode", "message", "reason"])
        code = "E97" if kind in ("method", "path") else "E11"
        if wrong is None and (answer.json["errorCode"], answer.json["code"]) != (
                code, int(code[1:])):
            return f"wanted {code}, got {answer}"
        return wrong


DOORS = [StudyQueue, TaxiParty, Messenger]


def dialect_wrong(answer, status, names, also=()):
    """What is wrong with an answer that is to be a refusal with these members."""
    if answer.status != status:
        return f"wanted {status}, got {answer}"
    body = answer.json
    if not isinstance(body, dict) or sorted(set(body) - set(also)) != names:
        return f"not the dialect's refusal, {answer}"
    if body["reason"] not in REASONS:
        return f"no reason of ours, {answer}"
    return None if str(body["message"]).strip() else f"a refusal without a message, {answer}"


def replaced(door, call, name, text, raw=False):
    """The body with the value of a field replaced by a text as it is."""
    mark = "MARK"
    done, fields = False, []
    for key, value in call.fields:
        fields.append((key, mark if key == name and not done else value))
        done = done or key == name
    return door.encoded(fields).replace(mark.encode(), text.encode("latin-1" if raw else "utf-8"))


def cases(door, seed=SEED):
    """(kind, bad request) of a door, the same in every run."""
    for number, call in enumerate(door.calls()):
        dice = random.Random(f"{seed}/doors/{door.name}/{number}")
        headers = (*door.headers, ("content-type", door.content_type))
        good = door.encoded(call.fields)

        def bad(kind, body, headers=headers, length=True, call=call):
            return kind, Bad(f"{door.name}/{kind}", call.method, call.path, headers, body, length)

        for _ in range(12):
            spot = dice.randrange(len(good) + 1)
            yield bad("encoding", good[:spot] + dice.choice(NOT_UTF8) + good[spot:])
        for name in call.required:
            yield bad("missing", door.encoded(
                [(key, value) for key, value in call.fields if key != name]))
        for kind, body in door.special(call, dice):
            yield bad(kind, body)
        for other in door.other_types:
            yield bad("type", good, (*door.headers, ("content-type", other)))
        for length in (True, False):
            yield bad("huge", good + b" " * HUGE if door.content_type == JSON
                      else good + b"&more=" + b"x" * HUGE, length=length)
    for method in door.methods:
        for path in door.paths:
            yield "method", Bad(f"{door.name}/method", method, path, door.headers)
    for escape in BAD_ESCAPES:
        for path in door.paths:
            yield "path", Bad(
                f"{door.name}/path", "POST", f"{path}/{escape}/more",
                (*door.headers, ("content-type", door.content_type)), b"{}")
    for target in getattr(door, "queries", tuple)():
        yield "query", Bad(f"{door.name}/query", "GET", target, door.headers)
