"""Taxi parties on the map page: offered by two clicks, found, joined, with live events.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_party_page.py
"""

import os
import unittest

from browser import Browser
from map_daemon import MapDaemon

daemon = None
RUN = f"{os.getpid():x}"
# Within Seoul, apart from the demo's hot spots.
ORIGIN, DESTINATION = (37.6280, 127.0490), (37.6420, 127.0180)
# On along the same line, so that getting out at DESTINATION is hardly a detour.
BEYOND = (37.6560, 126.9870)


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class PartyTest(unittest.TestCase):
    scheme = "light"

    def setUp(self):
        self.browser = Browser(1280, 900, self.scheme)
        self.addCleanup(self.browser.close)
        self.browser.open(
            f"{daemon.url}/#layer=users&zoom=13&at={ORIGIN[0]},{ORIGIN[1] - 0.02}")

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def become(self, name):
        self.browser.js("document.getElementById('parties-rider').value = arguments[0]", name)

    def press(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def said(self, part):
        self.browser.wait(
            "return document.getElementById('parties-message').textContent.includes(arguments[0])",
            f"the message {part!r}", part)

    def two_clicks(self, button):
        self.press(button)
        self.said("begins")
        self.browser.click_map(*ORIGIN)
        self.said("ends")
        self.browser.click_map(*DESTINATION)

    def card(self, part):
        self.browser.wait(
            "return document.getElementById('party-card').textContent.includes(arguments[0])",
            f"the card to say {part!r}", part)

    def events(self, part):
        self.browser.wait(
            "return document.getElementById('party-events').textContent.includes(arguments[0])",
            f"the event {part!r}", part)

    def test_offer_match_join_and_live_events(self):
        browser, me = self.browser, f"{self.scheme}-{RUN}"
        host, guest, third = f"host-{me}", f"guest-{me}", f"third-{me}"
        self.become(host)
        self.two_clicks("#parties-offer")
        self.said("Offered")
        self.card(f"{host}")
        self.events(f"offered by {host}")
        party = browser.js("return moyeo.parties.chosen.id")
        browser.wait("return moyeo.parties.parties.includes(arguments[0])", "its marker", party)
        # The clicks were the panel's: nothing was searched.
        self.assertEqual(browser.js("return moyeo.hits.length"), 0)
        # Somebody else, in the same page, finds it and gets in.
        self.become(guest)
        self.two_clicks("#parties-find")
        self.said("go your way")
        self.assertIn("saves", browser.text("#parties-matches small"))
        browser.screenshot("party-match")
        self.press(f"[data-party='{party}'] .join")
        # The page says what it means for both, and joins when told so.
        browser.wait("return document.querySelector('#party-preview li')", "the preview")
        rows = [row.text for row in browser.find_all("#party-preview li")]
        self.assertEqual([row.split()[0] for row in rows], [host, "you"])
        self.assertTrue(all("ride " in row and "detour" in row for row in rows), rows)
        self.assertEqual(self.riders_of(party), [host], "nobody joins before the yes")
        browser.screenshot("party-preview")
        self.press("#party-confirm")
        self.card(guest)
        self.events(f"{guest} joined")
        shares = browser.js(
            "return [...document.querySelectorAll('#party-riders b')].map((b) => b.textContent)")
        self.assertEqual(len(shares), 2, shares)
        # A third one by the API: the page hears of it.
        daemon.call("POST", f"/v1/parties/{party}/join", {"riderId": third})
        self.events(f"{third} joined")
        self.card("1 of 4 seats free")
        browser.wait(
            "const pips = moyeo.parties.element(arguments[0])?.querySelectorAll('.pip');"
            "return pips?.length === 4 && [...pips].filter((pip) => !pip.matches('.taken')).length === 1",
            "the marker to show the seat that is left", party)
        browser.screenshot("party-joined")
        self.press("#party-leave")
        self.events(f"{guest} left")
        self.card("2 of 4 seats free")
        daemon.call("POST", f"/v1/parties/{party}/cancel", {})
        self.events("cancelled")
        browser.wait("return !moyeo.parties.parties.includes(arguments[0])", "it to go", party)

    def test_a_refusal_is_told(self):
        party = daemon.call("POST", "/v1/parties", {
            "hostId": f"r-{RUN}", "seats": 2, "departureTime": self.soon(),
            "origin": {"latitude": ORIGIN[0], "longitude": ORIGIN[1]},
            "destination": {"latitude": DESTINATION[0], "longitude": DESTINATION[1]}})["party"]
        self.become(f"guest-r-{RUN}")
        self.two_clicks("#parties-find")
        self.said("go your way")
        daemon.call("POST", f"/v1/parties/{party['id']}/cancel", {})
        self.press(f"[data-party='{party['id']}'] .join")
        self.said("was cancelled")
        # The browser itself notes an answer of 409.
        said = [line for line in self.browser.console() if "409" not in line]
        self.assertEqual(said, [])

    def riders_of(self, party):
        return [rider["riderId"] for rider in self.party(party)["riders"]]

    def party(self, party):
        return daemon.call("GET", f"/v1/parties/{party}")["party"]

    def offer_by_api(self, host, destination=DESTINATION, **more):
        return daemon.call("POST", "/v1/parties", {
            "hostId": host, "departureTime": self.soon(), "maxWalkMeters": 600,
            "maxDetourRatio": 1,
            "origin": {"latitude": ORIGIN[0], "longitude": ORIGIN[1]},
            "destination": {"latitude": destination[0], "longitude": destination[1]},
            **more})["party"]

    def test_joining_is_for_the_rider_s_own_way_at_the_share_shown(self):
        # The party goes far beyond the place where the rider gets out.
        party = self.offer_by_api(f"far-{RUN}", BEYOND)["id"]
        rider = f"near-{RUN}"
        self.become(rider)
        self.two_clicks("#parties-find")
        self.said("go your way")
        self.press(f"[data-party='{party}'] .join")
        self.browser.wait("return document.querySelector('#party-confirm')", "the preview")
        listed = self.browser.text(f"[data-party='{party}'] small")
        shown = int("".join(filter(str.isdigit, self.browser.text("#party-confirm"))))
        self.assertIn(f"₩{shown:,}", listed)
        self.press("#party-confirm")
        self.card(rider)
        (mine,) = [one for one in self.party(party)["riders"] if one["riderId"] == rider]
        self.assertEqual(mine["share"], shown)
        self.assertAlmostEqual(mine["dropOff"]["latitude"], DESTINATION[0], delta=1e-3)
        whole_way = self.party(party)["riders"][0]["share"]
        self.assertLess(shown, whole_way, "who gets out early pays less")

    def test_a_preview_that_is_not_confirmed_joins_nobody(self):
        party = self.offer_by_api(f"quiet-{RUN}")["id"]
        self.become(f"doubt-{RUN}")
        self.two_clicks("#parties-find")
        self.said("go your way")
        self.press(f"[data-party='{party}'] .join")
        self.browser.wait("return document.querySelector('#party-decline')", "the preview")
        self.press("#party-decline")
        self.browser.wait("return document.querySelector('#party-join')", "the card again")
        self.assertEqual(self.browser.find_all("#party-preview"), [])
        self.assertEqual(self.riders_of(party), [f"quiet-{RUN}"])

    def test_a_share_that_rose_meanwhile_is_shown_before_it_is_paid(self):
        party = self.offer_by_api(f"rise-{RUN}", allowRaisedShares=True)["id"]
        first, rider = f"first-{RUN}", f"second-{RUN}"
        daemon.call("POST", f"/v1/parties/{party}/join", {"riderId": first})
        self.become(rider)
        self.two_clicks("#parties-find")
        self.said("go your way")
        self.press(f"[data-party='{party}'] .join")
        self.browser.wait("return document.querySelector('#party-confirm')", "the preview")
        before = self.browser.text("#party-confirm")
        # One leaves: the others pay more than the page says.
        daemon.call("POST", f"/v1/parties/{party}/leave", {"riderId": first})
        self.browser.wait(
            "return document.getElementById('party-confirm')"
            " && document.getElementById('party-confirm').textContent !== arguments[0]",
            "the new share", before)
        self.assertEqual(self.riders_of(party), [f"rise-{RUN}"])

    def test_a_ride_of_no_length_is_refused_with_a_sentence(self):
        for button, outcome in (("#parties-offer", "Offered"), ("#parties-find", "go your way")):
            self.press(button)
            self.said("begins")
            self.browser.click_map(*ORIGIN)
            self.said("ends")
            self.browser.click_map(*ORIGIN)
            self.said("must be at least 50 m long")
            # The next click ends it after all.
            self.become(f"short-{button[9:]}-{RUN}")
            self.browser.click_map(*DESTINATION)
            self.said(outcome)
            if button == "#parties-offer":
                # The map goes to the ride: clicks before it rests would miss.
                self.browser.wait("return moyeo.parties.chosen?.id", "the ride")

    def soon(self):
        return self.browser.js("return new Date(Date.now() + 30 * 60e3).toISOString()")


class DarkPartyTest(PartyTest):
    scheme = "dark"

    test_a_refusal_is_told = None
    test_joining_is_for_the_rider_s_own_way_at_the_share_shown = None
    test_a_preview_that_is_not_confirmed_joins_nobody = None
    test_a_share_that_rose_meanwhile_is_shown_before_it_is_paid = None
    test_a_ride_of_no_length_is_refused_with_a_sentence = None

