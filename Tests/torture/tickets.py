"""Tickets under kill -9 and in a race: nobody in two matches, nothing acknowledged lost.

    python3 Tests/torture/torture.py tickets --rounds 100
"""

import random
import tempfile
import threading

from service import Service, Unknown

GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}
WANTED = [f"w{i}" for i in range(10)]
CLIENTS = [f"c{i}" for i in range(32)]
EVERYONE = WANTED + CLIENTS


class Acknowledged:
    """The newest version of each ticket that the daemon told, and the matches it told of."""

    def __init__(self):
        self.lock = threading.Lock()
        self.versions = {}
        self.matches = {}
        self.count = 0

    def note(self, ticket):
        with self.lock:
            self.count += 1
            user = ticket["userId"]
            self.versions[user] = max(self.versions.get(user, 0), int(ticket["version"]))
            if "matchId" in ticket:
                pair = frozenset((user, ticket["matchedWith"]))
                known = self.matches.setdefault(ticket["matchId"], pair)
                assert known == pair, f"match {ticket['matchId']} of {known} and {pair}"


class Client(threading.Thread):
    """Waits, asks, accepts and ends matches until the daemon is gone or it is told to stop."""

    def __init__(self, service, acknowledged, user, seed, stop):
        super().__init__(daemon=True)
        self.service, self.acknowledged, self.user, self.stop = service, acknowledged, user, stop
        self.draws = random.Random(seed)

    def run(self):
        try:
            link = self.service.connect()
            while not self.stop.is_set():
                self.step(link)
        except (Unknown, OSError):
            pass

    def step(self, link):
        other = self.draws.choice(WANTED)
        self.send(link, "/v1/tickets", {"userId": self.user, "here": GANGNAM})
        self.send(link, "/v1/tickets", {"userId": other, "here": GANGNAM})
        self.send(link, f"/v1/tickets/{self.user}/propose", {"otherId": other})
        self.send(link, f"/v1/tickets/{other}/accept", {"otherId": self.user})
        if self.draws.random() < 0.5:
            self.send(link, f"/v1/tickets/{self.user}/rate", {"otherId": other, "stars": 5})

    def send(self, link, path, body):
        status, answer = self.service.call(
            "POST", path, body, key=f"{self.user}-{self.draws.random()}", connection=link)
        if status == 200:
            self.acknowledged.note(answer["ticket"])


def require_mutual(partners):
    """Whoever meets somebody is met by them: `partners` says whom each meets, and in which match."""
    for user, (other, match) in partners.items():
        assert partners.get(other) == (user, match), f"{user} meets {other} alone"


def verify(service, acknowledged):
    """Every acknowledged version is there, and whoever meets somebody is met by them."""
    partners = {}
    for user in EVERYONE:
        status, answer = service.call("GET", f"/v1/tickets/{user}")
        if status == 404:
            assert user not in acknowledged.versions, f"the ticket of {user} is lost"
            continue
        ticket = answer["ticket"]
        told = acknowledged.versions.get(user, 0)
        assert int(ticket["version"]) >= told, f"{user} is at {ticket['version']}, told {told}"
        if "matchedWith" in ticket:
            partners[user] = (ticket["matchedWith"], ticket["matchId"])
    require_mutual(partners)


def ticket_rounds(rounds, seed, progress):
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory)
        acknowledged = Acknowledged()
        draws = random.Random(seed)
        service.start()
        for number in range(rounds):
            stop = threading.Event()
            clients = [Client(service, acknowledged, user, f"{seed}-{number}-{user}", stop)
                       for user in CLIENTS]
            for client in clients:
                client.start()
            # By what was acknowledged, not by time: a slow machine does as much.
            wanted = acknowledged.count + draws.randrange(50, 400)
            while acknowledged.count < wanted and any(c.is_alive() for c in clients):
                clients[0].join(0.01)
            service.kill()
            stop.set()
            for client in clients:
                client.join()
            service.start()
            verify(service, acknowledged)
            progress(f"round {number + 1}: {acknowledged.count} commands acknowledged, "
                     f"{len(acknowledged.matches)} matches")
        assert len(acknowledged.matches) > rounds, "too few matches for a test"
        assert service.stop() == 0
    return {"rounds": rounds, "commands": acknowledged.count,
            "matches": len(acknowledged.matches)}
