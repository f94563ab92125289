"""Files for the command line's readers: CSV, GeoJSON, NDJSON, recorded trips, tariffs."""

import json

from case import dice
from running_daemon import ROOT
from texts import NASTY_NUMBERS, NASTY_TEXTS

CSV = ("id,latitude,longitude,tags,level\n"
       + "".join(f"r{i},{37 + i / 100},{127 + i / 100},swift;math,{i}\n" for i in range(20)))
GEOJSON = json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "id": f"f{i}", "properties": {"name": "가게", "level": i},
     "geometry": {"type": "Point", "coordinates": [127 + i / 100, 37 + i / 100]}}
    for i in range(20)]}, ensure_ascii=False)
NDJSON = "".join(
    json.dumps({"id": f"n{i}", "latitude": 37 + i / 100, "longitude": 127 + i / 100}) + "\n"
    for i in range(20))
TRIPS = ("vendor_id,pickup_datetime,dropoff_datetime,trip_distance,rate_code,fare_amount\n"
         + "".join(f"2,2015-01-15 0{i % 10}:10:00,2015-01-15 0{i % 10}:25:00,{2 + i / 10},1,"
                   f"{11 + i / 2}\n" for i in range(20)))
TARIFF = next(iter(sorted((ROOT / "data" / "tariffs").glob("us-nyc-yellow*.json")))).read_text()

SPLICES = [
    b"\xff\xfe", b"\xc3\x28", b"\x00", b'"', b'""', b"'", b",", b",,,,,,,,", b";", b"\t", b"\n",
    b"\r", b"\r\n\r\n", b"\xef\xbb\xbf", b"[", b"]", b"{", b"}", b"null", b"\\", b"\\u", b"1e999",
    b"-", b"NaN", b"x" * 70_000, b'"' + b"y\n" * 3000, "위도".encode(), "١٢".encode(), b"=cmd()",
]


def damaged(random, text):
    out = bytearray(text.encode())
    for _ in range(random.randrange(1, 6)):
        spot = random.randrange(len(out) + 1)
        kind = random.randrange(6)
        if kind == 0:
            del out[spot:]
        elif kind == 1:
            del out[spot:spot + random.randrange(1, 60)]
        elif kind == 2:
            out[spot:spot] = out[spot:spot + random.randrange(1, 200)]
        elif kind == 3 and out:
            out[spot % len(out)] = random.randrange(256)
        elif kind == 4:
            out[spot:spot] = random.choice(NASTY_TEXTS + NASTY_NUMBERS).encode()
        else:
            out[spot:spot] = random.choice(SPLICES)
    return bytes(out)


def imports(count=240):
    """(label, format, bytes)"""
    texts = {"csv": CSV, "geojson": GEOJSON, "ndjson": NDJSON}
    for number in range(count):
        random = dice("imports", number)
        kind = random.choice(sorted(texts))
        yield f"imports/{number}", kind, damaged(random, texts[kind])
    for kind, text in sorted(texts.items()):
        for label, data in (
                ("empty", b""), ("blank", b"\n\n\n"), ("nul", b"\x00" * 100),
                ("utf-16", text.encode("utf-16")), ("latin-1", text.encode("utf-8")[:-1] + b"\xe9"),
                ("gzip", b"\x1f\x8b\x08\x00" + b"\x00" * 50),
                ("bom", b"\xef\xbb\xbf" + text.encode()),
                ("mac", text.replace("\n", "\r").encode()), ("deep", b"[" * 100_000),
                ("other", next(t for k, t in texts.items() if k != kind).encode())):
            yield f"imports/{label}", kind, data


def trips(count=60):
    """(label, bytes)"""
    for number in range(count):
        yield f"trips/{number}", damaged(dice("trips", number), TRIPS)


def tariffs(count=60):
    """(label, bytes)"""
    for number in range(count):
        random = dice("tariffs", number)
        if number % 2:
            yield f"tariffs/{number}", damaged(random, TARIFF)
            continue
        document = json.loads(TARIFF)
        at, key = document, None
        while isinstance(at, (dict, list)) and at:
            parent = at
            key = random.choice(sorted(at) if isinstance(at, dict) else range(len(at)))
            at = at[key]
            if random.random() < 0.3:
                break
        parent[key] = random.choice(
            [None, -1, 0, 1e300, "", "x", [], {}, True, 2**63, "2026-13-45"])
        yield f"tariffs/{number}", json.dumps(document).encode()
