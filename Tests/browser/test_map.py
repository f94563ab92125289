"""The map page in headless Chromium, against a real daemon.

    MOYEOD=.build/debug/moyeod Tests/run browser

MOYEO_URL takes a daemon that runs already, MOYEO_SCREENSHOTS a directory for pictures.
"""

import os
import random
import struct
import unittest
import urllib.error

from browser import Browser
from map_daemon import MapDaemon

daemon = None
SEED = 20240914
# Layers of this run alone, so that a daemon that runs already may be used again and again.
RUN = f"{os.getpid():x}"


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class MapTest(unittest.TestCase):
    width, height, scheme = 1280, 800, "light"
    # Tests that provoke an error say so; all others must leave the console empty.
    expected_console = ()

    @classmethod
    def layer(cls, name):
        return f"browser-{name}-{RUN}"

    def setUp(self):
        self.browser = Browser(self.width, self.height, self.scheme)
        self.addCleanup(self.browser.close)

    def tearDown(self):
        said = [
            line for line in self.browser.console()
            if not any(part in line for part in self.expected_console)
        ]
        self.assertEqual(said, [], "the console is not empty")

    def page(self, layer, zoom=None, at=None, tags=(), source=None):
        fields = [f"layer={layer}"]
        if zoom is not None:
            fields.append(f"zoom={zoom}")
        if at:
            fields.append(f"at={at[0]},{at[1]}")
        fields += [f"tags={tag}" for tag in tags]
        if source:
            fields.append(f"source={source}")
        return f"{daemon.url}/#{'&'.join(fields)}"

    def shown(self):
        return self.browser.js(
            "return [moyeo.sumOfCounts, moyeo.clusters.length,"
            " document.querySelectorAll('.marker').length]")


def spread(count, seed, latitude=37.55, longitude=127.0, degrees=0.1):
    random_ = random.Random(seed)
    return [
        (f"p{i:04}", latitude + random_.gauss(0, degrees), longitude + random_.gauss(0, degrees),
         ["swift"] if i % 3 == 0 else ["math"], {"level": i % 10})
        for i in range(count)
    ]


class Demo(MapTest):
    """The city of the demo, which moves all the time."""

    def setUp(self):
        super().setUp()
        self.count = daemon.object_count("users")

    def test_loads_and_shows_every_user(self):
        self.browser.open(daemon.url + "/")
        self.browser.wait(
            "return moyeo.sumOfCounts === arguments[0]", "all users on the screen", self.count)
        self.assertEqual(self.browser.js("return moyeo.layer"), "users")
        self.browser.wait(
            "return document.getElementById('status-shown').textContent ==="
            " moyeo.sumOfCounts.toLocaleString('en')", "the status line")
        self.assertIn(f"objects {self.count:,}", self.browser.text("#status"))
        self.assertIn("layer=users", self.browser.js("return location.hash"))
        self.browser.screenshot("desktop")

    def test_stays_live_without_a_touch(self):
        self.browser.open(self.page("users", 11, (37.55, 126.99)))
        before = self.browser.js("return JSON.stringify(moyeo.clusters)")
        self.browser.wait(
            "return JSON.stringify(moyeo.clusters) !== arguments[0]", "people to move", before)
        self.assertEqual(self.browser.js("return moyeo.mode"), "stream")


class Clusters(MapTest):
    def test_counts_sum_to_the_layer_at_every_zoom_that_shows_it_all(self):
        layer = self.layer("sum")
        positions = spread(700, SEED)
        daemon.report(layer, positions)
        self.browser.open(self.page(layer, 10, (37.55, 127)))
        for zoom in (10, 8, 5, 3, 1):
            self.browser.view(37.55, 127, zoom)
            self.browser.wait("return moyeo.sumOfCounts === 700", f"700 objects at zoom {zoom}")
            total, clusters, markers = self.shown()
            self.assertEqual(clusters, markers)
            # What a screen reader hears adds up as well.
            named = self.browser.js(
                "return [...document.querySelectorAll('.marker')].reduce((sum, marker) => {"
                " const found = /([\\d,]+) objects/.exec(marker.getAttribute('aria-label'));"
                " return sum + (found ? Number(found[1].replaceAll(',', '')) : 1) }, 0)")
            self.assertEqual(named, total)

    def test_whole_world_with_the_seam_and_the_poles(self):
        layer = self.layer("world")
        random_ = random.Random(SEED)
        positions = [
            (f"w{i}", random_.uniform(-84, 84), random_.uniform(-180, 180)) for i in range(400)
        ] + [("seam-east", 10, 180), ("seam-west", -10, -180), ("north", 89.5, 20),
             ("south", -90, 0)]
        daemon.report(layer, positions)
        # The window holds more than one copy of the world, from pole to pole.
        self.browser.cdp(
            "Emulation.setDeviceMetricsOverride", width=1280, height=1120, deviceScaleFactor=1,
            mobile=False)
        for zoom, at in ((2, (0, 0)), (2, (0, 170)), (1, (0, -120))):
            self.browser.open(self.page(layer, zoom, at))
            self.browser.wait(
                "return moyeo.sumOfCounts === arguments[0]", f"the world at zoom {zoom}",
                len(positions))

    def test_neighbours_across_180_degrees_are_drawn_side_by_side(self):
        layer = self.layer("seam")
        daemon.report(layer, [("east", -17.0, 179.9), ("west", -17.0, -179.9)])
        for longitude in (179.95, -179.95):
            self.browser.open(self.page(layer, 10, (-17, longitude)))
            self.browser.wait("return moyeo.clusters.length === 2", "both sides of the seam")
            left, right = sorted(
                marker.rect["x"] for marker in self.browser.find_all(".marker"))
            # 0.2 degrees at zoom 10.
            self.assertAlmostEqual(right - left, 0.2 / 360 * 256 * 2**10, delta=3)
            self.assertGreater(left, 0)

    def test_click_zooms_to_the_expansion_zoom(self):
        layer = self.layer("expand")
        daemon.report(layer, spread(300, SEED + 1))
        self.browser.open(self.page(layer, 8, (37.55, 127)))
        zoom, expansion = self.browser.js(
            "const [big] = [...moyeo.clusters].sort((a, b) => b.pointCount - a.pointCount);"
            "return [moyeo.map.getZoom(), big.expansionZoom]")
        self.browser.find(".marker").click()
        # Leaflet begins to zoom with the next frame.
        self.browser.wait("return moyeo.map.getZoom() > arguments[0]", "a deeper zoom", zoom)
        self.browser.settle()
        # Zooms of the service count tiles of 512 pixels.
        self.assertEqual(self.browser.js("return moyeo.map.getZoom()"), expansion + 1)
        self.assertGreater(expansion + 1, zoom)

    def test_each_cluster_splits_on_the_way_down(self):
        layer = self.layer("down")
        daemon.report(layer, spread(200, SEED + 2, degrees=0.02))
        self.browser.open(self.page(layer, 6, (37.55, 127)))
        for _ in range(25):
            if not self.browser.find_all(".marker.cluster"):
                break
            zoom = self.browser.js("return moyeo.map.getZoom()")
            self.browser.js("document.querySelector('.marker.cluster').click()")
            self.browser.wait("return moyeo.map.getZoom() > arguments[0]", "a deeper zoom", zoom)
            self.browser.current()
        self.assertEqual(self.browser.find_all(".marker.cluster"), [])
        self.assertGreaterEqual(len(self.browser.find_all(".marker.single")), 1)

    def test_moved_added_and_removed_points_show_by_themselves(self):
        layer = self.layer("live")
        daemon.report(layer, [("a", 37.50, 127.00), ("b", 37.60, 127.00)])
        self.browser.open(self.page(layer, 12, (37.55, 127)))
        self.browser.wait("return moyeo.clusters.length === 2", "two points")
        daemon.report(layer, [("b", 37.58, 127.03), ("c", 37.52, 127.02)])
        self.browser.wait(
            "return moyeo.clusters.length === 3"
            " && moyeo.clusters.some(c => c.id === 'b' && c.longitude > 127.02)", "the changes")
        daemon.call("DELETE", f"/v1/layers/{layer}/positions/a")
        self.browser.wait(
            "return moyeo.clusters.map(c => c.id).sort().join() === 'b,c'", "the removal")

    def test_tags_filter_and_are_kept_in_the_address(self):
        layer = self.layer("tags")
        daemon.report(layer, spread(300, SEED + 3, degrees=0.03))
        self.browser.open(self.page(layer, 9, (37.55, 127), tags=["swift"]))
        self.browser.wait("return moyeo.sumOfCounts === 100", "those with the tag")
        self.browser.find("#tag-chips button").click()
        self.browser.wait("return moyeo.sumOfCounts === 300", "everybody")
        self.assertNotIn("tags=", self.browser.js("return location.hash"))
        self.browser.find("#tag-input").send_keys("#Math\n")
        self.browser.wait("return moyeo.sumOfCounts === 200", "those with the other tag")
        self.assertIn("tags=math", self.browser.js("return location.hash"))

    def test_the_layer_s_own_vector_tiles_show_the_same(self):
        layer = self.layer("tiles")
        daemon.report(layer, spread(500, SEED + 4))
        self.browser.open(self.page(layer, 10, (37.55, 127)))
        ids = "return moyeo.clusters.map(c => `${c.id}:${c.pointCount}`).sort().join()"
        self.browser.wait("return moyeo.sumOfCounts === 500", "all objects")
        viewport = self.browser.js(ids)
        self.browser.open(self.page(layer, 10, (37.55, 127), source="tiles"))
        self.browser.wait("return moyeo.sumOfCounts === 500", "all objects out of tiles")
        self.assertEqual(self.browser.js(ids), viewport)

    def test_an_older_answer_never_replaces_a_newer_one(self):
        layer = self.layer("order")
        daemon.report(layer, [("here", 37.5, 127.0)])
        # Answers about one place are held back until the test lets them go.
        self.browser.before_load(
            "const real = window.fetch; window.held = [];"
            "window.fetch = async (address, options) => {"
            "  const answer = await real(address, { ...options, signal: undefined });"
            "  if (window.hold && /clusters\\?/.test(address)) {"
            "    window.hold = false;"
            "    await new Promise((resolve) => window.held.push(resolve));"
            "  }"
            "  return answer; }")
        self.browser.open(self.page(layer, 12, (37.5, 127)))
        self.browser.wait("return moyeo.clusters.length === 1", "the point")
        self.browser.js("window.hold = true; moyeo.map.panBy([9, 0], {animate: false})")
        self.browser.wait("return window.held.length === 1", "an answer held back")
        # The held answer knows one object; by now there are two.
        daemon.report(layer, [("there", 37.51, 127.05)])
        self.browser.js("moyeo.map.panBy([-9, 0], {animate: false})")
        self.browser.wait("return moyeo.clusters.length === 2", "the newer answer")
        shown = self.browser.js(
            "const seen = []; const done = arguments[arguments.length - 1];"
            "window.held.pop()(); return moyeo.clusters.length")
        self.assertEqual(shown, 2)
        answers = self.browser.js("return moyeo.answers")
        daemon.report(layer, [("there", 37.512, 127.051)])
        self.browser.wait(
            "if (moyeo.clusters.length !== 2) throw new Error('the older answer was shown');"
            "return moyeo.answers > arguments[0]", "a further answer", answers)


class Members(MapTest):
    def test_coincident_objects_are_listed_page_by_page(self):
        layer = self.layer("stack")
        stack = [(f"s{i:02}", 37.517829, 126.886270, ["ios"]) for i in range(45)]
        daemon.report(layer, stack + [("alone", 37.52, 126.89)])
        for zoom in (18, 16):
            self.browser.open(self.page(layer, zoom, (37.517829, 126.886270)))
            marker = self.browser.find(".marker.stack")
            self.assertIn("45 objects at one position", marker.get_attribute("aria-label"))
            marker.click()
            self.browser.wait(
                "return document.querySelectorAll('.members > li').length === 20", "a first page")
            self.assertIn("45 at this position", self.browser.text(".leaflet-popup h3"))
        self.browser.screenshot("members")
        for expected in (40, 45):
            self.browser.find(".leaflet-popup-content > div > button").click()
            self.browser.wait(
                "return document.querySelectorAll('.members > li').length === arguments[0]",
                f"{expected} members", expected)
        names = {item.text for item in self.browser.find_all(".members li > button")}
        self.assertEqual(names, {name for name, *_ in stack})
        self.assertFalse(
            self.browser.find(".leaflet-popup-content > div > button").is_displayed())

    def test_a_single_object_tells_about_itself_and_is_followed(self):
        layer = self.layer("single")
        name = "<img src=x onerror=alert(1)> 홍길동"
        daemon.report(layer, [(name, 37.5, 127, ["알고리즘", "swift"], {"level": 7})])
        self.browser.open(self.page(layer, 14, (37.5, 127)))
        self.browser.find(".marker.single").click()
        self.browser.wait(
            "return /seen/.test(document.querySelector('.leaflet-popup')?.textContent)", "details")
        text = self.browser.text(".leaflet-popup")
        for part in (name, "알고리즘", "swift", "level\n7", "37.50000, 127.00000"):
            self.assertIn(part, text)
        self.assertEqual(self.browser.find_all(".leaflet-popup img"), [])
        # Opening it may have moved the map.
        self.browser.settle()
        place = self.browser.find(".leaflet-popup").rect["x"]
        daemon.report(layer, [(name, 37.5, 127.004)])
        self.browser.wait(
            "return document.querySelector('.leaflet-popup').getBoundingClientRect().x"
            " > arguments[0] + 20", "the popup to follow", place)


    def test_a_popup_opens_clear_of_the_panel(self):
        layer = self.layer("clear")
        daemon.report(layer, [
            ("under", 37.5, 127, ["알고리즘", "영어회화", "취업준비"], {"note": "a long one " * 8})])
        self.browser.open(self.page(layer, 14, (37.5, 127)))
        self.browser.wait("return moyeo.clusters.length === 1", "the point")
        edge = self.browser.js(
            "return document.getElementById('panel').getBoundingClientRect().right")
        # The point comes to stand just beside the panel.
        self.browser.js(
            "moyeo.map.panBy([moyeo.map.getSize().x / 2 - arguments[0] - 25, 0],"
            " {animate: false})", edge)
        self.browser.find(".marker.single").click()
        self.browser.wait(
            "return /seen/.test(document.querySelector('.leaflet-popup')?.textContent)", "details")
        self.browser.settle()
        self.browser.screenshot("popup-beside-panel")
        self.assertGreaterEqual(self.browser.find(".leaflet-popup").rect["x"], edge)


class Search(MapTest):
    def setUp(self):
        super().setUp()
        self.name = self.layer("search")
        daemon.report(self.name, spread(400, SEED + 5, degrees=0.02))

    def test_a_click_searches_nearby(self):
        self.browser.open(self.page(self.name, 13, (37.55, 127)))
        self.browser.js(
            "document.getElementById('radius').value = 1500;"
            "document.getElementById('limit').value = 7")
        # A place with no marker on it.
        latitude, longitude = self.browser.js(
            "for (let y = 80; y < 700; y += 10) for (let x = 500; x < 1100; x += 10) {"
            " const box = moyeo.map.getContainer().getBoundingClientRect();"
            " if (!document.elementFromPoint(box.left + x, box.top + y)"
            "   .closest('.marker, .leaflet-control')) {"
            "  const p = moyeo.map.containerPointToLatLng([x, y]); return [p.lat, p.lng] } }")
        self.browser.click_map(latitude, longitude)
        hits = self.browser.wait("return moyeo.hits.length && moyeo.hits", "hits")
        expected = daemon.call(
            "GET", f"/v1/layers/{self.name}/nearby", latitude=latitude, longitude=longitude,
            radiusMeters=1500, limit=7)["hits"]
        self.assertEqual([hit["id"] for hit in hits], [hit["id"] for hit in expected])
        rows = self.browser.find_all("#search-results > li")
        self.assertEqual(len(rows), len(expected))
        self.assertIn(f"{round(expected[0]['distanceMeters'])} m", rows[0].text)
        self.assertEqual(len(self.browser.find_all(".search-hit")), len(expected))
        self.assertEqual(len(self.browser.find_all(".search-circle")), 1)
        self.browser.screenshot("search")
        more = self.browser.find("#search-more")
        if more.is_displayed():
            more.click()
            self.browser.wait("return moyeo.hits.length > 7", "the next page")
            found = self.browser.js("return moyeo.hits.map(h => h.id)")
            self.assertEqual(len(found), len(set(found)))
        self.browser.find("#search-clear").click()
        self.assertEqual(self.browser.find_all(".search-hit"), [])

    def test_tags_limit_the_search_and_a_hit_opens(self):
        self.browser.open(self.page(self.name, 13, (37.55, 127), tags=["swift"]))
        self.browser.find("#search-here").click()
        hits = self.browser.wait("return moyeo.hits.length && moyeo.hits", "hits")
        self.assertTrue(all(hit["tags"] == ["swift"] for hit in hits))
        self.browser.find("#search-results button").click()
        self.browser.wait("return document.querySelector('.leaflet-popup h3')", "the details")
        self.assertEqual(self.browser.text(".leaflet-popup h3"), hits[0]["id"])


class Errors(MapTest):
    expected_console = ("Failed to load resource",)

    def test_the_daemon_s_message_is_shown(self):
        layer = self.layer("errors")
        daemon.report(layer, [("a", 37.5, 127)])
        self.browser.open(self.page(layer, 13, (37.5, 127)))
        self.browser.js("document.getElementById('search-form').noValidate = true;"
                        "document.getElementById('limit').value = 5000")
        self.browser.find("#search-here").click()
        self.browser.wait(
            "return document.querySelector('#search-message.error')?.textContent", "an error")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            daemon.call(
                "GET", f"/v1/layers/{layer}/nearby", latitude=37.5, longitude=127,
                radiusMeters=1000, limit=5000)
        self.addCleanup(caught.exception.close)
        # As a whole sentence.
        said = self.browser.text("#search-message")
        self.assertRegex(said, r"^[A-Z].*\.$")
        self.assertIn(said[1:].removesuffix("."), caught.exception.read().decode())

    def test_an_unknown_layer_is_said_and_comes_alive_with_its_first_report(self):
        layer = self.layer("later")
        self.browser.open(self.page(layer, 13, (37.5, 127)), ready=False)
        self.browser.wait(
            "return !document.getElementById('notice').hidden"
            " && /no layer/.test(document.getElementById('notice').textContent)", "the message")
        daemon.report(layer, [("first", 37.5, 127)])
        self.browser.wait("return moyeo.ready && moyeo.sumOfCounts === 1", "the first report")
        self.assertFalse(self.browser.find("#notice").is_displayed())


class Keyboard(MapTest):
    def test_everything_without_a_mouse(self):
        from selenium.webdriver.common.keys import Keys

        layer = self.layer("keys")
        objects = spread(120, SEED + 6, degrees=0.03)
        daemon.report(layer, objects)
        self.browser.open(self.page(layer, 9, (37.55, 127)))
        active = "const e = document.activeElement; return e.id || e.className"
        self.browser.keys(Keys.TAB)
        self.assertEqual(self.browser.js(active), "skip-panel")
        self.browser.keys(Keys.TAB)
        self.assertEqual(self.browser.js(active), "skip-map")
        self.browser.keys(Keys.ENTER)
        self.assertEqual(
            self.browser.js("return document.activeElement === moyeo.map.getContainer()"), True)
        self.browser.keys("+")
        self.browser.wait("return moyeo.map.getZoom() === 10", "plus to zoom in")
        self.browser.settle()
        self.browser.js("window.before = moyeo.answers")
        self.browser.keys("-")
        self.browser.wait("return moyeo.map.getZoom() === 9", "minus to zoom out")
        self.browser.settle()
        # The answer to it replaces markers, also the one that has the focus.
        self.browser.wait(
            "return moyeo.answers > window.before && moyeo.isCurrent", "an answer to minus")
        for _ in range(12):
            self.browser.keys(Keys.TAB)
            if "marker" in self.browser.js(active):
                break
        self.assertIn("marker", self.browser.js(active))
        ring = self.browser.js(
            "const s = getComputedStyle(document.activeElement);"
            "return [s.outlineStyle, parseFloat(s.outlineWidth)]")
        self.assertEqual(ring[0], "solid")
        self.assertGreaterEqual(ring[1], 2)
        self.browser.press_until(
            Keys.SPACE, "return moyeo.map.getZoom() > 9", "Space on a cluster",
            "document.querySelector('.marker:not(.single)')?.focus()")
        self.browser.settle()
        # Where Space led on a slow machine, which takes it more than once, there may be nobody about.
        self.browser.view(*objects[0][1:3], 15)
        search = "document.getElementById('search-here').focus()"
        self.browser.js(search)
        self.browser.press_until(
            Keys.ENTER, "return moyeo.hits.length > 0", "a search at the centre", search)
        self.browser.view(*self.browser.js(
            "return [moyeo.hits[0].latitude, moyeo.hits[0].longitude]"), 18)
        self.browser.wait("return document.querySelector('.marker.single')", "single objects")
        self.browser.js("document.querySelector('.marker.single').focus()")
        self.browser.keys(Keys.ENTER)
        self.browser.wait("return document.querySelector('.leaflet-popup h3')", "the details")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return !document.querySelector('.leaflet-popup h3')", "Escape to close")
        self.assertIn("marker", self.browser.js(active))


class Phone(MapTest):
    width, height = 390, 844

    def test_the_panel_is_a_sheet_that_opens(self):
        layer = self.layer("phone")
        daemon.report(layer, spread(300, SEED + 7))
        self.browser.open(self.page(layer))
        self.browser.wait("return moyeo.sumOfCounts === 300", "all objects, with no view given")
        self.assertFalse(self.browser.find("#search-here").is_displayed())
        self.browser.screenshot("phone")
        self.browser.find("#panel-toggle").click()
        self.assertTrue(self.browser.find("#search-here").is_displayed())
        overflow = self.browser.js(
            "return [document.documentElement.scrollWidth, innerWidth,"
            " document.getElementById('panel').getBoundingClientRect().right]")
        self.assertLessEqual(overflow[0], overflow[1])
        self.assertLessEqual(overflow[2], overflow[1])
        self.browser.find("#search-here").click()
        self.browser.wait("return moyeo.lastError === undefined && moyeo.hits", "a search")
        self.browser.screenshot("phone-sheet")
        self.browser.find("#panel-toggle").click()
        self.assertFalse(self.browser.find("#search-here").is_displayed())


class Dark(MapTest):
    scheme = "dark"

    def test_follows_the_dark_scheme(self):
        layer = self.layer("dark")
        daemon.report(layer, spread(300, SEED + 8))
        self.browser.open(self.page(layer))
        self.browser.screenshot("dark")
        ground = self.browser.js(
            "return getComputedStyle(document.getElementById('panel')).backgroundColor"
            ".match(/\\d+/g).map(Number)")
        self.assertLess(max(ground), 80)


class BaseMap(MapTest):
    """The operator's tiles, stood in for by pictures and tiles that the daemon has anyway."""

    def configure(self, config):
        self.browser.before_load(
            "const plain = window.fetch; window.fetch = (address, options) =>"
            " String(address).endsWith('/page-config.json')"
            f"   ? Promise.resolve(new Response('{config}')) : plain(address, options)")

    def test_raster(self):
        layer = self.layer("raster")
        daemon.report(layer, [("a", 37.5, 127)])
        self.configure(
            '{"baseMapURL": "/favicon.svg?{z}/{x}/{y}", "attribution": "Somebody&#39;s map"}')
        self.browser.open(self.page(layer, 13, (37.5, 127)))
        self.browser.wait(
            "return document.querySelectorAll('.leaflet-tile-loaded[src*=favicon]').length > 4",
            "raster tiles")
        self.assertIn("map", self.browser.text(".leaflet-control-attribution"))
        self.assertEqual(self.browser.find_all(".graticule"), [])

    def test_vector(self):
        layer = self.layer("places")
        daemon.report(layer, [("a", 37.5, 127)])
        self.configure(
            f'{{"baseMapURL": "/v1/layers/{layer}/tiles/{{z}}/{{x}}/{{y}}.mvt",'
            ' "vectorBaseMap": true}')
        self.browser.open(self.page(layer, 13, (37.5, 127)))
        self.browser.wait(
            "return document.querySelectorAll('canvas.leaflet-tile-loaded').length > 4",
            "vector tiles")


class VectorTiles(MapTest):
    def test_reads_every_kind_of_value_and_geometry(self):
        def field(number, content, wire=2):
            key = bytes([number << 3 | wire])
            return key + (bytes([len(content)]) if wire == 2 else b"") + content

        def feature(kind, commands, tags=()):
            return field(2, field(2, bytes(tags)) + field(3, bytes([kind]), 0)
                         + field(4, bytes(commands)))

        # The examples of the specification, section 4.3.5.
        values = [
            field(1, "값".encode()), field(2, struct.pack("<f", 1.5), 5),
            field(3, struct.pack("<d", -0.1), 1), field(4, b"\x96\x01", 0), field(6, b"\x03", 0),
            field(7, b"\x01", 0),
        ]
        layer = (field(1, b"test")
                 + feature(1, [17, 10, 14, 3, 9], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
                 + feature(2, [9, 4, 4, 18, 0, 16, 16, 0])
                 + feature(3, [9, 6, 12, 18, 10, 12, 24, 44, 15])
                 + b"".join(field(3, name) for name in (b"a", b"b", b"c", b"d", b"e", b"f"))
                 + b"".join(field(4, value) for value in values)
                 + field(5, b"\x80\x20", 0))
        tile = b"\x1a" + bytes([len(layer) & 127 | 128, len(layer) >> 7]) + layer
        self.browser.open(daemon.url + "/", ready=False)
        (read,) = self.browser.driver.execute_async_script(
            "const [bytes, done] = arguments;"
            "import('/js/mvt.js').then(mvt => done(mvt.readTile(new Uint8Array(bytes))),"
            " error => done(String(error)))", list(tile))
        self.assertEqual((read["name"], read["extent"]), ("test", 4096))
        point, line, polygon = read["features"]
        self.assertEqual(
            point["properties"], {"a": "값", "b": 1.5, "c": -0.1, "d": 150, "e": -2, "f": True})
        self.assertEqual(point["paths"], [[[5, 7]], [[3, 2]]])
        self.assertEqual(line["paths"], [[[2, 2], [2, 10], [10, 10]]])
        self.assertEqual(polygon["paths"], [[[3, 6], [8, 12], [20, 34]]])
        self.assertEqual([f["type"] for f in read["features"]], [1, 2, 3])


class NoNetwork(MapTest):
    def test_asks_nobody_but_the_daemon(self):
        layer = self.layer("network")
        daemon.report(layer, [("a", 37.5, 127)])
        self.browser.open(self.page(layer, 13, (37.5, 127)))
        addresses = self.browser.js(
            "return performance.getEntriesByType('resource').map(e => e.name)")
        self.assertGreater(len(addresses), 10)
        for address in addresses:
            self.assertTrue(address.startswith((daemon.url, "data:")), address)

