"""The door for clients of Redis, beside a redis-server: the same commands, byte-equal answers.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_redis_door.py

DOOR_COMMANDS and DOOR_SEEDS say how long the differential run is (1,000 commands of each of 20
seeds; the whole one has 10,000).
"""

import json
import os
import random
import re
import shutil
import socket
import subprocess
import time
import unittest

from redis_servers import RedisServer, door_port
from resp_client import RESPClient, encode, parse
from running_daemon import Daemon, run

KEYS = ["cars", "seoul", "a-1", "b_2"]
COMMANDS = int(os.environ.get("DOOR_COMMANDS", "1000"))
SEEDS = int(os.environ.get("DOOR_SEEDS", "20"))


class Commands:
    """Random commands: places around the world, at its edges and on each other."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.places = []

    def place(self):
        r = self.random
        kind = r.random()
        if kind < 0.1 and self.places:
            return r.choice(self.places)
        if kind < 0.5:
            found = (r.uniform(126.8, 127.2), r.uniform(37.4, 37.7))
        elif kind < 0.6:
            found = (r.choice([-180, 180, 179.9999, -179.9999]), r.uniform(-60, 60))
        elif kind < 0.7:
            found = (r.uniform(-180, 180), r.choice([85.05112878, -85.05112878, 84.9, -85.05]))
        else:
            found = (r.uniform(-180, 180), r.uniform(-85.05112878, 85.05112878))
        digits = r.choice([3, 6, 15])
        text = tuple(f"{value:.{digits}f}" if abs(value) < 85.05 else repr(value)
                     for value in found)
        self.places.append(text)
        return text

    def member(self):
        r = self.random
        return r.choice([f"m{r.randrange(60)}", f"회원 {r.randrange(20)}", "a\r\nb", "\x00z", "é"])

    def unit(self):
        return self.random.choice(["m", "km", "ft", "mi", "KM"])

    def radius(self):
        return f"{10 ** self.random.uniform(-1, 4.4):.3f}"

    def shape(self):
        r = self.random
        if r.random() < 0.6:
            return ["BYRADIUS", self.radius(), self.unit()]
        return ["BYBOX", self.radius(), self.radius(), self.unit()]

    def options(self, plain=False):
        r = self.random
        out = []
        if r.random() < 0.5:
            out.append([r.choice(["ASC", "DESC", "asc"])])
        if r.random() < 0.4:
            out.append(["COUNT", r.choice([1, 2, 5, 50, 1000])]
                       + (["ANY"] if r.random() < 0.3 else []))
        if not plain:
            out += [[word] for word in ("WITHDIST", "WITHCOORD", "WITHHASH") if r.random() < 0.4]
        r.shuffle(out)
        return [word for option in out for word in option]

    def geoadd(self):
        r = self.random
        flags = r.choice([[], [], [], ["NX"], ["XX"], ["CH"], ["XX", "CH"], ["ch", "nx"]])
        members = [word for _ in range(r.choice([1, 1, 1, 2, 5, 20]))
                   for word in (*self.place(), self.member())]
        return ["GEOADD", r.choice(KEYS), *flags, *members]

    def search(self):
        r = self.random
        center = (["FROMLONLAT", *self.place()] if r.random() < 0.7
                  else ["FROMMEMBER", self.member()])
        parts = [center, self.shape(), self.options()]
        r.shuffle(parts)
        return ["GEOSEARCH", r.choice(KEYS), *(word for part in parts for word in part)]

    def store(self):
        r = self.random
        return ["GEOSEARCHSTORE", r.choice(KEYS), r.choice(KEYS), "FROMLONLAT", *self.place(),
                *self.shape(), *self.options(plain=True)]

    def old_search(self):
        r = self.random
        if r.random() < 0.5:
            return [r.choice(["GEORADIUS", "GEORADIUS_RO"]), r.choice(KEYS), *self.place(),
                    self.radius(), self.unit(), *self.options()]
        return [r.choice(["GEORADIUSBYMEMBER", "GEORADIUSBYMEMBER_RO"]), r.choice(KEYS),
                self.member(), self.radius(), self.unit(), *self.options()]

    def small(self):
        r = self.random
        key, member = r.choice(KEYS), self.member()
        return r.choice([
            ["GEOPOS", key, member, self.member()], ["GEOHASH", key, member],
            ["GEODIST", key, member, self.member(), *r.choice([[], [self.unit()]])],
            ["ZSCORE", key, member], ["ZMSCORE", key, member, "nobody"], ["ZCARD", key],
            ["ZREM", key, member, member], ["ZRANGE", key, 0, -1],
            ["ZRANGE", key, r.randrange(-9, 9), r.randrange(-9, 9), "WITHSCORES"],
            ["ZRANGE", key, r.randrange(9), -1, "REV"],
            ["ZRANGE", key, "(1000", "+inf", "BYSCORE", "LIMIT", r.randrange(-1, 5), 3],
            ["ZRANGE", key, "+inf", "-inf", "BYSCORE", "REV", "WITHSCORES"],
            ["ZSCAN", key, 0], ["ZSCAN", key, 0, "MATCH", r.choice(["m*", "m[1-3]?", "*원*"])],
            ["EXISTS", key, key, "no"], ["TYPE", key], ["DBSIZE"], ["PING"], ["ECHO", member],
            # Never the same twice: which of two within a millisecond is later is anybody's guess.
            ["EXPIRE", key, r.randrange(10**3, 10**8)],
            ["EXPIRE", key, r.randrange(10**3, 10**8), r.choice(["NX", "XX", "GT", "LT"])],
            ["TTL", key], ["PERSIST", key], ["SELECT", 0],
        ])

    def mistake(self):
        """A command with a word lost, doubled or spoilt."""
        r = self.random
        command = r.choice([self.geoadd, self.search, self.old_search, self.small, self.store])()
        i = r.randrange(1, len(command)) if len(command) > 1 else 0
        kind = r.random()
        if kind < 0.4 and len(command) > 1:
            del command[i]
        elif kind < 0.6:
            command.insert(i, command[i])
        else:
            command[i] = r.choice(
                ["", "x", "-1", "0", "nan", "inf", "1e400", "99999999999999999999", " 1", "COUNT"])
        return command

    def next(self):
        r = self.random.random()
        if r < 0.35:
            return self.geoadd()
        if r < 0.6:
            return self.search()
        if r < 0.7:
            return self.old_search()
        if r < 0.72:
            return self.store()
        if r < 0.73:
            return [self.random.choice(["DEL", "UNLINK"]), self.random.choice(KEYS), "no"]
        if r < 0.85:
            return self.mistake()
        return self.small()


class Differential(unittest.TestCase):
    def test_the_same_commands_have_the_same_answers(self):
        with RedisServer() as redis, Daemon("--resp-port", "0") as daemon:
            with RESPClient(redis.port) as theirs, RESPClient(door_port(daemon)) as ours:
                for seed in range(SEEDS):
                    with self.subTest(seed=seed):
                        self.compare(seed, theirs, ours)

    def compare(self, seed, theirs, ours):
        commands = Commands(seed)
        resp3 = seed % 2 == 1
        for client in (theirs, ours):
            client.call("HELLO", 3 if resp3 else 2)
            client.call("DEL", *KEYS)
        for start in range(0, COMMANDS, 25):
            batch = [self.servable(commands.next()) for _ in range(min(25, COMMANDS - start))]
            expected, found = theirs.pipeline(batch), ours.pipeline(batch)
            for i, (command, want, got) in enumerate(zip(batch, expected, found)):
                if want == got or self.is_tie(command, want, got):
                    continue
                self.fail(f"seed {seed}, command {start + i}: {command}\n"
                          f"  redis-server {want!r}\n  the door     {got!r}")

    def test_searches_among_many_members_have_the_same_answers(self):
        """The nearest of a crowd, in a city, at the edges and around the world."""
        r = random.Random(99)
        crowd = [("126.9779", "37.5663"), ("179.9995", "-17.5"), ("10", "84.5"), ("-58.4", "-34.6")]
        members = []
        for i in range(12_000):
            longitude, latitude = map(float, r.choice(crowd))
            spread = r.choice([0.3, 0.02, 0.001])
            east = longitude + r.gauss(0, spread)
            east = (east + 180) % 360 - 180
            members += [f"{east:.7f}", f"{min(85, latitude + r.gauss(0, spread)):.7f}", f"m{i}"]
        with RedisServer() as redis, Daemon("--resp-port", "0") as daemon:
            with RESPClient(redis.port) as theirs, RESPClient(door_port(daemon)) as ours:
                for client in (theirs, ours):
                    for start in range(0, len(members), 3000):
                        client.call("GEOADD", "crowd", *members[start:start + 3000])
                for i in range(600):
                    longitude, latitude = map(float, r.choice(crowd))
                    middle = [f"{min(180, longitude + r.gauss(0, .01)):.6f}",
                              f"{min(85.05, latitude + r.gauss(0, .01)):.6f}"]
                    radius = r.choice([75, 300, 1000, 20_000, 200_000, 3_000_000, 20_000_000])
                    shape = (["BYRADIUS", radius, "m"] if r.random() < 0.8
                             else ["BYBOX", radius, r.choice([radius, 500]), "m"])
                    command = ["GEOSEARCH", "crowd", "FROMLONLAT", *middle, *shape, "ASC",
                               "COUNT", r.choice([1, 5, 20, 50, 64, 100, 2000]),
                               "WITHDIST", "WITHCOORD", "WITHHASH"]
                    want, got = theirs.raw(*command), ours.raw(*command)
                    if want != got and not self.is_tie(command, want, got):
                        self.fail(f"{i}: {command}\n  redis-server {want!r}\n  the door     {got!r}")

    def servable(self, command):
        """Leaves out what is refused on purpose, since it changes what later commands find."""
        words = [str(word) for word in command]
        name = words[0].upper()
        if any(word.upper() in ("STORE", "STOREDIST", "BYLEX") for word in words):
            return ["PING"]
        if name == "SELECT" and words[1:] not in (["0"], ["x"], ["nan"], []):
            return ["PING"]
        if name in ("GEOADD", "GEOSEARCHSTORE"):
            # Empty members, other keys, and 0, 0.
            if "" in words or words[1] not in KEYS or re.search(r"'0', '0'", repr(words)):
                return ["PING"]
            if any(word.upper() in ("EX", "TAGS", "ATTR") for word in words):
                return ["PING"]
        if name == "EXPIRE" and words[1:2] == ["-1"]:
            return ["PING"]
        return command

    def is_tie(self, command, want, got):
        """Whether two answers differ only in the order of members at the same distance; which of
        those are in, when COUNT cuts between them, is open as well."""
        words = [str(word).upper() for word in command]
        if not {"ASC", "DESC", "COUNT"} & set(words) or want[:1] != b"*" or got[:1] != b"*":
            return False
        mine, yours = parse(got)[0], parse(want)[0]
        if len(mine) != len(yours) or "WITHDIST" not in words:
            return len(mine) == len(yours) and "WITHDIST" not in words and (
                "COUNT" in words or sorted(map(repr, mine)) == sorted(map(repr, yours)))
        if [row[1] for row in mine] != [row[1] for row in yours]:
            return False
        last = yours[-1][1] if "COUNT" in words else None
        return all(
            sorted(repr(row) for row in mine if row[1] == distance)
            == sorted(repr(row) for row in yours if row[1] == distance)
            for distance in {row[1] for row in yours} - {last})


class Door(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resp-port", "0")
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.port = door_port(cls.daemon)

    def setUp(self):
        self.client = RESPClient(self.port)
        self.addCleanup(self.client.__exit__)

    def test_what_one_wire_writes_the_other_shows(self):
        self.assertEqual(self.client.call(
            "GEOADD", "both", "TAGS", 2, "#Taxi", "free", "ATTR", '{"seats": 4, "name": "é"}',
            "126.9779", "37.5663", "car-1"), 1)
        status, answer, _ = self.daemon.request(
            "GET", "/v1/layers/both/nearby?latitude=37.5663&longitude=126.9779&tags=taxi")
        self.assertEqual(status, 200)
        [hit] = answer["hits"]
        self.assertEqual((hit["id"], hit["tags"], hit["attributes"]),
                         ("car-1", ["taxi", "free"], {"seats": 4, "name": "é"}))
        status, _, _ = self.daemon.request(
            "POST", "/v1/layers/both/positions",
            {"positions": [{"id": "car-2", "latitude": 37.567, "longitude": 126.978}]})
        self.assertEqual(status, 200)
        self.assertEqual(self.client.call(
            "GEOSEARCH", "both", "FROMLONLAT", "126.9779", "37.5663", "BYRADIUS", 1, "km", "ASC"),
            [b"car-1", b"car-2"])
        self.assertEqual(self.client.call("ZREM", "both", "car-1"), 1)
        status, answer, _ = self.daemon.request(
            "GET", "/v1/layers/both/nearby?latitude=37.5663&longitude=126.9779")
        self.assertEqual([hit["id"] for hit in answer["hits"]], ["car-2"])

    def test_own_options_filter(self):
        for i in range(10):
            self.client.call("GEOADD", "own", "TAGS", 1, "even" if i % 2 == 0 else "odd",
                             "ATTR", json.dumps({"seats": i, "kind": f"k{i}"}),
                             f"{127 + i / 1000:.3f}", "37.5", f"m{i}")
        search = ["GEOSEARCH", "own", "FROMLONLAT", "127", "37.5", "BYRADIUS", "5", "km", "ASC"]
        self.assertEqual(self.client.call(*search, "TAGS", 1, "#Even", "COUNT", 2), [b"m0", b"m2"])
        self.assertEqual(self.client.call(*search, "WHERE", "seats", "RANGE", 3, 4), [b"m3", b"m4"])
        self.assertEqual(self.client.call(*search, "WHERE", "kind", "EQ", "k7"), [b"m7"])
        self.assertEqual(len(self.client.call(*search, "MAXAGE", 600)), 10)
        for wrong, word in ((["TAG", 1, "even"], b"TAGS"), (["WHERES", "a"], b"WHERE"),
                            (["TAGS", 9, "even"], b"TAGS"), (["WHERE", "seats", "IS", "1"], b"WHERE"),
                            (["MAXAGE", "x"], b"MAXAGE")):
            answer = self.client.call(*search, *wrong)
            self.assertTrue(answer.startswith(b"-ERR") and word in answer, answer)

    def test_members_with_ex_expire(self):
        self.assertEqual(self.client.call("GEOADD", "short", "EX", 1, 127, 37, "a"), 1)
        self.assertEqual(self.client.call("GEOADD", "short", 127, 37, "b"), 1)
        end = time.monotonic() + 300
        while self.client.call("ZSCORE", "short", "a") is not None:
            self.assertLess(time.monotonic(), end)
        self.assertIsNotNone(self.client.call("ZSCORE", "short", "b"))

    def test_keys_end(self):
        self.client.call("GEOADD", "ends", 127, 37, "a")
        self.assertEqual(self.client.call("PEXPIRE", "ends", 50), 1)
        end = time.monotonic() + 300
        while self.client.call("EXISTS", "ends"):
            self.assertLess(time.monotonic(), end)
        self.assertEqual(self.client.call("TTL", "ends"), -2)

    def test_refusals_on_purpose(self):
        for command, part in (
                (["GEOADD", "Big Key", 1, 2, "a"], b"no layer name"),
                (["GEOADD", "parties", 1, 2, "a"], b"only the service itself"),
                (["GEOADD", "k", 1, 2, b"\xff\xfe"], b"UTF-8"),
                (["GEOADD", "k", 0, 0, "a"], b"0, 0 is refused"),
                (["MULTI"], b"no transactions"), (["EXEC"], b"no transactions"),
                (["SELECT", 1], b"DB index is out of range"),
                (["SET", "a", "b"], b"unknown command 'SET'"),
                (["GEORADIUS", "k", 1, 2, 1, "m", "STOREDIST", "d"], b"STOREDIST is not served")):
            answer = self.client.call(*command)
            self.assertTrue(answer.startswith(b"-ERR") and part in answer, (command, answer))

    def test_a_page_cannot_reach_the_port(self):
        for start in (b"POST / HTTP/1.1\r\nHost: x\r\n\r\nDEL a\r\n", b"Host: x\r\nPING\r\n"):
            with RESPClient(self.port) as client:
                client.send(start)
                self.assertEqual(client.rest(), b"")

    def test_malformed_input_is_told_and_closed(self):
        for data, message in (
                (b"*a\r\n", b"invalid multibulk length"), (b"*1\r\n$x\r\n", b"invalid bulk length"),
                (b"*1\r\n$-1\r\n", b"invalid bulk length"), (b"*1\r\n+4\r\n+", b"expected '$', got '+'"),
                (b"echo \"a\r\n", b"unbalanced quotes"), (b"*1\r\n$99999999\r\n", b"invalid bulk length"),
                (b"a" * 70000, b"too big inline request"),
                (b"*" + b"1" * 70000, b"too big mbulk count string")):
            with RESPClient(self.port) as client:
                client.send(b"PING\r\n" + data)
                self.assertEqual(client.read(), b"+PONG\r\n")
                self.assertIn(b"-ERR Protocol error: " + message, client.read())
                self.assertEqual(client.rest(), b"")

    def test_a_connection_on_which_nothing_happens_ends(self):
        with Daemon("--resp-port", "0", env={"MOYEO_RESP_IDLE_SECONDS": "1"}) as daemon:
            with RESPClient(door_port(daemon)) as client:
                begun = time.monotonic()
                self.assertEqual(client.call("PING"), b"PONG")
                # The answer to a command that came in pieces begins the time anew.
                client.send(b"PI")
                client.send(b"NG\r\n")
                self.assertEqual(client.read(), b"+PONG\r\n")
                self.assertEqual(client.rest(), b"")
                self.assertGreaterEqual(time.monotonic() - begun, 0.9)
            self.assertIn(
                'moyeo_resp_connection_events_total{event="idle"} 1',
                daemon.request("GET", "/metrics")[1])

    def test_commands_arrive_in_any_pieces(self):
        data = b"*3\r\n$6\r\nZSCORE\r\n$1\r\nx\r\n$4\r\na\r\nb\r\n PING  \r\n*1\r\n$4\r\nPING\r\n"
        for byte in data:
            self.client.send(bytes([byte]))
        self.assertEqual([self.client.read() for _ in range(3)],
                         [b"$-1\r\n", b"+PONG\r\n", b"+PONG\r\n"])

    def test_answers_that_are_not_read_hold_the_connection_alone(self):
        for i in range(0, 1000, 100):
            members = [word for k in range(i, i + 100)
                       for word in (f"{127 + k / 1e5:.5f}", "37.5", f"member-number-{k}")]
            self.client.call("GEOADD", "many", *members)
        search = ["GEOSEARCH", "many", "FROMLONLAT", 127, "37.5", "BYRADIUS", 50, "km"]
        expected = self.client.raw(*search)
        with RESPClient(self.port) as greedy:
            count = 2000
            greedy.socket.settimeout(5)
            sent = 0
            try:
                for _ in range(count):
                    greedy.send(encode(search))
                    sent += 1
            except TimeoutError:
                pass
            self.assertEqual(self.client.call("PING"), b"PONG")
            greedy.socket.settimeout(600)
            for _ in range(min(sent, 50)):
                self.assertEqual(greedy.read(), expected)

    def test_long_commands_keep_their_order(self):
        members = [word for k in range(6000)
                   for word in (f"{k % 360 - 180 + k / 1e5:.5f}", f"{k % 160 - 80}", f"m{k}")]
        for start in range(0, len(members), 3000):
            self.client.call("GEOADD", "world", *members[start:start + 3000])
        commands = [["ZRANGE", "world", 0, -1], ["PING"],
                    ["GEOSEARCH", "world", "FROMLONLAT", 0, 1, "BYRADIUS", 20000, "km", "ASC"],
                    ["ZCARD", "world"], ["DEL", "world"], ["EXISTS", "world"]]
        found = [parse(answer)[0] for answer in self.client.pipeline(commands)]
        self.assertEqual((len(found[0]), found[1], found[3:]), (6000, b"PONG", [6000, 1, 0]))
        self.assertGreater(len(found[2]), 5000)

    def test_redis_cli(self):
        program = shutil.which("redis-cli")
        self.assertIsNotNone(program, "redis-cli is not installed: make test-packages")
        out = subprocess.run(
            [program, "-p", str(self.port)], capture_output=True, text=True, timeout=60,
            input="GEOADD cli 13.361389 38.115556 Palermo 15.087269 37.502669 Catania\n"
                  "GEODIST cli Palermo Catania km\nGEOHASH cli Palermo\nHELLO 3\n"
                  "GEOSEARCH cli FROMLONLAT 15 37 BYRADIUS 200 km ASC\n")
        self.assertEqual(out.returncode, 0, out.stderr)
        for line in ("2", "166.2742", "sqc8b49rny0", "Catania", "Palermo"):
            self.assertIn(line, out.stdout)

    def test_redis_benchmark(self):
        program = shutil.which("redis-benchmark")
        self.assertIsNotNone(program, "redis-benchmark is not installed: make test-packages")
        out = subprocess.run(
            [program, "-p", str(self.port), "-n", "2000", "-c", "8", "-P", "16", "-r", "500", "-q",
             "GEOADD", "bench", "127.5", "37.5", "m:__rand_int__"],
            capture_output=True, text=True, timeout=120)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        self.assertIn("requests per second", out.stdout)
        self.assertGreater(self.client.call("ZCARD", "bench"), 300)

    def test_redis_py(self):
        import redis
        for protocol in (2, 3):
            with self.subTest(protocol=protocol):
                with redis.Redis(port=self.port, protocol=protocol, decode_responses=True) as r:
                    r.delete("py")
                    self.assertEqual(r.geoadd(
                        "py", (13.361389, 38.115556, "Palermo", 15.087269, 37.502669, "Catania")), 2)
                    self.assertAlmostEqual(r.geodist("py", "Palermo", "Catania", "km"), 166.2742)
                    rows = r.geosearch("py", longitude=15, latitude=37, radius=200, unit="km",
                                       sort="ASC", withdist=True)
                    self.assertEqual([row[0] for row in rows], ["Catania", "Palermo"])
                    pipe = r.pipeline(transaction=False)
                    for i in range(100):
                        pipe.geoadd("py", (127 + i / 1000, 37, f"m{i}"))
                    pipe.zcard("py")
                    self.assertEqual(pipe.execute()[-1], 102)


class Passwords(unittest.TestCase):
    """With auth.mode tokens the door lets in API keys of servers, each for what its scopes say."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resp-port", "0", env={"MOYEO_AUTH_MODE": "tokens"}, start=False)
        cls.addClassCleanup(cls.daemon.close)
        cls.all, _ = cls.key("read,report,service")
        cls.reader, _ = cls.key("read,service")
        cls.writer, _ = cls.key("report,service")
        cls.person, _ = cls.key("read,report,command")
        cls.foreign, _ = cls.key("read,report,service", "--tenant", "north")
        cls.daemon.start(ready=False)
        # /readyz needs no token.
        cls.daemon.wait_until_ready()
        cls.port = door_port(cls.daemon)

    @classmethod
    def key(cls, scopes, *more):
        code, out, error = run("keys", "create", "--scopes", scopes, "--data-directory",
                               str(cls.daemon.directory), *more, name="moyeo")
        assert code == 0, error
        text = out.split()[-1]
        return text, text.split("_")[1]

    def client(self, password=None):
        client = RESPClient(self.port)
        self.addCleanup(client.__exit__)
        if password:
            self.assertEqual(client.raw("AUTH", password), b"+OK\r\n")
        return client

    def test_nothing_but_a_greeting_is_answered_without_one(self):
        client = self.client()
        for words in (["PING"], ["GEOADD", "k", "127", "37", "a"], ["GEOPOS", "k", "a"], ["DBSIZE"],
                      ["INFO"], ["COMMAND"], ["SCAN", "0"], ["CLIENT", "ID"]):
            self.assertEqual(client.raw(*words), b"-NOAUTH Authentication required.\r\n", words)
        self.assertTrue(client.raw("HELLO", "3").startswith(b"-NOAUTH HELLO"))
        self.assertTrue(client.raw("GEOADD", "k").startswith(b"-ERR wrong number"))
        for password in ("", "x", "moyeo_0_0", self.person, self.foreign, b"\xff", "a" * 100_000):
            for words in (["AUTH", password], ["AUTH", "default", password],
                          ["HELLO", "3", "AUTH", "default", password]):
                self.assertTrue(client.raw(*words).startswith(b"-WRONGPASS"), words[:2])
        self.assertEqual(client.raw("PING"), b"-NOAUTH Authentication required.\r\n")

    def test_each_key_does_what_its_scopes_say(self):
        everything = self.client(self.all)
        self.assertEqual(everything.raw("GEOADD", "own", "127", "37", "a"), b":1\r\n")
        self.assertEqual(everything.raw("GEOSEARCHSTORE", "copy", "own", "FROMMEMBER", "a",
                                        "BYRADIUS", "1", "km"), b":1\r\n")
        reader = self.client(self.reader)
        self.assertTrue(reader.raw("GEOPOS", "own", "a").startswith(b"*1\r\n*2"))
        radius = ["GEORADIUS", "own", "127", "37", "1", "km"]
        self.assertEqual(reader.raw(*radius), b"*1\r\n$1\r\na\r\n")
        for words in (["GEOADD", "own", "127", "37", "b"], ["ZREM", "own", "a"], ["DEL", "own"],
                      ["EXPIRE", "own", "1"], [*radius, "STORE", "copy"],
                      ["GEOSEARCHSTORE", "copy", "own", "FROMMEMBER", "a", "BYRADIUS", "1", "km"]):
            name = words[0].lower().encode()
            self.assertEqual(
                reader.raw(*words),
                b"-NOPERM this user has no permissions to run the '" + name + b"' command\r\n")
        writer = self.client(self.writer)
        self.assertEqual(writer.raw("GEOADD", "own", "127", "37", "b"), b":1\r\n")
        for words in (["GEOPOS", "own", "a"], radius, ["SCAN", "0"], ["DBSIZE"]):
            self.assertTrue(writer.raw(*words).startswith(b"-NOPERM"), words)
        self.assertEqual(everything.raw("RESET"), b"+RESET\r\n")
        self.assertTrue(everything.raw("PING").startswith(b"-NOAUTH"))

    def test_hello_takes_the_password(self):
        client = self.client()
        self.assertTrue(client.raw("HELLO", "2", "AUTH", "default", self.all).startswith(b"*14"))
        self.assertEqual(client.raw("PING"), b"+PONG\r\n")

    def test_a_key_that_is_revoked_ends_what_it_opened(self):
        password, number = self.key("read,service")
        # A key that was just made is taken in within a second.
        client = self.client()
        end = time.monotonic() + 60
        while client.raw("AUTH", password) != b"+OK\r\n":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.assertEqual(client.raw("PING"), b"+PONG\r\n")
        code, _, error = run("keys", "revoke", number, "--data-directory",
                             str(self.daemon.directory), name="moyeo")
        self.assertEqual(code, 0, error)
        while client.raw("PING") == b"+PONG\r\n":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.assertTrue(client.raw("PING").startswith(b"-NOAUTH"))


if __name__ == "__main__":
    unittest.main()
