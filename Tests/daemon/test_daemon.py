"""moyeod from outside: calls as in the README, bad bytes, signals, settings, exit codes.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_daemon.py
"""

import json
import pathlib
import random
import re
import signal
import socket
import struct
import tempfile
import threading
import time
import unittest

from running_daemon import ROOT, Daemon, run

GOOD = {"positions": [{"id": "mina", "latitude": 37.5663, "longitude": 126.9779,
                       "tags": ["#Swift"], "attributes": {"level": 3}, "ttlSeconds": 0}]}
POST_NEAR = b"POST /v1/layers/users/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\n"
NEAR = "/v1/layers/users/nearby?latitude=37.5663&longitude=126.9779&tags=swift&limit=3"
# Tests/hostile/test_findings_bounds.py (F5) waits the default of 5 s out.
SHORT_GRACE = {"MOYEO_SHUTDOWN_GRACE_SECONDS": "1"}


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.__exit__)

    def setUp(self):
        status, answer, _ = self.daemon.request("POST", "/v1/layers/users/positions", GOOD)
        self.assertEqual((status, answer["accepted"]), (200, 1), answer)

    def tearDown(self):
        # Whatever was sent, the daemon still serves, and the same process does.
        self.assertIsNone(self.daemon.process.poll())
        status, answer, _ = self.daemon.request("GET", NEAR)
        self.assertEqual((status, [hit["id"] for hit in answer["hits"]]), (200, ["mina"]))


class Calls(Shared):
    def test_the_first_calls(self):
        status, answer, headers = self.daemon.request("GET", NEAR)
        self.assertEqual(status, 200)
        self.assertEqual(headers["content-type"], "application/json; charset=utf-8")
        hit = answer["hits"][0]
        self.assertEqual(hit["tags"], ["swift"])
        self.assertEqual(hit["distanceMeters"], 0)
        self.assertEqual(hit["attributes"], {"level": 3})
        self.assertIn("version", answer)
        status, answer, _ = self.daemon.request(
            "POST", "/v1/layers/users/nearby",
            {"latitude": 37.5, "longitude": 127, "radiusMeters": 20000,
             "where": [{"attribute": "level", "min": 2}]})
        self.assertEqual((status, len(answer["hits"])), (200, 1))
        status, answer, _ = self.daemon.request(
            "GET", "/v1/layers/users/within?west=126&south=37&east=128&north=38")
        self.assertEqual((status, len(answer["hits"])), (200, 1))
        status, answer, _ = self.daemon.request("GET", "/v1/layers/users/tags")
        self.assertEqual(answer["tags"], [{"tag": "swift", "count": 1}])
        status, answer, _ = self.daemon.request("GET", "/v1/layers")
        self.assertIn("users", [layer["name"] for layer in answer["layers"]])
        status, answer, _ = self.daemon.request("GET", "/v1/layers/users/positions/mina")
        self.assertEqual(answer["position"]["latitude"], 37.5663)
        self.assertNotIn("expiresAt", answer["position"])
        status, answer, _ = self.daemon.request(
            "POST", "/v1/batch", {"requests": [{"method": "GET", "path": NEAR}]})
        self.assertEqual(answer["responses"][0]["status"], 200)

    def test_operations(self):
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
            self.assertEqual(self.daemon.request("GET", path)[0], 200, path)
        text = self.daemon.request("GET", "/metrics")[1]
        self.assertIn('moyeo_layer_objects{layer="users"} 1', text)
        self.assertRegex(text, r'moyeo_requests_total\{operation="Report",transport="http",tenant="default"\} \d+')

    def test_grpc_port_answers_http2(self):
        with socket.create_connection(("127.0.0.1", self.daemon.grpc_port), timeout=10) as link:
            link.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
            head = link.recv(9)
            self.assertEqual(head[3], 4, "the first frame of a server is SETTINGS")

    def test_connections_are_kept_after_refusals(self):
        link = self.daemon.connection()
        wanted = [
            ("GET", "/nowhere", None, 404), ("PUT", "/v1/layers/users/nearby", b"{}", 405),
            ("POST", "/v1/layers/users/nearby", b"{", 400),
            ("POST", "/v1/layers/users/positions", b" " * (5 << 20), 413),
            ("POST", "/nowhere", b"x" * 100_000, 404), ("HEAD", "/healthz", None, 200),
            ("HEAD", "/nowhere", None, 404), ("GET", NEAR, None, 200),
        ]
        for method, path, body, status in wanted:
            answer = self.daemon.request(method, path, body, connection=link)
            self.assertEqual(answer[0], status, (method, path, answer))
            if status >= 400 and method != "HEAD":
                self.assertIn("reason", answer[1]["error"])
        link.close()

    def test_pipelined_requests_are_answered_in_order(self):
        one = f"GET {NEAR} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode()
        bad = b"GET /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
        last = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"
        answer = self.daemon.raw(one + bad + one + last)
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answer), [b"200", b"404", b"200", b"200"])

    def test_head_has_no_body(self):
        answer = self.daemon.raw(
            f"HEAD {NEAR} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n".encode())
        head, _, body = answer.partition(b"\r\n\r\n")
        self.assertIn(b"200 OK", head)
        self.assertEqual(body, b"")


class BadInput(Shared):
    def test_garbage_is_refused_and_closed(self):
        lines = [
            b"\x00\x01\x02\x03" * 100 + b"\r\n\r\n", b"hello\r\n\r\n", b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
            b"GET / HTTP/1.1\r\nhost x\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
            POST_NEAR + b"content-length: -1\r\n\r\n", POST_NEAR + b"content-length: x\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        ]
        for line in lines:
            answer = self.daemon.raw(line, timeout=3, half_close=True)
            found = re.search(rb"HTTP/1.1 (\d)", answer)
            self.assertTrue(found is None or found.group(1) == b"4", (line[:40], answer[:200]))

    def test_random_bytes(self):
        generator = random.Random(7)
        for _ in range(100):
            data = generator.randbytes(generator.randrange(1, 400))
            if generator.random() < 0.5:
                data = b"POST /v1/layers/users/nearby HTTP/1.1\r\nhost: 127.0.0.1\r\n" + data
            self.daemon.raw(data, timeout=2, half_close=True)

    def test_random_json_is_answered_with_4xx(self):
        generator = random.Random(8)
        whole = json.dumps({"latitude": 37.5, "longitude": 127, "tags": ["a"], "limit": 3,
                            "where": [{"attribute": "level", "equals": 3}]}).encode()
        link = self.daemon.connection()
        for _ in range(300):
            body = bytearray(whole)
            for _ in range(generator.randrange(1, 4)):
                body[generator.randrange(len(body))] = generator.randrange(256)
            cut = generator.choice([len(body), generator.randrange(len(body))])
            status, answer, _ = self.daemon.request(
                "POST", "/v1/layers/users/nearby", bytes(body[:cut]), connection=link)
            self.assertIn(status, (200, 400), (bytes(body[:cut]), answer))
            if status == 400:
                self.assertTrue(answer["error"]["reason"])
        link.close()

    def test_huge_headers(self):
        for head in (b"x-big: " + b"a" * 500_000, b"\r\n".join(b"x%d: y" % i for i in range(20_000)),
                     b"a" * 200_000 + b": y"):
            answer = self.daemon.raw(
                b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n" + head + b"\r\n\r\n", timeout=3)
            self.assertNotIn(b"HTTP/1.1 200", answer[:20])
        answer = self.daemon.raw(b"GET /" + b"a" * 500_000 + b" HTTP/1.1\r\n\r\n", timeout=3)
        self.assertNotIn(b"HTTP/1.1 200", answer[:20])

    def test_half_sent_bodies(self):
        for path in ("/v1/layers/users/positions", "/v1/batch", "/nowhere"):
            head = (f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                    "content-length: 100\r\n\r\n").encode()
            self.daemon.raw(head + b'{"positions":[', timeout=3, half_close=True)
            with self.daemon.socket() as link:
                link.sendall(head + b"{")
            # And with a reset instead of an end.
            with self.daemon.socket() as link:
                link.sendall(head + b"{")
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def test_clients_that_leave_before_the_answer(self):
        many = json.dumps({"positions": [
            {"id": f"gone-{i}", "latitude": 10 + i / 1e4, "longitude": 20} for i in range(1000)]})
        data = (f"POST /v1/layers/gone/positions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                f"content-length: {len(many)}\r\n\r\n{many}").encode()
        for _ in range(20):
            with self.daemon.socket() as link:
                link.sendall(data)
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        status, answer, _ = self.daemon.request("POST", "/v1/layers/gone/positions", many)
        self.assertEqual((status, answer["accepted"]), (200, 1000))

    def test_twenty_mebibytes(self):
        for body in (b" " * (20 << 20), iter([b"x" * (1 << 20)] * 20)):
            status, answer, _ = self.daemon.request(
                "POST", "/v1/layers/users/positions", body)
            self.assertEqual((status, answer["error"]["reason"]), (413, "request_too_large"))

    def test_a_caller_that_asks_before_sending_is_told_to_go_on(self):
        body = b'{"latitude": 37.5663, "longitude": 126.9779}'
        head = POST_NEAR + b"expect: 100-Continue\r\ncontent-length: %d\r\n\r\n" % len(body)
        with self.daemon.socket() as link:
            for _ in range(2):
                link.sendall(head)
                self.assertEqual(link.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
                link.sendall(body)
                self.assertRegex(link.recv(65536), b"^HTTP/1.1 200 ")
        # Amid the answers to other requests the word would be taken for one of them.
        asked = b"GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
        last = head.replace(b"host: 127.0.0.1", b"host: 127.0.0.1\r\nconnection: close")
        answers = self.daemon.raw(asked + last + body)
        self.assertRegex(answers, b"(?s)^HTTP/1.1 200 .*HTTP/1.1 200 ")
        self.assertNotIn(b" 100 ", answers)

    def test_slow_clients_do_not_keep_others_waiting(self):
        slow = []
        for i in range(200):
            link = self.daemon.socket()
            link.sendall((POST_NEAR + b"conte")[:20 + i % 30])
            slow.append(link)
        start = time.monotonic()
        for _ in range(20):
            self.assertEqual(self.daemon.request("GET", NEAR)[0], 200)
        self.assertLess(time.monotonic() - start, 10)
        for link in slow:
            link.close()

    def test_many_at_once(self):
        failures = []

        def ask():
            link = self.daemon.connection()
            for _ in range(20):
                status, answer, _ = self.daemon.request("GET", NEAR, connection=link)
                if status != 200 or [hit["id"] for hit in answer["hits"]] != ["mina"]:
                    failures.append(answer)
            link.close()

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_garbage_for_grpc(self):
        generator = random.Random(9)
        for prefix in (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
            for _ in range(20):
                with socket.create_connection(("127.0.0.1", self.daemon.grpc_port), 5) as link:
                    try:
                        link.sendall(prefix + generator.randbytes(generator.randrange(1, 300)))
                    except OSError:
                        pass


class Signals(unittest.TestCase):
    def test_sigterm_and_sigint_end_with_zero(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Daemon() as daemon:
                start = time.monotonic()
                self.assertEqual(daemon.terminate(number=number), 0, daemon.log)
                self.assertLess(time.monotonic() - start, 8)
                self.assertIn("stopped", "".join(daemon.log))

    def test_idle_and_half_open_connections_do_not_hold_the_end_up(self):
        with Daemon() as daemon:
            idle = daemon.connection()
            self.assertEqual(daemon.request("GET", "/healthz", connection=idle)[0], 200)
            silent = [daemon.socket() for _ in range(5)]
            start = time.monotonic()
            self.assertEqual(daemon.terminate(), 0, daemon.log)
            self.assertLess(time.monotonic() - start, 8)
            for link in silent:
                link.close()
            idle.close()

    def test_a_grpc_client_that_answers_nothing_is_given_up(self):
        with Daemon(env=SHORT_GRACE) as daemon:
            with socket.create_connection(("127.0.0.1", daemon.grpc_port), 5) as grpc:
                grpc.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
                self.assertEqual(grpc.recv(9)[3], 4)
                self.assertEqual(daemon.terminate(seconds=25), 0, daemon.log)

    def test_a_request_in_flight_is_answered(self):
        with Daemon() as daemon:
            body = json.dumps(GOOD).encode()
            head = (f"POST /v1/layers/users/positions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                    f"content-length: {len(body)}\r\n\r\n").encode()
            with daemon.socket() as link:
                link.sendall(head + body[:20])
                # Until the daemon has the first half, it cannot know of the request.
                time.sleep(0.3)
                daemon.process.send_signal(signal.SIGTERM)
                time.sleep(0.3)
                link.sendall(body[20:])
                answer = link.recv(65536)
            self.assertIn(b"200 OK", answer)
            self.assertEqual(daemon.wait(), 0)

    def test_a_request_that_never_ends_is_given_up(self):
        with Daemon(env=SHORT_GRACE) as daemon:
            with daemon.socket() as link:
                link.sendall(b"POST /v1/layers/users/positions HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                             b"content-length: 100\r\n\r\n{")
                time.sleep(0.3)
                self.assertEqual(daemon.terminate(seconds=25), 0, daemon.log)


class Starting(unittest.TestCase):
    def test_bad_flags_exit_with_2(self):
        for arguments in (["--nope"], ["--http-port", "x"], ["--http-port"], ["extra"],
                          ["--http-port", "70000"], ["--grpc-port", "-1"],
                          ["--demo", "atlantis"], ["--config", "/does/not/exist.json"],
                          ["--resources", "/does/not/exist"]):
            code, out, error = run(*arguments)
            self.assertEqual(code, 2, (arguments, out, error))
            self.assertTrue(error.strip(), arguments)

    def test_help_and_version(self):
        for flag in ("--help", "--version"):
            code, out, _ = run(flag)
            self.assertEqual(code, 0)
            self.assertIn("moyeod", out)

    def config(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".json", delete=False)
        self.addCleanup(pathlib.Path(file.name).unlink)
        with file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return file.name

    def test_bad_settings_exit_with_2_and_name_the_key(self):
        cases = [
            ({"http": {"prot": 1}}, "http.prot"), ({"nothing": 1}, "nothing"),
            ({"threads": 0}, "threads"), ({"log": {"level": "loud"}}, "log.level"),
            ({"log": {"format": "xml"}}, "log.format"),
            ({"limits": {"hits": 0}}, "limits.hits"),
            ({"limits": {"fences": 0}}, "limits.fences is 1 to 100000; got 0"),
            ({"limits": {"watchedAreas": "all"}}, "limits.watchedAreas must be a whole number"),
            ({"heavy": {"threads": 0}}, "heavy.threads is 1 to 1024; got 0"),
            ({"streams": {"heartbeatSeconds": 0}}, "streams.heartbeatSeconds is 0.1 to 3600"),
            ({"streams": {"heartbeatSeconds": "often"}},
             "streams.heartbeatSeconds must be a number"),
            ({"streams": {"stallSeconds": 61, "dropSeconds": 60.5}},
             "streams.stallSeconds is 61.0, above streams.dropSeconds (60.5)"),
            ({"streams": {"maximumOpen": -1}}, "streams.maximumOpen"),
            ({"sessions": {"intervalSeconds": -0.5}}, "sessions.intervalSeconds is 0.0 to 3600"),
            ({"sessions": {"burst": 0}}, "sessions.burst"),
            ({"sessions": {"maximumSessions": 0}}, "sessions.maximumSessions"),
            ({"coalescing": {"enabled": "maybe"}}, "coalescing.enabled must be true or false"),
            ({"coalescing": {"cacheBytes": -1}}, "coalescing.cacheBytes"),
            ({"coalescing": {"maximumStalenessSeconds": 1e9}},
             "coalescing.maximumStalenessSeconds"),
            ({"parties": {"policyPack": "none-such"}}, "parties.policyPack names no pack"),
            ({"parties": {"policyDirectories": ["/does/not/exist"]}},
             "/does/not/exist: cannot be read as a directory"),
            ({"layers": {"users": {"ttl": 5}}}, "layers.users.ttl"),
            ({"layers": {"users": {"ttlSeconds": -5}}}, "layers.users.ttlSeconds"),
            ({"layers": {"users": {"ttlSeconds": "long"}}}, "layers.users.ttlSeconds"),
            ({"layers": {"users": {"columns": 5}}}, "layers.users.columns"),
            ({"layers": {"users": {"columns": ["a", "b", "c", "d", "e"]}}}, "layers.users.columns"),
            ({"layers": {"users": {"allowNullIsland": "maybe"}}}, "layers.users.allowNullIsland"),
            ({"layers": {"Bad Name": {"ttlSeconds": 5}}}, "layers.Bad Name"),
            ("[1]", ".json"), ("{", ".json"), ("", ".json"),
        ]
        for settings, named in cases:
            file = self.config(settings)
            code, out, error = run("--http-port", "0", "--grpc-port", "0", "--config", file)
            self.assertEqual(code, 2, (settings, out, error))
            self.assertIn(named, error, settings)
            checked = run("--check-configuration", "--config", file)
            self.assertEqual((checked[0], checked[2]), (2, error), settings)
        # A flag would win over the file's port, so none is given.
        for port in ("x", 70000, -1):
            code, out, error = run(
                "--grpc-port", "0", "--config", self.config({"http": {"port": port}}))
            self.assertEqual(code, 2, (port, out, error))
            self.assertIn("http.port", error)

    def test_good_settings_are_checked_without_a_start(self):
        settings = {
            "resources": {"directory": str(ROOT)}, "heavy": {"threads": 3},
            "streams": {"heartbeatSeconds": 1, "stallSeconds": 2.5, "dropSeconds": 10,
                        "maximumOpen": 5},
            "sessions": {"intervalSeconds": 0, "burst": 3, "maximumSessions": 10},
            "coalescing": {"enabled": False, "cacheBytes": 0, "maximumStalenessSeconds": 2},
            "limits": {"fences": 10, "watchedAreas": 100}}
        with tempfile.TemporaryDirectory() as folder:
            code, out, error = run(
                "--check-configuration", "--config", self.config(settings), cwd=folder)
            self.assertEqual((code, error), (0, ""))
            self.assertRegex(
                out, r"\Athe settings are good: \d+ tariffs, \d+ areas, 1 policy packs, .*\n\Z")
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [], "nothing is made")
        # Nothing of the other end: a stall alone stretches the drop, a drop alone cuts the stall.
        for streams in ({"stallSeconds": 600}, {"dropSeconds": 1}):
            self.assertEqual(run(
                "--check-configuration", "--config", self.config({"streams": streams}))[0], 0)

    def test_bad_tariffs_and_cities_fail_the_check(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "x.json").write_text('{"id": 5}')
            for key in ({"fares": {"tariffDirectories": [folder]}},
                        {"parties": {"policyDirectories": [folder]}}):
                code, out, error = run("--check-configuration", "--config", self.config(key))
                self.assertEqual((code, out), (2, ""), error)
                self.assertIn("x.json: ", error)
        code, _, error = run("--check-configuration", "--demo", "atlantis")
        self.assertEqual(code, 2)
        self.assertIn("atlantis", error)

    def test_settings_reach_the_streams_and_the_watches(self):
        file = self.config({"streams": {"heartbeatSeconds": 0.2, "maximumOpen": 1},
                            "limits": {"fences": 1}})
        with Daemon("--config", file) as daemon:
            daemon.request("POST", "/v1/layers/users/positions", GOOD)
            path = "/v1/layers/users/watch?west=1&south=1&east=2&north=2"
            with daemon.socket() as link:
                link.sendall(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                             "accept: text/event-stream\r\n\r\n".encode())
                seen = b""
                while seen.count(b"\n:") < 3:
                    piece = link.recv(4096)
                    self.assertTrue(piece, seen)
                    seen += piece
                status, answer, _ = daemon.request(
                    "GET", path, headers={"Accept": "text/event-stream"})
                self.assertIn("1 streams are open already", json.dumps(answer), status)

    def test_other_origins_may_read_what_a_tile_says(self):
        file = self.config({"http": {"corsOrigins": ["https://a.example"]}})
        with Daemon("--config", file) as daemon:
            daemon.request("POST", "/v1/layers/users/positions", GOOD)
            status, _, headers = daemon.request(
                "GET", "/v1/layers/users/tiles/0/0/0.mvt", headers={"Origin": "https://a.example"})
            self.assertEqual(status, 200)
            sent = {name.lower() for name in headers if name.lower().startswith("x-moyeo-")}
            self.assertGreaterEqual(sent, {"x-moyeo-version", "x-moyeo-lag-milliseconds"})
            exposed = set(headers["access-control-expose-headers"].split(", "))
            self.assertEqual((sent | {"etag"}) - exposed, set())
            self.assertEqual(headers["vary"], "accept-encoding, origin")

    def test_a_taken_port_exits_with_1_and_says_so(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            for flags in (["--http-port", port, "--grpc-port", "0"],
                          ["--http-port", "0", "--grpc-port", port]):
                code, _, error = run(*flags)
                self.assertEqual(code, 1, error)
                self.assertIn(port, error)
                self.assertIn("taken", error)

    def test_flags_over_environment_over_file(self):
        file = self.config({"log": {"level": "debug", "format": "json"},
                            "limits": {"hits": 7, "idBytes": 9},
                            "layers": {"users": {"ttlSeconds": 0, "columns": ["level"]}}})
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = str(taken.getsockname()[1])
        environment = {"MOYEO_LIMITS_HITS": "5", "MOYEO_HTTP_PORT": port,
                       "MOYEO_GRPC_PORT": "0", "MOYEO_HTTP_CORS_ORIGINS": "https://a.example"}
        with Daemon("--config", file, "--http-port", "0", env=environment, ports=False) as daemon:
            self.assertNotEqual(daemon.http_port, int(port), "the flag wins over the environment")
            status, _, _ = daemon.request("POST", "/v1/layers/users/positions", {
                "positions": [{"id": "a", "latitude": 1, "longitude": 1}]})
            self.assertEqual(status, 200)
            for limit, status in (("5", 200), ("6", 400)):
                answer = daemon.request(
                    "GET", f"/v1/layers/users/nearby?latitude=1&longitude=1&limit={limit}")
                self.assertEqual(answer[0], status, "the environment wins over the file")
            status, answer, _ = daemon.request("POST", "/v1/layers/users/positions", {
                "positions": [{"id": "x" * 10, "latitude": 1, "longitude": 1}]})
            self.assertEqual((status, answer["error"]["reason"]), (400, "bad_id"), "the file counts")
            status, answer, _ = daemon.request("GET", "/v1/layers/users/positions/a")
            self.assertNotIn("expiresAt", answer["position"])
            status, answer, _ = daemon.request("GET", "/v1/layers")
            columns = {layer["name"]: layer["columns"] for layer in answer["layers"]}
            self.assertEqual(columns["users"], ["level"])
            _, _, headers = daemon.request("GET", "/v1/layers", headers={"Origin": "https://a.example"})
            self.assertEqual(headers["access-control-allow-origin"], "https://a.example")
            for line in daemon.log:
                json.loads(line)

    def test_every_setting_that_the_code_reads_is_listed(self):
        code, out, _ = run("--print-configuration")
        self.assertEqual(code, 0)
        listed = {line.split()[0] for line in out.splitlines() if line.strip()}
        source = "".join(
            path.read_text() for path in sorted((ROOT / "Sources" / "moyeod").glob("*.swift"))
            if path.name != "SettingsTable.swift")
        read = set(re.findall(r'values\.\w+\(\s*"([a-zA-Z.]+)"', source))
        read -= {"limits.", "parties.", "rates.", "commutes."}
        rates = re.findall(r'\("(\w+)", \\\.(?:tenant|caller)\.', source)
        self.assertEqual(len(rates), 6)
        read |= {"rates." + name for name in rates} | {"tenants.<name>." + name for name in rates}
        groups = re.findall(r'\("(\w+)", \\\.(?:tenant|caller)\)', source)
        self.assertEqual(len(groups), 2)
        read |= {f"{whose}.{group}.<call>" for group in groups
                 for whose in ("rates", "tenants.<name>")}
        read |= {"tenants.<name>." + name for name in re.findall(r'tenantCount\(\$0, "(\w+)"', source)}
        read |= {"tenants.<name>." + name for name in re.findall(r'  read\("(\w+)", \\', source)}
        read |= set(re.findall(r'try await (?:count|seconds|path|text)\("([a-zA-Z.]+)"', source))
        read |= {"limits." + name for name in re.findall(r'try await read\("(\w+)"', source)}
        read |= {"parties." + name for name in re.findall(r'try await quota\("(\w+)"', source)}
        read |= {"commutes." + name for name in re.findall(r'try await figure\("(\w+)"', source)}
        read |= {"layers.<name>." + name
                 for name in re.findall(r'first\("(\w+)"(?:, |\) \{)', source)}
        read |= {"layers.<name>." + name for name in re.findall(r'(?:flag|count)\("(\w+)"\)', source)}
        read |= set(re.findall(r'static let key = "([a-zA-Z.]+)"', source))
        self.assertGreater(len(read), 25)
        self.assertEqual(read - listed, set(), "read but not listed")
        self.assertEqual(listed - read, set(), "listed but not read")

    def test_a_demo_city_without_parties_and_people_waiting_lives(self):
        with Daemon("--demo", "seoul", "--resources", str(ROOT),
                    env={"MOYEO_DEMO_USERS": "50", "MOYEO_DEMO_PARTIES": "0",
                         "MOYEO_DEMO_TICKETS": "0"}) as daemon:
            self.assertIn("moyeo is running", "".join(daemon.log + daemon.output).lower())
            self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
            self.assertEqual(daemon.terminate(), 0)

    def test_the_demo_city_lives(self):
        with Daemon("--demo", "seoul", "--resources", str(ROOT),
                    env={"MOYEO_DEMO_USERS": "500"}) as daemon:
            status, answer, _ = daemon.request(
                "GET", "/v1/layers/users/nearby?latitude=37.5663&longitude=126.9779&limit=3")
            self.assertEqual((status, len(answer["hits"])), (200, 3))
            text = "".join(daemon.output)
            found = re.search(r"curl '([^']+)'", text)
            self.assertIsNotNone(found, text)
            self.assertIn(str(daemon.http_port), found.group(1))

