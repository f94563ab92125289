"""A ride that repeats on the map page: its days on the card, joined for one day or for all.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_commute_page.py
"""

import datetime
import os
import unittest
import zoneinfo

from browser import Browser
from map_daemon import MapDaemon

daemon = None
RUN = f"{os.getpid():x}"
SEOUL = "Asia/Seoul"
ORIGIN = {"name": "Nowon", "latitude": 37.6280, "longitude": 127.0490}
DESTINATION = {"name": "Suyu", "latitude": 37.6420, "longitude": 127.0180}


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class CommuteTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser(1280, 900, still=True)
        self.addCleanup(self.browser.close)
        self.browser.cdp("Emulation.setTimezoneOverride", timezoneId=SEOUL)

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def make(self, host):
        """A commute of every day some hours from now; and its first day's party."""
        now = datetime.datetime.now(zoneinfo.ZoneInfo(SEOUL))
        self.time = (now + datetime.timedelta(hours=6)).strftime("%H:%M")
        commute = daemon.call("POST", "/v1/commutes", {
            "hostId": host, "origin": ORIGIN, "destination": DESTINATION,
            "weekdays": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], "localTime": self.time,
            "timeZone": SEOUL, "seats": 4,
            "to": (now + datetime.timedelta(days=30)).strftime("%Y-%m-%d")})["commute"]
        self.browser.open(f"{daemon.url}/#layer=users&zoom=13&at=37.63,127.03")
        self.browser.driver.set_script_timeout(30)
        party = self.browser.driver.execute_async_script(
            "const [id, done] = arguments;"
            "const look = async () => {"
            "  const { commute } = await (await fetch(`/v1/commutes/${id}`)).json();"
            "  const day = commute.occurrences.find(({ partyId }) => partyId);"
            "  if (day) done(day.partyId); else setTimeout(look, 50); }; look();", commute["id"])
        return commute["id"], party

    def open(self, party, rider):
        self.browser.js("document.getElementById('parties-rider').value = arguments[0];"
                        "moyeo.parties.open(arguments[1])", rider, party)
        self.browser.wait("return document.querySelector('#party-repeats')", "the days")

    def press(self, selector):
        self.browser.wait("return document.querySelector(arguments[0])", selector, selector)
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def riders(self, path):
        kind = "party" if "parties" in path else "commute"
        return [rider["riderId"] for rider in daemon.call("GET", path)[kind].get("riders", [])]

    def test_its_days_are_on_the_card(self):
        _, party = self.make(f"days-{RUN}")
        self.open(party, f"looks-{RUN}")
        self.assertEqual(self.browser.text("#party-repeats p"), f"Repeats every day, {self.time}.")
        days = self.browser.find_all(".party-days li")
        self.assertEqual(len(days), 5)
        self.assertEqual(len(self.browser.find_all(".party-days b")), 1, "the one that is shown")
        self.browser.screenshot("commute-card")

    def test_one_day_is_joined(self):
        commute, party = self.make(f"one-{RUN}")
        rider = f"once-{RUN}"
        self.open(party, rider)
        self.assertEqual(self.browser.text("#party-join"), "Join this day")
        self.press("#party-join")
        self.press("#party-confirm")
        self.browser.wait("return document.querySelector('#party-leave')", "being aboard")
        self.assertIn(rider, self.riders(f"/v1/parties/{party}"))
        self.assertNotIn(rider, self.riders(f"/v1/commutes/{commute}"))

    def test_all_days_are_joined_after_a_preview_and_left(self):
        commute, party = self.make(f"all-{RUN}")
        rider = f"always-{RUN}"
        self.open(party, rider)
        self.press("#party-join-all")
        self.browser.wait("return document.querySelector('#party-confirm')", "the preview")
        self.assertRegex(
            self.browser.text("#party-confirm"), r"^Join all days, each for ₩[\d,]+ at most$")
        self.browser.screenshot("commute-preview")
        self.assertEqual(self.riders(f"/v1/commutes/{commute}"), [], "nobody joins before the yes")
        self.press("#party-confirm")
        self.browser.wait("return document.querySelector('#party-leave-all')", "riding all days")
        self.assertEqual(self.riders(f"/v1/commutes/{commute}"), [rider])
        self.browser.wait("return moyeo.parties.chosen.riders.length === 2", "this day as well")
        self.assertIn("You ride on all its days.", self.browser.text("#party-repeats p"))
        self.press("#party-leave-all")
        self.browser.wait("return document.querySelector('#party-join-all')", "not riding")
        self.assertEqual(self.riders(f"/v1/commutes/{commute}"), [])


if __name__ == "__main__":
    unittest.main()
