"""`moyeo import --redis`, what /metrics tells of the door, and the door over TLS.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_redis_import.py
"""

import json
import socket
import ssl
import threading
import unittest

import tls
from ports import free_port
from redis_servers import RedisServer, door_port
from resp_client import RESPClient, encode
from running_daemon import Daemon, run

PASSWORD = "spring rain"


class Import(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resp-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        cls.door = door_port(cls.daemon)
        cls.redis = cls.enterClassContext(RedisServer("--requirepass", PASSWORD))
        with RESPClient(cls.redis.port) as client:
            assert client.call("AUTH", PASSWORD) == b"OK"
            # Beyond what ZSCAN answers at once, and more than one page.
            client.pipeline([
                ["GEOADD", "cars", f"{126.5 + i / 4000:.6f}", f"{37.2 + i % 50 / 100:.6f}", f"car {i}"]
                for i in range(2500)])
            client.call("GEOADD", "cars", "127.1", "37.5", b"\xff\xfe")
            client.call("GEOADD", "few", "127.1", "37.5", "a", "127.2", "37.6", "b")
            client.call("SET", "text", "hello")
            client.call("ZADD", "scores", "5", "x")

    def imported(self, *arguments, port=None, password=PASSWORD):
        return run(
            "import", "--redis", f"127.0.0.1:{port or self.redis.port}", *arguments,
            "--url", self.daemon.url, name="moyeo", timeout=600,
            env={"MOYEO_REDIS_PASSWORD": password} if password else {})

    def test_a_key_comes_over_with_its_places(self):
        code, out, error = self.imported("--key", "cars", "--json")
        self.assertEqual(code, 0, error)
        told = json.loads(out)
        self.assertEqual((told["layer"], told["accepted"], told["refused"], told["reasons"]),
                         ("cars", 2500, 1, {"not_utf8": 1}))
        with RESPClient(self.redis.port) as redis, RESPClient(self.door) as door:
            redis.call("AUTH", PASSWORD)
            self.assertEqual(door.call("ZCARD", "cars"), 2500)
            names = [f"car {i}" for i in range(0, 2500, 7)]
            self.assertEqual(redis.raw("GEOPOS", "cars", *names), door.raw("GEOPOS", "cars", *names))

    def test_another_layer_a_time_to_live_and_the_door_as_source(self):
        code, out, error = self.imported("--key", "few", "--layer", "others", "--ttl", "3600")
        self.assertEqual(code, 0, error)
        self.assertIn("2 of 2 rows accepted", out)
        status, answer, _ = self.daemon.request("GET", "/v1/layers/others/positions/b")
        self.assertEqual(status, 200)
        self.assertIn("expiresAt", answer["position"])
        # What speaks as Redis does is read as Redis is.
        code, out, error = self.imported(
            "--key", "others", "--layer", "again", port=self.door, password=None)
        self.assertEqual((code, "2 of 2 rows accepted" in out), (0, True), out + error)

    def test_what_cannot_be_read_is_said(self):
        cases = (
            (("--key", "cars"), None, 1, "MOYEO_REDIS_PASSWORD"),
            (("--key", "cars"), "wrong", 1, "MOYEO_REDIS_PASSWORD"),
            (("--key", "nowhere"), PASSWORD, 1, 'redis has no key "nowhere"'),
            (("--key", "text"), PASSWORD, 1, 'holds a "string"'),
            ((), PASSWORD, 2, "--redis goes with --key"),
            (("--key", "cars", "file.csv"), PASSWORD, 2, "not both"),
            (("--key", "cars", "--id-column", "x"), PASSWORD, 2, "no columns"))
        for arguments, password, expected, named in cases:
            with self.subTest(arguments, password=password):
                code, out, error = self.imported(*arguments, password=password)
                self.assertEqual(code, expected, out + error)
                self.assertIn(named, error)
        for address in ("rediss://127.0.0.1:6379", "127.0.0.1", "user:secret@127.0.0.1:6379", "h:0"):
            with self.subTest(address):
                code, _, error = run(
                    "import", "--redis", address, "--key", "k", name="moyeo", timeout=600)
                self.assertEqual(code, 2, error)
                self.assertIn("HOST:PORT", error)
        code, _, error = self.imported("--key", "cars", port=free_port())
        self.assertEqual(code, 3, error)
        self.assertIn("cannot be reached", error)
        code, _, error = run("import", "--key", "k", "--layer", "l", "x.csv", name="moyeo", timeout=600)
        self.assertEqual((code, "--key goes with --redis" in error), (2, True), error)

    def test_whoever_answers_something_else_is_not_believed(self):
        for answer, named in (
                (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak as redis-server does"),
                (b"$99999999999\r\n", "more than 64 MiB"), (b"*99999999\r\n", "more than 64 MiB"),
                (b"*8\r\n" * 40, "does not speak"), (b"", "ended the connection"),
                (b"-LOADING Redis is loading\r\n", "LOADING")):
            with self.subTest(answer), socket.create_server(("127.0.0.1", 0)) as listener:
                def serve():
                    peer, _ = listener.accept()
                    with peer:
                        peer.recv(4096)
                        peer.sendall(answer)
                        peer.shutdown(socket.SHUT_WR)
                        peer.recv(4096)

                thread = threading.Thread(target=serve, daemon=True)
                thread.start()
                code, out, error = self.imported(
                    "--key", "k", port=listener.getsockname()[1], password=None)
                thread.join()
                self.assertEqual(code, 1, out + error)
                self.assertIn(named, error)


class Figures(unittest.TestCase):
    def test_commands_refusals_and_connections_are_counted(self):
        with Daemon("--resp-port", "0", env={"MOYEO_LIMITS_OBJECTS_PER_LAYER": "1024",
                                             "MOYEO_RESP_CONNECTIONS": "4"}) as daemon:
            port = door_port(daemon)
            with RESPClient(port) as client:
                self.assertEqual(client.call("GEOADD", "k", *[
                    word for i in range(1024) for word in ("127", "37", f"m{i}")]), 1024)
                client.pipeline([["GEOADD", "k", "127", "37", f"m{i}"] for i in range(20)])
                client.pipeline([["PING"]] * 3 + [
                    ["GEOADD", "k", "127", "37", "more"], ["NOSUCH", "a"], ["NEITHER"], ["GET"],
                    ["ZCARD"], ["MULTI"], ["GEODIST", "k", "a", "b", "parsec"]])
                with RESPClient(port) as other:
                    other.send(b"*1\r\nPING\r\n")
                    self.assertIn(b"Protocol error", other.rest())
                with RESPClient(port) as page:
                    page.send(b"POST / HTTP/1.1\r\nHost: x\r\n\r\n")
                    self.assertEqual(page.rest(), b"")
                lines = set(daemon.request("GET", "/metrics")[1].splitlines())
                for line in (
                        'moyeo_resp_commands_total{command="geoadd"} 22',
                        'moyeo_resp_commands_total{command="ping"} 3',
                        'moyeo_resp_commands_total{command="unknown"} 3',
                        'moyeo_resp_refusals_total{reason="unknown_command"} 3',
                        'moyeo_resp_refusals_total{reason="wrong_arity"} 1',
                        'moyeo_resp_refusals_total{reason="not_served"} 1',
                        'moyeo_resp_refusals_total{reason="bad_arguments"} 1',
                        'moyeo_resp_refusals_total{reason="quota_exceeded"} 1',
                        'moyeo_resp_refusals_total{reason="protocol_error"} 1',
                        'moyeo_resp_connection_events_total{event="not_a_client_of_redis"} 1',
                        'moyeo_connections_refused_total{transport="resp",limit="total"} 0'):
                    self.assertIn(line, lines)
                types = [line for line in lines if line.startswith("# TYPE moyeo_resp")]
                self.assertEqual(len(types), 3)
                self.assertTrue(any(
                    line.startswith('moyeo_connections_open{transport="resp"}') for line in lines))

    def test_names_that_clients_make_up_make_no_series(self):
        with Daemon("--resp-port", "0") as daemon:
            with RESPClient(door_port(daemon)) as client:
                client.pipeline([[f"C{i}", "x"] for i in range(500)])
            text = daemon.request("GET", "/metrics")[1]
            self.assertEqual(text.count("moyeo_resp_commands_total{"), 1)


class OverTLS(unittest.TestCase):
    def test_the_door_speaks_tls_where_the_other_ports_do(self):
        for mutual in (False, True):
            with self.subTest(mutual=mutual), Daemon(
                    "--resp-port", "0", env=tls.settings(mutual),
                    security=tls.client("client" if mutual else None)) as daemon:
                port = door_port(daemon)
                with RESPClient(port, security=tls.client("client" if mutual else None)) as client:
                    self.assertEqual(client.call("GEOADD", "k", "127", "37", "a"), 1)
                    answers = client.pipeline([["GEOPOS", "k", "a"]] * 2000)
                    self.assertEqual(len(set(answers)), 1)
                # In the clear nothing is answered, and without a certificate neither.
                with socket.create_connection(("127.0.0.1", port), timeout=600) as plain:
                    plain.sendall(encode(["PING"]))
                    self.assertNotIn(b"PONG", read_to_the_end(plain))
                if mutual:
                    with self.assertRaises((OSError, EOFError, ssl.SSLError)):
                        with RESPClient(port, security=tls.client()) as stranger:
                            stranger.call("PING")


def read_to_the_end(connection):
    found = b""
    try:
        while data := connection.recv(4096):
            found += data
    except ConnectionError:
        pass
    return found


if __name__ == "__main__":
    unittest.main()
