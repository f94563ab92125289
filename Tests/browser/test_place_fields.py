"""The taxi panel's places: found by name with the keyboard alone, and named where they are picked.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_place_fields.py
"""

import os
import unittest

from selenium.webdriver.common.keys import Keys

from browser import Browser
from map_daemon import MapDaemon

daemon = None
RUN = f"{os.getpid():x}"
# Within Seoul, apart from the demo's hot spots and stations.
HERE, THERE = (37.6280, 127.0490), (37.6420, 127.0180)


def setUpModule():
    global daemon
    daemon = MapDaemon()
    daemon.report("places", [
        (f"field-{RUN}-1", *HERE, [], {"name": "갈매기 다방", "address": "노해로 1", "category": "café"}),
        (f"field-{RUN}-2", *THERE, [], {"name": "갈매기 책방"}),
        (f"field-{RUN}-3", 37.6290, 127.0490, [], {"name": "<b>갈매기</b> 세탁소"}),
    ])


def tearDownModule():
    if daemon:
        daemon.stop()


class PlaceFieldTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser(1280, 900)
        self.addCleanup(self.browser.close)
        self.browser.open(
            f"{daemon.url}/#layer=users&zoom=13&at={HERE[0]},{HERE[1] - 0.02}")
        # The fields are those of a mode.
        self.press("#parties-show")
        self.browser.js("document.getElementById('parties-rider').value = arguments[0]",
                        f"{self._testMethodName}-{RUN}")

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def type(self, field, text):
        self.browser.js("const f = document.getElementById(arguments[0]); f.value = ''; f.focus()",
                        field)
        self.browser.keys(text)

    def suggested(self, field, *names):
        return self.browser.wait(
            "const found = [...document.querySelectorAll(`#${arguments[0]}-list li .name`)]"
            ".map((name) => name.textContent);"
            "return !document.getElementById(`${arguments[0]}-list`).hidden"
            " && arguments[1].every((name) => found.includes(name)) && found",
            f"the suggestions {names}", field, list(names))

    def value(self, field):
        return self.browser.js("return document.getElementById(arguments[0]).value", field)

    def said(self, part):
        self.browser.wait(
            "return document.getElementById('parties-message').textContent.includes(arguments[0])",
            f"the message {part!r}", part)

    def chosen(self):
        """The party that was offered, once the page has read it."""
        return self.browser.wait("return moyeo.parties.chosen", "the party")

    def press(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def test_a_ride_is_offered_by_names_with_the_keyboard_alone(self):
        browser = self.browser
        self.type("parties-from", "갈매기 다")
        browser.wait(
            "return document.getElementById('parties-from-list').dataset.text === '갈매기 다'",
            "the list of all letters")
        found = self.suggested("parties-from", "갈매기 다방")
        self.assertEqual(found[0], "갈매기 다방")
        expanded = "return document.getElementById('parties-from').getAttribute('aria-expanded')"
        self.assertEqual(browser.js(expanded), "true")
        browser.screenshot("place-suggestions")
        browser.keys(Keys.ARROW_DOWN)
        self.assertEqual(
            browser.js("return document.getElementById('parties-from')"
                       ".getAttribute('aria-activedescendant')"), "parties-from-list-0")
        browser.keys(Keys.ENTER)
        self.assertEqual((self.value("parties-from"), browser.js(expanded)),
                         ("갈매기 다방", "false"))
        # By initial consonants.
        self.type("parties-to", "ㄱㅁㄱㅊ")
        # At once, whatever is suggested by now, even nothing yet.
        browser.keys(Keys.ENTER)
        browser.wait("return document.getElementById('parties-to').value === '갈매기 책방'",
                     "the choice")
        self.press("#parties-offer")
        self.said("Offered")
        party = self.chosen()
        self.assertEqual((party["origin"]["name"], party["destination"]["name"]),
                         ("갈매기 다방", "갈매기 책방"))
        self.assertAlmostEqual(party["destination"]["latitude"], THERE[0], delta=1e-3)
        self.assertIn("갈매기 다방 → 갈매기 책방", browser.text("#party-card h3"))

    def enter_at_once(self, field, text, *more):
        """Types a text and presses Enter before the page can have asked for suggestions; and then
        types further texts before there can be an answer."""
        self.browser.js(
            "const field = document.getElementById(arguments[0]);"
            "const type = (text) => {"
            "  field.value = text; field.dispatchEvent(new Event('input', {bubbles: true})); };"
            "field.focus(); type(arguments[1]);"
            "field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));"
            "arguments[2].forEach(type)",
            field, text, more)

    def test_enter_takes_the_best_place_before_any_list_has_come(self):
        self.enter_at_once("parties-to", "ㄱㅁㄱㅊ")
        self.browser.wait(
            "return document.getElementById('parties-to').value === '갈매기 책방'", "the choice")

    def test_what_is_typed_while_enter_is_answered_counts(self):
        self.enter_at_once("parties-to", "갈매기 책방", "갈매기 다방")
        self.enter_at_once("parties-from", "갈매기 책방")
        self.press("#parties-offer")
        self.said("Offered")
        party = self.chosen()
        self.assertEqual((party["origin"]["name"], party["destination"]["name"]),
                         ("갈매기 책방", "갈매기 다방"))

    def test_what_was_typed_counts_without_a_choice(self):
        self.type("parties-from", "갈매기다방")
        self.type("parties-to", "갈매기책방")
        self.press("#parties-offer")
        self.said("Offered")
        self.assertEqual(self.chosen()["destination"]["name"], "갈매기 책방")
        self.type("parties-to", "뷁뷁뷁 없는곳")
        self.press("#parties-offer")
        self.said("There is no place called")

    def test_one_end_by_name_and_one_by_a_click_which_gets_its_name(self):
        self.type("parties-from", "갈매기 다방")
        self.suggested("parties-from", "갈매기 다방")
        self.browser.keys(Keys.ENTER)
        self.press("#parties-offer")
        self.said("ends")
        self.browser.click_map(*THERE)
        self.said("Offered")
        self.assertEqual(self.value("parties-to"), "갈매기 책방")
        party = self.chosen()
        self.assertEqual((party["origin"]["name"], party["destination"]["name"]),
                         ("갈매기 다방", "갈매기 책방"))
        # The click is forgotten with the next ride, the name is not.
        self.press("#parties-offer")
        self.said("ends")
        self.assertEqual((self.value("parties-from"), self.value("parties-to")),
                         ("갈매기 다방", ""))

    def test_escape_closes_the_list_and_a_name_is_only_text(self):
        self.type("parties-to", "갈매기 세")
        self.suggested("parties-to", "<b>갈매기</b> 세탁소")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return document.getElementById('parties-to-list').hidden", "it to close")
        self.assertEqual(self.value("parties-to"), "갈매기 세")
        self.assertEqual(self.browser.find_all(".place-list b"), [])


if __name__ == "__main__":
    unittest.main()
