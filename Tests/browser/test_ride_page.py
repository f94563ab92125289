"""Rides as a mode of the map page: seats as pips, the trip over the map, getting in on the way, places
picked by keyboard, and nothing raw to be read anywhere.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_ride_page.py
"""

import os
import re
import unittest

from selenium.webdriver.common.keys import Keys

from browser import Browser
from map_daemon import MapDaemon

daemon = None
RUN = f"{os.getpid():x}"
# East of the demo's hot spots, straight to the south.
ORIGIN, DESTINATION = (37.6105, 127.1105), (37.5305, 127.1105)
# Beside the middle of the way, too far for a taxi whose host allows hardly a detour.
BESIDE = (37.5700, 127.1245)


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class RideTest(unittest.TestCase):
    width, height = 1280, 900

    def setUp(self):
        self.browser = Browser(self.width, self.height, "dark")
        self.addCleanup(self.browser.close)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def open(self, at=(37.57, 127.10), zoom=12, layer="users", **more):
        fields = "".join(f"&{key}={value}" for key, value in more.items())
        self.browser.open(f"{daemon.url}/#layer={layer}&zoom={zoom}&at={at[0]},{at[1]}{fields}")

    def press(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def said(self, part):
        self.browser.wait(
            "return document.getElementById('parties-message').textContent.includes(arguments[0])",
            f"the message {part!r}", part)

    def soon(self, minutes=30):
        return self.browser.js(
            "return new Date(Date.now() + arguments[0] * 60e3).toISOString()", minutes)

    def offer(self, host, origin=ORIGIN, destination=DESTINATION, **more):
        place = lambda name, at: {"name": name, "latitude": at[0], "longitude": at[1]}
        return daemon.call("POST", "/v1/parties", {
            "hostId": host, "departureTime": self.soon(), "maxWalkMeters": 800,
            "maxDetourRatio": 1, "origin": place("Northern Gate", origin),
            "destination": place("Southern Market", destination), **more})["party"]

    def party(self, party):
        return daemon.call("GET", f"/v1/parties/{party}")["party"]


class Mode(RideTest):
    def test_people_fade_and_open_rides_stand_apart_with_their_seats(self):
        self.open()
        full = self.offer(f"full-{RUN}", seats=2)
        daemon.call("POST", f"/v1/parties/{full['id']}/join", {"riderId": f"second-{RUN}"})
        free = self.offer(f"free-{RUN}", (37.6105, 127.0905))
        self.press("#parties-show")
        self.browser.wait("return moyeo.parties.parties.includes(arguments[0])", "the free one",
                          free["id"])
        self.assertFalse(self.browser.js("return moyeo.parties.parties.includes(arguments[0])",
                                         full["id"]), "a full one is hidden")
        self.assertEqual(self.browser.js("return document.body.dataset.mode"), "parties")
        boxes = self.browser.js(
            "return [...document.querySelectorAll('.marker.party .pill')].map((pill) => {"
            " const { left, right, top, bottom } = pill.getBoundingClientRect();"
            " return [left, top, right, bottom] })")
        self.assertGreater(len(boxes), 3)
        for i, a in enumerate(boxes):
            for b in boxes[i + 1:]:
                apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
                self.assertTrue(apart, f"pills cover one another: {a} {b}")
        named = self.browser.js(
            "return [...document.querySelectorAll('.marker.party[role=button][tabindex]')]"
            ".map((pill) => pill.getAttribute('aria-label'))")
        self.assertGreater(len(named), 3)
        for name in named:
            self.assertRegex(name, r"₩[\d,]+ a seat")
        # Back: they are gone.
        self.press("#explore-show")
        self.assertEqual(self.browser.find_all(".marker.party"), [])

    def test_a_ride_is_drawn_in_the_free_part_of_the_map_and_explains_its_fare(self):
        self.open()
        party = self.offer(f"seen-{RUN}", (37.6105, 127.1305), (37.5405, 127.1305))
        self.offer(f"under-{RUN}", (37.5405, 127.1305), (37.5105, 127.1305))
        self.browser.js("moyeo.parties.open(arguments[0])", party["id"])
        self.browser.wait("return document.querySelector('.trip-line')", "the trip")
        self.browser.settle()
        self.browser.screenshot("ride-card")
        line, panel, figures = self.browser.js(
            "const box = (selector) => { const { left, right, top, bottom } ="
            "  document.querySelector(selector).getBoundingClientRect();"
            "  return { left, right, top, bottom } };"
            "return [box('.trip-line'), box('#panel'), box('#figures')]")
        self.assertGreater(line["left"], panel["right"])
        self.assertLess(line["right"], figures["left"])
        self.assertGreater(line["top"], 0)
        # Over the markers.
        order = self.browser.js(
            "const z = (name) => Number(getComputedStyle(document.querySelector(name)).zIndex);"
            "return [z('.leaflet-trip-pane'), z('.leaflet-marker-pane')]")
        self.assertGreater(*order)
        # Its price and seats stand on the line, and there alone; nothing stands under its pins.
        self.assertRegex(self.browser.text(".trip-price"), r"^₩[\d,]+$")
        self.assertEqual(len(self.browser.find_all(".trip-price .pip")), 4)
        self.assertTrue(self.browser.js(
            "const box = (one) => document.querySelector(one).getBoundingClientRect();"
            "const [price, pips] = [box('.trip-price > span'), box('.trip-price .pips')];"
            "return price.left < pips.left && pips.right < price.right && price.top < pips.top"
            "  && pips.bottom < price.bottom"), "the seats stand in the price's pill")
        pills = self.browser.wait(
            "const pills = [...document.querySelectorAll('.party .pill')].filter((pill) =>"
            "  pill.checkVisibility({ visibilityProperty: true, opacityProperty: true }));"
            "const boxes = [...document.querySelectorAll('.pin, .trip-price > span')];"
            "const at = (one) => one.getBoundingClientRect();"
            "const free = (a, b) => a.right <= b.left || b.right <= a.left"
            "  || a.bottom <= b.top || b.bottom <= a.top;"
            "return pills.every((pill) => boxes.every((box) => free(at(pill), at(box))))"
            "  && { all: document.querySelectorAll('.party .pill').length, shown: pills.length }",
            "pills beside the trip")
        self.assertLessEqual(pills["shown"], pills["all"] - 2, "the chosen one and one at its end")
        self.assertIn("Northern Gate → Southern Market", self.browser.text("#party-card h3"))
        self.browser.js("document.querySelector('#party-fare').open = true")
        self.browser.wait("return document.querySelectorAll('.fare-lines li').length > 3", "lines")
        amounts = [int(re.sub(r"[^\d-]", "", one.text)) for one in self.browser.find_all(
            ".fare-lines b")]
        self.assertEqual(sum(amounts[:-1]), amounts[-1], "the lines add up")
        self.assertIn("Base fare", self.browser.text(".fare-lines"))

    def test_nothing_raw_is_to_be_read(self):
        self.open((37.55, 126.99), 12, "parties")
        self.browser.wait(
            "return moyeo.clusters.some(({pointCount}) => pointCount === 1)", "a single ride")
        # A single party of the layer opens as a ride, not as a table of attributes.
        self.browser.js("document.querySelector('.marker.single').focus()")
        self.browser.press_until(
            Keys.ENTER, "return !document.getElementById('party-card').hidden", "the card",
            "document.querySelector('.marker.single')?.focus()")
        self.browser.wait("return document.querySelectorAll('#parties-nearby li').length > 2", "rows")
        shown = self.browser.js("return document.body.innerText")
        raw = {"a ULID": r"\b01[0-9a-hjkmnp-tv-z]{24}\b", "an id": r"seoul-user-\d+",
               "epoch seconds": r"\b1[5-9]\d{8}\b", "an ISO time": r"\d{4}-\d\d-\d\dT\d\d",
               "a field's name": r"\b[a-z]+_[a-z_]+\b", "a fraction": r"\d+\.\d{6,}"}
        for what, pattern in raw.items():
            self.assertEqual(re.findall(pattern, shown), [], f"{what} is shown")
        # Nor where attributes are listed.
        rows = self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "import('/js/format.js').then(({ attributeRows }) => done(attributeRows({"
            " departure: 1795578780, departure_time: '2026-11-25T03:53:00Z', currency: 'KRW',"
            " lowest_fare_per_person: 2125, seats_free: 3, is_night: true, note: 'x' })))")
        text = str(rows)
        for pattern in ("1795578780", "2026-11", "_", "True"):
            self.assertNotIn(pattern, text)
        self.assertIn("₩2,125", text)


class Boarding(RideTest):
    def test_a_rider_gets_in_on_the_way_after_everyone_s_preview(self):
        self.open()
        party = self.offer(f"south-{RUN}", allowRaisedShares=True, maxDetourRatio=0.01)["id"]
        rider = f"beside-{RUN}"
        self.browser.js(
            "document.getElementById('parties-rider').value = arguments[0];"
            "document.getElementById('parties-walk').value = 1600;"
            # When the taxi passes there.
            "document.getElementById('parties-minutes').value = 45;", rider)
        self.press("#parties-boards")
        self.press("#parties-find")
        self.said("begins")
        self.browser.click_map(*BESIDE)
        self.said("ends")
        self.browser.click_map(*DESTINATION)
        self.said("go your way")
        item = f"[data-party='{party}']"
        self.assertRegex(self.browser.text(f"{item} small"), r"walk [\d.]+ k?m, get in \d\d:\d\d")
        self.press(f"{item} .join")
        self.browser.wait("return document.querySelector('#party-confirm')", "the preview")
        self.assertRegex(
            self.browser.text("#party-preview"), r"You walk [\d.]+ k?m and get in at \d\d:\d\d\.")
        rows = [row.text.split()[0] for row in self.browser.find_all("#party-preview li")]
        self.assertEqual(rows, [f"south-{RUN}", "you"])
        self.assertEqual(len(self.party(party)["riders"]), 1, "nobody joins before the yes")
        self.browser.settle()
        self.browser.screenshot("ride-boarding")
        dotted = self.browser.js(
            "return getComputedStyle(document.querySelector('.trip-walk')).strokeDasharray")
        self.assertNotEqual(dotted, "none")
        self.assertEqual(
            [len(self.browser.find_all(f".pin-{kind}")) for kind in ("start", "board", "end")],
            [1, 1, 1])
        self.press("#party-confirm")
        self.browser.wait(
            "return document.getElementById('party-riders')?.textContent.includes(arguments[0])",
            "the rider aboard", rider)
        (mine,) = [one for one in self.party(party)["riders"] if one["riderId"] == rider]
        self.assertAlmostEqual(mine["boarding"]["latitude"], BESIDE[0], delta=0.01)
        self.assertTrue(100 < mine["walkMeters"] < 1600, mine)
        # The card tells who gets in where.
        self.browser.wait("return document.querySelectorAll('.halts li').length >= 3", "the halts")
        self.assertIn("you get in", self.browser.text(".halts"))

    def test_without_a_match_there_is_something_to_do(self):
        self.open((37.25, 127.4))
        self.browser.js(
            "document.getElementById('parties-rider').value = arguments[0]", f"lonely-{RUN}")
        self.press("#parties-find")
        self.said("begins")
        self.browser.click_map(37.26, 127.40)
        self.said("ends")
        self.browser.click_map(37.22, 127.42)
        self.said("No party goes your way")
        self.press("#parties-offer-instead")
        self.said("Offered")


class Keyboard(RideTest):
    def test_places_are_picked_without_a_mouse(self):
        self.open()
        self.press("#parties-show")
        self.browser.js("document.getElementById('parties-offer').focus()")
        self.browser.keys(Keys.ENTER)
        self.said("begins")
        self.assertEqual(self.browser.text("#pick-text"), "Click where the ride begins (Escape stops).")
        # By the button, and by Enter on the map after arrows.
        self.browser.js("document.getElementById('pick-here').focus()")
        self.browser.keys(Keys.ENTER)
        self.said("ends")
        self.browser.js(
            "window.before = moyeo.map.getCenter().lng; document.getElementById('map').focus()")
        self.browser.keys(Keys.ARROW_RIGHT)
        self.browser.settle()
        self.browser.wait("return moyeo.map.getCenter().lng > before", "the map to move")
        self.browser.settle()
        self.browser.keys(Keys.ENTER)
        self.said("Offered")
        self.assertTrue(self.browser.js("return document.getElementById('pick-bar').hidden"))

    def test_escape_stops(self):
        self.open()
        self.press("#parties-find")
        self.said("begins")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return document.getElementById('pick-bar').hidden", "the end")
        self.assertFalse(self.browser.js(
            "return document.getElementById('map').classList.contains('picking')"))

    def test_tabs_go_by_arrows(self):
        self.open()
        self.browser.js("document.getElementById('explore-show').focus()")
        for expected in ("parties", "tickets", "explore"):
            self.browser.keys(Keys.ARROW_RIGHT)
            self.assertEqual(self.browser.js("return document.activeElement.id"), f"{expected}-show")
            self.assertTrue(self.browser.find(f"#{expected}-section").is_displayed())


class Phone(RideTest):
    width, height = 390, 844

    def test_the_sheet_makes_way_while_places_are_picked(self):
        self.open()
        self.browser.find("#panel-toggle").click()
        self.browser.find("#parties-show").click()
        self.browser.find("#parties-find").click()
        self.said("begins")
        self.assertFalse(self.browser.find("#parties-find").is_displayed(), "the sheet is closed")
        cancel = self.browser.find("#pick-cancel")
        self.assertTrue(cancel.is_displayed())
        box = self.browser.js(
            "const { left, right, top, bottom } ="
            " document.getElementById('pick-bar').getBoundingClientRect();"
            "return [left, right, top, bottom, innerWidth, innerHeight]")
        self.assertTrue(box[0] >= 0 and box[1] <= box[4] and box[2] >= 0 and box[3] <= box[5])
        self.assertGreaterEqual(cancel.size["height"], 36)
        self.browser.screenshot("phone-picking")
        cancel.click()
        self.assertTrue(self.browser.find("#parties-find").is_displayed(), "the sheet is back")
        self.assertFalse(self.browser.find("#pick-bar").is_displayed())

    def test_join_stands_in_sight_and_the_status_line_is_whole(self):
        self.open()
        party = self.offer(f"fold-{RUN}", (37.6105, 127.1305), (37.5405, 127.1305))
        for rider in ("a", "b"):
            daemon.call("POST", f"/v1/parties/{party['id']}/join", {"riderId": f"{rider}-{RUN}"})
        self.browser.js("moyeo.parties.open(arguments[0])", party["id"])
        self.browser.wait("return document.querySelector('#party-join')", "the card")
        self.browser.settle()
        self.in_sight("#party-join")
        self.browser.screenshot("phone-card")
        self.browser.js("document.getElementById('parties-rider').value = arguments[0]", f"c-{RUN}")
        self.press("#party-join")
        self.browser.wait("return document.querySelector('#party-confirm')", "the preview")
        self.in_sight("#party-confirm")
        # The counts of a city are as long as they get here.
        self.browser.js(
            "document.getElementById('status-objects').textContent = '100,000';"
            "document.getElementById('status-shown').textContent = '99,999';")
        for width in (390, 360, 320):
            self.browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=844,
                             deviceScaleFactor=1, mobile=True)
            wide, room = self.browser.js(
                "const { scrollWidth, clientWidth } = document.getElementById('status');"
                "return [scrollWidth, clientWidth]")
            self.assertLessEqual(wide, room, f"the status line at {width}")

    def in_sight(self, selector):
        """Whether a click in the middle of an element would be one on it."""
        self.browser.wait(
            "const one = document.querySelector(arguments[0]);"
            "const { left, right, top, bottom } = one.getBoundingClientRect();"
            "return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))",
            f"{selector} in sight", selector)


if __name__ == "__main__":
    unittest.main()
