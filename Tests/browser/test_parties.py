"""Taxi parties on the map page: offered by two clicks, found, joined, with live events.

    MOYEOD=.build/debug/moyeod python -m unittest discover -s Tests/browser -p 'test_parties.py'
"""

import os
import unittest
import urllib.request

try:
    from browser import Browser, missing
    reason = missing()
except ImportError as error:
    reason = f"{error}; install Tests/browser/requirements.txt"
from daemon import Daemon

daemon = None
RUN = f"{os.getpid():x}"
# Within Seoul, apart from the demo's hot spots.
ORIGIN, DESTINATION = (37.6280, 127.0490), (37.6420, 127.0180)


def setUpModule():
    global daemon
    if reason:
        raise unittest.SkipTest(reason)
    if not os.environ.get("MOYEO_URL") and not Daemon.binary():
        raise unittest.SkipTest("no daemon: set MOYEO_URL or MOYEOD, or build moyeod")
    daemon = Daemon()


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
            "return moyeo.parties.element(arguments[0])?.textContent.trim() === '1'",
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

    def soon(self):
        return self.browser.js("return new Date(Date.now() + 30 * 60e3).toISOString()")


class DarkPartyTest(PartyTest):
    scheme = "dark"

    test_a_refusal_is_told = None


if __name__ == "__main__":
    unittest.main()
