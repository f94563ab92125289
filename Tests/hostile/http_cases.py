"""Paths, methods, headers and raw bytes of HTTP/1.1."""

import urllib.parse

from bodies import LAYER, NEARBY, encoded
from case import Case, accepted, dice, one_of, refused
from json_cases import JSON
from texts import NASTY_TEXTS

NEAR = f"/v1/layers/{LAYER}/nearby"
GOOD = f"{NEAR}?latitude=37.5&longitude=127&limit=1"
SEGMENTS = ["v1", "layers", LAYER, "nearby", "positions", "tiles", "clusters", "parties", "events",
            "0", "..", ".", "", "%2e%2e", "%2F", "%00", "%", "%zz", "%ff", "a" * 300, "*", "~",
            "join", "watch", "within", "batch", "fares", "estimate", "한", "%ED%95%9C", "x;y=1"]


def paths(count=450):
    for number in range(count):
        random = dice("paths", number)
        path = "/" + "/".join(random.choice(SEGMENTS) for _ in range(random.randrange(1, 9)))
        if random.random() < 0.3:
            path += "?" + random.choice(["", "&&&", "=", "a=b=c", "%", "latitude", "x" * 9000,
                                         "latitude=1&latitude=2", "tags=&tags=", "+%2B"])
        # The watches are streams, which have their own tests.
        if "watch" in path or path.startswith("/v1/events"):
            continue
        method = random.choice(["GET", "GET", "HEAD", "POST", "DELETE"])
        headers, body = (JSON, b"{}") if method == "POST" else ((), b"")
        yield Case(f"paths/{number}", method, path.encode(), headers, body,
                   expect=one_of(200, 204, 301, 304, 400, 404, 405, 409, 413, 414, 415))


def tiles():
    """An address past its zoom, a zoom past 22, an ending that is not served."""
    numbers = ["0", "1", "-1", "22", "23", "4194303", "4194304", "2147483648", "1e1", "0x0", "00",
               "", "99999999999999999999", "NaN", "%30", "1.0"]
    for number in range(250):
        random = dice("tiles", number)
        z, x, y = (random.choice(numbers) for _ in range(3))
        ending = random.choice(["mvt", "json", "mvt", "png", "", "MVT"])
        path = f"/v1/layers/{LAYER}/tiles/{z}/{x}/{y}.{ending}"
        good = (z.isdigit() and x.isdigit() and y.isdigit() and str(int(z)) == z
                and str(int(x)) == x and str(int(y)) == y and int(z) <= 22
                and int(x) < 2 ** int(z) and int(y) < 2 ** int(z) and ending in ("mvt", "json"))
        yield Case(f"tiles/{number}", "GET", path,
                   expect=one_of(200, 204) if good else one_of(200, 400, 404))
        yield Case(f"road-tiles/{number}", "GET", f"/v1/roads/tiles/{z}/{x}/{y}.{ending}",
                   expect=one_of(200, 204, 400, 404))


def methods():
    """A known path answers 405 and says what is allowed; no method at all is a fault."""
    names = ["PUT", "PATCH", "TRACE", "PROPFIND", "get", "GE", "GETT", "M-SEARCH", "PURGE", "LINK"]
    for name in names:
        for path in (NEAR, f"/v1/layers/{LAYER}/positions", "/v1/parties", "/v1/batch",
                     "/v1/fares/split", "/v1/layers", "/nowhere"):
            def expect(answer, path=path, name=name):
                if path == "/nowhere":
                    return one_of(400, 404, 405)(answer)
                wrong = one_of(400, 405)(answer)
                if wrong is None and answer.status == 405 and not answer.headers.get("allow"):
                    return f"405 without Allow, {answer}"
                return wrong
            yield Case(f"methods/{name}", name, path, expect=expect)


HEADERS = [
    ("accept", ["", "*/*", "text/html", "application/json;q=0", "application/xml", ",,,",
                "a" * 5000]),
    ("accept-encoding", ["", "gzip", "br", "identity;q=0", "gzip;q=2", "*;q=0", "gzip,gzip",
                         "\x01"]),
    ("if-none-match", ["", "*", '"', 'W/"x"', '"' + "a" * 3000 + '"', ", , ,"]),
    ("if-modified-since", ["yesterday", "0", "Thu, 01 Jan 1970 00:00:00 GMT"]),
    ("range", ["bytes=0-1", "bytes=-", "lines=1", "bytes=5-1", "bytes=0-" + "9" * 40]),
    ("cache-control", ["max-age=-1", "max-age=99999999999999999999", "max-age", "no-store,,", "=",
                       "max-age=1.5", "max-age=0, max-age=5"]),
    ("x-moyeo-session", ["", "a" * 4000, "\xff".encode("latin-1"), "세션".encode(), "s", ","]),
    ("x-moyeo-sequence", ["-1", "99999999999999999999", "x", "1.5", ""]),
    ("idempotency-key", ["", "a" * 128, "a" * 129, b"\xff\xfe", "키".encode(), "a b", ","]),
    ("content-type", ["text/plain", "application/x-www-form-urlencoded", "", "json", "\"",
                      "application/json;charset=utf-16", "multipart/form-data; boundary=x"]),
    ("te", ["trailers", "gzip;q=x"]), ("upgrade", ["h2c", "websocket"]),
    ("connection", ["upgrade", "keep-alive", "close, close", "transfer-encoding"]),
    ("expect", ["200-ok", ""]), ("max-forwards", ["-1"]), ("via", ["1.1 " + "x" * 1000]),
    ("x-forwarded-for", ["127.0.0.1", "'; --"]), ("forwarded", ["for=\"[::1]\""]),
    ("authorization", ["Bearer", "Bearer " + "x" * 7000, "Basic !!!", ""]),
    ("cookie", ["a=b; " * 500]), ("traceparent", ["00-0-0-0", "x"]),
]


def headers():
    for name, values in HEADERS:
        for value in values:
            for method, target, body in (
                    ("GET", GOOD, b""), ("POST", NEAR, encoded(NEARBY)),
                    ("GET", f"/v1/layers/{LAYER}/tiles/0/0/0.mvt", b""), ("GET", "/metrics", b"")):
                kept = () if name == "content-type" else (JSON if body else ())
                yield Case(f"headers/{name}/{str(value)[:20]}", method, target,
                           (*kept, (name, value)), body,
                           expect=one_of(200, 204, 206, 304, 400, 401, 403, 406, 409, 412, 413,
                                         415, 416, 417, 431, 501))


def queries(count=300):
    """Query strings of Nearby: repeated, empty, encoded and unknown parameters."""
    names = ["latitude", "longitude", "limit", "radiusMeters", "tags", "where", "within", "cursor",
             "minVersion", "colour", "tagMatch", "excludeIds", "maxStalenessSeconds", ""]
    for number in range(count):
        random = dice("queries", number)
        parts = ["latitude=37.5", "longitude=127"]
        for _ in range(random.randrange(1, 5)):
            value = random.choice(NASTY_TEXTS)[:200]
            name = random.choice(names)
            if name == "minVersion":
                value = random.choice(["x", "0-0", ""])
            parts.append(f"{name}={urllib.parse.quote(value, safe='')}")
        random.shuffle(parts)
        yield Case(f"queries/{number}", "GET", f"{NEAR}?{'&'.join(parts)}".encode(),
                   expect=one_of(200, 400))
    yield Case("queries/unknown", "GET", GOOD + "&kolour=1",
               expect=refused(400, "unknown_field", field="kolour"))
    yield Case("queries/good", "GET", GOOD, expect=accepted)


def raw(count=300):
    """Bytes that are hardly a request: (label, bytes, whether HTTP forbids to serve them)."""
    starts = [b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n", b"POST " + NEAR.encode()
              + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n"]
    bad = [b"a b: c\r\n", b": x\r\n", b"x\r\n", b"content-length: -1\r\n",
           b"content-length: 1\r\ncontent-length: 2\r\n", b"content-length: 1, 2\r\n",
           b"content-length: 99999999999999999999999\r\n", b"content-length: +1\r\n",
           b"transfer-encoding: chunked\r\ncontent-length: 3\r\n", b"x: a\x00b\r\n",
           b"x: y\r\n z\r\n", b"x\x80: y\r\n"]
    for number in range(count):
        random = dice("raw", number)
        kind = number % 4
        if kind == 0:
            data = random.randbytes(random.randrange(1, 500))
        elif kind == 1:
            data = random.choice(starts) + random.choice(bad) + b"\r\n"
        elif kind == 2:
            chunk = random.choice([b"zz\r\n", b"-1\r\n", b"5\r\nab", b"ffffffffffffffffff\r\n",
                                   b"1;" + b"x" * 20_000 + b"\r\na\r\n", b"\r\n", b"1\r\nab\r\n"])
            data = starts[1] + b"transfer-encoding: chunked\r\n\r\n" + chunk
        else:
            line = bytearray(b"GET /healthz HTTP/1.1")
            for _ in range(random.randrange(1, 4)):
                line[random.randrange(len(line))] = random.choice(b"\x00\t \x7f\xff/.:19Z")
            data = bytes(line) + b"\r\nhost: 127.0.0.1\r\n\r\n"
        yield f"raw/{number}", data, kind == 1


FAMILIES = [paths, tiles, methods, headers, queries]
