"""Who calls: tokens and API keys from outside, keys that change in a file and behind a URL, and the apps'
doors with verified tokens.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_identity.py
"""

import collections
import concurrent.futures
import datetime
import http.server
import json
import pathlib
import re
import tempfile
import threading
import time
import unittest
import urllib.parse

import tls
import tokens
from running_daemon import ROOT, Daemon, run

# A wait fails after this long; none of them is shorter because a machine is fast.
PATIENCE = 120
GOOD = {"positions": [{"id": "ann", "latitude": 37.5, "longitude": 127, "ttlSeconds": 0}]}
NEARBY = "/v1/layers/{}/nearby?latitude=37.5&longitude=127"


def ask(daemon, method, path, body=None, token=None, **headers):
    """(status, parsed body)"""
    return daemon.request(
        method, path, body, {**headers, **(tokens.bearer(token) if token else {})})[:2]


def reason(answer):
    return answer[1].get("error", answer[1]).get("reason")


def eventually(test, look, wanted, what):
    """Looks again and again until it sees what is wanted."""
    end = time.monotonic() + PATIENCE
    while (seen := look()) != wanted:
        if time.monotonic() > end:
            test.fail(f"{what}: {seen} instead of {wanted}")
        time.sleep(0.05)


class KeyServer:
    """A server of one document, whose answer may be changed; it counts what it is asked. While it is
    not up, its port is its own and refuses connections."""

    def __init__(self, answer, up=True):
        self.answer = answer
        self.asked = 0
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.asked += 1
                try:
                    owner.answer(self)
                except OSError:
                    # The daemon has had enough.
                    pass

            def log_message(self, *_):
                pass

        self.ended = threading.Event()
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.server.daemon_threads = True
        self.server.server_bind()
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"
        self.is_up = False
        if up:
            self.start()

    def start(self):
        self.server.server_activate()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.is_up = True

    def close(self):
        self.ended.set()
        if self.is_up:
            self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def document(text, status=200):
    def answer(handler):
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text.encode())
    return answer


class OneDaemon(unittest.TestCase):
    """One daemon with a file of keys, over TLS as it would stand on a network."""

    @classmethod
    def setUpClass(cls):
        cls.one, cls.two = tokens.Signer("one"), tokens.Signer("two")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.keys = pathlib.Path(folder.name) / "jwks.json"
        cls.keys.write_text(tokens.key_set(cls.one))
        cls.daemon = Daemon(
            "--resources", str(ROOT), "--adapters", "study-queue,taxi-party",
            env={**tokens.settings(cls.keys), **tls.settings()}, security=tls.client())
        cls.addClassCleanup(cls.daemon.close)
        cls.service = cls.one.token("server", tokens.ALL + " service", seconds=86_000)

    def ask(self, *arguments, **named):
        return ask(self.daemon, *arguments, **named)


class People(OneDaemon):
    def test_every_cause_has_its_reason(self):
        ann = self.one.token("ann")
        path = "/v1/layers/users/positions"
        self.assertEqual(self.ask("POST", path, GOOD, ann)[0], 200)
        parts = ann.split(".")
        none = tokens.text(b'{"alg":"none","kid":"one"}') + "." + parts[1] + "."
        for token, status, told in (
                (None, 401, "unauthenticated"), ("nonsense", 401, "unauthenticated"),
                ("x" * 8193, 401, "unauthenticated"),
                (none, 401, "unauthenticated"),
                (".".join((*parts[:2], tokens.text(b"\1" * 256))), 401, "unauthenticated"),
                (self.two.token("ann"), 401, "unauthenticated"),
                (self.one.token("ann", aud="another"), 401, "unauthenticated"),
                (self.one.token("ann", iss="https://other.example"), 401, "unauthenticated"),
                (self.one.token("ann", nbf=int(time.time()) + 9000), 401, "unauthenticated"),
                (self.one.token("ann", exp=None), 401, "unauthenticated"),
                (self.one.token("ann", seconds=-3600), 401, "token_expired"),
                (self.one.token("ben"), 403, "forbidden"),
                (self.one.token("ann", "read"), 403, "forbidden"),
                (self.one.token("ann", attributes={"gender": "f"}), 200, None)):
            with self.subTest(str(token)[:40], told=told):
                answer = self.ask("POST", path, GOOD, token)
                self.assertEqual((answer[0], reason(answer)), (status, told), answer)
        said = {"positions": [{**GOOD["positions"][0], "attributes": {"gender": "m"}}]}
        answer = self.ask("POST", path, said, self.one.token("ann", attributes={"gender": "f"}))
        self.assertEqual((answer[0], reason(answer)), (403, "attribute_protected"), answer)

    def test_tenants_are_apart_and_operators_pages_open(self):
        self.assertEqual(self.ask("POST", "/v1/layers/apart/positions", GOOD,
                                  self.one.token("ann"))[0], 200)
        near = NEARBY.format("apart")
        self.assertEqual(
            len(self.ask("GET", near, token=self.one.token("ben"))[1]["hits"]), 1)
        answer = self.ask("GET", near, token=self.one.token("ann", tenant="north"))
        self.assertEqual((answer[0], reason(answer)), (404, "unknown_layer"))
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/openapi.json", 200),
                             ("/", 200), ("/metrics", 401)):
            self.assertEqual(self.ask("GET", path)[0], status, path)
        self.assertEqual(self.ask("GET", "/metrics", token=self.one.token("ann"))[0], 403)
        self.assertEqual(self.ask("GET", "/metrics", token=self.service)[0], 200)
        tile = "/v1/layers/apart/tiles/3/6/3.json?access_token="
        self.assertEqual(self.ask("GET", tile + self.one.token("ann"))[0], 200)
        self.assertEqual(self.ask("GET", tile + self.one.token("ann", seconds=86_400))[0], 403)
        self.assertEqual(self.ask("GET", tile + self.one.token("ann", seconds=-3600))[0], 401)
        self.assertNotIn(self.one.token("ann")[:60], "".join(self.daemon.log))

    def test_figures_say_whose_the_calls_are(self):
        def figures():
            text = self.ask("GET", "/metrics", token=self.service)[1]
            found = re.findall(
                r'^moyeo_(requests|refusals)_total\{operation="Nearby",.*?tenant="(\w+)".*\} (\d+)$',
                text, re.MULTILINE)
            out = collections.Counter()
            for kind, tenant, count in found:
                out[kind, tenant] += int(count)
            return out

        before = figures()
        near = NEARBY.format("nobody-s")
        for tenant, count in (("default", 2), ("north", 5)):
            for _ in range(count):
                self.ask("GET", near, token=self.one.token("ann", tenant=tenant))
        self.ask("GET", near)
        after = figures()
        after.subtract(before)
        self.assertEqual(
            {key: count for key, count in after.items() if count},
            {("requests", "default"): 2, ("refusals", "default"): 2, ("requests", "north"): 5,
             ("refusals", "north"): 5, ("requests", "_none"): 1, ("refusals", "_none"): 1})

    def test_api_keys_come_and_go_while_it_runs(self):
        directory = ("--data-directory", str(self.daemon.directory))
        code, out, error = run(
            "keys", "create", "--scopes", "read,report,command,service", "--expires", "90d",
            *directory, name="moyeo")
        self.assertEqual((code, error), (0, ""))
        key, name = out.split()[-1], out.split()[1]
        path = "/v1/layers/by-key/positions"
        eventually(self, lambda: self.ask("POST", path, GOOD, key)[0], 200, "the key is taken")
        self.assertNotIn(key, "".join(self.daemon.log))
        kept = b"".join(
            one.read_bytes() for one in self.daemon.directory.rglob("*") if one.is_file())
        self.assertIn(name.encode(), kept)
        self.assertNotIn(key.encode(), kept)
        # The command line brings it, too.
        listed = run("layers", "--url", self.daemon.url, "--ca", tls.path("authority"),
                     "--token", key, name="moyeo")
        self.assertEqual((listed[0], listed[2]), (0, ""))
        self.assertIn("by-key", listed[1])
        self.assertEqual(run("keys", "revoke", name, *directory, name="moyeo")[0], 0)
        eventually(self, lambda: self.ask("POST", path, GOOD, key)[0], 401, "the key has ended")

    def test_keys_in_a_file_change_while_it_runs(self):
        three = tokens.Signer("three")

        def status():
            return self.ask("GET", NEARBY.format("nowhere"), token=three.token("ann"))[0]

        def put(*signers):
            new = self.keys.with_suffix(".new")
            new.write_text(tokens.key_set(*signers))
            new.rename(self.keys)

        self.assertEqual(status(), 401)
        put(self.one, three)
        self.addCleanup(put, self.one)
        eventually(self, status, 404, "the new key is taken")
        # What cannot be read leaves the keys of before; the log says so.
        self.keys.write_text("{")
        eventually(
            self, lambda: any("keys cannot be read" in line for line in list(self.daemon.log)),
            True, "the log tells of it")
        self.assertEqual(status(), 404)
        put(self.one)
        eventually(self, status, 401, "the key that was taken out has ended")


class Doors(OneDaemon):
    """The apps with tokens that are verified: nothing happens before the token has been looked at."""

    STATION, GANGNAM = "Seoul Station,126.9707,37.5547", "Gangnam,127.0276,37.4979"

    def post(self, token):
        moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        body = {"title": "together", "content": self.STATION, "content1": self.GANGNAM,
                "content2": "4", "content3": moment.strftime("%Y-%m-%d %H:%M:%S %z"),
                "product_id": "taxi_party"}
        return self.ask("POST", "/v1/posts", body, Authorization=token)

    def newest_event(self):
        status, page = self.ask("GET", "/v1/events?after=0", token=self.service)
        self.assertEqual(status, 200, page)
        return page["next"]

    def refused(self):
        """Tokens that no door takes: which, the taxi party's answer, the study queue's, why."""
        return (
            ("taxi-ann", 401, 401, "unauthenticated"),
            (self.two.token("taxi-ann"), 401, 401, "unauthenticated"),
            (self.one.token("taxi-ann", seconds=-3600), 419, 401, "token_expired"),
            (self.one.token("taxi-ann", tenant="north"), 401, 401, "unauthenticated"),
            (self.one.token("taxi-ann", "read"), 403, 501, "forbidden"),
        )

    def test_taxi_party(self):
        before = self.newest_event()
        for token, status, _, told in self.refused():
            for sent in (token, f"Bearer {token}"):
                answer = self.post(sent)
                self.assertEqual((answer[0], reason(answer)), (status, told), answer)
        self.assertEqual(self.newest_event(), before, "nothing happened")
        ann, ben = self.one.token("taxi-ann"), self.one.token("taxi-ben")
        status, made = self.post(ann)
        self.assertEqual((status, made.get("creator", {}).get("user_id")), (200, "taxi-ann"), made)
        like = f"/v1/posts/{made['post_id']}/like"
        after = self.newest_event()
        for token, status, _, told in self.refused():
            answer = self.ask("POST", like, {"like_status": True}, Authorization=token)
            self.assertEqual((answer[0], reason(answer)), (status, told), answer)
        self.assertEqual(self.newest_event(), after, "nobody boarded")
        self.assertEqual(
            self.ask("POST", like, {"like_status": True}, Authorization=ben)[0], 200)
        self.assertEqual(
            self.ask("GET", f"/v1/posts/{made['post_id']}", Authorization=ann)[1]["likes"],
            ["taxi-ben"])
        self.strangers_see_counts_alone(made["post_id"], ann)
        # The same party through the service: of another tenant there is none.
        path = f"/v1/parties/{made['post_id']}"
        self.assertEqual(self.ask("GET", path, token=ben)[0], 200)
        answer = self.ask("GET", path, token=self.one.token("taxi-ben", tenant="north"))
        self.assertEqual((answer[0], reason(answer)), (404, "unknown_party"))

    def strangers_see_counts_alone(self, post_id, host):
        """As in the service's own calls: who is aboard is for members and services."""
        eve = self.one.token("taxi-eve")
        near = "/v1/posts/geolocation?longitude=126.9707&latitude=37.5547&maxDistance=900"
        one = self.ask("GET", f"/v1/posts/{post_id}", Authorization=eve)[1]
        listed = [post for path in ("/v1/posts", near)
                  for post in self.ask("GET", path, Authorization=eve)[1]["data"]
                  if post["post_id"] == post_id]
        self.assertEqual(len(listed), 2)
        for seen in (one, *listed):
            self.assertEqual((seen["creator"]["user_id"], seen["likes"]), ("", [""]), seen)
            self.assertNotIn("taxi-ann", json.dumps(seen))
        answer = self.ask("GET", "/v1/posts/users/taxi-ann", Authorization=eve)
        self.assertEqual((answer[0], reason(answer)), (403, "forbidden"), answer)
        own = self.ask("GET", "/v1/posts/users/taxi-ann", Authorization=host)[1]["data"]
        self.assertEqual([(post["post_id"], post["creator"]["user_id"]) for post in own],
                         [(post_id, "taxi-ann")])

    def join(self, token):
        body = urllib.parse.urlencode(
            {"lat": 37.4979, "long": 127.0276, "studylist": "anything"})
        return self.ask("POST", "/v1/queue", body, idtoken=token,
                        **{"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})

    def test_study_queue(self):
        before = self.newest_event()
        for token, _, status, told in self.refused():
            answer = self.join(token)
            self.assertEqual((answer[0], reason(answer)), (status, told), answer)
        self.assertEqual(self.newest_event(), before, "nothing happened")
        ann = self.one.token("study-ann")
        self.assertEqual(self.join(ann)[0], 200)
        self.assertEqual(
            self.ask("GET", "/v1/queue/myQueueState", idtoken=ann)[0], 200)
        status, answer = self.ask("GET", "/v1/tickets/study-ann", token=ann)
        self.assertEqual((status, answer["ticket"]["userId"]), (200, "study-ann"))
        answer = self.ask("GET", "/v1/tickets/study-ann", token=self.one.token("study-ben"))
        self.assertEqual((answer[0], reason(answer)), (403, "forbidden"))


class KeysBehindAURL(unittest.TestCase):
    """Bad answers leave the keys of before in force, cost a bounded wait, and are asked for again."""

    @classmethod
    def setUpClass(cls):
        cls.one, cls.two = tokens.Signer("one"), tokens.Signer("two")

    def daemon(self, url):
        daemon = Daemon("--resources", str(ROOT), env=tokens.settings(url))
        self.addCleanup(daemon.close)
        return daemon

    def status(self, daemon, signer):
        return ask(daemon, "GET", NEARBY.format("nowhere"), token=signer.token("ann"))[0]

    def test_whatever_it_answers_at_first_the_daemon_starts_and_asks_again(self):
        good = document(tokens.key_set(self.one))
        with KeyServer(good) as elsewhere:
            def redirect(handler):
                handler.send_response(302)
                handler.send_header("Location", elsewhere.url)
                handler.send_header("Content-Length", "0")
                handler.end_headers()

            def huge(handler):
                # No length said, so that the bound is on what comes.
                handler.send_response(200)
                handler.end_headers()
                for _ in range(64):
                    handler.wfile.write(b" " * 65_536)

            def dripping(server):
                def answer(handler):
                    handler.send_response(200)
                    handler.end_headers()
                    # Never idle and never whole.
                    while not server.ended.wait(0.2):
                        handler.wfile.write(b" ")
                return answer

            servers = {name: KeyServer(answer, up=name != "down") for name, answer in (
                ("redirect", redirect), ("huge", huge), ("drip", good),
                ("garbage", document("<html>")), ("error", document("{}", 500)),
                ("empty", document('{"keys": []}')), ("down", good))}
            for server in servers.values():
                self.addCleanup(server.close)
            servers["drip"].answer = dripping(servers["drip"])
            # At once: each waits as long as its server lets it.
            with concurrent.futures.ThreadPoolExecutor(len(servers)) as pool:
                started = pool.map(lambda server: self.daemon(server.url), servers.values())
                daemons = dict(zip(servers, started))
            for name, daemon in daemons.items():
                with self.subTest(name):
                    self.assertEqual(self.status(daemon, self.one), 401)
                    if name != "empty":
                        self.assertIn("cannot be fetched yet", "".join(daemon.log))
                    # API keys do not wait for it.
                    out = run("keys", "create", "--scopes", "read", "--data-directory",
                              str(daemon.directory), name="moyeo")[1]
                    eventually(
                        self, lambda: ask(daemon, "GET", NEARBY.format("nowhere"),
                                          token=out.split()[-1])[0],
                        404, "an API key is taken all the same")
            self.assertEqual(elsewhere.asked, 0, "a redirect is not followed")
            servers["down"].start()
            for server in servers.values():
                server.answer = good
            for name, daemon in daemons.items():
                with self.subTest(name):
                    eventually(self, lambda: self.status(daemon, self.one), 404,
                               "the keys are fetched in the end")
                    self.assertEqual(daemon.terminate(), 0)

    def test_a_rotated_key_is_fetched_at_once_but_not_for_every_call(self):
        with KeyServer(document(tokens.key_set(self.one))) as server:
            began = time.monotonic()
            daemon = self.daemon(server.url)
            self.assertEqual(self.status(daemon, self.one), 404)
            self.assertEqual(self.status(daemon, self.two), 401)
            server.answer = document(tokens.key_set(self.two))
            # Many calls with a key that is not known are one fetch in ten seconds.
            eventually(self, lambda: self.status(daemon, self.two), 404, "the new key is fetched")
            self.assertEqual(self.status(daemon, self.one), 401, "the old key has ended")
            # Ten seconds lie between two fetches, and fewer calls than that never make more.
            asked, passed = server.asked, time.monotonic() - began
            self.assertLessEqual(asked, 1 + passed / 10)
            # A server that fails later takes nothing away.
            server.answer = document("{}", 500)
            eventually(
                self, lambda: (self.status(daemon, self.one), server.asked > asked)[1], True,
                "it is asked again")
            self.assertEqual(self.status(daemon, self.two), 404)


class Refusals(unittest.TestCase):
    """Settings with which nothing starts."""

    def test_others_than_this_machine_are_asked_who_they_are(self):
        keys = {"MOYEO_AUTH_MODE": "tokens"}
        for env, told in (
                ({}, "auth.mode"), (tls.settings(), "auth.mode"), (tls.settings(True), "auth.mode"),
                ({**keys, "MOYEO_AUTH_JWKS": "/none.json"}, "auth.issuer"),
                ({**keys, "MOYEO_AUTH_JWKS": "/none.json", "MOYEO_AUTH_ISSUER": "x"},
                 "auth.audience"),
                (tokens.settings("http://keys.example/jwks"), "auth.jwks"),
                (tokens.settings("https://"), "auth.jwks"),
                ({**keys, "MOYEO_AUTH_CACHED_TOKENS": "1"}, "auth.cachedTokens")):
            for arguments in ((), ("--check-configuration",)):
                with self.subTest(told, env=env, arguments=arguments):
                    code, _, error = run(
                        "--http-port", "0", "--grpc-port", "0", "--host", "0.0.0.0", *arguments,
                        env=env)
                    self.assertEqual(code, 2, error)
                    self.assertIn(told, error)
        with tempfile.TemporaryDirectory() as folder:
            keys_file = pathlib.Path(folder) / "jwks.json"
            keys_file.write_text(tokens.key_set(tokens.Signer("one")))
            env = {**tokens.settings(keys_file), **tls.settings()}
            code, _, error = run(
                "--check-configuration", "--host", "0.0.0.0", "--resources", str(ROOT), env=env)
            self.assertEqual((code, error), (0, ""))
            # A set that cannot be used ends the start.
            keys_file.write_text(json.dumps({"keys": 5}))
            for arguments in ((), ("--check-configuration",)):
                code, _, error = run(
                    "--http-port", "0", "--grpc-port", "0", "--data-directory", folder, *arguments,
                    env=env)
                self.assertEqual(code, 2, error)
                self.assertIn("auth.jwks", error)


if __name__ == "__main__":
    unittest.main()
