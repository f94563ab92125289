"""A person is erased: nothing of their id is left in any file, log, metric or event, nor in a backup, and
an earlier backup does not bring them back.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_erasure.py
"""

import datetime
import http.client
import json
import pathlib
import tempfile
import threading
import unittest
import urllib.parse

import tokens
from running_daemon import ROOT, Daemon, run
from test_admin import Operator, reason
from test_webhooks import Receiver

WHY = {"reason": "asked for it"}
# The second stands otherwise in JSON than in the record, and sounds like a field of an event.
PEOPLE = ["erased-person-7f3a91", 'quo"ted \\ é riderId-9c1']


def soon(hours=2):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def party(host, hours=2):
    return {"hostId": host, "origin": {"latitude": 37.4979, "longitude": 127.0276},
            "destination": {"latitude": 37.5663, "longitude": 126.9779},
            "departureTime": soon(hours), "seats": 4}


def segment(text):
    return urllib.parse.quote(text, safe="")


def forms(person):
    """The bytes that a file must not have."""
    return {person.encode(), json.dumps(person)[1:-1].encode(),
            json.dumps(person, ensure_ascii=False)[1:-1].encode(), segment(person).encode()}


class Erasing(unittest.TestCase):
    def daemon(self, directory=None):
        made = Daemon("--resources", str(ROOT), "--admin-port", "0", directory=directory,
                      env={"MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true",
                           "MOYEO_DISCLOSURES_LAYERS": "users,bikes,tickets"})
        self.addCleanup(made.close)
        return made

    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def post(self, daemon, path, given=None, **headers):
        status, answer, _ = daemon.request("POST", path, given, headers)
        self.assertEqual(status, 200, (path, answer))
        return answer

    def live(self, daemon, me, mate):
        """Everything that leaves a trace of somebody: (an open party of theirs, one they are in)"""
        for layer in ("users", "bikes"):
            daemon.report(layer, [(me, 37.5, 127.0), (mate, 37.5, 127.0)])
        # Their look, and the looks of others at them, are in the log of disclosures.
        near = "/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=5"
        self.assertEqual(daemon.request("GET", near)[0], 200)
        own = self.post(daemon, "/v1/parties", party(me),
                        **{"Idempotency-Key": f"own-{mate}"})["party"]["id"]
        self.post(daemon, f"/v1/parties/{own}/join", {"riderId": mate})
        other = self.post(daemon, "/v1/parties", party(mate + "-host"))["party"]["id"]
        over = self.post(daemon, "/v1/parties", party(me, 9))["party"]["id"]
        self.post(daemon, f"/v1/parties/{over}/cancel")
        self.post(daemon, f"/v1/parties/{own}/leave", {"riderId": me})
        own = self.post(daemon, "/v1/parties", party(me, 20))["party"]["id"]
        self.post(daemon, f"/v1/parties/{own}/join", {"riderId": mate},
                  **{"Idempotency-Key": f"join-{mate}"})
        self.post(daemon, f"/v1/parties/{other}/join", {"riderId": me})
        for i, name in enumerate((me, mate, mate + "-2")):
            self.post(daemon, "/v1/tickets",
                      {"userId": name, "here": {"latitude": 37.5, "longitude": 127.0}},
                      **{"Idempotency-Key": f"open-{mate}-{i}"})
        mine = f"/v1/tickets/{segment(me)}"
        self.post(daemon, f"/v1/tickets/{mate}/propose", {"otherId": me})
        self.post(daemon, f"/v1/tickets/{mate}/report", {"otherId": me})
        self.post(daemon, f"{mine}/report", {"otherId": mate})
        self.post(daemon, f"{mine}/propose", {"otherId": mate})
        self.post(daemon, f"{mine}/rate", {"otherId": mate, "stars": 4})
        self.post(daemon, f"/v1/tickets/{mate}-2/block", {"otherId": me})
        return own, other

    def erase(self, daemon, person, **more):
        return Operator(daemon)(
            "POST", f"/v1/admin/users/{segment(person)}/erase", {**WHY, **more})

    def assert_nowhere(self, person, *folders, log="", answers=()):
        for needle in forms(person):
            for folder in folders:
                for file in sorted(folder.rglob("*")):
                    if file.is_file():
                        self.assertNotIn(needle, file.read_bytes(), file.name)
            for text in (log, *answers):
                self.assertNotIn(needle.decode(), text)

    def seen(self, daemon):
        """What anybody may read, as text."""
        events, after = [], 0
        while True:
            page = daemon.request("GET", f"/v1/events?after={after}&limit=500")[1]["events"]
            if not page:
                break
            events += page
            after = page[-1]["sequence"]
        return [json.dumps(events, ensure_ascii=False), daemon.request("GET", "/metrics")[1]]

    def test_nothing_is_left(self):
        daemon = self.daemon()
        # What is of others is taken: an endpoint that takes nothing is asked ever more rarely.
        receiver = Receiver(lambda event: 503 if set(PEOPLE) & set(event["userIds"]) else 200)
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        code, out, error = run("webhooks", "create", "--url", receiver.url, "--from-oldest",
                               "--data-directory", str(daemon.directory), name="moyeo")
        self.assertEqual(code, 0, out + error)
        operator = Operator(daemon)
        for i, person in enumerate(PEOPLE):
            own, other = self.live(daemon, person, f"mate{i}")
            until = f"{datetime.date.today().year + 2}-01-01T00:00:00Z"
            self.assertEqual(operator(
                "POST", f"/v1/admin/users/{segment(person)}/ban",
                {"until": until, "reason": f"rude, says {person}"})[0], 200)
            # Refused twice: the first refusal is in the file.
            receiver.wait_until(lambda: self.is_refused_twice(receiver, person), "refusals")
            operator("POST", "/v1/admin/snapshot")
            wrong = self.erase(daemon, person, reason=f"{person} asked")
            self.assertEqual((wrong[0], reason(wrong)), (400, "bad_value"))
            first = self.erase(daemon, person)
            self.assertEqual((first[0], first[1].get("erased")), (200, True), first[1])
            for what in ("positions", "parties", "tickets", "events", "replies", "letters"):
                self.assertGreater(first[1][what], 0, what)
            # Called again, nothing happens.
            self.assertEqual(self.erase(daemon, person)[1]["erased"], False)
            backup = self.folder()
            code, out, error = run("backup", "--data-directory", str(daemon.directory), "--to",
                                   str(backup / "copy.sqlite"), name="moyeo")
            self.assertEqual(code, 0, out + error)
            self.assert_nowhere(person, daemon.directory, backup, log="".join(daemon.log),
                                answers=self.seen(daemon))
            gone = operator("GET", f"/v1/admin/users/{segment(person)}")
            self.assertEqual((gone[0], reason(gone)), (404, "unknown_object"))
            # Those who stay ride on.
            aboard = daemon.request("GET", f"/v1/parties/{own}")[1]["party"]
            self.assertEqual([one["riderId"] for one in aboard["riders"]], [f"mate{i}"])
            self.assertEqual(aboard["hostId"], f"mate{i}")
            rest = daemon.request("GET", f"/v1/parties/{other}")[1]["party"]
            self.assertEqual([one["riderId"] for one in rest["riders"]], [f"mate{i}-host"])
            told = [event for event in self.events(daemon) if event["kind"] == "admin.erased"]
            self.assertEqual(len(told), i + 1)
            self.assertEqual(told[-1]["body"]["reason"], WHY["reason"])
        daemon.terminate()
        daemon.start()
        for person in PEOPLE:
            self.assert_nowhere(person, daemon.directory, log="".join(daemon.log),
                                answers=self.seen(daemon))
        # Whoever comes back is a new person, and stays one through a restart.
        self.assertEqual(daemon.request("POST", "/v1/parties", party(PEOPLE[0]))[0], 200)
        daemon.kill()
        daemon.start()
        mine = daemon.request("GET", f"/v1/parties?riderId={PEOPLE[0]}")[1]["parties"]
        self.assertEqual(len(mine), 1)

    @staticmethod
    def is_refused_twice(receiver, person):
        named = [event["sequence"] for event, _, _ in receiver.refused
                 if person in event["userIds"]]
        return len(named) > len(set(named))

    def events(self, daemon):
        return daemon.request("GET", "/v1/events?limit=1000")[1]["events"]

    def test_unknown_people_and_the_command_line(self):
        daemon = self.daemon()
        never = self.erase(daemon, "never-heard-of")
        self.assertEqual((never[0], never[1]["erased"]), (200, False))
        self.assertEqual(self.events(daemon), [])
        self.live(daemon, "cli-person", "mate")
        url = f"http://127.0.0.1:{Operator(daemon).port}"
        code, out, error = run("admin", "erase", "cli-person", "--reason", "letter of today",
                               "--url", url, name="moyeo")
        self.assertEqual(code, 0, error)
        self.assertIn("erased: true", out)
        self.assert_nowhere("cli-person", daemon.directory)
        self.assertEqual(run("admin", "erase", "cli-person", "--url", url, name="moyeo")[0], 2)

    def test_somebody_who_goes_on_acting(self):
        daemon = self.daemon()
        person, stop, done = "busy-person-55", threading.Event(), threading.Semaphore(0)

        def act():
            for i in range(100_000):
                if stop.is_set():
                    return
                daemon.report("users", [(person, 37.5, 127.0)])
                daemon.request("POST", "/v1/tickets", {
                    "userId": person, "here": {"latitude": 37.5, "longitude": 127.0}})
                status, made, _ = daemon.request("POST", "/v1/parties", party(f"host-{i}"))
                # While somebody is erased, others' commands may be refused for a moment.
                if status == 200:
                    daemon.request(
                        "POST", f"/v1/parties/{made['party']['id']}/join", {"riderId": person})
                    done.release()

        thread = threading.Thread(target=act)
        thread.start()
        self.addCleanup(stop.set)
        for _ in range(3):
            # Something is there to erase each time.
            self.assertTrue(done.acquire(timeout=60))
            answer = self.erase(daemon, person)
            self.assertIn(answer[0], (200, 503), answer[1])
        stop.set()
        thread.join()
        self.assertEqual(self.erase(daemon, person)[0], 200)
        self.assert_nowhere(person, daemon.directory, log="".join(daemon.log),
                            answers=self.seen(daemon))
        # Nobody rides on under another name either.
        for event in self.events(daemon):
            if event["kind"] != "party.created":
                continue
            aboard = daemon.request("GET", f"/v1/parties/{event['partyId']}")[1]["party"]
            self.assertEqual(len(aboard["riders"]), 1)
        self.assertEqual(daemon.request("POST", "/v1/parties", party("later"))[0], 200)

    def test_a_crash_in_the_middle_is_completed_by_the_next_start(self):
        daemon = self.daemon()
        person, noted = PEOPLE[1], daemon.directory / "erasures.list"
        self.live(daemon, person, "mate")
        Operator(daemon)("POST", "/v1/admin/snapshot")

        def erase():
            try:
                self.erase(daemon, person)
            except (OSError, http.client.HTTPException):
                # The kill cut it off.
                pass

        thread = threading.Thread(target=erase)
        thread.start()
        # From here on the person is erased, whatever happens.
        while thread.is_alive() and not (noted.exists() and noted.read_bytes().endswith(b"\n")):
            pass
        daemon.kill()
        thread.join()
        self.assertTrue(noted.exists())
        daemon.start()
        gone = Operator(daemon)("GET", f"/v1/admin/users/{segment(person)}")
        self.assertEqual((gone[0], reason(gone)), (404, "unknown_object"))
        self.assert_nowhere(person, daemon.directory, log="".join(daemon.log),
                            answers=self.seen(daemon))

    def test_a_person_of_another_tenant_stays(self):
        signer = tokens.Signer("one")
        keys = self.folder() / "jwks.json"
        keys.write_text(tokens.key_set(signer))
        daemon = Daemon("--resources", str(ROOT), "--admin-port", "0", env=tokens.settings(keys))
        self.addCleanup(daemon.close)
        made = {}
        for tenant in ("default", "blue"):
            token = signer.token("same-id", tokens.ALL, tenant=tenant)
            headers = tokens.bearer(token)
            answer = daemon.request("POST", "/v1/parties", party("same-id"), headers)
            self.assertEqual(answer[0], 200, answer[1])
            made[tenant] = (answer[1]["party"]["id"], headers)
        ask = Operator(daemon)
        path = "/v1/admin/users/same-id/erase"
        foreign = ask("POST", path + "?tenant=default", WHY,
                      token=signer.token("tom", "admin", tenant="blue"))
        self.assertEqual((foreign[0], reason(foreign)), (403, "forbidden"))
        own = ask("POST", path, WHY, token=signer.token("tom", "admin", tenant="blue"))
        self.assertEqual((own[0], own[1].get("erased")), (200, True), own[1])
        daemon.kill()
        daemon.start()
        for tenant, hosts in (("default", ["same-id"]), ("blue", None)):
            party_id, headers = made[tenant]
            aboard = daemon.request("GET", f"/v1/parties/{party_id}", None, headers)[1]["party"]
            self.assertEqual(aboard["state"], "open" if hosts else "cancelled")
            if hosts:
                self.assertEqual([one["riderId"] for one in aboard["riders"]], hosts)
        told = Operator(daemon)("GET", "/v1/admin/users/same-id",
                                token=signer.token("tom", "admin", tenant="blue"))
        self.assertEqual(told[0], 404)

    def test_restore_drill(self):
        """docs/operations.md, step by step."""
        daemon = self.daemon()
        person = PEOPLE[0]
        own, _ = self.live(daemon, person, "mate")
        acknowledged, stop, more = [own], threading.Event(), threading.Semaphore(0)

        def load(name):
            for i in range(10_000):
                if stop.is_set():
                    return
                made = daemon.request("POST", "/v1/parties", party(f"{name}-{i}"))
                if made[0] == 200:
                    acknowledged.append(made[1]["party"]["id"])
                    more.release()

        threads = [threading.Thread(target=load, args=(f"load{i}",)) for i in range(2)]
        for thread in threads:
            thread.start()
        self.addCleanup(stop.set)
        for _ in range(20):
            self.assertTrue(more.acquire(timeout=60))
        before = list(acknowledged)
        copies = self.folder()
        code, out, error = run("backup", "--data-directory", str(daemon.directory), "--to",
                               str(copies / "copy.sqlite"), name="moyeo", timeout=120)
        self.assertEqual(code, 0, out + error)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertIn(person.encode(), (copies / "copy.sqlite").read_bytes())
        self.assertEqual(self.erase(daemon, person)[1]["erased"], True)
        daemon.kill()
        fresh = self.folder() / "moyeo"
        code, out, error = run(
            "restore", str(copies / "copy.sqlite"), "--data-directory", str(fresh),
            "--erasures", str(daemon.directory / "erasures.list"), name="moyeo", timeout=120)
        self.assertEqual(code, 0, out + error)
        # A directory with a record is not written over.
        again = run("restore", str(copies / "copy.sqlite"), "--data-directory", str(fresh),
                    name="moyeo")
        self.assertEqual(again[0], 1)
        restored = self.daemon(fresh)
        for one in before:
            self.assertEqual(restored.request("GET", f"/v1/parties/{one}")[0], 200, one)
        aboard = restored.request("GET", f"/v1/parties/{own}")[1]["party"]
        self.assertEqual([rider["riderId"] for rider in aboard["riders"]], ["mate"])
        gone = Operator(restored)("GET", f"/v1/admin/users/{person}")
        self.assertEqual((gone[0], reason(gone)), (404, "unknown_object"))
        self.assert_nowhere(person, fresh, log="".join(restored.log),
                            answers=self.seen(restored))


if __name__ == "__main__":
    unittest.main()
