"""Clocks that are set wrong: one daemon 5 s ahead, one 5 s behind. Deadlines and departures go by the
record's clock at each of them."""

import datetime
import pathlib
import sys
import tempfile
import time
import unittest

from running_daemon import ROOT, Daemon, MissingProgram
from scratch_postgres import MissingPostgres, Postgres

for folder in ("daemon", "torture"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / folder))

from shim import Shim  # noqa: E402
from test_cluster import Record  # noqa: E402
from party_calls import body  # noqa: E402

SKEWS = (5, -5, 0)
# A party departs when its window ends.
WINDOW_SECONDS = 1
# The timers look four times a second.
LATE_MILLISECONDS = 250 + 250
# What a machine that does much else may add.
PATIENCE_MILLISECONDS = 1500


def milliseconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


class Skew(unittest.TestCase):
    def setUp(self):
        try:
            server = Postgres("fsync=off")
        except MissingPostgres as error:
            raise MissingProgram(str(error)) from error
        self.addCleanup(server.close)
        self.record = Record(server)
        self.daemons = []
        # The one that is ahead comes first, and so runs the timers.
        for skew in SKEWS:
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            shim = Shim(folder.name + "/data", folder.name + "/control")
            shim.set(clock=skew)
            daemon = Daemon(
                "--resources", str(ROOT),
                env={"MOYEO_CLUSTER_POSTGRES": self.record.connection, **shim.environment()})
            self.addCleanup(daemon.close)
            self.daemons.append(daemon)
            self.until(lambda: self.leader(), "none runs the timers")

    def until(self, condition, why, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, why)
            time.sleep(0.01)

    def leader(self):
        return next((one for one in self.daemons if one.is_running
                     and one.metric("moyeo_following_leads") == 1), None)

    def ask(self, daemon, method, path, given=None, key=None):
        status, answer, _ = daemon.request(
            method, path, given, {"Idempotency-Key": key} if key else None)
        self.assertEqual(status, 200, answer)
        return answer

    def test_the_clocks_are_wrong(self):
        """Without this the test below would show nothing."""
        for daemon, skew in zip(self.daemons, SKEWS):
            warned = any("clock differs" in line for line in daemon.log)
            self.assertEqual(warned, skew != 0, daemon.log_tail())

    def test_nothing_departs_early_or_late(self):
        late = []
        for turn, skew in enumerate(SKEWS[:2]):
            leader = self.leader()
            self.assertIs(leader, self.daemons[turn], "the timers run elsewhere")
            after = int(self.record.sql("SELECT coalesce(max(newest), 0) FROM feed_heads"))
            made = {}
            for number, daemon in enumerate(one for one in self.daemons if one.is_running):
                host = f"h{turn}-{number}"
                party = self.ask(daemon, "POST", "/v1/parties", body(
                    host, 4.2 / 60, departureWindowSeconds=WINDOW_SECONDS), host)["party"]
                made[party["id"]] = party
                # Created now, not by the clock of the one that was asked.
                self.assertLess(
                    abs(milliseconds(party["createdAt"]) - time.time() * 1000), 1000, (skew, party))
            seen, last = {}, self.daemons[-1]
            end = time.monotonic() + 30
            while len(seen) < len(made):
                self.assertLess(time.monotonic(), end, "not all departed")
                for event in self.ask(
                        last, "GET", f"/v1/events?after={after}&limit=100&waitSeconds=0.05")["events"]:
                    after = int(event["sequence"])
                    if event["kind"] == "party.departed":
                        seen[event["partyId"]] = (event, time.time() * 1000)
            for name, (event, now) in seen.items():
                departure = milliseconds(made[name]["departureTime"]) + WINDOW_SECONDS * 1000
                by_its_word = milliseconds(event["at"]) - departure
                by_ours = now - departure
                late.append(by_ours)
                self.assertGreaterEqual(by_its_word, 0, (skew, event))
                self.assertGreaterEqual(by_ours, -250, (skew, event))
                self.assertLess(by_its_word, LATE_MILLISECONDS + PATIENCE_MILLISECONDS, (skew, event))
                self.assertLess(by_ours, LATE_MILLISECONDS + PATIENCE_MILLISECONDS, (skew, event))
            leader.kill()
            self.until(self.leader, "nobody took the timers over")
            if self.leader() is not self.daemons[1] and turn == 0:
                # The one behind is to have its turn.
                self.leader().kill()
                self.until(self.leader, "nobody took the timers over")
                self.daemons[-1].start()
        print(f"\ndeparted after {min(late):.0f} to {max(late):.0f} ms with clocks "
              f"{', '.join(map(str, SKEWS))} s wrong", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
