"""Study mates on the map page: who is around, asked, accepted and met, each by two clicks.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_ticket_page.py
"""

import json
import os
import unittest

from selenium.webdriver.common.keys import Keys

from browser import Browser
from map_daemon import MapDaemon

daemon = None
RUN = f"{os.getpid():x}"
# City Hall, where people of the demo wait.
HERE = (37.5663, 126.9779)


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class TicketTest(unittest.TestCase):
    def setUp(self):
        self.browser = Browser(1280, 900, "light")
        self.addCleanup(self.browser.close)
        self.browser.open(f"{daemon.url}/#layer=tickets&zoom=13&at={HERE[0]},{HERE[1] - 0.02}")

    def tearDown(self):
        self.assertEqual(self.browser.console(), [], "the console is not empty")

    def press(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def said(self, part):
        self.browser.wait(
            "return document.getElementById('tickets-message').textContent.includes(arguments[0])",
            f"the message {part!r}", part)

    def wait_at(self, user, tags=""):
        self.browser.js("document.getElementById('tickets-user').value = arguments[0];"
                        "document.getElementById('tickets-tags').value = arguments[1]", user, tags)
        self.press("#tickets-wait")
        self.said("where you are")
        self.browser.click_map(*HERE)
        self.browser.wait(
            "return moyeo.tickets.ticket?.userId === arguments[0]", "the ticket", user)

    def test_two_clicks_show_who_is_around_and_two_more_make_a_match(self):
        browser = self.browser
        self.wait_at(f"ann-{RUN}")
        # Other tests' people may wait here too: one of the demo's accepts by itself.
        first = "return [...document.querySelectorAll('#tickets-around li')].map((one) =>" \
            " one.dataset.user).find((id) => id.includes('-user-'))"
        browser.wait(first, "people around")
        browser.wait("return document.querySelector('.marker.ticket')", "their markers")
        browser.screenshot("tickets-around")
        # Nobody is told where somebody is: the demo's people stand at middles of cells.
        other = browser.js(first)
        # The page calls people by names, never by raw ids.
        name = browser.text(f"#tickets-around [data-user='{other}'] b")
        self.assertRegex(name, r"^Person [\d,]+$")
        self.press(f"#tickets-around [data-user='{other}'] .join")
        self.said(f"You meet {name}")
        browser.wait("return !document.getElementById('ticket-card').hidden", "the match")
        # Both are on the map, the other one no more exactly than they were told of.
        browser.wait("return document.querySelector('.pin-mate') && document.querySelector('.pin-me')"
                     " && document.querySelector('.meeting-line')", "the way between them")
        self.assertIn(name, browser.text(".pin-mate span"))
        self.assertRegex(browser.text("#ticket-card .hint"), r"^Around .+ away, .* cell .+ wide\.$")
        browser.settle()
        browser.screenshot("tickets-matched")
        inside = browser.js(
            "const map = document.getElementById('map').getBoundingClientRect();"
            "const panel = document.getElementById('panel').getBoundingClientRect();"
            "return ['.pin-me i', '.pin-mate i'].every((one) => {"
            " const pin = document.querySelector(one).getBoundingClientRect();"
            " return pin.left > panel.right && pin.right < map.right && pin.bottom < map.bottom })")
        self.assertTrue(inside, "both pins in the free part of the map")
        # How many stars there are is chosen, with the keyboard too, and never taken for granted.
        self.assertFalse(browser.find("#tickets-rate").is_enabled())
        browser.js("window.sent = []; const real = window.fetch; window.fetch = (address, options) => {"
                   " sent.push([String(address), options?.body]); return real(address, options) };"
                   "document.querySelector('.stars input').focus()")
        browser.keys(Keys.SPACE, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        browser.wait("return document.querySelector('.stars :checked')?.value === '3'", "three stars")
        self.press("#tickets-rate")
        browser.wait("return moyeo.tickets.ticket.state === 'closed'", "the end of the match")
        rated = browser.js("return sent.find(([address]) => address.endsWith('/rate'))[1]")
        self.assertEqual(json.loads(rated), {"otherId": other, "stars": 3})
        self.assertEqual(browser.find_all(".pin-me, .pin-mate, .meeting-line"), [])

    def test_who_is_asked_accepts_by_a_click(self):
        browser, me, guest = self.browser, f"cat-{RUN}", f"guest-{RUN}"
        self.wait_at(me)
        daemon.call("POST", "/v1/tickets", {
            "userId": guest, "here": {"latitude": HERE[0], "longitude": HERE[1]}})
        daemon.call("POST", f"/v1/tickets/{guest}/propose", {"otherId": me})
        selector = f"#tickets-asking [data-user='{guest}'] .join"
        browser.wait("return document.querySelector(arguments[0])", "the proposal", selector)
        self.press(selector)
        browser.wait(
            "return document.getElementById('ticket-card').textContent.includes(arguments[0])",
            "the match", guest)
        self.assertEqual(
            daemon.call("GET", f"/v1/tickets/{guest}")["ticket"]["matchedWith"], me)

    def test_a_proposal_is_declined_and_one_s_own_taken_back(self):
        browser, me, guest, tag = self.browser, f"dan-{RUN}", f"eve-{RUN}", f"only-{RUN}"
        self.wait_at(me, tag)
        daemon.call("POST", "/v1/tickets", {
            "userId": guest, "tags": [tag], "here": {"latitude": HERE[0], "longitude": HERE[1]}})
        daemon.call("POST", f"/v1/tickets/{guest}/propose", {"otherId": me})
        decline = f"#tickets-asking [data-user='{guest}'] [data-verb=decline]"
        browser.wait("return document.querySelector(arguments[0])", "the proposal", decline)
        self.press(decline)
        browser.wait("return !document.querySelector(arguments[0])", "its end", decline)
        self.assertNotIn("matchedWith", daemon.call("GET", f"/v1/tickets/{guest}")["ticket"])
        self.assertEqual(self.proposals(guest, "proposalsTo"), [])
        ask = f"#tickets-around [data-user='{guest}'] [data-verb=propose]"
        browser.wait("return document.querySelector(arguments[0])", "somebody to ask", ask)
        self.press(ask)
        back = f"#tickets-around [data-user='{guest}'] [data-verb=withdraw]"
        browser.wait("return document.querySelector(arguments[0])", "what was asked", back)
        self.assertIn(me, self.proposals(guest, "proposalsFrom"))
        self.assertIn("asked by you", browser.text(f"#tickets-around [data-user='{guest}'] small"))
        self.press(back)
        browser.wait("return document.querySelector(arguments[0])", "somebody to ask again", ask)
        self.assertNotIn(me, self.proposals(guest, "proposalsFrom"))

    def proposals(self, user, field):
        return daemon.call("GET", f"/v1/tickets/{user}")["ticket"].get(field, [])

    def test_a_ticket_outlives_a_reload_until_it_has_ended(self):
        browser, me, guest, tag = self.browser, f"fay-{RUN}", f"gus-{RUN}", f"pair-{RUN}"
        self.wait_at(me, tag)
        self.reload(me, "open")
        self.assertEqual(browser.js("return document.getElementById('tickets-tags').value"), tag)
        daemon.call("POST", "/v1/tickets", {
            "userId": guest, "tags": [tag], "here": {"latitude": HERE[0], "longitude": HERE[1]}})
        self.press("#tickets-show")
        ask = f"#tickets-around [data-user='{guest}'] [data-verb=propose]"
        browser.wait("return document.querySelector(arguments[0])", "somebody around", ask)
        self.press(ask)
        browser.wait("return moyeo.tickets.ticket.proposalsTo.length === 1", "the proposal")
        # What happens to a ticket after the reload is heard of.
        self.reload(me, "open")
        daemon.call("POST", f"/v1/tickets/{guest}/accept", {"otherId": me})
        browser.wait("return moyeo.tickets.ticket.state === 'matched'", "the match")
        self.reload(me, "matched")
        self.press("#tickets-show")
        browser.wait("return document.querySelector('.pin-mate')", "where the other one was shown")
        self.press("#tickets-dodge")
        browser.wait("return !['open', 'matched'].includes(moyeo.tickets.ticket.state)", "the end")
        self.assertIsNone(browser.js("return sessionStorage.getItem('moyeo.ticket')"))

    def reload(self, user, state):
        self.browser.driver.refresh()
        self.browser.wait(
            "return window.moyeo?.tickets?.ticket?.userId === arguments[0]"
            " && moyeo.tickets.ticket.state === arguments[1]", f"the {state} ticket again", user, state)


if __name__ == "__main__":
    unittest.main()
