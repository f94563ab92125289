"""32 people race for 10 over both wires: nobody is in two matches, and what was acknowledged holds.

    .build/venv/bin/python Tests/torture/torture.py ticketrace --rounds 1000

Needs grpcio (Tests/requirements.txt). One daemon and one set of connections serve all rounds; a round
waits for nothing but answers.
"""

import concurrent.futures
import pathlib
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from protobuf_bytes import field, fields, text  # noqa: E402
from service import Service, reason  # noqa: E402
from tickets import GANGNAM, require_mutual  # noqa: E402

WANTED = 10
REFUSED = {"FAILED_PRECONDITION", "ABORTED", "ALREADY_EXISTS"}
# Fields of moyeo.v1.Ticket that both wires are asked for.
USER, MATCHED_WITH, MATCH = "userId", "matchedWith", "matchId"


class Wires:
    """One client's two connections."""

    def __init__(self, service, grpc, numbers):
        self.service, self.grpc, self.numbers = service, grpc, numbers
        self.link = service.connect()
        self.channel = grpc.insecure_channel(
            service.grpc_address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.calls = {}

    def close(self):
        self.link.close()
        self.channel.close()

    def http(self, path, body):
        """The ticket, or None when the command is refused."""
        status, answer = self.service.call("POST", path, body, connection=self.link)
        if status == 200:
            return answer["ticket"]
        assert status == 409, f"{path}: {status} {reason(answer)}"
        return None

    def rpc(self, verb, user, other):
        """The same over gRPC."""
        if verb not in self.calls:
            self.calls[verb] = self.channel.unary_unary(f"/moyeo.v1.TicketService/{verb}")
        try:
            answer = self.calls[verb](field(1, user) + field(2, other), timeout=30)
        except self.grpc.RpcError as error:
            assert error.code().name in REFUSED, f"{verb}: {error.code()} {error.details()}"
            return None
        ticket = next(value for number, value in fields(answer) if number == 1)
        values = {name: text(ticket, number) for name, number in self.numbers.items()}
        return {name: value for name, value in values.items() if value}


def ticket_field_numbers():
    """The numbers of the fields that are read, as the schema has them."""
    source = pathlib.Path(__file__).resolve().parents[2] / "proto/moyeo/v1/tickets.proto"
    body = source.read_text().split("message Ticket {")[1].split("\n}")[0]
    found = {}
    for line in body.splitlines():
        words = line.split()
        for name, proto in ((USER, "user_id"), (MATCHED_WITH, "matched_with"), (MATCH, "match_id")):
            if proto in words:
                found[name] = int(words[-1].rstrip(";"))
    assert len(found) == 3, found
    return found


class Round:
    """Ten people who are sought, and what each of those who seek is told."""

    def __init__(self, number):
        self.number = number
        self.sought = [f"w{number}-{i}" for i in range(WANTED)]
        self.lock = threading.Lock()
        self.told = {}
        self.acknowledged = {"HTTP": 0, "gRPC": 0}
        self.refused = 0

    def note(self, wire, ticket):
        with self.lock:
            if ticket is None:
                self.refused += 1
                return False
            self.acknowledged[wire] += 1
            if MATCH not in ticket:
                return False
            pair = (ticket[MATCHED_WITH], ticket[MATCH])
            known = self.told.setdefault(ticket[USER], pair)
            assert known == pair, f"{ticket[USER]} is told of {known} and {pair}"
            return True

    def seek(self, wires, client, start):
        """Asks one after the other, from another one on for each, and accepts in their name."""
        user = f"c{self.number}-{client}"
        wires.http("/v1/tickets", {"userId": user, "here": GANGNAM})
        start.wait()
        for step in range(WANTED):
            other = self.sought[(client + step) % WANTED]
            if (client + step) % 2:
                asked = "gRPC", wires.rpc("Propose", user, other)
                met = "HTTP", wires.http(f"/v1/tickets/{other}/accept", {"otherId": user})
            else:
                asked = "HTTP", wires.http(f"/v1/tickets/{user}/propose", {"otherId": other})
                met = "gRPC", wires.rpc("Accept", other, user)
            self.note(*asked)
            if self.note(*met):
                return

    def verify(self, service, link, clients):
        """Whoever meets somebody is met by them alone, and what was told is so."""
        partners = {}
        for user in self.sought + [f"c{self.number}-{i}" for i in range(clients)]:
            status, answer = service.call("GET", f"/v1/tickets/{user}", connection=link)
            assert status == 200, f"the ticket of {user} is lost: {answer}"
            if MATCH in answer["ticket"]:
                partners[user] = answer["ticket"][MATCHED_WITH], answer["ticket"][MATCH]
        require_mutual(partners)
        for user, pair in self.told.items():
            assert partners.get(user) == pair, f"an acknowledged match of {user} is lost"
        # Each who is sought meets somebody, and nobody else does.
        assert len(partners) == 2 * WANTED, f"{len(partners)} people meet"
        return len(partners) // 2


def race_rounds(rounds, clients, progress):
    import grpc

    matches, refused, acknowledged = 0, 0, {"HTTP": 0, "gRPC": 0}
    with tempfile.TemporaryDirectory() as directory:
        service = Service(directory)
        service.start()
        numbers = ticket_field_numbers()
        wires = [Wires(service, grpc, numbers) for _ in range(clients)]
        link = service.connect()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            for number in range(rounds):
                race = Round(number)
                for user in race.sought:
                    status, answer = service.call(
                        "POST", "/v1/tickets", {"userId": user, "here": GANGNAM}, connection=link)
                    assert status == 200, answer
                start = threading.Barrier(clients)
                for done in [pool.submit(race.seek, wires[i], i, start) for i in range(clients)]:
                    done.result()
                matches += race.verify(service, link, clients)
                refused += race.refused
                for wire, count in race.acknowledged.items():
                    acknowledged[wire] += count
                progress(f"round {number + 1}: {matches} matches, {refused} refusals")
        for one in wires:
            one.close()
        link.close()
        assert service.stop() == 0
    return {"rounds": rounds, "matches": matches, "refused": refused,
            **{f"acknowledged, {wire}": count for wire, count in acknowledged.items()}}
