"""Study mates on the map page: who is around, asked, accepted and met, each by two clicks.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_ticket_page.py
"""

import os
import unittest

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

    def wait_at(self, user):
        self.browser.js("document.getElementById('tickets-user').value = arguments[0]", user)
        self.press("#tickets-wait")
        self.said("where you are")
        self.browser.click_map(*HERE)
        self.browser.wait(
            "return moyeo.tickets.ticket?.userId === arguments[0]", "the ticket", user)

    def test_two_clicks_show_who_is_around_and_two_more_make_a_match(self):
        browser = self.browser
        self.wait_at(f"ann-{RUN}")
        browser.wait("return document.querySelector('#tickets-around li')", "people around")
        browser.wait("return document.querySelector('.marker.ticket')", "their markers")
        browser.screenshot("tickets-around")
        # Nobody is told where somebody is: the demo's people stand at middles of cells.
        other = browser.js("return document.querySelector('#tickets-around li').dataset.user")
        # The page calls people by names, never by raw ids.
        name = browser.text(f"#tickets-around [data-user='{other}'] b")
        self.assertRegex(name, r"^Person [\d,]+$")
        self.press(f"#tickets-around [data-user='{other}'] .join")
        self.said(f"You meet {name}")
        browser.wait("return !document.getElementById('ticket-card').hidden", "the match")
        browser.screenshot("tickets-matched")
        self.press("#tickets-rate")
        browser.wait("return moyeo.tickets.ticket.state === 'closed'", "the end of the match")

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


if __name__ == "__main__":
    unittest.main()
