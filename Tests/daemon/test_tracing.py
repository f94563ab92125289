"""Calls as an operator follows them: names of requests, W3C trace context, spans at a collector, figures by
tenant.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_tracing.py
"""

import http.client
import http.server
import json
import re
import socket
import threading
import unittest

from running_daemon import ROOT, Daemon, run
from party_calls import body

PATIENCE_SECONDS = 60
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
NEARBY = "/v1/layers/users/nearby?latitude=37.5&longitude=127"


class Collector(http.server.ThreadingHTTPServer):
    """Takes spans as a collector of OpenTelemetry does; `status` is what it answers."""

    daemon_threads = True

    def __init__(self, status=200):
        super().__init__(("127.0.0.1", 0), Exports)
        self.status = status
        self.requests = []
        self.spans = []
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def wait_for(self, holds, what):
        with self.changed:
            if not self.changed.wait_for(holds, PATIENCE_SECONDS):
                raise AssertionError(f"waited in vain for {what}: {self.spans}")

    def named(self, name):
        return [span for span in self.spans if span["name"] == name]


class Exports(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        with self.server.changed:
            self.server.requests.append((self.path, self.headers["content-type"], data))
            if self.server.status == 200:
                for resource in json.loads(data)["resourceSpans"]:
                    for scope in resource["scopeSpans"]:
                        self.server.spans += scope["spans"]
            self.server.changed.notify_all()
        self.send_response(self.server.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *arguments):
        pass


def attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


class Spans(unittest.TestCase):
    def start(self, collector, *arguments, **settings):
        self.addCleanup(collector.server_close)
        self.addCleanup(collector.shutdown)
        daemon = Daemon(
            *arguments, env={"MOYEO_TRACING_ENDPOINT": collector.url, **settings})
        self.addCleanup(daemon.close)
        return daemon

    @staticmethod
    def counted(daemon, outcome, least=1):
        """The daemon counts spans after it has read the collector's answer, which may be a
        while after the collector has the request: asks until there are so many."""
        for _ in range(3000):
            count = daemon.metric("moyeo_spans_total", outcome=outcome)
            if count >= least:
                break
        return count

    def test_a_collector_hears_of_the_calls_of_a_trace(self):
        collector = Collector()
        daemon = self.start(
            collector, "--resources", str(ROOT), MOYEO_TRACING_SAMPLE_RATIO="0")
        daemon.report("users", [("a", 37.5, 127.0)])
        for path in (NEARBY, "/v1/layers/none/nearby?latitude=1&longitude=1"):
            daemon.request("GET", path, headers={"traceparent": PARENT, "x-request-id": "mine"})
        made = daemon.request(
            "POST", "/v1/parties", body("host"), headers={"traceparent": PARENT})
        self.assertEqual(made[0], 200, made)
        collector.wait_for(lambda: len(collector.spans) >= 4, "four spans")
        path, kind, data = collector.requests[0]
        self.assertEqual((path, kind), ("/v1/traces", "application/json"))
        resource = json.loads(data)["resourceSpans"][0]["resource"]
        self.assertEqual(attributes(resource)["service.name"], "moyeod")
        # The report was of no trace that is recorded.
        self.assertEqual(
            sorted(span["name"] for span in collector.spans),
            ["Nearby", "Nearby", "PartyCreate", "commit"])
        for span in collector.spans:
            self.assertEqual(span["traceId"], TRACE)
            self.assertRegex(span["spanId"], "^[0-9a-f]{16}$")
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
        good, bad = sorted(collector.named("Nearby"), key=lambda span: "status" in span)
        self.assertEqual(good["parentSpanId"], "00f067aa0ba902b7")
        self.assertEqual(attributes(good)["moyeo.tenant"], "default")
        self.assertEqual(attributes(good)["moyeo.request_id"], "mine")
        self.assertEqual(bad["status"], {"code": 2, "message": "unknown_layer"})
        (command,), (commit,) = collector.named("PartyCreate"), collector.named("commit")
        self.assertEqual(commit["parentSpanId"], command["spanId"])
        self.assertGreaterEqual(int(commit["startTimeUnixNano"]) + 1000,
                                int(command["startTimeUnixNano"]))
        # Nothing of whom and where.
        sent = b"".join(data for _, _, data in collector.requests)
        for word in (b"host", b"37.5", b"127.0\"", b"latitude"):
            self.assertNotIn(word, sent)
        self.assertEqual(self.counted(daemon, "exported", 4), 4)

    def test_what_is_left_is_sent_when_the_daemon_ends(self):
        collector = Collector()
        daemon = self.start(collector, MOYEO_TRACING_SAMPLE_RATIO="1")
        daemon.report("users", [("a", 37.5, 127.0)])
        for _ in range(20):
            daemon.request("GET", NEARBY)
        self.assertEqual(daemon.terminate(), 0)
        self.assertEqual(len(collector.named("Nearby")), 20)
        self.assertEqual(len({span["traceId"] for span in collector.spans}), len(collector.spans))

    def test_a_collector_that_refuses_or_is_gone_costs_no_call(self):
        refusing = Collector(status=400)
        daemon = self.start(refusing, MOYEO_TRACING_SAMPLE_RATIO="1")
        daemon.report("users", [("a", 37.5, 127.0)])
        refusing.wait_for(lambda: refusing.requests, "a batch")
        self.assertGreater(self.counted(daemon, "refused"), 0)
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            gone = Daemon(env={
                "MOYEO_TRACING_ENDPOINT": f"http://127.0.0.1:{closed.getsockname()[1]}/",
                "MOYEO_TRACING_SAMPLE_RATIO": "1", "MOYEO_TRACING_MAXIMUM_WAITING": "512"})
            self.addCleanup(gone.close)
            gone.report("users", [("a", 37.5, 127.0)])
            for _ in range(1200):
                self.assertEqual(gone.request("GET", NEARBY)[0], 200)
            self.assertGreater(gone.metric("moyeo_spans_total", outcome="dropped"), 0)
            self.assertLessEqual(gone.metric("moyeo_spans_waiting"), 512)
            self.assertEqual(gone.terminate(), 0)

    def test_an_endpoint_that_is_none_is_refused_at_the_start(self):
        for endpoint in ("collector:4318", "ftp://collector", "http://", "http://me:word@collector",
                         "http://collector/?a=1", "http://collector:99999"):
            with self.subTest(endpoint):
                code, _, error = run(
                    "--check-configuration", env={"MOYEO_TRACING_ENDPOINT": endpoint})
                self.assertEqual(code, 2)
                self.assertIn("tracing.endpoint", error)
        code, _, error = run("--check-configuration", env={"MOYEO_TRACING_SAMPLE_RATIO": "2"})
        self.assertEqual(code, 2)
        self.assertIn("tracing.sampleRatio", error)


class Lines(unittest.TestCase):
    def test_a_line_of_a_call_names_its_request_and_its_trace(self):
        with Daemon(env={"MOYEO_LOG_LEVEL": "debug", "MOYEO_LOG_FORMAT": "json"}) as daemon:
            daemon.report("users", [("a", 37.5, 127.0)])
            daemon.request("GET", NEARBY, headers={"traceparent": PARENT, "x-request-id": "short"})
            # A call that nobody answers on an event loop.
            daemon.request("GET", "/v1/layers/users/tiles/10/1/1.mvt",
                           headers={"traceparent": PARENT, "x-request-id": "long"})
            daemon.terminate()
            lines = [json.loads(line) for line in daemon.log if line.startswith("{")]
        found = {line["requestId"]: line for line in lines if "requestId" in line}
        for name in ("short", "long"):
            with self.subTest(name):
                self.assertEqual(found[name]["traceId"], TRACE)
                self.assertEqual(found[name]["spanId"], "00f067aa0ba902b7")
                self.assertEqual(found[name]["message"], "a call is answered")
        self.assertEqual(found["short"]["call"], "Nearby")

    def test_an_operator_s_deed_names_its_request(self):
        with Daemon("--admin-port", "0") as daemon:
            port = int(re.search(r"adminPort=(\d+)", "".join(daemon.log))[1])
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            self.addCleanup(link.close)
            link.request("POST", "/v1/admin/drain", headers={
                "x-request-id": "deed-7", "traceparent": PARENT})
            answer = link.getresponse()
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["X-Request-Id"], "deed-7")
            answer.read()
            daemon.terminate()
            (line,) = [line for line in daemon.log if "requestId=deed-7" in line]
            self.assertIn(f"traceId={TRACE}", line)
