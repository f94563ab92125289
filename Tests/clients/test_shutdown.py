"""SIGTERM while callers of both wires never pause: each command that was acknowledged stands in the record,
each that was not had no effect, and no call fails but those that the daemon never began."""

import http.client
import json
import os
import signal
import threading
import time
import unittest

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc  # noqa: E402

from protobuf_bytes import PARTIES, create_party  # noqa: E402
from running_daemon import ROOT, Daemon  # noqa: E402
from stock import created_hosts  # noqa: E402

CALLERS = 16
# Each caller has had so many answers before the signal comes.
BEFORE = 5
SEOUL, GANGNAM = (37.5547, 126.9707), (37.4979, 127.0276)


def departure():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 10_000))


class HTTPCaller:
    """Makes parties on one connection that stays open, until the daemon ends it."""

    def __init__(self, daemon, number):
        self.link = http.client.HTTPConnection("127.0.0.1", daemon.http_port, timeout=60)
        self.name = f"http-{number}"
        self.acknowledged, self.refused, self.unanswered = [], [], []

    def run(self, warmed):
        for count in range(1_000_000):
            if count == BEFORE:
                warmed()
            host = f"{self.name}-{count}"
            body = json.dumps({
                "hostId": host, "origin": dict(zip(("latitude", "longitude"), SEOUL)),
                "destination": dict(zip(("latitude", "longitude"), GANGNAM)), "departureTime": departure()})
            try:
                self.link.request("POST", "/v1/parties", body, {"Content-Type": "application/json"})
                answer = self.link.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException):
                # The daemon closed the connection before it read this request; nothing tells so over HTTP/1.1.
                self.unanswered.append(host)
                return
            if answer.status == 200:
                self.acknowledged.append(host)
            else:
                self.refused.append((host, answer.status, text))
            if answer.will_close:
                return

    def close(self):
        self.link.close()


class GRPCCaller:
    """The same over a stock client, which reads in a GOAWAY what was not begun."""

    def __init__(self, daemon, number):
        # A channel of its own, or all callers share one connection.
        self.channel = grpc.insecure_channel(
            daemon.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.name = f"grpc-{number}"
        self.acknowledged, self.refused, self.unanswered = [], [], []

    def run(self, warmed):
        create = self.channel.unary_unary(PARTIES + "Create")
        for count in range(1_000_000):
            if count == BEFORE:
                warmed()
            host = f"{self.name}-{count}"
            try:
                create(create_party(host, SEOUL, GANGNAM, time.time() + 10_000), timeout=60)
                self.acknowledged.append(host)
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE:
                    self.refused.append((host, error.code(), error.details()))
                else:
                    self.unanswered.append(host)
                return

    def close(self):
        self.channel.close()


class Shutdown(unittest.TestCase):
    def under_load(self, make):
        with Daemon("--resources", str(ROOT)) as daemon:
            callers = [make(daemon, number) for number in range(CALLERS)]
            ready = threading.Semaphore(0)
            threads = [threading.Thread(target=caller.run, args=(ready.release,)) for caller in callers]
            for thread in threads:
                thread.start()
            for _ in callers:
                self.assertTrue(ready.acquire(timeout=120))
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.wait(), 0, daemon.log)
            for thread in threads:
                thread.join(60)
                self.assertFalse(thread.is_alive())
            for caller in callers:
                caller.close()
            daemon.start()
            made = created_hosts(daemon)
            acknowledged = [host for caller in callers for host in caller.acknowledged]
            unanswered = {host for caller in callers for host in caller.unanswered}
            self.assertEqual([one for caller in callers for one in caller.refused], [])
            self.assertGreaterEqual(len(acknowledged), CALLERS * BEFORE)
            self.assertEqual(len(set(acknowledged)), len(acknowledged))
            self.assertEqual(sorted(made), sorted(acknowledged), "what was acknowledged, and nothing else")
            return unanswered

    def test_http_callers_lose_nothing_and_nothing_is_done_unasked(self):
        unanswered = self.under_load(HTTPCaller)
        # At most the one request of each connection that crossed the daemon's close.
        self.assertLessEqual(len(unanswered), CALLERS)

    def test_grpc_callers_lose_nothing_and_nothing_is_done_unasked(self):
        self.under_load(GRPCCaller)


if __name__ == "__main__":
    unittest.main()
