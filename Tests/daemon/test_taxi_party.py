"""The taxi-party app against a running moyeod: what its client sends and decodes, from a party to the
fifth who is refused.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_taxi_party.py
"""

import concurrent.futures
import datetime
import json
import tempfile
import unittest
import urllib.parse

from running_daemon import ROOT, Daemon

STATION = ("서울역, 1번 출구", 126.9707, 37.5547)
GANGNAM = ("강남역, \"11번\" 출구", 127.0276, 37.4979)
SEOUL = datetime.timezone(datetime.timedelta(hours=9))
KEY = {"SesacKey": "key-of-the-app"}
FOR_EVER = "99999999999999"


def text(place):
    name, longitude, latitude = place
    return f"{name},{longitude},{latitude}"


def departure(minutes=60, hour=None):
    moment = datetime.datetime.now(SEOUL) + datetime.timedelta(minutes=minutes)
    if hour is not None:
        moment = (moment + datetime.timedelta(days=1)).replace(hour=hour, minute=30)
    return moment.strftime("%Y-%m-%d %H:%M:%S %z")


def post(minutes=60, people="4", title="together", **more):
    return {"title": title, "content": text(STATION), "content1": text(GANGNAM),
            "content2": people, "content3": departure(minutes), "product_id": "taxi_party", **more}


class Client:
    """A phone whose interceptor, like the app's, refreshes on 419 and repeats the call."""

    def __init__(self, daemon, user, key=True, tokens=False):
        self.daemon = daemon
        self.user = user
        self.key = KEY if key else {}
        self.tokens = tokens
        self.token = f"{user}~{FOR_EVER}" if tokens else user
        self.refreshed = 0

    def send(self, method, path, body=None, headers=None, raw=None):
        given = {"Authorization": self.token, **self.key, **(headers or {})}
        if body is not None or raw is not None:
            given.setdefault("Content-Type", "application/json")
        status, answer, found = self.daemon.request(
            method, path, json.dumps(body) if body is not None else raw,
            {name: value for name, value in given.items() if value is not None})
        return status, answer, found

    def call(self, method, path, body=None):
        status, answer, _ = self.send(method, path, body)
        if status == 419 and self.tokens:
            self.token = f"{self.user}~{FOR_EVER}"
            self.refreshed += 1
            status, answer, _ = self.send(method, path, body)
        return status, answer

    def expire(self):
        self.token = f"{self.user}~1"

    def create(self, **more):
        status, answer = self.call("POST", "/v1/posts", post(**more))
        assert status == 200, (status, answer)
        return answer

    def like(self, post_id, wants=True):
        return self.call("POST", f"/v1/posts/{post_id}/like", {"like_status": wants})


class TaxiParty(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(
            "--resources", str(ROOT), "--adapters", "taxi-party",
            env={"MOYEO_DIALECTS_SERVICE_KEY": KEY["SesacKey"]})
        cls.addClassCleanup(cls.daemon.__exit__)

    def client(self, user):
        return Client(self.daemon, user)

    def events(self):
        return self.daemon.request("GET", "/v1/events?after=0")[1]["events"]

    def parties_on_the_map(self, version=""):
        """Clusters follow the parties; `version` says how far they must have come."""
        status, answer, _ = self.daemon.request(
            "GET", "/v1/layers/parties/clusters?west=126.9&south=37.5&east=127.0&north=37.6&zoom=16"
            + (f"&minVersion={urllib.parse.quote(version)}" if version else ""))
        self.assertEqual(status, 200, answer)
        return sum(one["pointCount"] for one in answer["clusters"])

    def test_the_whole_story(self):
        self.daemon.report("users", [
            ("host", 37.5, 127.0, [], {"nick": "Hana", "profileImage": "/img/hana.png"})])
        host = self.client("host")
        before = self.daemon.request(
            "GET", "/v1/parties?hostId=host")[1]["version"]
        on_the_map = self.parties_on_the_map(before)
        made = host.create(title="공항 가실 분")
        self.assertEqual(sorted(made), [
            "content", "content1", "content2", "content3", "createdAt", "creator", "likes",
            "post_id", "product_id", "title"])
        self.assertEqual((made["title"], made["content"], made["content1"], made["content2"]),
                         ("공항 가실 분", text(STATION), text(GANGNAM), "4"))
        self.assertEqual((made["product_id"], made["likes"]), ("taxi_party", []))
        self.assertEqual(made["creator"], {
            "user_id": "host", "nick": "Hana", "profileImage": "/img/hana.png"})
        datetime.datetime.strptime(made["content3"], "%Y-%m-%d %H:%M:%S %z")
        datetime.datetime.fromisoformat(made["createdAt"].replace("Z", "+00:00"))
        # The same party on the service's own map.
        answer = self.daemon.request("GET", f"/v1/parties/{made['post_id']}")[1]
        self.assertEqual(self.parties_on_the_map(answer["version"]), on_the_map + 1)
        party = answer["party"]
        self.assertEqual((party["hostId"], party["origin"]["name"]), ("host", STATION[0]))

        # Seats are sold once: three likes, and the fifth person is refused with a reason.
        riders = [self.client(f"rider-{i}") for i in range(4)]
        self.assertEqual(riders[0].like(made["post_id"]), (200, {"like_status": True}))
        self.assertEqual(riders[0].like(made["post_id"]), (200, {"like_status": True}))
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            rest = list(pool.map(lambda one: one.like(made["post_id"]), riders[1:]))
        self.assertEqual(sorted(status for status, _ in rest), [200, 200, 409])
        refused = next(answer for status, answer in rest if status == 409)
        self.assertEqual(refused["reason"], "party_full")
        self.assertTrue(refused["message"])
        status, seen = host.call("GET", f"/v1/posts/{made['post_id']}")
        self.assertEqual((status, len(seen["likes"]), "host" in seen["likes"]), (200, 3, False))
        mine = riders[0].call("GET", "/v1/posts/likes/me")[1]
        self.assertEqual(([one["post_id"] for one in mine["data"]], mine["next_cursor"]),
                         ([made["post_id"]], "0"))
        self.assertEqual(host.call("GET", "/v1/posts/likes/me")[1]["data"], [])
        hosted = riders[0].call("GET", "/v1/posts/users/host")[1]["data"]
        self.assertEqual([one["post_id"] for one in hosted], [made["post_id"]])

        # A double tap leaves and stays away; the seat is free again.
        self.assertEqual(riders[0].like(made["post_id"], False), (200, {"like_status": False}))
        self.assertEqual(riders[0].like(made["post_id"], False), (200, {"like_status": False}))
        left = next(one for one in riders[1:] if one.user not in seen["likes"])
        self.assertEqual(left.like(made["post_id"])[0], 200)
        # The host is the creator; neither like of theirs moves a seat.
        self.assertEqual(host.like(made["post_id"]), (200, {"like_status": True}))
        status, answer = host.like(made["post_id"], False)
        self.assertEqual((status, answer["reason"]), (409, "host_not_removable"))
        self.assertEqual(len(host.call("GET", f"/v1/posts/{made['post_id']}")[1]["likes"]), 3)
        # The host leaves by the service's own call: the post stays what it was, another's by now.
        status, answer, _ = self.daemon.request(
            "POST", f"/v1/parties/{made['post_id']}/leave", {"riderId": "host"})
        self.assertEqual(status, 200, answer)
        status, kept = riders[1].call("GET", f"/v1/posts/{made['post_id']}")
        self.assertEqual(
            (status, kept["title"], kept["product_id"], kept["content3"], len(kept["likes"])),
            (200, made["title"], made["product_id"], made["content3"], 2))
        self.assertNotEqual(kept["creator"]["user_id"], "host")

    def test_lists_are_paged_by_distance_and_end_with_zero(self):
        there = 37.45
        names = []
        for i in range(5):
            start = text((f"p{i}", 126.8, there + i / 1000))
            names.append(self.client(f"pager-{i}").create(
                minutes=120, content=start, product_id="paging")["post_id"])
        one = self.client("reader")
        query = f"category=paging&longitude=126.8&latitude={there}&maxDistance=2000&limit=2"
        found, cursor, pages = [], "", 0
        while cursor != "0":
            status, page = one.call(
                "GET", f"/v1/posts/geolocation?{query}&next={urllib.parse.quote(cursor)}"
                "&order_by=distance&sort_by=asc")
            self.assertEqual(status, 200, page)
            self.assertEqual(sorted(page), ["data", "next_cursor"])
            found += [one["post_id"] for one in page["data"]]
            cursor, pages = page["next_cursor"], pages + 1
        self.assertEqual((found, pages), (names, 3))
        near = one.call("GET", query.join(["/v1/posts/geolocation?", ""])
                        .replace("maxDistance=2000", "maxDistance=150"))[1]["data"]
        self.assertEqual([post["post_id"] for post in near], names[:2])
        everything = one.call("GET", "/v1/posts?product_id=paging&limit=500&next=")[1]
        self.assertEqual(sorted(post["post_id"] for post in everything["data"]), sorted(names))
        self.assertEqual(everything["next_cursor"], "0")
        self.assertEqual(one.call("GET", "/v1/posts?product_id=other")[1]["data"], [])
        self.assertEqual(one.call("GET", "/v1/posts?next=0")[1], {"data": [], "next_cursor": "0"})

    def test_a_superseded_list_is_the_newest_one(self):
        with Daemon("--resources", str(ROOT), "--adapters", "taxi-party",
                    env={"MOYEO_SESSIONS_INTERVAL_SECONDS": "2"}) as daemon:
            made = [Client(daemon, f"host-{i}").create(
                content=text(("start", 126.8, 37.4 + i / 10)))["post_id"] for i in range(2)]
            reader = Client(daemon, "reader")

            def nearby(i):
                status, answer = reader.call(
                    "GET", f"/v1/posts/geolocation?longitude=126.8&latitude={37.4 + i / 10}")
                self.assertEqual(status, 200, answer)
                return [one["post_id"] for one in answer["data"]]

            self.assertEqual(nearby(0), made[:1])
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                older = pool.submit(nearby, 0)
                while daemon.metric("moyeo_requests_total", operation="TaxiPartyGet") < 20:
                    reader.call("GET", f"/v1/posts/{made[0]}")
                newest = pool.submit(nearby, 1)
                self.assertEqual((newest.result(), older.result()), (made[1:], made[1:]))

    def test_a_fare_is_that_of_its_departure(self):
        start, goal = f"{STATION[1]},{STATION[2]}", f"{GANGNAM[1]},{GANGNAM[2]}"

        def driving(when=None, **more):
            query = {"start": start, "goal": goal, "option": "trafast", **more}
            if when:
                query["departureTime"] = when
            return self.daemon.request(
                "GET", "/map-direction/v1/driving?" + urllib.parse.urlencode(query))

        def fare(when):
            day = (datetime.datetime.now(SEOUL) + datetime.timedelta(days=1)).strftime("%Y-%m-%d")
            status, answer, _ = driving(f"{day} {when} +0900")
            self.assertEqual(status, 200, answer)
            return answer["route"]["trafast"][0]["summary"]["taxiFare"]

        status, answer, _ = driving()
        self.assertEqual(status, 200, answer)
        self.assertTrue(answer["message"])
        route = answer["route"]["trafast"][0]
        summary = route["summary"]
        self.assertEqual(summary["start"]["location"], [STATION[1], STATION[2]])
        self.assertEqual(summary["goal"]["location"], [GANGNAM[1], GANGNAM[2]])
        self.assertTrue(8_000 < summary["distance"] < 25_000)
        self.assertTrue(600_000 < summary["duration"] < 5_400_000)
        self.assertTrue(all(isinstance(summary[name], int)
                            for name in ("distance", "duration", "taxiFare")))
        (west, south), (east, north) = summary["bbox"]
        self.assertTrue(len(route["path"]) >= 2)
        for longitude, latitude in route["path"]:
            self.assertTrue(west <= longitude <= east and south <= latitude <= north)
        # The party at 23:30 pays the night's surcharge, whenever it is looked at.
        self.assertGreater(fare("23:30:00"), fare("14:00:00"))
        # And the fare is that of the service's own call.
        when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2)
        estimate = self.daemon.request("POST", "/v1/fares/estimate", {
            "origin": {"latitude": STATION[2], "longitude": STATION[1]},
            "destination": {"latitude": GANGNAM[2], "longitude": GANGNAM[1]},
            "departureTime": when.strftime("%Y-%m-%dT%H:%M:%SZ")})[1]["fare"]
        same = driving(when.strftime("%Y-%m-%dT%H:%M:%SZ"))[1]["route"]["trafast"][0]["summary"]
        self.assertEqual((same["taxiFare"], same["distance"]),
                         (estimate["expected"], round(estimate["distanceMeters"])))

        status, answer, _ = driving(goal=start)
        self.assertEqual((status, answer["code"], answer["reason"]), (400, 1, "trip_too_short"))
        for query in ({"goal": "127.0"}, {"goal": "37.5,127.0"}, {"goal": "0,0"},
                      {"option": "fastest"}, {"departureTime": "soon"}, {"start": ""}):
            status, answer, _ = driving(**query)
            self.assertEqual(status, 400, (query, answer))
            self.assertTrue(answer["message"])

    def test_a_party_from_names_of_places(self):
        """The app asks for both ends by name, shows the picked point's address, then creates."""
        self.daemon.report("places", [
            ("p-seoul", 37.5547, 126.9707, [], {
                "name": "서울역", "address": "서울특별시 용산구 동자동 43-205"}),
            ("p-gangnam", 37.4979, 127.0276, [], {
                "name": "강남역", "address": "서울특별시 강남구 역삼동 858"})])

        def asked(path, status=200, **query):
            got, answer, _ = self.daemon.request(
                "GET", f"{path}?{urllib.parse.urlencode(query)}", headers={
                    "Authorization": "KakaoAK of-the-provider"})
            self.assertEqual(got, status, answer)
            return answer

        ends = []
        for name in ("서울역", "강남"):
            address = asked("/map-geocode/v2/geocode", query=name)["addresses"][0]
            self.assertIsInstance(address["x"], str)
            ends.append((name, address["x"], address["y"]))
        self.assertEqual(ends[0][1:], ("126.9707", "37.5547"))
        document, meta = (lambda one: (one["documents"][0], one["meta"]))(
            asked("/v2/local/search/keyword", query="ㅅㅇㅇ"))
        self.assertEqual((document["place_name"], document["address_name"]),
                         ("서울역", "서울특별시 용산구 동자동 43-205"))
        self.assertIn("road_address_name", document)
        self.assertEqual((meta["is_end"], meta["pageable_count"]), (True, 1))
        result = asked("/map-reversegeocode/v2/gc", coords="126.9708,37.5546")["results"][0]
        region, land = result["region"], result["land"]
        self.assertEqual([region[f"area{i}"]["name"] for i in range(1, 5)],
                         ["서울특별시", "용산구", "동자동", ""])
        self.assertEqual(region["area1"]["alias"], "서울")
        self.assertEqual((land["number1"], land["number2"], land["addition0"]["value"]),
                         ("43", "205", "서울역"))
        self.assertEqual(asked("/map-geocode/v2/geocode", query="없는 곳")["addresses"], [])
        asked("/map-geocode/v2/geocode", 400)
        asked("/map-geocode/v2/geocode", 400, query="x" * 257)
        asked("/map-reversegeocode/v2/gc", 400, coords="37.5,127.0")
        made = self.client("by-name").create(
            minutes=500, content=text(ends[0]), content1=text(ends[1]))
        self.assertEqual((made["content"], made["content1"]), (text(ends[0]), text(ends[1])))

    def test_the_answers_that_the_interceptor_knows(self):
        ann = self.client("errors-ann")

        def answered(status, method, path, body=None, **headers):
            got, answer, _ = ann.send(method, path, body, headers)
            self.assertEqual(got, status, answer)
            self.assertTrue(answer["message"])
            return answer["reason"]

        self.assertEqual(answered(420, "GET", "/v1/posts", SesacKey="other"), "forbidden")
        self.assertEqual(answered(420, "GET", "/v1/posts", SesacKey=None), "forbidden")
        self.assertEqual(
            answered(401, "GET", "/v1/posts", Authorization=None), "unauthenticated")
        self.assertEqual(
            answered(401, "GET", "/v1/posts", Authorization="x" * 129), "unauthenticated")
        for method, path in (("GET", "/v1/posts/a/b"), ("DELETE", "/v1/posts/a"),
                             ("PUT", "/v1/posts"), ("POST", "/v1/posts/geolocation"),
                             ("GET", "/map-direction/v2/driving"), ("GET", "/v2/local/nothing"),
                             ("GET", "/v1/posts/")):
            self.assertEqual(answered(444, method, path), "unknown_route", path)
        self.assertEqual(answered(404, "GET", "/v1/posts/nothing"), "unknown_party")
        self.assertEqual(
            answered(404, "POST", "/v1/posts/nothing/like", {"like_status": True}),
            "unknown_party")
        host = self.client("errors-host")
        made = host.create(minutes=200)
        self.assertEqual(ann.like(made["post_id"])[0], 200)
        self.assertEqual(
            answered(409, "POST", "/v1/posts", post(minutes=200)), "overlapping_party")
        self.assertEqual(
            answered(409, "POST", "/v1/posts", post(minutes=-60)), "departure_in_past")

    def test_bad_input_gets_the_dialects_error_and_reaches_nothing(self):
        ann = self.client("bad-ann")
        made = self.client("bad-host").create(minutes=300)
        before = len(self.events())
        good = post(minutes=300)
        bad = [{name: value for name, value in good.items() if name != missing}
               for missing in ("content", "content1", "content2", "content3")]
        bad += [{**good, **wrong} for wrong in (
            {"content": "nowhere"}, {"content": "a,0,0"}, {"content": "a,37.5,127.0"},
            {"content1": text(STATION)}, {"content2": "1"}, {"content2": "5"},
            {"content2": "many"}, {"content3": "soon"}, {"content3": "2026-11-22"},
            {"content": ["a", 1, 2]}, {"title": "x" * 257}, {"title": {"a": 1}},
            {"product_id": "x" * 65}, {"title": "nothing\0more"},
            {"content": "a\0b,126.9707,37.5547"}, {"product_id": "taxi\0"})]
        for body in bad:
            status, answer, _ = ann.send("POST", "/v1/posts", body)
            self.assertEqual(status, 400, (body, answer))
            self.assertTrue(answer["message"])
        for raw in ("", "{", "[]", "null", "\"text\"", "a=b", json.dumps(good)[:-1],
                    json.dumps({**good, "tags": ["t"] * 10_000})[:-1],
                    "[" * 60_000, '{"title":' * 6000, '{"title":' + "[" * 30_000,
                    json.dumps(good)[:-1] + ', "content2": "9"}', '{"title": "\\ud800"}'):
            self.assertEqual(ann.send("POST", "/v1/posts", raw=raw)[0], 400, raw[:40])
        self.assertEqual(ann.send("POST", "/v1/posts", raw=b"\xff\xfe{}".decode("latin-1"))[0], 400)
        status, _, _ = ann.send("POST", "/v1/posts", raw="title=a&content=b", headers={
            "Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(status, 400)
        for wrong in ({}, {"like_status": "yes"}, {"like_status": None}, {"like_status": [True]}):
            status, _, _ = ann.send("POST", f"/v1/posts/{made['post_id']}/like", wrong)
            self.assertEqual(status, 400, wrong)
        huge = json.dumps({**good, "title": "x" * (20 << 20)})
        status, answer, _ = ann.send("POST", "/v1/posts", raw=huge)
        self.assertEqual((status, answer["reason"]), (400, "request_too_large"))
        for query in ("limit=0", "limit=x", "next=nonsense", "product_id=%ff", "product_id=%zz",
                      "product_id=%00", "limit=1&x=%c3%28"):
            self.assertEqual(ann.send("GET", "/v1/posts?" + query)[0], 400, query)
        for query in ("", "longitude=127", "longitude=x&latitude=37", "longitude=0&latitude=0",
                      "longitude=127&latitude=37&maxDistance=-1",
                      "longitude=127&latitude=37&maxDistance=far"):
            self.assertEqual(ann.send("GET", "/v1/posts/geolocation?" + query)[0], 400, query)
        self.assertEqual(len(self.events()), before)

    def test_the_same_write_within_a_minute_is_one(self):
        ann = self.client("twice-ann")
        body = post(minutes=400)
        answers = [ann.call("POST", "/v1/posts", body) for _ in range(2)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers += pool.map(lambda _: ann.call("POST", "/v1/posts", body), range(4))
        self.assertEqual([status for status, _ in answers], [200] * 6)
        self.assertEqual(len({answer["post_id"] for _, answer in answers}), 1)
        # Another body, or another person with the same one, is another write.
        self.assertEqual(
            ann.call("POST", "/v1/posts", {**body, "title": "other"})[1]["reason"],
            "overlapping_party")
        other = self.client("twice-ben").call("POST", "/v1/posts", body)
        self.assertEqual(other[0], 200)
        self.assertNotEqual(other[1]["post_id"], answers[0][1]["post_id"])


class ExpiringTokens(unittest.TestCase):
    """An access token may expire in the middle of any call: 419 without an effect, a refresh, the
    same call again."""

    def test_each_write_has_one_effect(self):
        with Daemon("--resources", str(ROOT), "--adapters", "taxi-party",
                    env={"MOYEO_DIALECTS_DEVELOPMENT_TOKENS": "true"}) as daemon:
            def events():
                return [one["kind"] for one in
                        daemon.request("GET", "/v1/events?after=0")[1]["events"]]

            host, ann = (Client(daemon, name, tokens=True, key=False) for name in ("host", "ann"))
            body = post()
            host.expire()
            self.assertEqual(host.send("POST", "/v1/posts", body)[0], 419)
            self.assertEqual(events(), [])
            status, made = host.call("POST", "/v1/posts", body)
            self.assertEqual((status, host.refreshed), (200, 1))
            # The answer was lost on the way: the app, which sends no key, says it again.
            self.assertEqual(host.call("POST", "/v1/posts", body), (200, made))
            self.assertEqual(events(), ["party.created"])
            for wants in (True, False):
                before = events()
                ann.expire()
                path, like = f"/v1/posts/{made['post_id']}/like", {"like_status": wants}
                self.assertEqual(ann.send("POST", path, like)[0], 419)
                self.assertEqual(events(), before)
                self.assertEqual(ann.like(made["post_id"], wants), (200, like))
                after = events()
                self.assertEqual(ann.like(made["post_id"], wants), (200, like))
                self.assertEqual(events(), after)
                self.assertGreater(len(after), len(before))
            self.assertEqual(ann.refreshed, 2)
            ann.token = "ann~refresh"
            status, answer, _ = ann.send("GET", "/v1/posts")
            self.assertEqual((status, answer["reason"]), (418, "token_expired"))
            ann.token = "ann"
            self.assertEqual(ann.send("GET", "/v1/posts")[0], 401)

    def test_the_write_is_known_after_a_crash(self):
        with tempfile.TemporaryDirectory() as directory:
            daemon = Daemon("--resources", str(ROOT), "--adapters", "taxi-party",
                            directory=directory)
            with daemon:
                # The minute of the first arrival is in the key: not at its very end.
                body = post()
                second = datetime.datetime.now().second
                made = Client(daemon, "crash", key=False).call("POST", "/v1/posts", body)
                daemon.kill()
                daemon.start()
                again = Client(daemon, "crash", key=False).call("POST", "/v1/posts", body)
                if datetime.datetime.now().second >= second:
                    self.assertEqual(again, made)
                self.assertEqual(made[0], 200)


class Messenger(unittest.TestCase):
    def test_each_cause_has_its_code(self):
        with Daemon("--resources", str(ROOT), "--adapters", "messenger") as daemon:
            speaks = {"X-Moyeo-Dialect": "messenger"}

            def refused(method, path, body=None, **headers):
                status, answer, _ = daemon.request(method, path, body, {**speaks, **headers})
                self.assertTrue(answer["message"])
                return status, answer["errorCode"], answer["code"], answer["reason"]

            place = {"latitude": 37.5, "longitude": 127.0}
            self.assertEqual(refused("GET", "/v1/nothing"), (400, "E97", 97, "unknown_route"))
            self.assertEqual(refused("GET", "/v1/tickets"), (400, "E97", 97, "method_not_allowed"))
            self.assertEqual(
                refused("POST", "/v1/tickets", {"userId": "a"}), (400, "E11", 11, "missing_field"))
            self.assertEqual(
                refused("GET", "/v1/tickets/nobody"), (400, "E03", 3, "unknown_ticket"))
            self.assertEqual(
                refused("GET", "/v1/parties/nothing"), (400, "E13", 13, "unknown_party"))
            self.assertEqual(
                refused("GET", "/v1/parties/nothing", Host="evil.example"),
                (400, "E01", 1, "forbidden_host"))
            daemon.request("POST", "/v1/tickets", {"userId": "a", "here": place})
            self.assertEqual(
                refused("POST", "/v1/tickets/a/accept", {"otherId": "b"}),
                (400, "E15", 15, "other_gone"))
            huge = json.dumps({"userId": "x" * (20 << 20)})
            self.assertEqual(
                refused("POST", "/v1/tickets", huge, **{"Content-Type": "application/json"}),
                (400, "E11", 11, "request_too_large"))
            # Nobody else is spoken to like that.
            status, answer, _ = daemon.request("GET", "/v1/nothing")
            self.assertEqual((status, answer["error"]["reason"]), (404, "unknown_route"))

    def test_always(self):
        with Daemon("--resources", str(ROOT), "--adapters", "messenger",
                    env={"MOYEO_DIALECTS_MESSENGER_ALWAYS": "true"}) as daemon:
            status, answer, _ = daemon.request("GET", "/v1/nothing")
            self.assertEqual((status, answer["errorCode"]), (400, "E97"))


if __name__ == "__main__":
    unittest.main()
