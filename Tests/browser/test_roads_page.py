"""Roads of the daemon's own network under the points of the map page, at street zoom.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run browser/test_roads_page.py
"""

import tempfile
import unittest

import street_grid
from browser import Browser
from running_daemon import ROOT, Daemon

# Pixels of the tiles of roads that are not clear.
INK = """
  return [...document.querySelectorAll('.leaflet-roads-pane canvas.leaflet-tile-loaded')]
    .map((tile) => {
      const { data } = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height);
      let ink = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 20) ink += 1;
      return ink;
    }).reduce((sum, ink) => sum + ink, 0);
"""


class RoadsPage(unittest.TestCase):
    def test_roads_are_drawn_at_street_zoom_under_the_points(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        daemon = Daemon("--resources", str(ROOT), env={
            "MOYEO_ROUTES_PROVIDER": "network",
            "MOYEO_ROUTES_NETWORK": str(street_grid.prepared(folder.name))})
        self.addCleanup(daemon.close)
        longitude, latitude = street_grid.place(4, 4)
        daemon.report("users", [("ann", latitude + 0.0004, longitude + 0.0006)])
        for scheme in ("dark", "light"):
            browser = Browser(scheme=scheme)
            self.addCleanup(browser.close)
            browser.open(f"{daemon.url}/#layer=users&zoom=13&at={latitude},{longitude}")
            self.assertEqual(browser.js(INK), 0, "below street zoom there are none")
            browser.view(latitude, longitude, 15)
            browser.wait(INK.replace("ink, 0);", "ink, 0) > 5000;"), "roads")
            order = browser.js(
                "const z = (name) => Number(getComputedStyle(moyeo.map.getPane(name)).zIndex);"
                "return [z('tilePane') < z('roads'), z('roads') < z('markerPane')]")
            self.assertEqual(order, [True, True])
            browser.screenshot(f"roads-{scheme}")
            self.assertEqual(browser.console(), [])


if __name__ == "__main__":
    unittest.main()
