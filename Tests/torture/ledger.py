"""What was acknowledged, against what the daemon shows: parties, events, claims, the file."""

import pathlib
import shutil
import sqlite3
import tempfile
import threading


class Ledger:
    """Acknowledged effects. A rider is moved by one thread only and joins one party in a lifetime,
    so that what must be aboard is never in doubt, except for what was not confirmed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.parties = {}  # id -> host
        self.riders = {}  # rider -> (party, "in" | "out" | "in?" | "out?")
        self.cancelled = {}  # party -> True | None (not confirmed)
        self.open_creates = {}  # key -> body, not confirmed
        self.acknowledged = 0
        # From the event feed.
        self.next = 0
        self.history = {}  # party -> {"riders": [...], "version": n, "created": n}
        self.joins = {}  # (party, rider) -> count
        self.hosts = {}  # host -> [party]

    def read_events(self, service):
        """Reads on in the feed: sequences are dense, and every party's story makes sense."""
        while True:
            status, page = service.call("GET", f"/v1/events?after={self.next}&limit=1000")
            assert status == 200, page
            for event in page["events"]:
                assert event["sequence"] == self.next + 1, (
                    f"after event {self.next} comes {event['sequence']}")
                self.next = event["sequence"]
                self._apply(event)
            if not page["events"]:
                assert page["next"] == self.next, page
                return

    def _apply(self, event):
        party, kind, body = event["partyId"], event["kind"], event["body"]
        if kind == "party.created":
            assert party not in self.history, f"{party} is created twice"
            self.history[party] = {"riders": [r["riderId"] for r in body["riders"]], "version": 0}
            self.hosts.setdefault(body["hostId"], []).append(party)
        story = self.history[party]
        assert int(event["version"]) >= story["version"], event
        story["version"] = int(event["version"])
        if kind == "party.joined":
            assert body["riderId"] not in story["riders"], event
            story["riders"].append(body["riderId"])
            key = (party, body["riderId"])
            self.joins[key] = self.joins.get(key, 0) + 1
        elif kind in ("party.left", "party.removed"):
            story["riders"].remove(body["riderId"])
        elif kind == "party.cancelled":
            story["cancelled"] = True

    def check_party(self, service, party):
        status, answer = service.call("GET", f"/v1/parties/{party}")
        assert status == 200, f"party {party} is gone: {answer}"
        shown = answer["party"]
        aboard = [rider["riderId"] for rider in shown["riders"]]
        taken = sum(rider["seats"] for rider in shown["riders"])
        story = self.history[party]
        assert aboard == story["riders"], f"{party}: {aboard}, by its events {story['riders']}"
        assert int(shown["version"]) == story["version"], f"{party}: {shown['version']}, {story}"
        assert taken <= shown["seats"], f"{party} is oversold: {shown}"
        assert shown["seatsFree"] == shown["seats"] - taken, shown
        assert (shown["state"] == "cancelled") == ("cancelled" in story), (shown["state"], story)
        if shown["state"] in ("open", "full"):
            assert (shown["state"] == "full") == (shown["seatsFree"] == 0), shown
            shares = sum(rider["share"] for rider in shown["riders"])
            assert shares == shown["fare"]["expected"], f"{party}: {shares}, {shown['fare']}"
        return shown

    def check_acknowledged(self):
        """Against the events, which were held against the parties."""
        for party, host in self.parties.items():
            assert party in self.history, f"acknowledged party {party} of {host} is gone"
        for host, made in self.hosts.items():
            assert len(made) == 1, f"{host} has {len(made)} parties by one key"
        for rider, (party, state) in self.riders.items():
            aboard = rider in self.history[party]["riders"]
            if state == "in":
                assert aboard or "cancelled" in self.history[party], (
                    f"acknowledged join of {rider} to {party} is gone")
            elif state == "out":
                assert not aboard, f"acknowledged leave of {rider} from {party} is undone"
            assert self.joins.get((party, rider), 0) <= 1, f"{rider} joined {party} twice"
        for party, sure in self.cancelled.items():
            if sure:
                assert "cancelled" in self.history[party], f"cancelled {party} is open again"


def check_file(directory, claims_of):
    """integrity_check of a copy of the file as the crash left it, its claims against the parties
    in it, its events dense. Answers the number of events."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("moyeo.sqlite", "moyeo.sqlite-wal"):
            source = pathlib.Path(directory) / name
            if source.exists():
                shutil.copy(source, scratch)
        return check_database(pathlib.Path(scratch) / "moyeo.sqlite", claims_of)


def check_database(path, claims_of=None):
    link = sqlite3.connect(path)
    try:
        verdict = [row[0] for row in link.execute("PRAGMA integrity_check")]
        assert verdict == ["ok"], f"integrity_check of {path}: {verdict[:5]}"
        count, low, high = link.execute(
            "SELECT count(*), min(sequence), max(sequence) FROM events").fetchone()
        assert count == 0 or high - low + 1 == count, f"events {low}-{high} are {count}"
        held = {}
        for user, party in link.execute(
                "SELECT user_id, aggregate_id FROM claims WHERE kind = 'party'"):
            held.setdefault(party, set()).add(user)
        taken = dict(link.execute(
            "SELECT id, seats - seats_free FROM parties WHERE state IN ('open', 'full')"))
        for party, seats in taken.items():
            assert len(held.get(party, ())) == seats, (
                f"{party}: {seats} seats taken, claims of {held.get(party)}")
        assert set(held) <= set(taken), "claims on parties that are over"
        for party, riders in (claims_of or {}).items():
            missing = set(riders) - held.get(party, set())
            assert not missing, f"{party} lacks claims of {missing}"
        return count
    finally:
        link.close()
