"""Places of a running moyeod: imported, found by name and by position, kept over a restart.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_places.py
"""

import json
import pathlib
import socket
import tempfile
import unicodedata
import unittest
import urllib.parse

from running_daemon import ROOT, Daemon, run

HERE = (37.5547, 126.9707)
ROWS = """\
번호,역명,주소,업종,위도,경도
1,서울역,서울특별시 중구 한강대로 405,지하철역,37.5547,126.9707
2,시청역,서울특별시 중구 세종대로 101,지하철역,37.5657,126.9769
3,동대문역사문화공원,을지로 279,지하철역,37.5651,127.0079
4,Gangnam Station Exit 2,,exit,37.4979,127.0276
5,1984,"잔다리로 1",café,37.5500,126.9200
"""


def search_path(**query):
    return "/v1/places/search?" + urllib.parse.urlencode(query)


class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.load(cls.daemon)

    @classmethod
    def load(cls, daemon):
        file = pathlib.Path(cls.folder.name, "stations.csv")
        file.write_text(ROWS)
        code, output, error = run(
            "import", str(file), "--layer", "places", "--id-column", "번호", "--name-column", "역명",
            "--url", daemon.url, name="moyeo")
        assert code == 0, output + error

    def found(self, daemon=None, **query):
        status, answer, _ = (daemon or self.daemon).request("GET", search_path(**query))
        self.assertEqual(status, 200, answer)
        return [place["id"] for place in answer["places"]]

    def test_imported_places_are_found_however_they_are_typed(self):
        for text, expected in [
            ("서울역", "1"), ("서울", "1"), ("서우", "1"), ("서울 역", "1"), ("ㅅㅇㅇ", "1"), ("ㅅㅊㅇ", "2"),
            (unicodedata.normalize("NFD", "서울역"), "1"), ("서울엮", "1"), ("동대문역사문화공언", "3"),
            ("동대역사문화공원", "3"), ("ㄷㄷㅁㅇㅅ", "3"), ("GANGNAM", "4"), ("exit gangnam", "4"),
            ("gangnam staton", "4"), ("한강대로 405", "1"), ("중구 시청", "2"), ("1984", "5"),
        ]:
            with self.subTest(text):
                self.assertEqual(self.found(q=text)[0], expected)
        self.assertEqual(self.found(q="없는장소이름"), [])

    def test_a_place_says_what_it_is(self):
        status, answer, _ = self.daemon.request(
            "GET", search_path(q="서울역", latitude=HERE[0], longitude=HERE[1]))
        self.assertEqual(status, 200)
        self.assertEqual(answer["places"][0], {
            "id": "1", "name": "서울역", "address": "서울특별시 중구 한강대로 405",
            "category": "지하철역", "latitude": HERE[0], "longitude": HERE[1], "distanceMeters": 0,
            "source": "own"})

    def test_names_by_place_nearest_first(self):
        status, answer, _ = self.daemon.request(
            "GET", "/v1/places/reverse?latitude=37.5600&longitude=126.9740&limit=3")
        self.assertEqual(status, 200)
        self.assertEqual([place["id"] for place in answer["places"]], ["1", "2", "3"])
        distances = [place["distanceMeters"] for place in answer["places"]]
        self.assertEqual(distances, sorted(distances))

    def test_the_command_line(self):
        place = ("place", "search", "ㅅㅇㅇ", "--near", f"{HERE[0]},{HERE[1]}")
        code, output, error = run(*place, "--url", self.daemon.url, name="moyeo")
        self.assertEqual(code, 0, error)
        self.assertIn("서울역", output)
        code, output, error = run(
            *place, "--json", "--grpc", self.daemon.grpc_address, name="moyeo")
        self.assertEqual(code, 0, error)
        self.assertEqual(json.loads(output)["places"][0]["id"], "1")
        code, output, error = run(
            "place", "reverse", "--at", f"{HERE[0]},{HERE[1]}", "--json", "--url",
            self.daemon.url, name="moyeo")
        self.assertEqual(code, 0, error)
        self.assertEqual([p["name"] for p in json.loads(output)["places"]], ["서울역"])
        # Usage, refused, unreachable.
        self.assertEqual(run("place", "search", name="moyeo")[0], 2)
        self.assertEqual(run("place", "search", "x", "--radius", "5", name="moyeo")[0], 2)
        code, _, error = run(
            "place", "search", "x", "--limit", "0", "--url", self.daemon.url, name="moyeo")
        self.assertEqual(code, 1)
        self.assertIn("limit", error)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
            self.assertEqual(run("place", "search", "x", "--url", nobody, name="moyeo")[0], 3)

    def test_bad_requests_are_named(self):
        for query, reason, field in [
            ("", "missing_field", "q"), ("q=", "missing_field", "q"), ("q=%00", "bad_value", "q"),
            ("q=%00%00", "bad_value", "q"), ("q=+-+", "bad_value", "q"),
            ("q=" + "x" * 10_000, "bad_value", "q"),
            ("q=" + "%EA%B0%80" * 10_000, None, None),
            ("q=x&limit=0", "limit_out_of_range", "limit"),
            ("q=x&limit=-5", "limit_out_of_range", "limit"),
            ("q=x&limit=1001", "limit_out_of_range", "limit"),
            ("q=x&limit=x", "malformed_request", None), ("q=%FF%FE", "malformed_request", None),
            ("q=%EC%84", "malformed_request", None), ("q=%zz", "malformed_request", None),
            ("q=x&latitude=NaN&longitude=1", None, None),
            ("q=x&latitude=37", "missing_field", "longitude"),
            ("q=x&latitude=37&longitude=181", "longitude_out_of_range", "longitude"),
            ("q=x&radiusMeters=10", "missing_field", "latitude"),
            ("q=x&q=y", None, None), ("q=x&near=1", "unknown_field", "near"),
        ]:
            with self.subTest(query[:40]):
                status, answer, _ = self.daemon.request("GET", "/v1/places/search?" + query)
                self.assertIn(status, (400, 413, 414, 431), answer)
                error = answer["error"]
                if reason:
                    self.assertEqual(error["reason"], reason, error)
                    self.assertTrue(error["message"])
                if field:
                    self.assertEqual([one["field"] for one in error["fields"]], [field])
        # A sign that parts words is no mistake.
        self.assertEqual(self.found(q="서울\0역"), ["1"])
        self.assertTrue(self.daemon.is_running)

    def test_the_text_index_follows_the_layer(self):
        daemon = self.daemon
        daemon.report("places", [("f", 37.51, 127.05, [], {"name": "봉은사역"})])
        self.assertEqual(self.found(q="ㅂㅇㅅㅇ"), ["f"])
        daemon.report("places", [("f", 37.51, 127.05, [], {"name": "삼성역"})])
        self.assertEqual(self.found(q="봉은사역"), [])
        self.assertEqual(self.found(q="삼성"), ["f"])
        self.assertEqual(daemon.request("DELETE", "/v1/layers/places/positions/f")[0], 200)
        self.assertEqual(self.found(q="삼성역"), [])

    def test_places_outlive_a_restart(self):
        daemon = Daemon("--resources", str(ROOT))
        self.addCleanup(daemon.close)
        self.load(daemon)
        daemon.report("places", [("gone", 37.5, 127.0, [], {"name": "사라진 역"})])
        self.assertEqual(daemon.request("DELETE", "/v1/layers/places/positions/gone")[0], 200)
        self.assertEqual(daemon.terminate(), 0)
        daemon.start()
        # Ready means that the text index is filled.
        self.assertEqual(self.found(daemon, q="ㅅㅇㅇ", limit=1), ["1"])
        self.assertEqual(self.found(daemon, q="사라진 역"), [])
        self.assertEqual(self.found(daemon, q="gangnm station"), ["4"])

    def test_the_demo_has_its_stations(self):
        daemon = Daemon(
            "--demo", "seoul", "--resources", str(ROOT),
            env={"MOYEO_DEMO_USERS": "200", "MOYEO_DEMO_PARTIES": "5", "MOYEO_DEMO_TICKETS": "5"})
        self.addCleanup(daemon.close)
        for text in ("강남역", "ㄱㄴㅇ", "gangnam station", "gangnam"):
            status, answer, _ = daemon.request("GET", search_path(q=text))
            self.assertEqual((status, answer["places"][0]["name"]), (200, "강남역"), answer)
        # One consonant wrong: the whole name of three syllables comes before longer ones.
        self.assertIn("서울역", [place["name"] for place in daemon.request(
            "GET", search_path(q="ㅅㅇㅅ"))[1]["places"]])

    def test_a_provider_that_is_gone_costs_no_answer(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            daemon = Daemon(
                "--resources", str(ROOT),
                env={"MOYEO_PLACES_PROVIDER": "photon",
                     "MOYEO_PLACES_URL": f"http://127.0.0.1:{taken.getsockname()[1]}"})
            self.addCleanup(daemon.close)
            self.load(daemon)
            self.assertEqual(self.found(daemon, q="서울역"), ["1"])
            self.assertGreater(daemon.metric("moyeo_place_provider_failures_total"), 0)

    def test_settings_are_checked(self):
        for key, value in [
            ("MOYEO_PLACES_PROVIDER", "google"), ("MOYEO_PLACES_PROVIDER", "kakao"),
            ("MOYEO_PLACES_LAYERS", "Not a layer"), ("MOYEO_PLACES_TIMEOUT_MILLISECONDS", "0"),
        ]:
            with self.subTest(f"{key}={value}"):
                code, _, error = run("--check-configuration", env={key: value})
                self.assertEqual(code, 2, error)
                self.assertIn("places.", error)


if __name__ == "__main__":
    unittest.main()
