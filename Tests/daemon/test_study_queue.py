"""The study-mate queue's app against a running moyeod: the bytes that Alamofire's form encoder sends,
both dialects, the whole story from joining to a penalty.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_study_queue.py
"""

import concurrent.futures
import time
import unittest
import urllib.parse

from running_daemon import ROOT, Daemon, run

GANGNAM = (37.4979, 127.0276)
# What clients compute for it in their several ways; never looked at.
REGION = "1274930702"
FORM = "application/x-www-form-urlencoded; charset=utf-8"
# What RFC 3986 leaves as it is, and what the encoder leaves beside it in a query.
UNESCAPED = "-._~?/"


def form(fields, brackets="none"):
    """A body as Alamofire's URLEncoding writes it: keys in order, everything else escaped; a list
    repeats its key, bare, with brackets, or with an index in them."""
    def quote(text):
        return urllib.parse.quote(str(text), safe=UNESCAPED)

    pairs = []
    for key in sorted(fields):
        value = fields[key]
        if isinstance(value, (list, tuple)):
            for i, one in enumerate(value):
                name = {"none": key, "empty": key + "[]", "index": f"{key}[{i}]"}[brackets]
                pairs.append((name, one))
        else:
            pairs.append((key, value))
    return "&".join(f"{quote(key)}={quote(value)}" for key, value in pairs)


class Client:
    """One person's phone. Older clients name tags `hf` and leave the version out of some paths."""

    def __init__(self, daemon, uid, older=False, brackets="none", version="/v1", token=None):
        self.daemon = daemon
        self.uid = uid
        self.older = older
        self.brackets = brackets
        self.version = version
        self.token = token or uid

    def call(self, method, path, fields=None, body=None, token=None):
        """(status, parsed body or text); calls without parameters carry `=`."""
        headers = {"idtoken": self.token if token is None else token}
        if fields is not None:
            body = form(fields, self.brackets)
        elif body is None:
            body = "="
        if method == "GET":
            path, body = f"{path}?{body}", None
        else:
            headers["Content-Type"] = FORM
        status, answer, _ = self.daemon.request(
            method, self.version + path, body, {k: v for k, v in headers.items() if v})
        return status, answer

    def join(self, tags=(), place=GANGNAM, **more):
        fields = {"lat": place[0], "long": place[1], **more}
        if self.older:
            fields = {"type": 2, "region": REGION, "hf": list(tags) or ["anything"], **fields}
        else:
            fields["studylist"] = list(tags) or ["anything"]
        return self.call("POST", "/queue", fields)[0]

    def leave(self):
        return self.call("DELETE", "/queue")[0]

    def search(self, place=GANGNAM):
        fields = {"lat": place[0], "long": place[1]}
        if self.older:
            fields["region"] = REGION
        status, answer = self.call(
            "POST", "/queue/onqueue" if self.older else "/queue/search", fields)
        assert status == 200, (status, answer)
        return answer

    def state(self):
        return self.call("GET", "/queue/myQueueState")

    def about(self, verb, other):
        word = {"ask": ("hobbyrequest", "studyrequest"), "accept": ("hobbyaccept", "studyaccept"),
                "dodge": ("dodge", "dodge")}[verb][0 if self.older else 1]
        return self.call("POST", f"/queue/{word}", {"otheruid": other})[0]

    def rate(self, other, reputation, comment):
        return self.call("POST", f"/queue/rate/{other}", {
            "otheruid": other, "reputation": reputation, "comment": comment})[0]


class StudyQueue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--adapters", "study-queue",
                            env={"MOYEO_SESSIONS_INTERVAL_SECONDS": "0"})
        cls.addClassCleanup(cls.daemon.__exit__)

    def person(self, uid, gender=1, nick=None, **more):
        """A phone whose profile the app's backend has reported."""
        self.daemon.report("users", [
            (uid, *GANGNAM, [], {"nick": nick or f"nick of {uid}", "gender": gender, "sesac": 3,
                                 "background": 2})])
        return Client(self.daemon, uid, **more)

    def uids(self, items):
        return [item["uid"] for item in items]

    def newest_event(self):
        status, answer, _ = self.daemon.request("GET", "/v1/events?after=0")
        self.assertEqual(status, 200, answer)
        return max([int(one["sequence"]) for one in answer["events"]], default=0)

    def story(self, place, **dialect):
        mark = f"{place[0]:.3f}"
        ann = self.person(f"ann{mark}", gender=0, nick="Ann", **dialect)
        ben = self.person(f"ben{mark}", nick="벤", **dialect)
        cat = self.person(f"cat{mark}", **dialect)
        self.assertEqual(ann.state()[0], 201)
        self.assertEqual(ann.join(["Swift", "수학"], place), 200)
        self.assertEqual(ann.state(), (200, {
            "dodged": 0, "matched": 0, "reviewed": 0, "matchedNick": "", "matchedUid": ""}))
        # Tags are compared without case; whoever waits for anything is found by all.
        self.assertEqual(ben.join(["sWIFT"], place), 200)
        self.assertEqual(cat.join([], place), 200)
        found = ann.search(place)
        self.assertEqual(sorted(found), ["fromQueueDB", "fromQueueDBRequested", "fromRecommend"])
        self.assertEqual(sorted(self.uids(found["fromQueueDB"])), [ben.uid, cat.uid])
        self.assertEqual(found["fromQueueDBRequested"], [])
        item = next(one for one in found["fromQueueDB"] if one["uid"] == ben.uid)
        self.assertEqual(
            sorted(item), ["background", "gender", "hf", "lat", "long", "nick", "reputation",
                           "reviews", "sesac", "studylist", "type", "uid"])
        self.assertEqual((item["nick"], item["gender"], item["type"], item["sesac"],
                          item["background"]), ("벤", 1, 2, 3, 2))
        self.assertEqual((item["studylist"], item["hf"], item["reviews"]), (["swift"],) * 2 + ([],))
        self.assertTrue(all(isinstance(one, int) for one in item["reputation"]))
        for name, value in (("lat", place[0]), ("long", place[1])):
            self.assertIsInstance(item[name], float)
            self.assertAlmostEqual(item[name], value, delta=0.05)
        anyone = next(one for one in found["fromQueueDB"] if one["uid"] == cat.uid)
        self.assertEqual(anyone["studylist"], ["anything"])

        # A request back answers 201 and matches nobody: the app then calls accept.
        self.assertEqual(ann.about("ask", ben.uid), 200)
        self.assertEqual(self.uids(ben.search(place)["fromQueueDBRequested"]), [ann.uid])
        self.assertEqual(ben.about("ask", ann.uid), 201)
        self.assertEqual(ben.state()[1]["matched"], 0)
        self.assertEqual(cat.about("ask", ann.uid), 200)
        self.assertEqual(ben.about("accept", ann.uid), 200)
        self.assertEqual(ann.state(), (200, {
            "dodged": 0, "matched": 1, "reviewed": 0, "matchedNick": "벤",
            "matchedUid": ben.uid}))
        # Nobody is in two matches, and a search ended by a match is not left by mistake.
        self.assertEqual(ann.about("accept", cat.uid), 203)
        self.assertEqual(cat.about("ask", ann.uid), 202)
        self.assertEqual(cat.about("accept", ann.uid), 201)
        self.assertEqual(ann.leave(), 201)
        self.assertEqual(ann.state()[1]["matchedUid"], ben.uid)

        self.assertEqual(ben.rate(ann.uid, [1, 0, 1, 0, 0, 1], "kind, & on time = 좋아요"), 200)
        self.assertEqual(ben.rate(ann.uid, [1, 0, 1, 0, 0, 1], "kind, & on time = 좋아요"), 200)
        self.assertEqual((ben.state()[1]["reviewed"], ben.state()[1]["matched"]), (1, 1))
        self.assertEqual(ann.join(["swift"], place), 200)
        seen = next(one for one in cat.search(place)["fromQueueDB"] if one["uid"] == ann.uid)
        self.assertEqual(seen["reviews"], ["kind, & on time = 좋아요"])
        self.assertEqual(seen["reputation"][:6], [1, 0, 1, 0, 0, 1])

        # Called off: the other one's chat learns it, and who did it waits a minute.
        self.assertEqual(cat.about("ask", ann.uid), 200)
        self.assertEqual(ann.about("accept", cat.uid), 200)
        self.assertEqual(cat.about("dodge", ben.uid), 201)
        self.assertEqual(cat.about("dodge", ann.uid), 200)
        self.assertEqual(cat.about("dodge", ann.uid), 200)
        self.assertEqual(ann.state(), (200, {
            "dodged": 1, "matched": 1, "reviewed": 0, "matchedNick": f"nick of {cat.uid}",
            "matchedUid": cat.uid}))
        self.assertEqual(cat.join([], place), 203)
        self.assertEqual(ann.join([], place), 200)
        self.assertEqual(ann.about("ask", cat.uid), 202)
        self.assertEqual((ann.leave(), ann.leave()), (200, 200))
        self.assertEqual(ann.state()[0], 201)

    def test_the_whole_story(self):
        self.story((35.00, 127.0276))

    def test_the_whole_story_with_brackets(self):
        self.story((35.10, 127.0276), brackets="empty")

    def test_the_whole_story_with_indices_in_brackets(self):
        self.story((35.20, 127.0276), brackets="index")

    def test_the_whole_story_in_the_older_dialect(self):
        self.story((35.30, 127.0276), older=True)

    def test_the_older_dialect_without_a_version_in_its_paths(self):
        self.story((35.40, 127.0276), older=True, version="")

    def test_one_tag_is_a_scalar_and_none_is_anything(self):
        place = (36.0, 127.0)
        one, none = self.person("scalar-one"), self.person("scalar-none")
        body = "lat=36.0&long=127.0&studylist="
        self.assertEqual(one.call("POST", "/queue", body=body + "swift")[0], 200)
        for rest in ("lat=36.0&long=127.0", body, body + "&studylist=swift&studylist=anything"):
            self.assertEqual(none.call("POST", "/queue", body=rest)[0], 200)
            item = one.search(place)["fromQueueDB"][0]
            self.assertEqual((item["uid"], item["studylist"]), ("scalar-none", ["anything"]))

    def test_where_somebody_looks_is_not_where_they_are(self):
        here, there = (36.1, 127.0), (36.2, 127.0)
        ann, ben, cat = (self.person(f"look-{name}") for name in ("ann", "ben", "cat"))
        self.assertEqual((ann.join([], here), ben.join([], here), cat.join([], there)), (200,) * 3)
        self.assertEqual(self.uids(ann.search(there)["fromQueueDB"]), ["look-cat"])
        # A look elsewhere has moved nobody.
        self.assertEqual(self.uids(ben.search(here)["fromQueueDB"]), ["look-ann"])

    def test_a_wish_for_a_gender_holds_both_ways(self):
        place = (36.3, 127.0)
        ann = self.person("wish-ann", gender=0, older=True)
        ben = self.person("wish-ben", gender=1, older=True)
        cat = self.person("wish-cat", gender=0, older=True)
        self.assertEqual(
            (ann.join([], place, type=0), ben.join([], place), cat.join([], place)), (200,) * 3)
        self.assertEqual(self.uids(ann.search(place)["fromQueueDB"]), ["wish-cat"])
        self.assertEqual(self.uids(ben.search(place)["fromQueueDB"]), ["wish-cat"])
        seen = [one for one in cat.search(place)["fromQueueDB"] if one["uid"] == "wish-ann"][0]
        self.assertEqual((seen["type"], seen["gender"]), (0, 0))

    def test_the_older_dialect_needs_a_gender(self):
        stranger = Client(self.daemon, "no-gender", older=True)
        self.assertEqual(stranger.join(), 206)
        self.assertEqual(stranger.state()[0], 201)
        stranger.older = False
        self.assertEqual(stranger.join(), 200)

    def test_three_reports_ban(self):
        bad = self.person("banned-one")
        self.assertEqual(bad.join(), 200)
        for name in ("r1", "r2", "r3"):
            status, answer, _ = self.daemon.request(
                "POST", f"/v1/tickets/{name}/report", {"otherId": "banned-one"})
            self.assertEqual(status, 200, answer)
        self.assertEqual(bad.join(), 201)
        self.assertEqual(bad.state()[0], 201)

    def test_who_is_not_registered(self):
        stranger = Client(self.daemon, "never-joined")
        for verb in ("ask", "accept"):
            self.assertEqual(stranger.about(verb, "somebody"), 406)
        self.assertEqual(stranger.leave(), 406)
        # Looking around comes before joining.
        self.assertEqual(self.uids(stranger.search((36.4, 127.0))["fromQueueDB"]), [])

    def test_a_search_and_a_poll_are_signs_of_life(self):
        with Daemon("--resources", str(ROOT), "--adapters", "study-queue",
                    env={"MOYEO_TICKETS_LEASE_SECONDS": "1",
                         "MOYEO_SESSIONS_INTERVAL_SECONDS": "0"}) as daemon:
            alive, quiet = Client(daemon, "alive"), Client(daemon, "quiet")
            self.assertEqual((alive.join(), quiet.join()), (200, 200))
            for sign in (alive.search, alive.state):
                end = time.monotonic() + 20
                while time.monotonic() < end:
                    sign()
                    # Asked by a third person, whose question is nobody's sign of life.
                    status, found, _ = daemon.request("POST", "/v1/tickets/search", {
                        "userId": "third",
                        "lookingAt": {"latitude": GANGNAM[0], "longitude": GANGNAM[1]}})
                    self.assertEqual(status, 200, found)
                    online = {one["userId"]: one["online"] for one in found["around"]}
                    self.assertTrue(online["alive"])
                    if not online["quiet"]:
                        break
                self.assertEqual(online, {"alive": True, "quiet": False})

    def test_a_superseded_search_has_the_newest_list(self):
        with Daemon("--resources", str(ROOT), "--adapters", "study-queue",
                    env={"MOYEO_SESSIONS_INTERVAL_SECONDS": "2"}) as daemon:
            here, there = (36.5, 127.0), (36.6, 127.0)
            near, far, me = (Client(daemon, f"sup-{name}") for name in ("near", "far", "me"))
            self.assertEqual((near.join([], here), far.join([], there)), (200, 200))
            me.search(here)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                older = pool.submit(me.search, here)
                while daemon.metric("moyeo_requests_total", operation="StudyQueueState") < 20:
                    near.state()
                newest = pool.submit(me.search, there)
                self.assertEqual(self.uids(newest.result()["fromQueueDB"]), ["sup-far"])
                self.assertEqual(older.result(), newest.result())

    def test_bad_input_gets_the_dialects_error_and_reaches_nothing(self):
        ann = self.person("bad-input")
        before = self.newest_event()
        refused = self.daemon.metric("moyeo_requests_total", operation="TicketOpen")
        place = "lat=37.5&long=127.0"
        bodies = [
            "", "=", "lat=37.5", "long=127", "lat=&long=", "lat=x&long=127.0", "lat=91&long=127",
            "lat=37.5&long=181", "lat=0&long=0", "lat=nan&long=127", "lat=0x10&long=127",
            "lat=37.5&lat=37.6&long=127", place + "&studylist=" + "x" * 9, place + "&type=3",
            place + "".join(f"&studylist=t{i}" for i in range(9)), place + "&studylist=%ff",
            place + "&studylist=%2", place + "&studylist=%zz", '{"lat": 37.5, "long": 127.0}',
            place + "&studylist=%00", place + "%00", place + "&a%00b=1", place + "&x=%c3%28",
            place + "&studylist=%ed%a0%80", place + "&lat[]=37.6", "[" * 60_000,
            place + "&" + "[" * 5000 + "=1&lat=1",
            place + "&=value", place + "".join(f"&studylist=t{i}" for i in range(10_000)),
        ]
        for body in bodies:
            status, answer = ann.call("POST", "/queue", body=body)
            self.assertEqual(status, 501, (body[:80], answer))
            self.assertTrue(answer["message"], body[:80])
        self.assertEqual(ann.call("POST", "/queue/search", body="lat=0&long=0")[0], 501)
        for path, body in (("/queue/studyrequest", "="), ("/queue/studyaccept", "otheruid="),
                           ("/queue/dodge", "otheruid=" + "x" * 129),
                           ("/queue/rate/bob", "otheruid=ann&reputation=1&comment="),
                           ("/queue/rate/bob", "otheruid=bob&reputation=many&comment="),
                           ("/queue/rate/bob", "reputation=1&comment=" + "x" * 501),
                           ("/queue/rate/bob", "&".join(["reputation=1"] * 17)),
                           ("/queue/rate/bob", "reputation=2")):
            self.assertEqual(ann.call("POST", path, body=body)[0], 501, path)
        status, answer, _ = self.daemon.request(
            "POST", "/v1/queue", place, {"idtoken": "bad-input", "Content-Type": "text/plain"})
        self.assertEqual((status, answer["reason"]), (501, "unsupported_media_type"))
        # 20 MiB with a length are refused before a byte of them, without one when too many came.
        huge = place + "&studylist=" + "x" * (20 << 20)
        self.assertEqual(ann.call("POST", "/queue", body=huge)[0], 501)
        link = self.daemon.connection()
        link.request("POST", "/v1/queue", body=iter([huge.encode()]), encode_chunked=True,
                     headers={"idtoken": "bad-input", "Content-Type": FORM,
                              "Transfer-Encoding": "chunked"})
        self.assertEqual(link.getresponse().status, 501)
        link.close()
        for method, path in (("GET", "/queue"), ("PUT", "/queue"), ("POST", "/queue/nothing"),
                             ("POST", "/queue/search/again"), ("GET", "/queue/%ff")):
            status, answer = ann.call(method, path)
            self.assertEqual((status, answer["reason"]), (501, "unknown_route"), path)
        self.assertEqual(self.newest_event(), before)
        self.assertEqual(ann.state()[0], 201)
        self.assertEqual(
            self.daemon.metric("moyeo_requests_total", operation="TicketOpen"), refused)
        self.assertGreater(
            self.daemon.metric("moyeo_refusals_total", operation="StudyQueueJoin"), len(bodies) - 2)

    def test_a_foreign_host_and_a_page_are_refused_in_the_dialect(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            status, answer, _ = self.daemon.request(
                "POST", "/v1/queue", "lat=37.5&long=127",
                {"idtoken": "x", "Content-Type": FORM, **headers})
            self.assertEqual((status, sorted(answer)), (501, ["message", "reason"]))

    def test_who_has_no_token(self):
        ann = Client(self.daemon, "no-token")
        for token in ("", "x" * 129):
            self.assertEqual(ann.call("GET", "/queue/myQueueState", token=token)[0], 401)


class ExpiringTokens(unittest.TestCase):
    """A token may expire in the middle of any call: 401 without an effect, then the same again."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--adapters", "study-queue",
                            env={"MOYEO_DIALECTS_DEVELOPMENT_TOKENS": "true",
                                 "MOYEO_SESSIONS_INTERVAL_SECONDS": "0"})
        cls.addClassCleanup(cls.daemon.__exit__)

    def events(self):
        """What happened; joining again only moves the end of the waiting."""
        return [one for one in self.daemon.request("GET", "/v1/events?after=0")[1]["events"]
                if not one["kind"].endswith(".updated")]

    def twice(self, client, method, path, fields=None):
        """Expired, refreshed, and once more because the answer was lost: one effect at most."""
        before = len(self.events())
        self.assertEqual(client.call(method, path, fields, token=f"{client.uid}~1")[0], 401)
        self.assertEqual(len(self.events()), before)
        answers = [client.call(method, path, fields)[0] for _ in range(2)]
        after = len(self.events())
        self.assertEqual(client.call(method, path, fields)[0], answers[0])
        self.assertEqual(len(self.events()), after)
        self.assertEqual(answers[0], answers[1], path)
        return answers[0]

    def test_each_write(self):
        ann, ben = (Client(self.daemon, name, token=f"{name}~99999999999999")
                    for name in ("ann", "ben"))
        here = {"lat": GANGNAM[0], "long": GANGNAM[1], "studylist": ["swift", "math"]}
        for client in (ann, ben):
            self.assertEqual(self.twice(client, "POST", "/queue", here), 200)
        self.assertEqual(self.twice(ann, "POST", "/queue/studyrequest", {"otheruid": "ben"}), 200)
        self.assertEqual(self.twice(ben, "POST", "/queue/studyaccept", {"otheruid": "ann"}), 200)
        self.assertEqual(self.twice(ben, "POST", "/queue/dodge", {"otheruid": "ann"}), 200)
        rating = {"otheruid": "ben", "reputation": [0, 1, 0], "comment": "gone"}
        self.assertEqual(self.twice(ann, "POST", "/queue/rate/ben", rating), 200)
        self.assertEqual(self.twice(ann, "POST", "/queue", here), 200)
        self.assertEqual(self.twice(ann, "DELETE", "/queue"), 200)
        self.assertEqual(ann.call("GET", "/queue/myQueueState", token="ann")[0], 401)


class Settings(unittest.TestCase):
    def test_without_the_adapter_its_paths_are_unknown(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            status, answer, _ = daemon.request(
                "POST", "/v1/queue", "lat=37.5&long=127", {"idtoken": "x", "Content-Type": FORM})
            self.assertEqual((status, answer["error"]["reason"]), (404, "unknown_route"))

    def test_adapters_that_cannot_be_are_usage_errors(self):
        for arguments, word in (
                (["--adapters", "study"], "study-queue"),
                (["--adapters", "study-queue,"], "knows"),
                (["--adapters", "study-queue,study-queue"], "twice"),
                (["--adapters", "study-queue", "--adapters", "study-queue"], "twice"),
                (["--adapters", "study-queue", "--host", "0.0.0.0"], "loopback"),
                (["--adapters", "study-queue", "--host", "127.evil.example"], "loopback")):
            code, _, error = run(*arguments, "--check-configuration")
            self.assertEqual(code, 2, error)
            self.assertIn(word, error)
        code, _, error = run("--adapters", "taxi-party", "--check-configuration",
                             env={"MOYEO_PARTIES_ENABLED": "false"})
        self.assertEqual(code, 2, error)
        code, _, error = run("--check-configuration", "--resources", str(ROOT),
                             env={"MOYEO_ADAPTERS": "study-queue,taxi-party,messenger"})
        self.assertEqual(code, 0, error)


if __name__ == "__main__":
    unittest.main()
