"""Commutes of a running moyeod: a year against another calendar, each day once through kill -9, riders
of the series, refusals with all that is wrong, who sees what.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_commutes.py
"""

import datetime
import json
import pathlib
import sqlite3
import tempfile
import threading
import unittest
import zoneinfo

import commutes
import tokens
from commutes import EVERY_DAY
from running_daemon import ROOT, Daemon, run

ORIGIN = {"name": "Sinchon", "latitude": 37.5551, "longitude": 126.9368}
DESTINATION = {"name": "Gangnam", "latitude": 37.4979, "longitude": 127.0276}
MANHATTAN = {"latitude": 40.7505, "longitude": -73.9934}
AIRPORT = {"latitude": 40.6413, "longitude": -73.7781}
WORKDAYS = ["MON", "TUE", "WED", "THU", "FRI"]


def today(zone="Asia/Seoul"):
    return datetime.datetime.now(zoneinfo.ZoneInfo(zone)).date()


def soon(zone="Asia/Seoul", hours=6):
    """A local time some hours from now, which every day has."""
    moment = datetime.datetime.now(zoneinfo.ZoneInfo(zone)) + datetime.timedelta(hours=hours)
    return moment.strftime("%H:%M")


def body(host, days=30, **more):
    return {"hostId": host, "origin": ORIGIN, "destination": DESTINATION, "weekdays": EVERY_DAY,
            "localTime": soon(), "timeZone": "Asia/Seoul",
            "to": (today() + datetime.timedelta(days=days)).isoformat(), **more}


def expected(zone, text, first, last, weekdays, holidays, added, removed):
    """(date, departure, clock change) of every day that runs, by Python's calendar and zones."""
    where = zoneinfo.ZoneInfo(zone)
    hour, minute = map(int, text.split(":"))
    found, date = [], first
    while date <= last:
        runs = EVERY_DAY[date.weekday()] in weekdays and date.isoformat() not in holidays
        if (runs or date in added) and date not in removed:
            local = datetime.datetime.combine(date, datetime.time(hour, minute), where)
            utc = local.astimezone(datetime.timezone.utc)
            # A time that clocks skip does not come back the same from UTC; one that they show twice
            # has two offsets.
            if utc.astimezone(where).replace(tzinfo=None) != local.replace(tzinfo=None):
                change = "skipped"
            elif local.utcoffset() != local.replace(fold=1).utcoffset():
                change = "repeated"
            else:
                change = None
            found.append((date.isoformat(), utc.strftime("%Y-%m-%dT%H:%M:%SZ"), change))
        date += datetime.timedelta(days=1)
    return found


class CommuteCase(unittest.TestCase):
    def call(self, method, path, given=None, key=None, status=200, daemon=None):
        headers = {"Idempotency-Key": key} if key else None
        got, answer, _ = (daemon or self.daemon).request(method, path, given, headers)
        self.assertEqual(got, status, answer)
        return answer

    def commute(self, identifier, daemon=None, days=14):
        return self.call("GET", f"/v1/commutes/{identifier}?days={days}", daemon=daemon)["commute"]

    def appeared(self, identifier, count, daemon=None):
        """The days of a commute that have appeared, once there are so many."""
        return commutes.appeared(
            lambda path: self.call("GET", path, daemon=daemon), identifier, count)


class Commutes(CommuteCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.__exit__)

    def refused(self, path, given, reason, status, fields=None, method="POST"):
        error = self.call(method, path, given, status=status)["error"]
        self.assertEqual(error["reason"], reason, error)
        if fields is not None:
            self.assertEqual([(one["field"], one["reason"]) for one in error["fields"]], fields)
        return error

    def test_a_year_is_where_another_calendar_has_it(self):
        for zone, calendar, text, places in (
                ("America/New_York", "us-federal", "02:30", (MANHATTAN, AIRPORT)),
                ("America/New_York", "us-federal", "01:30", (MANHATTAN, AIRPORT)),
                ("America/New_York", "us-federal", "17:45", (MANHATTAN, AIRPORT)),
                ("Asia/Seoul", "kr-public", "07:45", (ORIGIN, DESTINATION))):
            with self.subTest(f"{zone} {text}"):
                file = json.loads((ROOT / "data" / "calendars" / f"{calendar}.json").read_text())
                holidays = {day["date"] for day in file["holidays"]}
                # Days that have not appeared.
                first = today(zone) + datetime.timedelta(days=7)
                last = first + datetime.timedelta(days=365)
                weekdays = ["MON", "TUE", "WED", "FRI", "SUN"]
                free = sorted(day for day in holidays if first.isoformat() < day < last.isoformat())
                added = [datetime.date.fromisoformat(free[0]), first + datetime.timedelta(days=9)]
                removed = [first + datetime.timedelta(days=n) for n in (30, 31, 32, 33)]
                made = self.call("POST", "/v1/commutes", {
                    "hostId": f"year-{zone}-{text}", "origin": places[0], "destination": places[1],
                    "weekdays": weekdays, "localTime": text, "timeZone": zone,
                    "from": first.isoformat(), "to": last.isoformat(), "holidays": calendar,
                    "added": [day.isoformat() for day in added],
                    "removed": [day.isoformat() for day in removed]})["commute"]
                told = [(day["date"], day["departureTime"], day.get("clockChange"))
                        for day in self.commute(made["id"], days=400)["occurrences"]]
                wanted = expected(zone, text, first, last, weekdays, holidays, added, removed)
                self.assertEqual(told, wanted)
                self.assertGreater(len(told), 230)
                changes = {"02:30": "skipped", "01:30": "repeated"}.get(text)
                self.assertEqual({day[2] for day in told} - {None}, {changes} - {None})

    def test_days_appear_as_parties_and_are_joined(self):
        given = body("days-host", seats=2)
        commute = self.call("POST", "/v1/commutes", given, key="d-1")["commute"]
        self.assertEqual(commute["state"], "active")
        again = self.call("POST", "/v1/commutes", given, key="d-1")["commute"]
        self.assertEqual(again["id"], commute["id"])
        days = self.appeared(commute["id"], 2)
        self.assertEqual([day["state"] for day in days], ["appeared"] * 2)
        party = self.call("GET", f"/v1/parties/{days[0]['partyId']}")["party"]
        self.assertEqual((party["commuteId"], party["hostId"], party["state"], party["seats"]),
                         (commute["id"], "days-host", "open", 2))
        self.assertEqual(party["departureTime"], days[0]["departureTime"])
        # Somebody takes one day; who takes the series has the others.
        self.call("POST", f"/v1/parties/{party['id']}/join", {"riderId": "days-one"})
        path = f"/v1/commutes/{commute['id']}"
        joined = self.call("POST", f"{path}/join", {"riderId": "days-all"})["commute"]
        self.assertEqual([one["riderId"] for one in joined["riders"]], ["days-all"])
        second = self.call("GET", f"/v1/parties/{days[1]['partyId']}")["party"]
        self.assertEqual([one["riderId"] for one in second["riders"]], ["days-host", "days-all"])
        told = [event for event in self.call(
            "GET", "/v1/events?after=0&kinds=commute.join_refused")["events"]
            if event["commuteId"] == commute["id"]]
        self.assertEqual([(event["body"]["riderId"], event["body"]["date"],
                           event["body"]["reason"]) for event in told],
                         [("days-all", days[0]["date"], "party_full")])
        self.assertNotIn("partyId", told[0])
        listed = self.call("GET", "/v1/commutes?riderId=days-all")["commutes"]
        self.assertEqual([one["id"] for one in listed], [commute["id"]])
        # A new time for what nobody has joined; what somebody rides with stays.
        later = soon(hours=8)
        self.call("POST", f"{path}/update", {"riderId": "days-host", "localTime": later,
                                             "includeAppeared": True})
        self.assertEqual([day["partyId"] for day in self.appeared(commute["id"], 2)][:2],
                         [day["partyId"] for day in days])
        self.call("POST", f"{path}/leave", {"riderId": "days-all"})
        self.call("POST", f"{path}/update", {"localTime": soon(hours=9), "includeAppeared": True})
        anew = self.appeared(commute["id"], 2)
        self.assertEqual(anew[0]["partyId"], days[0]["partyId"])
        self.assertNotEqual(anew[1]["partyId"], days[1]["partyId"])
        old = self.call("GET", f"/v1/parties/{days[1]['partyId']}")["party"]
        self.assertEqual((old["state"], old["endReason"]), ("cancelled", "commute_updated"))
        ended = self.call("POST", f"{path}/cancel", {"includeAppeared": True, "reason": "moved"})
        self.assertEqual((ended["commute"]["state"], ended["commute"]["endReason"]),
                         ("cancelled", "moved"))
        states = [self.call("GET", f"/v1/parties/{day['partyId']}")["party"]["state"]
                  for day in anew]
        self.assertEqual((states[0], set(states[1:])), ("full", {"cancelled"}))
        self.refused(f"{path}/join", {"riderId": "x"}, "commute_cancelled", 409)
        self.assertEqual(self.call("GET", "/v1/commutes?hostId=days-host")["commutes"], [])

    def test_a_riders_request_repeats(self):
        given = body("unused", days=10)
        del given["hostId"]
        commute = self.call("POST", "/v1/commutes", {**given, "riderId": "ask", "maxShare": 9000})
        identifier = commute["commute"]["id"]
        days = self.appeared(identifier, 2)
        kept = self.call("GET", "/v1/ride-requests?riderId=ask")["requests"]
        self.assertEqual({one["id"] for one in kept}, {day["requestId"] for day in days})
        self.assertEqual({one["commuteId"] for one in kept}, {identifier})
        self.refused(f"/v1/commutes/{identifier}?riderId=other", None, "unknown_commute", 404,
                     method="GET")
        self.refused(f"/v1/commutes/{identifier}/join", {"riderId": "b"}, "unknown_commute", 404)
        self.call("POST", f"/v1/commutes/{identifier}/cancel",
                  {"riderId": "ask", "includeAppeared": True})
        self.assertEqual(self.call("GET", "/v1/ride-requests?riderId=ask")["requests"], [])

    def test_days_carry_price_approval_and_arrival(self):
        hour = (datetime.datetime.now(zoneinfo.ZoneInfo("Asia/Seoul"))
                + datetime.timedelta(hours=6))
        made = self.call("POST", "/v1/commutes", {
            **body("deal"), "agreedFare": {"amount": 12000, "currency": "KRW"},
            "approval": "host", "holdSeats": True,
            "arriveBy": (hour + datetime.timedelta(hours=2)).strftime("%H:%M")})["commute"]
        self.assertEqual((made["agreedFare"], made["approval"], made["holdSeats"]),
                         ({"amount": 12000, "currency": "KRW"}, "host", True))
        self.assertEqual(made["arriveBy"], (hour + datetime.timedelta(hours=2)).strftime("%H:%M"))
        days = self.appeared(made["id"], 1)
        party = self.call("GET", f"/v1/parties/{days[0]['partyId']}")["party"]
        self.assertEqual((party["agreedFare"]["amount"], party["approval"]), (12000, "host"))
        asked = self.call("POST", f"/v1/parties/{party['id']}/join", {"riderId": "deal-guest"})
        self.assertEqual(asked["joinRequest"]["state"], "pending")
        # In ten minutes nobody is there.
        late = (hour + datetime.timedelta(minutes=10)).strftime("%H:%M")
        self.refused("/v1/commutes", {**body("late"), "arriveBy": late}, "arrives_too_late", 409)

    def test_all_that_is_wrong_is_told_at_once(self):
        self.refused("/v1/commutes", body(
            "bad", weekdays=["MON", "Tuesday"], localTime="25:00", timeZone="Asia/Atlantis",
            to="2027-02-30", added=["tomorrow"], removed=["2027-01-01", "1.1.2027"],
            origin={"latitude": 99, "longitude": 1}), "bad_weekday", 400, [
                ("weekdays[1]", "bad_weekday"), ("localTime", "bad_local_time"),
                ("timeZone", "bad_time_zone"), ("to", "bad_date"), ("added[0]", "bad_date"),
                ("removed[1]", "bad_date"), ("origin.latitude", "latitude_out_of_range")])
        yesterday = (today() - datetime.timedelta(days=1)).isoformat()
        self.refused("/v1/commutes", body(
            "bad", weekdays=[], to=yesterday, holidays="nowhere", **{"from": yesterday}),
            "bad_weekday", 400, [
                ("weekdays", "bad_weekday"), ("to", "bad_date"), ("holidays", "unknown_calendar")])
        self.refused("/v1/commutes", {"hostId": "bad"}, "missing_field", 400)
        self.refused("/v1/commutes", body("bad", riderId="x"), "conflicting_fields", 400)
        self.refused("/v1/commutes", body("bad", maxShare=1), "conflicting_fields", 400)
        self.refused("/v1/commutes", body("bad", days=400), "bad_date", 400)
        self.refused("/v1/commutes", body("bad", destination=ORIGIN), "trip_too_short", 400)
        self.refused("/v1/commutes", body("bad", destination=MANHATTAN, origin=AIRPORT,
                                          tariffId="none"), "unknown_tariff", 404)
        self.refused("/v1/commutes/none", None, "unknown_commute", 404, method="GET")
        self.refused("/v1/commutes/none/update", {"localTime": "09:00"}, "unknown_commute", 404)
        self.refused("/v1/commutes?hostId=a&riderId=b", None, "conflicting_fields", 400,
                     method="GET")
        made = self.call("POST", "/v1/commutes", body("owner"))["commute"]
        self.refused(f"/v1/commutes/{made['id']}/update", {"riderId": "eve", "localTime": "09:00"},
                     "not_host", 409)
        self.refused(f"/v1/commutes/{made['id']}/join", {"riderId": "owner"}, "already_member", 409)
        self.refused(f"/v1/commutes/{made['id']}?days=401", None, "limit_out_of_range", 400,
                     method="GET")

    def test_an_update_takes_what_a_new_commute_takes(self):
        made = self.call("POST", "/v1/commutes", body(
            "changing", tags=["quiet"], agreedFare={"amount": 20000, "currency": "KRW"}))["commute"]
        path = f"/v1/commutes/{made['id']}/update"
        day = self.appeared(made["id"], 1)[0]
        elsewhere = {"name": "Jamsil", "latitude": 37.5133, "longitude": 127.1001}
        given = {"destination": elsewhere, "seats": 3, "hostSeats": 2, "maxWalkMeters": 250,
                 "maxDetourRatio": 0.5, "maxRideSeconds": 3600, "maxDetourSeconds": 600,
                 "minSharedRatio": 0.2, "policy": {"sameAttributes": ["gender"]},
                 "splitRule": "equal", "allowRaisedShares": True, "called": True,
                 "approval": "host", "holdSeats": True, "departureWindowSeconds": 300,
                 "agreedFare": {"amount": 24000, "currency": "KRW"}}
        changed = self.call("POST", path, {
            **given, "attributes": {"gender": "female"}, "arriveBy": soon(hours=8),
            "cleared": ["tags"], "includeAppeared": True})["commute"]
        self.assertEqual({name: changed[name] for name in given}, given)
        self.assertEqual(changed["tags"], [])
        self.assertEqual(changed["arriveBy"], soon(hours=8))
        anew = self.appeared(made["id"], 1)[0]
        self.assertNotEqual(anew["partyId"], day["partyId"])
        party = self.call("GET", f"/v1/parties/{anew['partyId']}")["party"]
        self.assertEqual((party["destination"]["name"], party["seats"], party["splitRule"],
                          party["agreedFare"]["amount"]), ("Jamsil", 3, "equal", 24000))
        # Twice is once, and what is cleared is as though it had never been given.
        again = self.call("POST", path, given)["commute"]
        self.assertEqual(again["version"], self.call(
            "GET", f"/v1/commutes/{made['id']}")["commute"]["version"])
        plain = self.call("POST", path, {"arriveBy": "", "cleared": [
            "agreedFare", "approval", "holdSeats", "policy", "minSharedRatio"]})["commute"]
        for name in ("agreedFare", "approval", "holdSeats", "policy", "minSharedRatio", "arriveBy"):
            self.assertNotIn(name, plain)
        self.refused(path, {"maxShare": 100}, "conflicting_fields", 400)
        self.refused(path, {"maxShare": 100, "called": True}, "conflicting_fields", 400)
        self.refused(path, {"seats": 3, "cleared": ["seats"]}, "conflicting_fields", 400)
        self.refused(path, {"cleared": ["origin"]}, "bad_value", 400)
        self.refused(path, {"cleared": ["attributes"]}, "bad_value", 400)
        self.refused(path, {"cleared": ["tags"] * 40}, "too_many_items", 400)
        self.refused(path, {"destination": ORIGIN}, "trip_too_short", 400)
        self.refused(path, {"seats": 99}, "limit_out_of_range", 400)
        self.refused(path, {"splitRule": "mine"}, "bad_value", 400)
        self.refused(path, {"arriveBy": "25:00"}, "bad_local_time", 400)

    def test_an_update_of_a_request_that_repeats(self):
        given = body("-")
        del given["hostId"]
        made = self.call("POST", "/v1/commutes", {**given, "riderId": "asks"})["commute"]
        path = f"/v1/commutes/{made['id']}/update"
        board = {"name": "Hapjeong", "latitude": 37.5495, "longitude": 126.9139}
        changed = self.call("POST", path, {"riderId": "asks", "maxShare": 7000, "seats": 2,
                                           "boarding": board, "maxWalkMeters": 300})["commute"]
        self.assertEqual((changed["maxShare"], changed["seats"], changed["boarding"],
                          changed["maxWalkMeters"]), (7000, 2, board, 300))
        plain = self.call("POST", path, {"cleared": ["maxShare", "boarding", "seats"]})["commute"]
        self.assertNotIn("maxShare", plain)
        self.assertNotIn("boarding", plain)
        self.assertEqual(plain["seats"], 1)
        self.refused(path, {"splitRule": "equal"}, "conflicting_fields", 400)
        self.refused(path, {"maxShare": -1}, "amount_out_of_range", 400)
        self.refused(path, {"seats": 0}, "limit_out_of_range", 400)
        self.refused(path, {"maxWalkMeters": -1}, "bad_value", 400)
        self.refused(path, {"boarding": DESTINATION}, "trip_too_short", 400)

    def test_a_host_has_so_many(self):
        for n in range(20):
            self.call("POST", "/v1/commutes", body("many", days=60, weekdays=["SUN"], **{
                "from": (today() + datetime.timedelta(days=30)).isoformat()}))
        error = self.refused("/v1/commutes", body("many"), "quota_exceeded", 429)
        self.assertIn("20", error["message"])

    def test_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            def moyeo(*words):
                code, out, error = run(
                    "party", "commute", *words, "--url", self.daemon.url, "--json", name="moyeo",
                    cwd=folder)
                self.assertEqual(code, 0, error)
                return json.loads(out)

            last = (today() + datetime.timedelta(days=20)).isoformat()
            made = moyeo("create", "--host", "cli", "--from", "37.5551,126.9368", "--to",
                         "37.4979,127.0276", "--days", "MON,SUN", "--at", "07:45", "--zone",
                         "Asia/Seoul", "--until", last)["commute"]
            self.assertEqual(made["weekdays"], ["MON", "SUN"])
            joined = moyeo("join", made["id"], "--rider", "cli-rider")["commute"]
            self.assertEqual(joined["riderCount"], 1)
            shown = moyeo("show", made["id"], "--days", "2")["commute"]
            self.assertGreaterEqual(len(shown["occurrences"]), 2)
            self.assertEqual(len(moyeo("list", "--host", "cli")["commutes"]), 1)
            changed = moyeo("update", made["id"], "--at", "08:00", "--rider", "cli")["commute"]
            self.assertEqual(changed["localTime"], "08:00")
            changed = moyeo("update", made["id"], "--to", "37.5133,127.1001", "--to-name", "Jamsil",
                            "--seats", "3", "--split", "equal", "--arrive-by", "09:30",
                            "--agreed-fare", "24000", "--currency", "KRW")["commute"]
            self.assertEqual((changed["destination"]["name"], changed["seats"],
                              changed["splitRule"], changed["arriveBy"],
                              changed["agreedFare"]["amount"]),
                             ("Jamsil", 3, "equal", "09:30", 24000))
            changed = moyeo("update", made["id"], "--cleared", "agreedFare,seats")["commute"]
            self.assertNotIn("agreedFare", changed)
            moyeo("leave", made["id"], "--rider", "cli-rider")
            self.assertEqual(moyeo("cancel", made["id"])["commute"]["state"], "cancelled")
            code, out, _ = run("party", "commute", "show", made["id"], "--url", self.daemon.url,
                               name="moyeo", cwd=folder)
            self.assertEqual(code, 0)
            self.assertIn("cancelled", out)


class People(unittest.TestCase):
    """With tokens: who may say what, and who sees whom."""

    def test_people_act_for_themselves_and_strangers_see_no_names(self):
        signer = tokens.Signer("one")
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "jwks.json"
            keys.write_text(tokens.key_set(signer))
            with Daemon("--resources", str(ROOT), env=tokens.settings(keys)) as daemon:
                def ask(name, method, path, given=None, **claims):
                    return daemon.request(
                        method, path, given, tokens.bearer(signer.token(name, **claims)))[:2]

                given = body("ann")
                del given["hostId"]
                status, answer = ask("ann", "POST", "/v1/commutes", given)
                self.assertEqual(status, 200, answer)
                commute = answer["commute"]
                self.assertEqual(commute["hostId"], "ann")
                path = f"/v1/commutes/{commute['id']}"
                status, answer = ask("ben", "POST", f"{path}/join", {})
                self.assertEqual((status, answer["commute"]["riders"][0]["riderId"]), (200, "ben"))
                status, answer = ask("ann", "POST", f"{path}/update",
                                     {"attributes": {"gender": "male"}})
                self.assertEqual((status, answer["error"]["reason"]), (403, "attribute_protected"))
                for name, names in (("ann", ["ben"]), ("ben", ["ben"]), ("eve", [])):
                    seen = ask(name, "GET", path)[1]["commute"]
                    self.assertEqual([one["riderId"] for one in seen["riders"]], names)
                    self.assertEqual((seen.get("hostId"), seen["riderCount"]),
                                     ("ann" if names else None, 1))
                for method, where, given, reason in (
                        ("POST", f"{path}/join", {"riderId": "ann"}, "forbidden"),
                        ("POST", f"{path}/update", {"localTime": "09:00"}, "not_host"),
                        ("POST", f"{path}/cancel", {}, "not_host"),
                        ("POST", "/v1/commutes", body("ann"), "forbidden"),
                        ("GET", "/v1/commutes?hostId=ann", None, "forbidden")):
                    status, answer = ask("eve", method, where, given)
                    self.assertEqual(answer.get("error", {}).get("reason"), reason, answer)
                status, answer = ask("ann", "POST", f"{path}/cancel", {}, scope="read")
                self.assertEqual(status, 403, answer)
                # A request is its rider's alone.
                given = {**body("x"), "riderId": "ben"}
                del given["hostId"]
                status, answer = ask("ben", "POST", "/v1/commutes", given)
                self.assertEqual(status, 200, answer)
                own = f"/v1/commutes/{answer['commute']['id']}"
                self.assertEqual(ask("ben", "GET", own)[0], 200)
                status, answer = ask("eve", "GET", own)
                self.assertEqual((status, answer["error"]["reason"]), (404, "unknown_commute"))


class Killed(CommuteCase):
    """Killed at any moment, each day of each commute appears once, and none is lost."""

    HOSTS = 6
    ROUNDS = 4

    def test_each_day_appears_once_through_kill_9(self):
        with tempfile.TemporaryDirectory() as folder:
            directory = pathlib.Path(folder) / "data"
            made = []
            for turn in range(self.ROUNDS):
                daemon = Daemon("--resources", str(ROOT), directory=str(directory))
                try:
                    # A few at a time, killed while their days appear.
                    for n in range(self.HOSTS):
                        made.append(self.call(
                            "POST", "/v1/commutes", body(f"host-{turn}-{n}"),
                            daemon=daemon)["commute"]["id"])
                    killer = threading.Timer(0.02 * turn, daemon.kill)
                    killer.start()
                    killer.join()
                finally:
                    daemon.close()
            with Daemon("--resources", str(ROOT), directory=str(directory)) as daemon:
                for identifier in made:
                    days = self.appeared(identifier, 2, daemon)
                    self.assertEqual({day["state"] for day in days}, {"appeared"}, days)
                    self.assertEqual(len({day["date"] for day in days}), len(days))
                    self.assertEqual(len({day["partyId"] for day in days}), len(days))
                seen = {}
                after = 0
                while True:
                    page = self.call(
                        "GET", f"/v1/events?after={after}&kinds=party.created&limit=1000",
                        daemon=daemon)
                    if not page["events"]:
                        break
                    after = page["next"]
                    for event in page["events"]:
                        day = (event["body"]["commuteId"], event["body"]["departureTime"])
                        self.assertNotIn(day, seen)
                        seen[day] = event["partyId"]
                known = {day["partyId"] for identifier in made
                         for day in self.appeared(identifier, 2, daemon)}
                self.assertEqual(set(seen.values()), known)
                daemon.terminate()
            with sqlite3.connect(directory / "moyeo.sqlite") as record:
                count = record.execute("SELECT count(*) FROM parties").fetchone()[0]
                self.assertEqual(count, len(known))
                self.assertEqual(
                    record.execute("SELECT count(*) FROM commutes").fetchone()[0], len(made))


if __name__ == "__main__":
    unittest.main()
