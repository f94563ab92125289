"""The rules of axe-core over the map page in all its modes, the operator's page and the reference: desktop and
phone, dark and light, English and Korean.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run browser/test_axe.py

MOYEO_AXE names another axe.min.js.
"""

import importlib.resources
import os
import pathlib
import unittest

from browser import Browser
from map_daemon import MapDaemon
from running_daemon import ROOT, Daemon
from test_admin_page import admin_url

daemon = None
RUN = f"{os.getpid():x}"
DESKTOP, PHONE = (1280, 800), (390, 844)
AXE = pathlib.Path(os.environ.get("MOYEO_AXE") or str(
    importlib.resources.files("axe_core_python") / "axe.min.js")).read_text()


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class AxeTest(unittest.TestCase):
    """Rules are asked in both colour schemes: a page is opened once for both."""

    def browser(self, size, language="en"):
        # Without motion, so that nothing is half faded in when its contrast is measured.
        browser = Browser(*size, "dark", still=True, language=language)
        self.addCleanup(browser.close)
        browser.driver.set_script_timeout(120)
        return browser

    def check(self, browser, where):
        """No rule finds anything, dark or light."""
        browser.js("if (!window.axe) (0, eval)(arguments[0])", AXE)
        for scheme in ("dark", "light"):
            browser.cdp("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"}])
            browser.wait(
                "return matchMedia('(prefers-color-scheme: dark)').matches === arguments[0]"
                " && document.getAnimations().every((one) => one.playState !== 'running'"
                "   || one.effect.getTiming().iterations === Infinity)",
                f"the {scheme} scheme", scheme == "dark")
            result = browser.driver.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run(document, { resultTypes: ['violations'] }).then(done,"
                " (error) => done({ error: String(error) }))")
            self.assertNotIn("error", result)
            self.assertGreater(len(result["passes"]), 10, "rules that hold")
            found = [
                f"{rule['id']}: {rule['help']}: {node['target']} {node['html'][:200]}"
                f" {[one['message'] for one in node['any'] + node['all'] + node['none']]}"
                for rule in result["violations"] for node in rule["nodes"]]
            with self.subTest(where, scheme=scheme):
                self.assertFalse(found, "\n".join([f"{len(found)} findings", *found[:20]]))


class MapModes(AxeTest):
    size, language = DESKTOP, "en"

    def press(self, selector):
        self.page.js("document.querySelector(arguments[0]).click()", selector)

    def wait(self, script, what):
        return self.page.wait(f"return {script}", what)

    def show_panel(self):
        """On a phone the panel is a sheet that hides what is in it."""
        if self.page.js("return document.getElementById('panel').classList.contains('closed')"):
            self.press("#panel-toggle")

    def setUp(self):
        self.page = self.browser(self.size, self.language)
        self.page.open(f"{daemon.url}/#layer=users&zoom=12&at=37.55,126.99")

    def test_exploring(self):
        page = self.page
        self.check(page, "as it opens")
        page.wait("return document.querySelector('.tag-popular button, #tag-popular button')", "tags")
        self.show_panel()
        self.press("#tag-popular button")
        page.wait("return document.querySelector('#tag-chips button')", "a tag that is chosen")
        page.js("document.getElementById('radius').value = 20000")
        self.press("#search-here")
        page.wait("return document.querySelector('#search-results > li')", "hits")
        self.check(page, "hits and a filter")
        self.press("#search-results button")
        page.wait("return document.querySelector('.leaflet-popup h3')", "the details")
        page.settle()
        self.check(page, "details of an object")

    def test_help_and_the_tour(self):
        page = self.page
        self.press("#help-open")
        page.wait("return document.getElementById('legend').open", "the legend")
        self.check(page, "the legend")
        self.press("#legend button")
        page.wait("return !document.getElementById('legend').open", "its end")
        self.press("#tour-start")
        page.wait("return document.getElementById('tour-title')", "the tour")
        self.check(page, "the tour")

    def test_parties(self):
        page = self.page
        self.press("#parties-show")
        page.wait("return document.querySelector('#parties-nearby .open')", "rides")
        self.show_panel()
        self.check(page, "rides in view")
        self.press("#parties-nearby .open")
        page.wait("return document.querySelector('#party-card #party-riders')", "a card")
        page.settle()
        page.js("document.querySelector('#party-fare')?.setAttribute('open', '')")
        page.wait("return !document.querySelector('#party-fare')"
                  " || document.querySelector('#party-fare li')", "the fare's lines")
        self.check(page, "a ride's card")
        page.js("document.getElementById('parties-rider').value = arguments[0]",
                f"axe-{self.language}-{self.size[0]}-{RUN}")
        self.press("#party-join")
        page.wait("return document.getElementById('party-preview')"
                  " || document.querySelector('#parties-message.error')?.textContent",
                  "the preview or why there is none")
        self.check(page, "a preview of joining")

    def test_tickets(self):
        page = self.page
        self.press("#tickets-show")
        self.show_panel()
        self.check(page, "study mates")
        page.js("document.getElementById('tickets-user').value = arguments[0]",
                f"axe-{self.language}-{self.size[0]}-{RUN}")
        self.press("#tickets-wait")
        page.wait("return !document.getElementById('pick-bar').hidden", "the bar to pick a place")
        self.check(page, "picking a place")
        page.view(37.5663, 126.9779, 13)
        self.press("#pick-here")
        page.wait("return document.querySelector('#tickets-around li')", "people around")
        self.show_panel()
        self.check(page, "people around")
        me = page.js("return moyeo.tickets.ticket.userId")
        daemon.call("POST", "/v1/tickets", {
            "userId": f"guest-{me}", "here": {"latitude": 37.5663, "longitude": 126.9779}})
        daemon.call("POST", f"/v1/tickets/guest-{me}/propose", {"otherId": me})
        page.wait("return document.querySelector('#tickets-asking .join')", "the proposal")
        self.show_panel()
        self.check(page, "who asks")
        self.press("#tickets-asking .join")
        page.wait("return !document.getElementById('ticket-card').hidden", "a match")
        page.settle()
        self.show_panel()
        self.check(page, "a match")


class MapModesInKorean(MapModes):
    language = "ko"


class MapModesOnAPhone(MapModes):
    size = PHONE


class MapModesOnAPhoneInKorean(MapModes):
    size, language = PHONE, "ko"


class OtherPages(AxeTest):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--admin-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        status, answer, _ = cls.daemon.request("POST", "/v1/tickets", {
            "userId": "kim", "here": {"latitude": 37.5, "longitude": 127.0}, "tags": ["swift"]})
        assert status == 200, answer

    def test_the_operator_s_page(self):
        for size in (DESKTOP, PHONE):
            page = self.browser(size)
            page.open(admin_url(self.daemon) + "/", ready=False)
            page.wait("return window.moyeo?.readings > 0 && window.moyeo.lists > 0", "figures")
            self.check(page, f"as it opens, {size}")
            page.js("document.getElementById('person-id').value = 'kim';"
                    "document.getElementById('person-form').requestSubmit()")
            page.wait("return !document.getElementById('person').hidden", "the person")
            self.check(page, f"a person, {size}")
            page.js("[...document.querySelectorAll('#person button')].find((b) => !b.disabled).click()")
            page.wait("return document.getElementById('confirm')?.open", "the dialog")
            self.check(page, f"the question before it is done, {size}")

    def test_the_reference(self):
        for size in (DESKTOP, PHONE):
            page = self.browser(size)
            page.open(self.daemon.url + "/docs", ready=False)
            page.wait("return document.querySelectorAll('article').length > 50", "the calls")
            self.check(page, f"{size}")


if __name__ == "__main__":
    unittest.main()
