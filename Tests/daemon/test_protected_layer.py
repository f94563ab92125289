"""A layer that is set to be protected: no read of a running moyeod tells where in a cell anybody is.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_protected_layer.py
"""

import json
import math
import pathlib
import random
import re
import struct
import tempfile
import unittest

import vector_tile
from running_daemon import Daemon, run

CELL = 250
MIDDLE = (37.5172, 127.0473)
BOX = "west=127.0&south=37.47&east=127.1&north=37.56"
# Two numbers that are told of the same place differ by less: 1e-6 degrees are 11 cm.
DEGREES = 2e-6


def near(latitude, longitude, north, east):
    """So many meters to the north and east of a place."""
    return (latitude + north / 111_195,
            longitude + east / (111_195 * math.cos(math.radians(latitude))))


def places_in(value):
    """All pairs of latitude and longitude in an answer, whatever it is made of."""
    if isinstance(value, dict):
        if "latitude" in value and "longitude" in value:
            yield value["latitude"], value["longitude"]
        if value.get("type") == "Point":
            yield value["coordinates"][1], value["coordinates"][0]
        for inner in value.values():
            yield from places_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from places_in(inner)


class ProtectedLayer(unittest.TestCase):
    """Forty people at places of their own in one neighbourhood, in a protected layer and in one that
    is not."""

    @classmethod
    def setUpClass(cls):
        settings = {"layers": {"people": {
            "protected": True, "protectedCellMeters": CELL, "protectedMaximumMeters": 2000,
            "protectedPeople": 5}}, "positions": {"writeBehindSeconds": 1}}
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(settings, file)
        cls.addClassCleanup(pathlib.Path(file.name).unlink)
        cls.daemon = Daemon("--config", file.name)
        cls.addClassCleanup(cls.daemon.__exit__)
        draws = random.Random(15)
        cls.exact = {
            f"p{i}": near(*MIDDLE, draws.uniform(-400, 400), draws.uniform(-400, 400))
            for i in range(40)}
        for layer in ("people", "open"):
            # Those who come first are shown in wide cells; all are there when they come again.
            for _ in range(2):
                cls.daemon.report(
                    layer, [(name, *place, ["swift"]) for name, place in cls.exact.items()],
                    ttl=3600)
        _, answer, _ = cls.daemon.request(
            "GET", f"/v1/layers/people/nearby?latitude={MIDDLE[0]}&longitude={MIDDLE[1]}&limit=1000")
        cls.shown = {hit["id"]: (hit["latitude"], hit["longitude"])
                     for hit in answer["hits"]}

    def get(self, path, **headers):
        status, answer, _ = self.daemon.request("GET", path, headers=headers)
        self.assertEqual(status, 200, answer)
        return answer

    def require_shown(self, places, count=1):
        """Each place is where somebody is shown, and so nobody's own."""
        places = list(places)
        self.assertGreaterEqual(len(places), count)
        allowed = set(self.shown.values())
        for latitude, longitude in places:
            self.assertTrue(
                any(abs(latitude - a) < DEGREES and abs(longitude - b) < DEGREES
                    for a, b in allowed), (latitude, longitude))

    def test_all_are_shown_at_a_few_points_that_are_not_theirs(self):
        self.assertEqual(set(self.shown), set(self.exact))
        # A field of 800 m has some twenty cells of 250 m, and half of them hold five people or fewer.
        self.assertLess(len(set(self.shown.values())), 25)
        for name, (latitude, longitude) in self.exact.items():
            shown = self.shown[name]
            self.assertGreater(abs(shown[0] - latitude) + abs(shown[1] - longitude), 1e-6, name)
        # The same people in a layer that is not protected: the test can tell.
        _, answer, _ = self.daemon.request(
            "GET", f"/v1/layers/open/nearby?latitude={MIDDLE[0]}&longitude={MIDDLE[1]}&limit=1000")
        for hit in answer["hits"]:
            self.assertAlmostEqual(hit["latitude"], self.exact[hit["id"]][0], 6)

    def test_nearby_and_its_distances(self):
        draws = random.Random(16)
        for _ in range(50):
            latitude, longitude = near(*MIDDLE, draws.uniform(-600, 600), draws.uniform(-600, 600))
            answer = self.get(
                f"/v1/layers/people/nearby?latitude={latitude}&longitude={longitude}&limit=1000")
            self.require_shown(places_in(answer["hits"]), 40)
            # Whoever is shown at one point is at one distance.
            told = {}
            for hit in answer["hits"]:
                point = hit["latitude"], hit["longitude"]
                self.assertEqual(told.setdefault(point, hit["distanceMeters"]),
                                 hit["distanceMeters"])

    def test_within_any_box_all_of_a_point_or_none(self):
        draws = random.Random(17)
        for _ in range(50):
            south, west = near(*MIDDLE, draws.uniform(-600, 0), draws.uniform(-600, 0))
            north, east = near(south, west, draws.uniform(10, 900), draws.uniform(10, 900))
            answer = self.get(
                f"/v1/layers/people/within?west={west}&south={south}&east={east}&north={north}"
                "&limit=1000")
            inside = {hit["id"] for hit in answer["hits"]}
            expected = {name for name, (a, b) in self.shown.items()
                        if south <= a <= north and west <= b <= east}
            self.assertEqual(inside, expected)
            self.require_shown(places_in(answer["hits"]), 0)

    def test_get(self):
        for name in self.exact:
            answer = self.get(f"/v1/layers/people/positions/{name}")
            self.assertEqual(len(list(places_in(answer))), 1, answer)
            self.require_shown(places_in(answer))

    def test_clusters_and_tiles(self):
        for zoom in range(0, 23):
            answer = self.get(f"/v1/layers/people/clusters?{BOX}&zoom={zoom}")
            for cluster in answer["clusters"]:
                if cluster.get("pointCount", 1) == 1:
                    self.require_shown(places_in(cluster))
        # Past the last zoom of clusters a feature stands where its people do.
        last = self.get(f"/v1/layers/people/clusters?{BOX}&zoom=22")["clusters"]
        self.assertEqual(len(last), len(set(self.shown.values())))
        for zoom in (16, 18, 20, 22):
            seen = 0
            for x, y in {self.tile(place, zoom) for place in [*self.shown.values(),
                                                              *self.exact.values()]}:
                features = self.get(f"/v1/layers/people/tiles/{zoom}/{x}/{y}.json")["features"]
                if zoom > 16:
                    seen += len(features)
                    self.require_shown(places_in(features), 0)
            if zoom > 16:
                self.assertGreaterEqual(seen, len(set(self.shown.values())))

    def test_vector_tiles_have_the_points_of_cells_alone(self):
        """Decoded: each point lies where people are shown, and those are cells that hold enough."""
        shown = set(self.shown.values())
        for zoom in (18, 20, 22):
            found = {"people": [], "open": []}
            tiles = {self.tile(place, zoom) for place in [*shown, *self.exact.values()]}
            for layer in found:
                for x, y in sorted(tiles):
                    found[layer] += vector_tile.points(
                        self.vector_tile(layer, zoom, x, y), zoom, x, y)
            # At the deepest zoom a unit is finer than what two numbers of one place differ by.
            unit = max(vector_tile.unit_degrees(zoom), DEGREES)
            for latitude, longitude in found["people"]:
                near = [point for point in shown if abs(point[0] - latitude) <= unit
                        and abs(point[1] - longitude) <= unit]
                self.assertEqual(len(near), 1, (zoom, latitude, longitude))
            # A point in a tile's margin stands in the neighbour as well: each is there, none else.
            self.assertEqual(
                {point for point in shown for latitude, longitude in found["people"]
                 if abs(point[0] - latitude) <= unit and abs(point[1] - longitude) <= unit}, shown)
            # The same reader finds each exact place of the layer that is not protected.
            for name, (latitude, longitude) in self.exact.items():
                self.assertTrue(
                    any(abs(latitude - a) <= unit and abs(longitude - b) <= unit
                        for a, b in found["open"]), (zoom, name))

    def test_each_cell_that_is_shown_holds_enough_people(self):
        """By an own computation of the grid: a point is the middle of a cell of 250 m or of one that
        is doubled, which holds whoever is shown there and five people in all."""
        for point in set(self.shown.values()):
            level = next((level for level in range(4) if self.is_middle(point, level)), None)
            self.assertIsNotNone(level, point)
            row, column = self.cell(point, level)
            inside = {name for name, place in self.exact.items()
                      if self.cell(place, level) == (row, column)}
            self.assertGreaterEqual(len(inside), 5, (point, level))
            self.assertLessEqual({name for name, at in self.shown.items() if at == point}, inside)

    # Rows of cells are equal in latitude; a band of eight rows has its own number of columns.
    ROW_DEGREES = CELL / (6_371_008.8 * math.pi / 180)

    def columns(self, row):
        middle = (row // 8 + 0.5) * 8 * self.ROW_DEGREES - 90
        return max(1, int(360 / self.ROW_DEGREES * math.cos(math.radians(middle)) / 8)) * 8

    def cell(self, place, level):
        row = int((place[0] + 90) / self.ROW_DEGREES)
        column = int((place[1] + 180) / 360 * self.columns(row))
        return row >> level, column >> level

    def is_middle(self, point, level):
        row, column = self.cell(point, level)
        side = 1 << level
        latitude = (row + 0.5) * side * self.ROW_DEGREES - 90
        longitude = (column + 0.5) * side / self.columns(row << level) * 360 - 180
        return abs(latitude - point[0]) < DEGREES and abs(longitude - point[1]) < DEGREES

    def vector_tile(self, layer, zoom, x, y):
        link = self.daemon.connection()
        try:
            link.request("GET", f"/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.mvt",
                         headers={"Accept-Encoding": "identity"})
            answer = link.getresponse()
            self.assertIn(answer.status, (200, 204))
            return answer.read()
        finally:
            link.close()

    @staticmethod
    def tile(place, zoom):
        latitude, longitude = place
        side = 1 << zoom
        mercator = math.asinh(math.tan(math.radians(latitude)))
        return (int((longitude + 180) / 360 * side), int((1 - mercator / math.pi) / 2 * side))

    def test_a_watch(self):
        path = f"/v1/layers/people/watch?{BOX}"
        with self.daemon.socket() as link:
            link.sendall(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
                         "accept: text/event-stream\r\n\r\n".encode())
            seen = self.read_until(link, b"", 40)
            # Everybody reports from somewhere else in their cell: there is nothing to tell.
            draws = random.Random(18)
            moved = {name: near(*place, draws.uniform(-3, 3), draws.uniform(-3, 3))
                     for name, place in self.exact.items()}
            self.daemon.report(
                "people", [(name, *place, ["swift"]) for name, place in moved.items()], ttl=3600)
            # Somebody comes, who is told of after all that came before.
            self.daemon.report("people", [("walker", *MIDDLE)], ttl=3600)
            seen = self.read_until(link, seen, 41)
        walker = list(places_in(self.get("/v1/layers/people/positions/walker")))
        self.daemon.request("DELETE", "/v1/layers/people/positions/walker")
        events = [json.loads(line[5:]) for line in seen.decode().splitlines()
                  if line.startswith("data:")]
        places = list(places_in(events))
        self.assertEqual(len(places), 41)
        self.assertEqual(places[-1:], walker)
        self.require_shown(places[:-1], 40)

    def read_until(self, link, seen, count):
        while len(re.findall(rb'data:[^\n]*"latitude"[^\n]*\n', seen)) < count:
            piece = link.recv(65536)
            self.assertTrue(piece, seen)
            seen += piece
        return seen

    def test_exports_and_the_file_they_are_made_of(self):
        # The daemon ends in order, so that all is written; the others have a daemon of their own.
        with tempfile.TemporaryDirectory() as directory:
            settings = pathlib.Path(directory) / "settings.json"
            settings.write_text(json.dumps({"layers": {"people": {"protected": True}}}))
            with Daemon("--config", str(settings), directory=directory) as daemon:
                others = {name: near(*place, 11, 13) for name, place in self.exact.items()}
                for layer, places in (("people", self.exact), ("open", others)):
                    daemon.report(
                        layer, [(name, *place) for name, place in places.items()], ttl=3600)
                answer = daemon.request(
                    "GET", f"/v1/layers/people/within?{BOX}&limit=1000")[1]
                shown = {hit["id"]: (hit["latitude"], hit["longitude"])
                         for hit in answer["hits"]}
                self.assertEqual(daemon.terminate(), 0)
            out = {}
            for layer in ("people", "open"):
                code, text, error = run(
                    "export", "--data-directory", directory, "--format", "geojson", "--what",
                    "positions", "--layer", layer, name="moyeo")
                self.assertEqual(code, 0, error)
                out[layer] = json.loads(text)["features"]
                self.assertEqual(len(out[layer]), len(self.exact))
            for feature in out["people"]:
                longitude, latitude = feature["geometry"]["coordinates"][:2]
                name = feature.get("id") or feature["properties"]["id"]
                self.assertAlmostEqual(latitude, shown[name][0], 5)
                self.assertAlmostEqual(longitude, shown[name][1], 5)
            # The file has no exact place, while it has those of the layer that is open.
            file = b"".join(
                path.read_bytes() for path in pathlib.Path(directory).glob("positions*"))
            for places, count in ((self.exact, 0), (others, len(others))):
                found = [name for name, (latitude, _) in places.items()
                         if struct.pack("<d", latitude) in file
                         or struct.pack(">d", latitude) in file]
                self.assertEqual(len(found), count)
            code, text, error = run(
                "export", "--data-directory", directory, "--format", "csv", "--what", "positions",
                "--layer", "people", name="moyeo")
            self.assertEqual(code, 0, error)
            for name, (latitude, _) in self.exact.items():
                self.assertNotIn(f"{latitude:.5f}", text, name)


if __name__ == "__main__":
    unittest.main()
