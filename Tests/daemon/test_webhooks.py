"""Webhooks of a running moyeod: signed, in order, through faults and kill -9, nothing private.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_webhooks.py
"""

import base64
import collections
import hashlib
import hmac
import http.server
import json
import re
import threading
import time
import unittest

from running_daemon import ROOT, Daemon, run
from party_calls import body

PATIENCE_SECONDS = 60


class Receiver(http.server.ThreadingHTTPServer):
    """Takes deliveries; `answers` gives the status of each, and what was taken is kept."""

    daemon_threads = True

    def __init__(self, answers=lambda event: 200):
        super().__init__(("127.0.0.1", 0), Deliveries)
        self.answers = answers
        self.taken = []
        self.refused = []
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/moyeo"

    def wait_until(self, holds, what):
        with self.changed:
            if not self.changed.wait_for(holds, PATIENCE_SECONDS):
                raise AssertionError(f"waited in vain for {what}; taken: {len(self.taken)}, "
                                     f"refused: {len(self.refused)}")

    def wait_for(self, count):
        self.wait_until(lambda: len({one["sequence"] for one, _, _ in self.taken}) >= count,
                        f"{count} events")


class Deliveries(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        data = self.rfile.read(int(self.headers["content-length"]))
        if len(data) < int(self.headers["content-length"]):
            # Cut off by a kill.
            return
        event = json.loads(data)
        status = self.server.answers(event)
        with self.server.changed:
            kept = self.server.taken if status == 200 else self.server.refused
            kept.append((event, dict(self.headers), data))
            self.server.changed.notify_all()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def handle(self):
        # The daemon may be killed in between.
        try:
            super().handle()
        except ConnectionError:
            pass

    def log_message(self, *arguments):
        pass


def is_signed(headers, data, secret):
    """As docs/webhooks.md has it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    headers = {name.lower(): value for name, value in headers.items()}
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + data
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, one)
               for one in headers["webhook-signature"].split())


class Webhooks(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon("--resources", str(ROOT),
                             env={"MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true"})
        self.addCleanup(self.daemon.close)

    def receiver(self, *arguments):
        made = Receiver(*arguments)
        self.addCleanup(made.server_close)
        self.addCleanup(made.shutdown)
        return made

    def moyeo(self, *arguments, code=0):
        got, out, error = run("webhooks", *arguments, "--data-directory",
                              str(self.daemon.directory), name="moyeo")
        self.assertEqual(got, code, out + error)
        return out if code == 0 else error

    def create(self, url, *more):
        out = self.moyeo("create", "--url", url, *more)
        return re.search(r"(wh_\w+) of .* (whsec_\S+)", out).groups()

    def post(self, path, given=None):
        status, answer, _ = self.daemon.request("POST", path, given)
        self.assertEqual(status, 200, answer)
        return answer

    def parties(self, count, name):
        """So many parties with a guest each."""
        for i in range(count):
            party = self.post("/v1/parties", body(f"{name}-{i}"))["party"]
            self.post(f"/v1/parties/{party['id']}/join", {"riderId": f"{name}-{i}-guest"})

    def feed(self):
        return self.daemon.request("GET", "/v1/events?limit=1000")[1]["events"]

    def test_events_arrive_signed_and_as_the_feed_has_them(self):
        receiver = self.receiver()
        _, secret = self.create(receiver.url, "--from-oldest")
        self.parties(5, "plain")
        feed = self.feed()
        self.assertGreaterEqual(len(feed), 10)
        receiver.wait_for(len(feed))
        for event, headers, data in receiver.taken:
            self.assertTrue(is_signed(headers, data, secret))
            self.assertFalse(is_signed(headers, data + b" ", secret))
            self.assertEqual(headers["webhook-id"], f"default-{event['sequence']}")
        taken = sorted((event for event, _, _ in receiver.taken), key=lambda one: one["sequence"])
        self.assertEqual(taken, feed)

    def test_each_party_in_order_through_faults_and_kill(self):
        attempts = collections.Counter()

        def answer(event):
            attempts[event["sequence"]] += 1
            # Every third event is refused at first.
            return 503 if event["sequence"] % 3 == 0 and attempts[event["sequence"]] < 2 else 200

        receiver = self.receiver(answer)
        self.create(receiver.url, "--from-oldest")
        self.parties(10, "before")
        receiver.wait_until(lambda: receiver.refused, "a refusal")
        self.daemon.kill()
        self.daemon.start()
        self.parties(10, "after")
        feed = self.feed()
        receiver.wait_for(len(feed))
        seen, last = set(), {}
        for event, _, _ in receiver.taken:
            if event["sequence"] in seen:
                continue
            seen.add(event["sequence"])
            self.assertGreater(event["sequence"], last.get(event["partyId"], 0))
            last[event["partyId"]] = event["sequence"]
        self.assertEqual(seen, {event["sequence"] for event in feed})

    def test_kinds_rotation_and_the_end_of_a_webhook(self):
        receiver = self.receiver()
        webhook, first = self.create(receiver.url, "--kinds", "party.joined", "--from-oldest")
        self.parties(1, "kinds")
        receiver.wait_for(1)
        out = self.moyeo("rotate", webhook)
        second = re.search(r"whsec_\S+", out)[0]
        # The daemon takes the change in within a second or two.
        for i in range(PATIENCE_SECONDS * 5):
            count = len(receiver.taken)
            self.parties(1, f"rotated-{i}")
            receiver.wait_until(lambda: len(receiver.taken) > count, "the next event")
            event, headers, data = receiver.taken[-1]
            # The secret before signs as well.
            self.assertTrue(is_signed(headers, data, first))
            if is_signed(headers, data, second):
                break
            time.sleep(0.2)
        else:
            self.fail("the new secret is never used")
        self.assertEqual({one["kind"] for one, _, _ in receiver.taken}, {"party.joined"})
        listed = json.loads(self.moyeo("list", "--json"))["webhooks"]
        self.assertEqual([(one["id"], one["kinds"]) for one in listed],
                         [(webhook, ["party.joined"])])
        self.moyeo("delete", webhook)
        self.assertIn("there is no webhook", self.moyeo("delete", webhook, code=1))
        self.assertEqual(json.loads(self.moyeo("list", "--json")), {"webhooks": []})

    def test_what_is_refused_for_good_is_a_dead_letter_and_can_be_replayed(self):
        bad = {"sequence": 2}
        receiver = self.receiver(lambda event: 400 if event["sequence"] == bad["sequence"] else 200)
        self.daemon.terminate()
        self.daemon.environment["MOYEO_WEBHOOKS_MAXIMUM_ATTEMPTS"] = "2"
        self.daemon.start()
        webhook, _ = self.create(receiver.url, "--from-oldest")
        self.parties(2, "dead")
        # Its second attempt comes a second later, and something must have been taken after the first.
        receiver.wait_until(lambda: len(receiver.refused) == 1, "the first attempt")
        self.parties(2, "dead-too")
        receiver.wait_until(lambda: len(receiver.refused) == 2, "the second attempt")
        letters = []
        for _ in range(PATIENCE_SECONDS * 10):
            letters = json.loads(self.moyeo("letters", "--json"))["letters"]
            if letters:
                break
            time.sleep(0.1)
        self.assertEqual([(one["webhook"], one["sequence"], one["attempts"], one["reason"],
                           one["event"]["sequence"]) for one in letters],
                         [(webhook, 2, 2, "the receiver answered 400", 2)])
        bad["sequence"] = 0
        self.assertIn("1 event is", self.moyeo("replay", webhook, "2"))
        receiver.wait_until(
            lambda: any(event["sequence"] == 2 for event, _, _ in receiver.taken), "the replay")
        self.assertIn("no such dead letters", self.moyeo("replay", webhook, "2", code=1))

    def test_a_redirect_is_a_refusal(self):
        receiver = self.receiver(lambda event: 302)
        self.create(receiver.url, "--from-oldest")
        self.parties(1, "redirect")
        receiver.wait_until(lambda: len(receiver.refused) >= 2, "two attempts")
        self.assertEqual(receiver.taken, [])

    def test_bad_input_of_the_command_line(self):
        for arguments in (("--url", "ftp://a.example"), ("--url", "https://u:p@a.example"),
                          ("--url", "https://a.example", "--kinds", "party.joind"),
                          ("--url", "https://a.example", "--tenant", "No!")):
            self.moyeo("create", *arguments, code=2)
        self.assertEqual(json.loads(self.moyeo("list", "--json")), {"webhooks": []})


class PrivateTargets(unittest.TestCase):
    def test_no_delivery_leads_to_this_machine_in_any_form(self):
        receiver = Receiver()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        port = receiver.server_port
        with Daemon("--resources", str(ROOT)) as daemon:
            for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]",
                         "[::ffff:127.0.0.1]", "0.0.0.0"):
                code, out, error = run(
                    "webhooks", "create", "--url", f"http://{host}:{port}/", "--from-oldest",
                    "--data-directory", str(daemon.directory), name="moyeo")
                self.assertEqual(code, 0, out + error)
            daemon.request("POST", "/v1/parties", body("private"))
            end = time.monotonic() + PATIENCE_SECONDS
            while (daemon.metric("moyeo_webhook_deliveries_total", outcome="refused") < 7
                   and time.monotonic() < end):
                time.sleep(0.1)
            self.assertGreaterEqual(
                daemon.metric("moyeo_webhook_deliveries_total", outcome="refused"), 7)
        self.assertEqual((receiver.taken, receiver.refused), ([], []))


if __name__ == "__main__":
    unittest.main()
