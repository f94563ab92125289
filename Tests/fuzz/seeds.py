#!/usr/bin/env python3
"""Writes the inputs that the fuzzers begin with into Tests/fuzz/corpus: one valid or nearly valid
input of each kind, so that a fuzzer is past the first checks at once. Names say what they are."""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))

from http2_wire import (  # noqa: E402
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY,
    RST_STREAM, SETTINGS, WINDOW_UPDATE, frame, header_block, message)
from protobuf_bytes import (  # noqa: E402
    create_party, field, nearby, place, point, position, report)

SEOUL, GANGNAM = (37.5547, 126.9707), (37.4979, 127.0276)


def protobuf():
    yield "nearby", nearby("users", 37.5, 127.0, 5, 1000.0, ["swift"])
    yield "report", report("users", [position("a", 37.5, 127.0, ["go"], 60)])
    yield "party", create_party("h", SEOUL, GANGNAM, 1_795_183_800)
    yield "fixed32", b"\x0d\0\0\0\0" + field(2, 1)
    yield "long-varint", b"\x08" + b"\xff" * 9 + b"\x01"
    yield "beyond-the-end", b"\x0a\x05abc"
    yield "group", b"\x7b\x08\x01\x7c"


def text():
    for name, moment in (
            ("utc", "2026-11-20T23:10:00Z"), ("offset", "2026-11-20t23:10:00.25+09:00"),
            ("local", "2026-11-20 23:10"), ("first", "0001-01-01T00:00:00Z"),
            ("last", "9999-12-31T23:59:59.999Z"), ("leap", "2024-02-29T24:00:00Z")):
        yield name, moment.encode()
    yield "escapes", "\"\\/\b\f\n\r\t\0\x1f 한글 😀".encode()
    for name, number in (("tenth", 0.1), ("coordinate", 126.9780001), ("small", 5e-324),
                         ("large", 1.7e308), ("minus", -0.0), ("whole", 2.0 ** 53)):
        yield name, struct.pack("<d", number)


def json_texts():
    # The first byte: twice the number of the type, and 1 for text.
    hit = field(1, "a") + field(2, 37.5) + field(3, 127.0) + field(7, "swift")
    yield "nearby-bytes", bytes([2]) + nearby("users", 37.5, 127.0)
    yield "hits-bytes", bytes([4]) + field(1, hit) + field(2, "cursor")
    yield "batch-bytes", bytes([6]) + field(1, field(1, 200) + field(2, field(1, hit)))
    yield "stream-bytes", bytes([8]) + field(1, "users") + field(3, field(1, "a") + field(1, "b"))
    yield "report-text", bytes([1]) + json.dumps({"positions": [{
        "id": "a", "latitude": 37.5, "longitude": 127, "tags": ["swift"], "ttlSeconds": 60,
        "attributes": {"level": 1, "name": "x", "on": True, "none": None, "list": [1, {"a": 2}]},
        "observedAt": "2026-11-20T23:10:00Z"}]}).encode()
    yield "nearby-text", bytes([3]) + json.dumps({
        "latitude": 37.5, "longitude": 127, "within": {"points": [{"latitude": 1}]},
        "where": [{"attribute": "level", "min": 1, "max": "Infinity"}]}).encode()
    yield "party-text", bytes([17]) + json.dumps({
        "hostId": "h", "origin": {"name": "a", "latitude": 37.5, "longitude": 127},
        "departureTime": "2026-11-20T23:10:00+09:00", "seats": 4}).encode()
    yield "wrong-types", bytes([3]) + b'{"latitude":"abc","limit":1.5,"tags":"swift","x":[{}]}'


def requests():
    polygon = b"".join(field(1, point(*one)) for one in ((37, 126), (37, 128), (38, 127)))
    yield "nearby", b"\0" + nearby("users", 37.5, 127.0, 5, 1000.0, ["swift"])
    yield "nearby-within", b"\0" + nearby("users", 37.5, 127.0) + field(10, polygon)
    yield "nearby-excluding", b"\0" + nearby("users", 37.5, 127.0) + field(9, "o1") + field(12, 30.0)
    yield "batch", b"\1" + field(1, "users") + field(2, nearby("users", 37.5, 127.0)) * 2
    attributes = field(5, field(1, field(1, "level") + field(2, field(2, 3.0))))
    yield "report", b"\2" + report("users", [
        position("a", 37.5, 127.0, ["go"], 60) + attributes, position("b", 91, 0)])
    yield "report-time", b"\2" + report("new", [
        position("a", 37.5, 127.0) + field(7, field(1, 1_795_183_000) + field(2, 5_000_000))])
    register = field(1, "users") + field(3, field(1, "o1") + field(1, "o2"))
    yield "register", b"\3" + register
    packed = field(1, struct.pack("<Q", 1)) + field(2, struct.pack("<i", 375_000_000))
    packed += field(3, struct.pack("<i", 1_270_000_000))
    yield "packed", b"\3" + field(1, "users") + field(4, packed)


def parameters():
    for name, line in (
            ("nearby", "/v1/layers/users/nearby?latitude=37.5&longitude=127&tags=a&tags=%EA%B0%80"),
            ("where", "/v1/layers/users/nearby?where=%7B%22attribute%22%3A%22level%22%7D"),
            ("within", "/v1/layers/users/within?west=126&south=37&east=128&north=38&limit=3"),
            ("get", "/v1/layers/us%2Fers/positions/a%20b?minVersion=1-2"),
            ("tile", "/16/55878/25378?tags=swift&format=mvt"), ("deep", "/22/4194303/0"),
            ("outside", "/3/8/-1"), ("escape", "/v1/layers/%zz/tags?limit=+1&a=%")):
        yield name, line.encode()


def tokens():
    for name, line in (
            ("version", "a0b1-1f"), ("watch", "a0b1-3-2a"), ("sequence", "42"),
            ("cursor", "AAAAAAAAAAAAAAAAAAAAKmE"), ("layer", "users_2-x"), ("tag", " #Swift  언어 "),
            ("tag-marks", "##e\u0301\u0300"), ("tag-sigma", "ΣΑΣ"), ("tag-dotted", "İ")):
        yield name, line.encode()


def frames():
    def call(stream, path, body=b"", flags=END_STREAM):
        return (frame(HEADERS, END_HEADERS, stream, header_block("x", path))
                + frame(DATA, flags, stream, body))
    begin = frame(SETTINGS, 0, 0) + frame(SETTINGS, ACK, 0)
    unary, stream = "/t.T/Unary", "/t.T/Stream"
    yield "unary", b"\xff" + begin + call(1, unary, message(b"abc"))
    yield "in-pieces", b"\x03" + begin + call(1, unary, message(b"abc"))
    yield "stream", b"\xff" + begin + call(1, stream, message(b"a") + message(b"bc") + message(b""))
    yield "split-message", b"\xff" + begin + call(1, stream, message(b"abcdef")[:7], 0) + frame(
        DATA, END_STREAM, 1, b"cdef")
    yield "too-large", b"\xff" + begin + call(1, unary, message(b"", length=600) + b"x" * 700)
    yield "unknown", b"\xff" + begin + call(1, "/t.T/None", message(b"a"))
    yield "two-calls-reset", b"\xff" + begin + call(1, unary, b"\0\0", 0) + frame(
        RST_STREAM, 0, 1, struct.pack(">I", 8)) + call(3, unary, message(b"b"))
    yield "continued", b"\xff" + begin + frame(
        HEADERS, 0, 1, header_block("x", unary)[:20]) + frame(
        CONTINUATION, END_HEADERS, 1, header_block("x", unary)[20:]) + frame(
        DATA, END_STREAM, 1, message(b"a"))
    yield "padded", b"\xff" + begin + frame(HEADERS, END_HEADERS, 1, header_block("x", unary)) + frame(
        DATA, PADDED | END_STREAM, 1, b"\x02" + message(b"a") + b"\0\0")
    yield "timeout", b"\xff" + begin + frame(
        HEADERS, END_HEADERS, 1, header_block("x", unary, [("grpc-timeout", "1n")])) + frame(
        DATA, END_STREAM, 1, message(b"a"))
    yield "others", b"\xff" + begin + frame(PING, 0, 0, b"12345678") + frame(
        WINDOW_UPDATE, 0, 0, struct.pack(">I", 1000)) + frame(
        PRIORITY, 0, 3, struct.pack(">IB", 0, 5)) + frame(
        SETTINGS, 0, 0, struct.pack(">HI", 4, 1)) + call(1, unary, message(b"abc")) + frame(
        GOAWAY, 0, 0, struct.pack(">II", 0, 0))
    # Indexed fields, and a size of the table (RFC 7541, 6.1 and 6.3).
    yield "hpack", b"\xff" + begin + frame(
        HEADERS, END_HEADERS | END_STREAM, 1, b"\x3f\xe1\x1f\x83\x86\x44\x0a/t.T/Unary"
        b"\x41\x01x\x5f\x10application/grpc\x40\x02te\x08trailers")


def imports():
    # The first byte: the format, and three times the size of the pieces less one.
    table = 'id,latitude,longitude,tags,level\na,37.5,127,"x;y",1\n"b ""q""",91,127,,\n'
    yield "csv", bytes([3 * 6]) + table.encode()
    yield "csv-semicolons", bytes([0]) + "﻿위도;경도\r\n37,5;127\r\n37.5;127\r\n".encode()
    yield "csv-open-quote", bytes([3 * 2]) + b'lat,lon\n37,"127\n38,127\n'
    feature = {"type": "Feature", "id": "a", "geometry": {
        "type": "Point", "coordinates": [127, 37.5]}, "properties": {
        "name": "x", "tags": ["a", "b"], "level": 2, "none": None}}
    for name, body in (("geojson", {"type": "FeatureCollection", "features": [feature] * 2}),
                       ("geojson-feature", feature)):
        yield name, bytes([3 * 9 + 1]) + json.dumps(body, ensure_ascii=False).encode()
    yield "geojson-cut", bytes([1]) + b'{"type":"FeatureCollection","features":[{"a":[1,'
    lines = [json.dumps({"id": "a", "latitude": 37.5, "longitude": 127}), json.dumps(feature),
             '{"latitude":"x"}', "{"]
    yield "ndjson", bytes([3 * 4 + 2]) + "\n".join(lines).encode()


def documents():
    tariffs = sorted((ROOT / "data" / "tariffs").glob("*.json"))
    # One of each size: the fuzzer makes the others.
    for path in tariffs[:1] + tariffs[-1:]:
        yield f"tariff-{path.stem}", b"\0" + compact(path)
    for path in sorted((ROOT / "data" / "policies").glob("*.json"))[:2]:
        yield f"policy-{path.stem}", b"\1" + compact(path)
    square = {"type": "FeatureCollection", "features": [{
        "type": "Feature", "properties": {"id": "seoul", "name": "서울", "priority": 1},
        "geometry": {"type": "MultiPolygon", "coordinates": [
            [[[126, 37], [128, 37], [128, 38], [126, 38], [126, 37]],
             [[126.5, 37.2], [126.6, 37.2], [126.6, 37.3], [126.5, 37.2]]]]}}]}
    yield "areas", b"\2" + json.dumps(square, ensure_ascii=False).encode()


def compact(path):
    return json.dumps(
        json.loads(path.read_text()), ensure_ascii=False, separators=(",", ":")).encode()


def places():
    found = [
        {"items": [{"title": "<b>서울역</b>", "mapx": "1269706900", "mapy": "375547100"}]},
        {"documents": [{"place_name": "서울역", "x": "126.97", "y": "37.55", "id": "1"}]},
        [{"lat": "37.55", "lon": "126.97", "name": "서울역", "osm_id": 4, "osm_type": "node"}],
        {"features": [{"geometry": {"coordinates": [126.97, 37.55]},
                       "properties": {"name": "서울역", "osm_id": 4}}]},
    ]
    for number, answer in enumerate(found):
        yield f"answer-{number}", bytes([number]) + json.dumps(answer).encode()
    for number, name in enumerate(("서울역 2번 출구", "ㅅㅇㅇ", "Gangnam Station", "é·값ㄳ１")):
        yield f"name-{number}", b"\0" + name.encode()


def routes():
    line = [[126.97, 37.55], [127.02, 37.49]]
    osrm = {"code": "Ok", "routes": [{
        "geometry": {"type": "LineString", "coordinates": line}, "distance": 10234.5,
        "duration": 1321.4, "legs": [{"distance": 10234.5, "duration": 1321.4}]}]}
    valhalla = {"trip": {"status": 0, "units": "kilometers", "legs": [{
        "shape": "_zzrfA_hsdqF~qy@oyo@~qy@oyo@", "summary": {"length": 10.2, "time": 1321.4}}],
        "summary": {"length": 10.2, "time": 1321.4}}}
    naver = {"code": 0, "route": {"trafast": [{"summary": {
        "distance": 10234, "duration": 1321400, "tollFare": 0, "taxiFare": 12000,
        "goal": {"distance": 10234, "duration": 1321400}}, "path": line}]}}
    kakao = {"routes": [{"result_code": 0, "summary": {
        "distance": 10234, "duration": 1321, "fare": {"taxi": 12000, "toll": 0}},
        "sections": [{"distance": 10234, "duration": 1321, "roads": [
            {"vertexes": [126.97, 37.55, 127.02, 37.49]}]}]}]}
    for number, (name, body) in enumerate((("osrm", osrm), ("valhalla", valhalla),
                                           ("naver", naver), ("kakao", kakao))):
        yield name, bytes([number]) + json.dumps(body).encode()
    yield "osrm-refusal", bytes([4]) + b'{"code":"NoRoute","message":"Impossible"}'
    yield "valhalla-refusal", bytes([5]) + b'{"error_code":442,"error":"No path","status_code":400}'


def doors():
    yield "form", b"lat=37.5&long=127.0&studylist=swift&studylist=%EC%88%98%ED%95%99"
    yield "brackets", b"lat=37.5&long=127.0&hf%5B%5D=swift&hf[1]=go&type=2&region=1275130688"
    yield "rating", b"otheruid=ben&reputation=1&reputation=0&comment=kind%2C+yes"
    yield "empty", b"="
    yield "place", "서울역, 1번 출구,126.9707,37.5547".encode()
    yield "time", b"2026-11-20 23:10:00 +0900"
    yield "path", b"/v1/queue/rate/a%2Fb"
    yield "post-path", b"/v1/posts/users/u1"


def resp():
    def array(*words):
        return b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(word), word) for word in (w.encode() for w in words))

    def commands(text):
        return array(*text.split(" "))

    cars = (commands("GEOADD cars 126.97 37.55 a 127.02 37.49 b")
            + commands("GEOADD cars XX CH 126.98 37.55 a"))
    yield "add", b"\x05" + cars
    yield "search", b"\x10" + cars + commands(
        "GEOSEARCH cars FROMLONLAT 126.97 37.55 BYRADIUS 10 km ASC COUNT 3 ANY WITHCOORD WITHDIST "
        "WITHHASH")
    yield "box", b"\x10" + cars + commands("GEOSEARCH cars FROMMEMBER a BYBOX 400 400 km DESC")
    yield "store", b"\x20" + cars + commands(
        "GEORADIUS cars 126.97 37.55 10 km STORE found") + commands("ZCARD found")
    yield "options", b"\x20" + array(
        "GEOADD", "cars", "EX", "60", "TAGS", "2", "ev", "new", "ATTR", '{"seats":4,"on":true}',
        "127", "37", "c") + array(
        "GEOSEARCH", "cars", "FROMLONLAT", "127", "37", "BYRADIUS", "1", "km", "TAGS", "1", "ev",
        "WHERE", "seats", "RANGE", "2", "5", "MAXAGE", "60")
    yield "members", b"\x07" + cars + b"".join(map(commands, (
        "GEOPOS cars a z", "GEODIST cars a b km", "GEOHASH cars a", "ZSCORE cars a",
        "ZMSCORE cars a z", "ZRANGE cars 0 -1 WITHSCORES", "ZSCAN cars 0 MATCH a* COUNT 5",
        "ZREM cars b", "ZRANGE cars (0 +inf BYSCORE LIMIT 0 2")))
    yield "keys", b"\x03" + cars + b"".join(map(commands, (
        "EXISTS cars", "TYPE cars", "SCAN 0", "EXPIRE cars 10 NX", "TTL cars", "PERSIST cars",
        "DBSIZE", "UNLINK cars", "DEL cars")))
    yield "connection", b"\x04" + b"".join(map(commands, (
        "HELLO 3 SETNAME x", "PING", "ECHO x", "SELECT 0", "CLIENT INFO", "COMMAND DOCS geoadd",
        "INFO", "MULTI", "AUTH x", "RESET", "NOSUCH a b")))
    yield "inline", b"\x01GEOADD cars 127 37 \"a \\x41\\n\"\r\n\r\nPING 'it\\'s'\n"
    yield "lengths", b"\x02*2\r\n$4\r\nECHO\r\n$-1\r\n*0\r\n*-1\r\n*99999999999\r\n"


def redis():
    def bulk(word):
        return b"$%d\r\n%s\r\n" % (len(word), word)

    body = struct.pack("<dd", 37.5, 127.0) + b"\x3a\x05swift\x42\x00"
    value = b"1700000000000 1700000060000 " + body
    fields = [b"p", b"1700000000000-0", b"default/users/ann", value, b"default/users/ben", b"-"]
    yield "entries", (b"\x03*1\r\n*2\r\n" + bulk(b"1700000000000-1") + b"*6\r\n"
                      + b"".join(map(bulk, fields)))
    yield "page", b"\x10*2\r\n" + bulk(b"0") + b"*2\r\n" + bulk(fields[2]) + bulk(value)
    yield "value", b"\x01" + value
    yield "slots", (
        b"\x02*2\r\n*3\r\n:0\r\n:5460\r\n*3\r\n$9\r\n127.0.0.1\r\n:6379\r\n$2\r\nid\r\n"
        b"*3\r\n:5461\r\n:16383\r\n*2\r\n$0\r\n\r\n:6380\r\n")
    yield "refusals", (
        b"\x05-MOVED 3999 127.0.0.1:6381\r\n-ASK 1 [::1]:7\r\n-CLUSTERDOWN The cluster is down\r\n"
        b"+OK\r\n_\r\n#t\r\n,1.5\r\n%1\r\n+a\r\n:2\r\n>1\r\n+m\r\n$-1\r\n")


def main():
    for target, seeds in (
            ("protobuf", protobuf), ("text", text), ("json", json_texts), ("requests", requests),
            ("parameters", parameters), ("tokens", tokens), ("frames", frames),
            ("doors", doors), ("resp", resp), ("redis", redis), ("imports", imports), ("documents", documents), ("routes", routes),
            ("places", places)):
        folder = HERE / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
