"""Roads of the network that routes are made of, as vector tiles, and as the map page is told of them.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_roads.py
"""

import math
import tempfile
import unittest

import street_grid
from running_daemon import ROOT, Daemon


def tile_of(longitude, latitude, zoom):
    side = 1 << zoom
    y = (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2
    return int((longitude + 180) / 360 * side), int(y * side)


class Roads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.network = street_grid.prepared(folder.name)
        cls.daemon = Daemon("--resources", str(ROOT), env={
            "MOYEO_ROUTES_PROVIDER": "network", "MOYEO_ROUTES_NETWORK": str(cls.network)})
        cls.addClassCleanup(cls.daemon.close)

    def tile(self, zoom, x, y, headers=None, daemon=None):
        """(status, bytes, headers)"""
        link = (daemon or self.daemon).connection(30)
        try:
            link.request("GET", f"/v1/roads/tiles/{zoom}/{x}/{y}.mvt", headers=headers or {})
            answer = link.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            link.close()

    def test_a_tile_holds_the_roads_of_its_place(self):
        x, y = tile_of(*street_grid.place(3, 3), 14)
        status, tile, headers = self.tile(14, x, y)
        self.assertEqual(status, 200)
        self.assertEqual(headers["content-type"], "application/vnd.mapbox-vector-tile")
        for text in (b"roads", b"Avenue 3", b"Street 3", b"name", b"speed"):
            self.assertIn(text, tile)
        status, again, _ = self.tile(14, x, y, {"If-None-Match": headers["etag"]})
        self.assertEqual((status, again), (304, b""))
        # A deeper tile has what is in it alone.
        x, y = tile_of(*street_grid.place(0, 0), 17)
        status, tile, _ = self.tile(17, x, y)
        self.assertEqual(status, 200)
        self.assertIn(b"Avenue 0", tile)
        self.assertNotIn(b"Avenue 7", tile)

    def test_where_there_is_no_road_there_is_no_content(self):
        x, y = tile_of(-74, 40.7, 15)
        status, tile, _ = self.tile(15, x, y)
        self.assertEqual((status, tile), (204, b""))

    def test_tiles_that_are_not_are_refused(self):
        for path in ("13/1/1", "19/1/1", "14/16384/1", "14/1/16384", "14/-1/1", "14/a/1", "14/1/1e3",
                     "99999999999999999999/1/1"):
            status, answer, _ = self.daemon.request("GET", f"/v1/roads/tiles/{path}.mvt")
            self.assertEqual((status, answer["error"]["reason"]), (400, "bad_tile"), path)
        status, answer, _ = self.daemon.request("GET", "/v1/roads/tiles/14/1/1.mvt?tags=a")
        self.assertEqual((status, answer["error"]["reason"]), (400, "unknown_field"))

    def test_the_page_is_told_where_they_are_if_there_are_any(self):
        told = self.daemon.request("GET", "/page-config.json")[1]
        self.assertEqual(told["roadsURL"], "v1/roads/tiles/{z}/{x}/{y}.mvt")
        with Daemon("--resources", str(ROOT)) as daemon:
            self.assertNotIn("roadsURL", daemon.request("GET", "/page-config.json")[1])
            x, y = tile_of(*street_grid.place(3, 3), 14)
            self.assertEqual(self.tile(14, x, y, daemon=daemon)[0], 204)


if __name__ == "__main__":
    unittest.main()
