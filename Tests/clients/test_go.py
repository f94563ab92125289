"""A stock grpc-go client with default options: no connection is closed for what it ordinarily does,
and each command runs once, counted by the daemon's own events.

    MOYEOD=.build/debug/moyeod Tests/run clients/test_go.py
"""

import unittest

from running_daemon import ROOT, Daemon
from stock import created_hosts, events_by_kind, go_client, run_go

# The client asks the daemon's window by a ping after each answer it reads; 200 pings once ended
# the connection, so that each run is well past that.
CALLS = 4000
LIVES = 400


class StockGoClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        go_client()
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report("clients", [(f"o{i}", 37.5 + i / 1e4, 127.0) for i in range(30)])

    def kept(self, told, connections):
        self.assertEqual(told["connections"], connections, told["examples"])
        self.assertEqual(told["connectionsEnded"], 0, told["examples"])
        self.assertEqual(told["watchEnded"], [])

    def test_each_command_runs_once(self):
        """W1: 16 callers, a fresh host for each call, no key."""
        told = run_go(self.daemon, callers=16, calls=CALLS, seconds=15, name="once")
        self.assertEqual(told["failures"], {}, told["examples"])
        self.kept(told, 1)
        made = {host: n for host, n in created_hosts(self.daemon).items()
                if host.startswith("once-")}
        self.assertEqual(set(made), set(told["acknowledged"]))
        self.assertEqual(set(made.values()), {1})
        self.assertGreater(len(made), 500)

    def test_every_command_runs_once_on_either_path(self):
        """W1: whole lives of parties and tickets, over the fast path and without it."""
        kinds = ("party.created", "party.joined", "party.left", "party.cancelled",
                 "ticket.opened", "ticket.closed")
        slow = Daemon("--resources", str(ROOT), env={"MOYEO_GRPC_FAST_PATH": "false"})
        self.addCleanup(slow.close)
        slow.report("clients", [("o", 37.5, 127.0)])
        for name, daemon in (("fast", self.daemon), ("slow", slow)):
            with self.subTest(name):
                told = run_go(daemon, callers=16, calls=LIVES, seconds=20, name=name,
                              method="lives")
                self.assertEqual(told["failures"], {}, told["examples"])
                self.kept(told, 1)
                lives = len(told["acknowledged"])
                self.assertEqual(lives, len(told["attempted"]))
                # Past the 200 pings, and six commands each.
                self.assertGreater(lives, 100)
                found = events_by_kind(daemon, kinds, name)
                self.assertEqual(found, dict.fromkeys(kinds, {1: lives}))

    def test_four_connections_are_kept(self):
        """W2: 2,000 calls on each of four connections, streams beside them."""
        told = run_go(self.daemon, callers=16, calls=2 * CALLS, seconds=10, connections=4,
                      watches=4, method="nearby")
        self.assertEqual(told["failures"], {}, told["examples"])
        self.kept(told, 4)
        self.assertGreater(told["calls"], 2000)

    def test_steady_calls_beside_a_watch(self):
        """W2: a modest rate, as an app's backend has it, for longer than 200 pings take."""
        told = run_go(self.daemon, callers=4, calls=320, rate=50, seconds=12, method="nearby")
        self.assertEqual(told["failures"], {}, told["examples"])
        self.assertGreaterEqual(told["calls"], 320)
        self.kept(told, 1)

    def test_cancels_and_deadlines_harm_nobody_else(self):
        """W3: of 100 calls 30 are cancelled or cut short; the others and the stream go on, and
        no command runs twice."""
        told = run_go(self.daemon, callers=16, calls=CALLS, seconds=12, abandon=30, name="cut")
        self.assertLessEqual(set(told["failures"]), {"Canceled", "DeadlineExceeded"},
                             told["examples"])
        self.kept(told, 1)
        made = {host: n for host, n in created_hosts(self.daemon).items()
                if host.startswith("cut-")}
        self.assertLessEqual(set(told["acknowledged"]), set(made))
        self.assertLessEqual(set(made), set(told["attempted"]))
        self.assertEqual(set(made.values()), {1})
