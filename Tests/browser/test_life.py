"""What the canvas of the map page draws: counted and computed, never timed.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_life.py
"""

import os
import random
import unittest

from browser import Browser
from map_daemon import MapDaemon

daemon = None
SEED = 20261125
RUN = f"{os.getpid():x}"


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


def spread(count, seed=SEED, latitude=37.55, longitude=127.0, degrees=0.1):
    random_ = random.Random(seed)
    return [
        (f"p{i:05}", latitude + random_.gauss(0, degrees), longitude + random_.gauss(0, degrees))
        for i in range(count)
    ]


class LifeTest(unittest.TestCase):
    scheme, still = "dark", False

    def setUp(self):
        self.browser = Browser(1280, 800, self.scheme, self.still)
        self.addCleanup(self.browser.close)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def layer(self, positions):
        name = f"life-{self._testMethodName[5:35].strip('_').lower()}-{RUN}"
        daemon.report(name, positions)
        return name

    def open(self, layer, zoom, at=(37.55, 127), **more):
        fields = "".join(f"&{key}={value}" for key, value in more.items())
        self.browser.open(f"{daemon.url}/#layer={layer}&zoom={zoom}&at={at[0]},{at[1]}{fields}")

    def drawn(self):
        """What a frame holds that is drawn now."""
        return self.browser.js("moyeo.scene.wake(); return moyeo.scene.probe.drawn")

    def wait_drawn(self, name, number):
        self.browser.wait(
            "moyeo.scene.wake(); return moyeo.scene.probe.drawn[arguments[0]] === arguments[1]",
            f"{number} {name}", name, number)

    def ink(self):
        """How many pixels of the canvas are not clear."""
        return self.browser.js(
            "const from = document.querySelector('canvas.life');"
            "const to = document.createElement('canvas'); to.width = 320; to.height = 200;"
            "const context = to.getContext('2d');"
            # In the same task as the frame: the drawing buffer is not kept.
            "moyeo.map.fire('move'); context.drawImage(from, 0, 0, 320, 200);"
            "const { data } = context.getImageData(0, 0, 320, 200);"
            "let ink = 0; for (let i = 3; i < data.length; i += 4) if (data[i] > 20) ink += 1;"
            "return ink")


class Drawing(LifeTest):
    def test_every_cluster_is_drawn_with_its_number_on_webgl(self):
        self.open(self.layer(spread(600)), 10)
        self.assertEqual(self.browser.js("return moyeo.scene.probe.painter"), "webgl")
        clusters, many = self.browser.js(
            "return [moyeo.clusters.length, moyeo.clusters.filter(c => c.pointCount > 1).length]")
        self.wait_drawn("clusters", clusters)
        self.wait_drawn("numbers", many)
        self.assertGreater(self.ink(), 300)
        # The fine lights below stand for the same objects, grouped finer.
        self.browser.wait("return moyeo.scene.lights.count > arguments[0]", "lights", clusters)

    def test_without_webgl_the_same_is_drawn_on_a_plain_canvas(self):
        self.browser.before_load(
            "const plain = HTMLCanvasElement.prototype.getContext;"
            "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
            "  return /webgl/.test(kind) ? null : plain.call(this, kind, ...rest); }")
        self.open(self.layer(spread(600)), 10)
        self.assertEqual(self.browser.js("return moyeo.scene.probe.painter"), "2d")
        clusters, many = self.browser.js(
            "return [moyeo.clusters.length, moyeo.clusters.filter(c => c.pointCount > 1).length]")
        self.wait_drawn("clusters", clusters)
        self.wait_drawn("numbers", many)
        self.assertGreater(self.ink(), 300)
        self.browser.screenshot("life-2d")

    def test_no_circle_covers_another_s_number(self):
        self.open("users", 11, (37.55, 126.99))
        checked = 0
        for zoom in (9, 10, 11, 12, 13):
            self.browser.view(37.55, 126.99, zoom)
            standing = [one for one in self.browser.js("return moyeo.scene.standing")
                        if one["count"] > 1]
            for i, a in enumerate(standing):
                for b in standing[i + 1:]:
                    apart = ((a["x"] - b["x"]) ** 2 + (a["y"] - b["y"]) ** 2) ** .5
                    # A circle ends before the other one's number begins.
                    self.assertGreaterEqual(apart, a["radius"] + b["width"] / 2 - 1, (zoom, a, b))
                    self.assertGreaterEqual(apart, b["radius"] + a["width"] / 2 - 1, (zoom, a, b))
                    checked += 1
        self.assertGreater(checked, 500)

    def test_objects_and_their_clicks_stand_on_every_copy_of_the_world(self):
        self.open(self.layer([("far", 10.0, 30.0)]), 1, (0, 0))
        self.browser.wait("return moyeo.clusters.length === 1", "the object")
        copies = self.browser.js(
            "moyeo.map.fire('move'); return moyeo.scene.standing.map(({x}) => x).sort((a, b) => a - b)")
        self.assertGreaterEqual(len(copies), 2)
        for left, right in zip(copies, copies[1:]):
            self.assertAlmostEqual(right - left, 512, delta=1)
        self.assertEqual(self.drawn()["clusters"], len(copies))
        # The last one, a world away from the one with an element of its own.
        self.browser.click_map(10.0, 30.0 + 360 * (1 if copies[-1] > 1000 else 0))
        self.browser.wait("return document.querySelector('.leaflet-popup h3')", "its details")
        self.assertEqual(self.browser.text(".leaflet-popup h3"), "far")

    def test_every_object_is_drawn_and_leaves(self):
        layer = self.layer(spread(2500, degrees=0.02))
        self.open(layer, 12, display="points")
        self.wait_drawn("lights", 2500)
        self.assertEqual(self.drawn()["clusters"], 0)
        daemon.call("DELETE", f"/v1/layers/{layer}/positions/p00007")
        self.wait_drawn("lights", 2499)
        self.browser.screenshot("life-points")
        # A point is clicked like any other object.
        latitude, longitude = self.browser.js(
            "const { latitude, longitude } = moyeo.clusters.find(c => c.pointCount === 1)"
            " ?? moyeo.clusters[0]; return [latitude, longitude]")
        found = self.browser.js(
            "const p = moyeo.map.latLngToContainerPoint([arguments[0], arguments[1]]);"
            "const found = moyeo.scene.pick(p); return found?.light ?? null", latitude, longitude)
        if found is not None:
            self.assertTrue(found.startswith("p"))

    def test_heat_counts_every_object_in_hexagons_from_tiles(self):
        layer = self.layer(spread(900))
        self.open(layer, 9, display="heat")
        self.browser.wait(
            "return moyeo.hexagons.reduce((sum, {count}) => sum + count, 0) === 900",
            "hexagons that hold all")
        hexagons = self.browser.js("return moyeo.hexagons.length")
        self.wait_drawn("hexagons", hexagons)
        self.assertGreater(hexagons, 40)
        self.assertEqual(self.drawn()["clusters"], 0)
        asked = self.browser.js(
            "return performance.getEntriesByType('resource').filter(e => /\\.mvt/.test(e.name)).length")
        self.assertGreater(asked, 4)
        self.assertIn("display=heat", self.browser.js("return location.hash"))
        self.browser.screenshot("life-heat")
        # The keyboard reaches the clusters all the same.
        self.assertGreater(len(self.browser.find_all(".marker[role=button]")), 3)
        self.browser.js("document.querySelector('#display input[value=clusters]').click()")
        self.browser.wait(
            "moyeo.scene.wake(); return moyeo.scene.probe.drawn.hexagons === 0"
            " && moyeo.scene.probe.drawn.clusters > 0", "clusters again")


class Motion(LifeTest):
    def test_a_moved_object_eases_and_leaves_a_ring_and_a_trail(self):
        layer = self.layer([("a", 37.55, 127.0), ("b", 37.552, 127.002)])
        self.open(layer, 16)
        self.browser.wait("return moyeo.clusters.length === 2", "both")
        # Looked at as it begins: rings are over after a second.
        self.browser.js(
            "const { scene } = moyeo; const show = scene.show; scene.show = (clusters, view) => {"
            "  show.call(scene, clusters, view);"
            "  const item = scene.flock.items.find(i => i.cluster.id === 'a');"
            "  if (item.cluster.longitude < 127.0005) return;"
            "  const half = scene.flock.at(item, item.began + item.duration / 2);"
            "  window.came ??= [item.fromX, half.x, item.x, item.duration,"
            "    scene.sparks.pulses.length, scene.sparks.trails.length]; };")
        daemon.report(layer, [("a", 37.5505, 127.001)])
        began = self.browser.wait("return window.came", "the move")
        start, half, end, duration, pulses, trails = began
        self.assertTrue(start < half < end)
        self.assertGreater(duration, 0)
        self.assertGreaterEqual(pulses, 1)
        self.assertEqual(trails, 1)
        # The one that stood still is not told of.
        self.assertEqual(
            self.browser.js("const b = moyeo.scene.flock.items.find(i => i.cluster.id === 'b');"
                            "return b.fromX === b.x"), True)

    def test_clusters_split_out_of_the_one_they_were_in_and_join_again(self):
        layer = self.layer(spread(200, degrees=0.01))
        self.open(layer, 9)
        self.browser.wait("return moyeo.sumOfCounts === 200", "all")
        old = self.browser.js("return moyeo.scene.flock.items.map(({x, y}) => [x, y])")
        self.browser.js(
            "const { scene } = moyeo; const show = scene.show; scene.show = (clusters, view) => {"
            "  show.call(scene, clusters, view);"
            "  if (clusters.length > 3) window.came ??="
            "    scene.flock.items.map(({fromX, fromY, x, y}) => [fromX, fromY, x, y]); };"
            "moyeo.map.setZoom(12)")
        came = self.browser.wait("return window.came", "the split")
        near = [
            (fx, fy) for fx, fy, *_ in came
            if any(abs(fx - x) < 1e-6 and abs(fy - y) < 1e-6 for x, y in old)]
        self.assertGreater(len(near), len(came) / 2, "most come out of an old cluster")
        self.assertTrue(any(abs(fx - x) > 1e-9 for fx, _, x, _ in came))
        self.browser.settle()
        self.browser.js("window.before = moyeo.answers; moyeo.map.setZoom(9)")
        self.browser.wait("return moyeo.answers > before && moyeo.clusters.length <= 3", "the join")
        self.browser.wait(
            "return moyeo.scene.flock.items.length === moyeo.clusters.length", "nothing left over")


class Still(LifeTest):
    still = True

    def test_reduced_motion_shows_changes_at_once_and_draws_nothing_in_between(self):
        layer = self.layer([("a", 37.55, 127.0), ("b", 37.552, 127.002)])
        self.open(layer, 16)
        self.browser.wait("return moyeo.clusters.length === 2", "both")
        daemon.report(layer, [("a", 37.5505, 127.001)])
        self.browser.wait(
            "return moyeo.scene.flock.items.some(i => i.cluster.longitude > 127.0005"
            " && i.fromX !== i.x && i.duration === 0)", "the move")
        sparks = self.browser.js(
            "return [moyeo.scene.sparks.pulses.length, moyeo.scene.sparks.trails.length]")
        self.assertEqual(sparks, [0, 0])
        grown = self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "let [left, before, answers] = [30];"
            "const next = () => {"
            "  if (left === 30) [before, answers] = [moyeo.scene.probe.frames, moyeo.answers];"
            "  if (answers !== moyeo.answers) left = 31;"
            "  if (--left > 0) requestAnimationFrame(next);"
            "  else done(moyeo.scene.probe.frames - before); };"
            "requestAnimationFrame(next)")
        self.assertEqual(grown, 0, "frames without a change")


class Contrast(LifeTest):
    """Numbers on their circles, and the page's words, as WCAG's AA has it."""

    SCRIPT = """
      const { sceneColours } = await import('/js/colours.js');
      const c = sceneColours();
      const part = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
      const ratio = (a, b) => {
        const [x, y] = [light(a), light(b)];
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
      // The inside of a circle below its number, as the shader blends it.
      const inside = (name) => c.isDark ? c[name].map((v, i) => c.core[i] + (v - c.core[i]) * 0.36)
        : c[name];
      const css = (name) => {
        const probe = document.createElement('span');
        probe.style.color = getComputedStyle(document.documentElement).getPropertyValue(name);
        document.body.append(probe);
        const found = getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255);
        probe.remove();
        return found; };
      const found = {};
      for (const n of [0, 1, 2, 3, 4]) found[`tier-${n}`] = ratio(c.number, inside(`tier-${n}`));
      found.stack = ratio(c.number, inside('stack'));
      for (const [ink, ground] of [['--ink', '--ground'], ['--quiet', '--ground'],
        ['--quiet', '--raised'], ['--error', '--ground'], ['--accent-ink', '--accent'],
        ['--map-label', '--map-land'], ['--hit', '--ground']]) {
        found[`${ink} on ${ground}`] = ratio(css(ink), css(ground)); }
      found['edge'] = 1.5 * ratio(css('--edge-strong'), css('--raised'));
      return found;
    """

    def ratios(self):
        self.browser.open(daemon.url + "/", ready=False)
        return self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {self.SCRIPT} }})().then(done, (error) => done(String(error)))")

    def test_every_number_and_word_can_be_read(self):
        found = self.ratios()
        self.assertIsInstance(found, dict, found)
        self.assertEqual({name: value for name, value in found.items() if value < 4.5}, {})


class LightContrast(Contrast):
    scheme = "light"


if __name__ == "__main__":
    unittest.main()
