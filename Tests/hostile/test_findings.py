"""What two reviews found, each as the behaviour that is wanted; the letters are those of the
reviews' tables. Work is counted by the daemon's CPU clock and compared with a smaller request's, and who is
kept waiting is told by the order of answers, so that a busy machine changes nothing.

    MOYEOD=.build/debug/moyeod Tests/run hostile/test_findings.py
"""

import datetime
import gzip
import json
import time
import unittest

from bodies import GANGNAM, NEARBY, SEOUL, TRIANGLE, at, encoded
from findings import eventually
from http1_wire import HTTP1Wire
from http2_wire import REFUSED_STREAM, HTTP2Wire, message
from protobuf_bytes import POSITIONS, field, fields, nearby, position, report
from running_daemon import ROOT, Daemon

LAYER = "findings"
NEAR = f"/v1/layers/{LAYER}/nearby"
QUERY = f"{NEAR}?latitude=37.5663&longitude=126.9779"


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report(LAYER, [
            (f"near-{i}", 37.5663 + i / 1e5, 126.9779, ["swift"], {"level": i % 9, "seats_free": 1})
            for i in range(1000)])

    def wire(self):
        made = HTTP1Wire(self.daemon.http_port)
        self.addCleanup(made.close)
        return made

    def assert_refusal(self, answer, status, reason=None, field=None):
        self.assertEqual(answer.status, status, answer)
        self.assertIsNotNone(answer.json, f"a refusal that is no JSON: {answer}")
        error = answer.json["error"]
        if reason:
            self.assertEqual(error["reason"], reason, answer)
        if field:
            self.assertIn(field, [one["field"] for one in error["fields"]], answer)


class OrdinaryClients(Served):
    """W4-W12; W1-W3 are Tests/clients."""

    def test_w4_one_stream_too_many_is_refused_and_harms_no_other(self):
        with HTTP2Wire(self.daemon.grpc_port, 10) as wire:
            while wire.maximum_streams is None:
                wire.take()
            most = wire.maximum_streams
            streams = [wire.open(POSITIONS + "Nearby") for _ in range(most + 1)]
            request = message(nearby(LAYER, 37.5663, 126.9779, 1))
            for stream in streams[:most]:
                wire.data(stream, request)
            calls = [wire.finish(stream) for stream in streams]
        self.assertEqual({call.status for call in calls[:most]}, {0})
        self.assertEqual(calls[most].reset, REFUSED_STREAM)

    def test_w5_a_watch_too_many_is_told_and_no_call_waits_behind_it(self):
        """150 streams on one connection: each runs or is refused with a reason, none waits."""
        with HTTP2Wire(self.daemon.grpc_port, 10) as wire:
            while wire.maximum_streams is None:
                wire.take()
            watch = message(field(1, LAYER) + field(2, 37.5663) + field(3, 126.9779)
                            + field(4, 10.0))
            streams = []
            for _ in range(150):
                streams.append(wire.open(POSITIONS + "Watch"))
                wire.data(streams[-1], watch)
            while not all(wire.calls[one].data or wire.calls[one].ended for one in streams):
                wire.take()
            refused = [wire.calls[one] for one in streams if wire.calls[one].ended]
            self.assertLessEqual({call.status for call in refused}, {8}, refused[:2])
            call = wire.call(POSITIONS + "Nearby", nearby(LAYER, 37.5663, 126.9779, 1))
            self.assertEqual(call.status, 0, call)

    def test_w6_the_content_type_may_have_parameters(self):
        for kind in ("application/grpc;charset=utf8", "application/grpc+proto; a=b",
                     "application/grpc ; x=y"):
            with self.subTest(kind), HTTP2Wire(self.daemon.grpc_port) as wire:
                call = wire.call(
                    POSITIONS + "Nearby", nearby(LAYER, 37.5, 127.0, 1), content_type=kind)
                self.assertEqual((call.headers[":status"], call.status), ("200", 0), call)

    def test_w7_a_value_of_another_type_is_refused_by_its_field(self):
        wire = self.wire()
        good = {**NEARBY, "within": TRIANGLE}
        cases = [
            (NEAR, {**good, "latitude": "abc"}, "latitude"),
            (NEAR, {**good, "limit": 1.5}, "limit"),
            (NEAR, {**good, "tags": "swift"}, "tags"), (NEAR, {**good, "tags": [1]}, "tags[0]"),
            (NEAR, {**good, "tagMatch": 1}, "tagMatch"), (NEAR, {**good, "limit": 2**40}, "limit"),
            (NEAR, {**good, "radiusMeters": True}, "radiusMeters"),
            (NEAR, {**good, "where": [{"attribute": 5}]}, "where[0].attribute"),
            (NEAR, {**good, "where": [{"attribute": "a", "min": "1x"}]}, "where[0].min"),
            (NEAR, {**good, "within": {"points": [{"latitude": []}]}},
             "within.points[0].latitude"),
            (NEAR, {**good, "within": {"points": [[37, 126]]}}, "within.points[0]"),
            ("/v1/parties", {"hostId": 5}, "hostId"),
            ("/v1/parties", {"hostId": "a", "origin": {"latitude": {}}}, "origin.latitude"),
            ("/v1/parties", {"hostId": "a", "departureTime": "soon"}, "departureTime"),
            ("/v1/parties", {"hostId": "a", "departureTime": 17}, "departureTime"),
            ("/v1/fares/split", {"amount": "many"}, "amount"),
            ("/v1/fares/split", {"riders": [{"riderId": []}]}, "riders[0].riderId"),
            (f"/v1/layers/{LAYER}/positions", {"positions": [{"id": 7}]}, "positions[0].id"),
            (f"/v1/layers/{LAYER}/positions", {"positions": {}}, "positions"),
        ]
        for path, body, name in cases:
            with self.subTest(path=path, field=name):
                answer = wire.request(
                    "POST", path, (("content-type", "application/json"),), encoded(body))
                self.assert_refusal(answer, 400, field=name)

    def test_w7_all_violations_are_told_at_once(self):
        answer = self.wire().request(
            "POST", NEAR, (("content-type", "application/json"),),
            encoded({"latitude": "abc", "longitude": [], "limit": 1.5}))
        self.assert_refusal(answer, 400)
        told = {one["field"] for one in answer.json["error"]["fields"]}
        self.assertGreaterEqual(told, {"latitude", "longitude", "limit"})

    def test_w8_structured_parameters_are_declared_as_json(self):
        document = self.daemon.request("GET", "/openapi.json")[1]
        parameters = {one["name"]: one for one in
                      document["paths"]["/v1/layers/{layer}/nearby"]["get"]["parameters"]}
        for name in ("where", "within"):
            self.assertIn("application/json", parameters[name].get("content", {}), parameters[name])
        # And read so: as a generated client sends them.
        where = '{"attribute":"level","min":3}'
        for text in (where, f"[{where}]"):
            answer = self.wire().request(
                "GET", QUERY + "&where=" + "".join(f"%{byte:02x}" for byte in text.encode()))
            self.assertEqual(answer.status, 200, answer)

    def test_w9_a_request_names_one_host(self):
        for host, more in ((None, ()), ("127.0.0.1", (("host", "127.0.0.1"),))):
            with self.subTest(host=host, more=more):
                answer = self.wire().request("GET", "/healthz", more, host=host)
                self.assert_refusal(answer, 400)

    def test_w9_codings_that_are_not_served_are_refused(self):
        wire = self.wire()
        body = encoded({"latitude": 37.5663, "longitude": 126.9779})
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        for coding in ("gzip, chunked", "xchunked"):
            with self.subTest(coding):
                head = (f"POST {NEAR} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json"
                        f"\r\ntransfer-encoding: {coding}\r\n\r\n").encode()
                self.assertIn(wire.exchange(head + chunked).status, (400, 501))
        answer = wire.request(
            "POST", NEAR, (("content-type", "application/json"), ("content-encoding", "gzip")),
            gzip.compress(body))
        self.assert_refusal(answer, 415, "unsupported_media_type")

    def test_w9_what_the_parser_refuses_is_refused_in_json(self):
        for request in (b"GET /%zz\x80 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
                        b"get / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
                        b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\na b: c\r\n\r\n",
                        b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: x\r\n\r\n"):
            with self.subTest(request):
                self.assert_refusal(self.wire().exchange(request), 400)

    def test_w9_a_body_that_is_too_large_is_refused_before_it_is_sent(self):
        head = (f"POST {NEAR} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                "content-length: 1000000000\r\n\r\n").encode()
        self.assert_refusal(self.wire().exchange(head), 413, "request_too_large")

    def test_w10_json_is_compressed_when_asked(self):
        answer = self.wire().request("GET", QUERY + "&limit=1000", (("accept-encoding", "gzip"),))
        self.assertEqual(answer.headers.get("content-encoding"), "gzip")
        self.assertEqual(len(json.loads(gzip.decompress(answer.body))["hits"]), 1000)
        self.assertIn("accept-encoding", answer.headers.get("vary", "").lower())
        for coding in ("identity", "gzip;q=0"):
            plain = self.wire().request(
                "GET", QUERY + "&limit=1000", (("accept-encoding", coding),))
            self.assertIsNone(plain.headers.get("content-encoding"), coding)

    def test_w11_a_layer_whose_objects_expired_is_empty_also_after_a_restart(self):
        with Daemon() as daemon:
            daemon.report("gone", [("a", 1, 1)], ttl=1)
            # A layer that lasts shows that the file was read.
            daemon.report("kept", [("a", 1, 1)])
            self.assertTrue(eventually(20, lambda: daemon.request(
                "GET", "/v1/layers/gone/positions/a")[0] == 404))
            self.assertEqual(daemon.terminate(), 0)
            daemon.start()
            for name, count in (("kept", 1), ("gone", 0)):
                status, answer, _ = daemon.request(
                    "GET", f"/v1/layers/{name}/nearby?latitude=1&longitude=1")
                self.assertEqual((status, len(answer.get("hits", ()))), (200, count), answer)

    def test_w12_an_attribute_that_nobody_has_is_said(self):
        def ask(name):
            status, answer, _ = self.daemon.request(
                "POST", NEAR, {"latitude": 37.5663, "longitude": 126.9779,
                               "where": [{"attribute": name, "min": 1}]})
            self.assertEqual(status, 200, answer)
            return json.dumps({key: value for key, value in answer.items() if key != "hits"})
        self.assertNotIn("seats_free", ask("seats_free"))
        self.assertIn("seatsFree", ask("seatsFree"))


class Browsers(Served):
    """O1 and O2: what a page of another origin can do."""

    def party(self, host):
        status, answer, _ = self.daemon.request("POST", "/v1/parties", {
            "hostId": host, "origin": SEOUL, "destination": GANGNAM, "departureTime": at(60)})
        self.assertEqual(status, 200, answer)
        return answer["party"]["id"]

    def state(self, party):
        return self.daemon.request("GET", f"/v1/parties/{party}")[1]["party"]["state"]

    def test_o1_no_page_of_another_origin_writes(self):
        party = self.party("o1")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json", None):
            with self.subTest(kind):
                answer = self.wire().request(
                    "POST", f"/v1/parties/{party}/cancel",
                    (("origin", "https://evil.example"),
                     *((("content-type", kind),) if kind else ())), b"{}")
                self.assert_refusal(answer, 403, "forbidden_origin")
                self.assertEqual(self.state(party), "open")
        for origin in ("null", "http://127.0.0.1.evil.example", "file://"):
            answer = self.wire().request(
                "DELETE", f"/v1/layers/{LAYER}/positions/near-999", (("origin", origin),))
            self.assert_refusal(answer, 403, "forbidden_origin")

    def test_o1_the_own_page_writes_json_and_nothing_else(self):
        own = ("origin", f"http://127.0.0.1:{self.daemon.http_port}")
        host = f"127.0.0.1:{self.daemon.http_port}"
        party = self.party("o1-own")
        plain = self.wire().request(
            "POST", f"/v1/parties/{party}/cancel", (own, ("content-type", "text/plain")), b"{}",
            host=host)
        self.assert_refusal(plain, 415, "unsupported_media_type")
        self.assertEqual(self.state(party), "open")
        good = self.wire().request(
            "POST", f"/v1/parties/{party}/cancel", (own, ("content-type", "application/json")),
            b"{}", host=host)
        self.assertEqual(good.status, 200, good)

    def test_o2_a_rebound_name_reads_nothing(self):
        for host in ("rebind.evil.example", "127.0.0.1.evil.example", "rebind.evil.example:80"):
            for target in (QUERY, "/v1/layers", "/metrics", "/"):
                with self.subTest(host=host, target=target):
                    answer = self.wire().request("GET", target, host=host)
                    self.assert_refusal(answer, 403, "forbidden_host")
        for host in ("127.0.0.1", "localhost", f"localhost:{self.daemon.http_port}", "[::1]"):
            self.assertEqual(self.wire().request("GET", QUERY, host=host).status, 200, host)


class Identity(Served):
    def test_o3_ids_with_one_hash_are_two_objects(self):
        """Two ids of equal unkeyed XXH64: neither replaces nor takes the other along."""
        pair = ("victim-taxi-0001", "00006934Sw3-8y{N")
        self.daemon.report("collide", [(pair[0], 37.5, 127.0)])
        self.daemon.report("collide", [(pair[1], 37.6, 127.2)])
        path = "/v1/layers/collide/clusters?west=126&south=37&east=128&north=38&zoom=14"

        def shown():
            return {one["id"] for one in self.daemon.request("GET", path)[1]["clusters"]}
        self.assertTrue(eventually(10, lambda: pair[1] in shown()), shown())
        self.assertEqual(shown(), set(pair))
        self.daemon.request("DELETE", "/v1/layers/collide/positions/00006934Sw3-8y%7BN")
        self.assertTrue(eventually(10, lambda: pair[1] not in shown()), shown())
        self.assertEqual(shown(), {pair[0]})


class Answers(Served):
    def test_a1_a_stale_twin_takes_nothing_away(self):
        """Each entry of a batch is judged by what stands when its turn comes, on every wire."""
        now = int(time.time())

        def entry(latitude, seconds):
            return (position("x", latitude, 127.0, ttl=0)
                    + field(7, field(1, now + seconds)))

        def json_entry(latitude, seconds):
            moment = datetime.datetime.fromtimestamp(now + seconds, datetime.timezone.utc)
            return {"id": "x", "latitude": latitude, "longitude": 127, "ttlSeconds": 0,
                    "observedAt": moment.strftime("%Y-%m-%dT%H:%M:%SZ")}

        def over_http(layer, entries):
            status, answer, _ = self.daemon.request(
                "POST", f"/v1/layers/{layer}/positions",
                {"positions": [json_entry(*one) for one in entries]})
            if status != 200:
                # All of them refused.
                return 0, [one["field"] for one in answer["error"]["fields"]]
            return answer["accepted"], [f"positions[{one['index']}].{one['field']}"
                                        for one in answer.get("rejections", ())]

        def over_grpc(method):
            def send(layer, entries):
                with HTTP2Wire(self.daemon.grpc_port) as wire:
                    call = wire.call(
                        POSITIONS + method, report(layer, [entry(*one) for one in entries]))
                self.assertEqual(call.status, 0, call)
                found = fields(call.messages[0])
                refused = [dict(fields(value)) for number, value in found if number == 2]
                return dict(found).get(1, 0), [
                    f"positions[{one.get(1, 0)}].{one[3].decode()}" for one in refused]
            return send

        for name, send in (("http", over_http), ("report", over_grpc("Report")),
                           ("stream", over_grpc("StreamReports"))):
            with self.subTest(name):
                layer = f"twins-{name}"
                self.assertEqual(send(layer, [(1, -10)]), (1, []))
                self.assertEqual(
                    send(layer, [(2, 0), (3, -20)]), (1, ["positions[1].observedAt"]))
                path = f"/v1/layers/{layer}/positions/x"
                self.assertEqual(self.daemon.request("GET", path)[1]["position"]["latitude"], 2)
                self.assertEqual(send(layer, [(4, -1), (5, -2)]),
                                 (0, [f"positions[{i}].observedAt" for i in (0, 1)]))
                self.assertEqual(self.daemon.request("GET", path)[1]["position"]["latitude"], 2)


class Memory(unittest.TestCase):
    def test_m4_a_layer_can_be_deleted_and_makes_room(self):
        with Daemon() as daemon:
            names = []
            while True:
                name = f"many-{len(names)}"
                status, answer, _ = daemon.request(
                    "POST", f"/v1/layers/{name}/positions",
                    {"positions": [{"id": "a", "latitude": 1, "longitude": 1}]})
                if status != 200:
                    self.assertEqual(answer["error"]["reason"], "quota_exceeded", answer)
                    break
                names.append(name)
                self.assertLess(len(names), 100)
            self.assertEqual(daemon.request("DELETE", f"/v1/layers/{names[3]}")[0], 200)
            self.assertEqual(
                daemon.request("GET", f"/v1/layers/{names[3]}/positions/a")[0], 404)
            self.assertEqual(daemon.request(
                "POST", "/v1/layers/another/positions",
                {"positions": [{"id": "a", "latitude": 1, "longitude": 1}]})[0], 200)

    def test_r8_a_share_below_nothing_is_refused_and_ends_nobody(self):
        """The difference to the real share overflowed where the least change was looked for."""
        with Daemon("--resources", str(ROOT)) as daemon:
            trip = {"origin": SEOUL, "destination": GANGNAM, "departureTime": at(60)}
            self.assertEqual(
                daemon.request("POST", "/v1/parties", {"hostId": "ann", **trip})[0], 200)
            for most in (-(2 ** 63) + 1, -1):
                status, answer, _ = daemon.request("POST", "/v1/parties/match", {
                    "riderId": "ben", "maxShare": most, "explain": True, **trip})
                self.assertEqual((status, answer["error"]["reason"]), (400, "amount_out_of_range"))
                self.assertEqual(answer["error"]["fields"][0]["field"], "maxShare")
            status, answer, _ = daemon.request("POST", "/v1/parties/match", {
                "riderId": "ben", "maxShare": 0, "explain": True, **trip})
            self.assertEqual(status, 200, answer)

    def test_m6_one_host_cannot_fill_the_record(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            link = daemon.connection()
            for days in range(1, 1500):
                status, answer, _ = daemon.request("POST", "/v1/parties", {
                    "hostId": "greedy", "origin": SEOUL, "destination": GANGNAM,
                    "departureTime": at(days * 24 * 60)}, connection=link)
                if status != 200:
                    break
            link.close()
            self.assertNotEqual(status, 200, "1,500 parties of one host, years ahead")
            self.assertIn(answer["error"]["reason"], (
                "quota_exceeded", "departure_out_of_range", "departure_after_tariffs"), answer)
            self.assertEqual(daemon.request("POST", "/v1/parties", {
                "hostId": "modest", "origin": SEOUL, "destination": GANGNAM,
                "departureTime": at(60)})[0], 200, "others are served")
