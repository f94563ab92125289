"""The map page where the daemon asks who calls: a token is asked for, kept in the tab and sent in a
header, and what the daemon has against it is said.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run browser/test_identity_page.py
"""

import pathlib
import tempfile
import unittest

from selenium.webdriver.common.keys import Keys

import tokens
from browser import Browser
from running_daemon import ROOT, Daemon, run

HOSTILE = "<img src=x onerror=alert(1)>"
# What the page asks, by any way; the browser's own list has a stream only once it has ended.
RECORDER = """
window.addresses = [];
const [ask, Source] = [window.fetch, window.EventSource];
window.fetch = (address, ...rest) => (addresses.push(String(address)), ask(address, ...rest));
window.EventSource = class extends Source {
  constructor(address) { super(address); addresses.push(String(address)); }
};
"""


class TokenPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.signer))
        cls.daemon = Daemon("--resources", str(ROOT), env=tokens.settings(keys))
        cls.addClassCleanup(cls.daemon.close)
        service = tokens.bearer(cls.signer.token("server", tokens.ALL + " service"))
        answer = cls.daemon.request("POST", "/v1/layers/users/positions", {"positions": [
            {"id": f"p{i}", "latitude": 37.5 + i / 1000, "longitude": 127.0, "ttlSeconds": 0}
            for i in range(20)]}, service)
        assert answer[0] == 200 and answer[1]["accepted"] == 20, answer

    def setUp(self):
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        self.expected_console = ()

    def tearDown(self):
        said = [line for line in self.browser.console()
                if not any(part in line for part in self.expected_console)]
        self.assertEqual(said, [], "the console is not empty")

    # MARK: moves

    def open(self, token=None, ready=True):
        """Opens the page, with a token that the tab has already."""
        self.browser.before_load(RECORDER)
        if token:
            self.browser.before_load(
                f"location.protocol === 'about:' || sessionStorage.getItem('given') || (sessionStorage.setItem('given', '1'),"
                f" sessionStorage.setItem('moyeo.token', '{token}'))")
        self.browser.open(self.daemon.url + "/#layer=users&zoom=12&at=37.51,127.0", ready=False)
        if ready:
            self.browser.wait("return window.moyeo?.ready === true", "the first answer")

    def note(self, text):
        self.browser.wait(
            "return document.querySelector('#auth-mode span')?.textContent.includes(arguments[0])",
            f"the sentence {text!r}", text)

    def dialog(self):
        self.browser.wait("return document.getElementById('token-dialog')?.open", "the dialog")

    def give(self, text):
        field = self.browser.find("#token-input")
        field.clear()
        field.send_keys(text + Keys.ENTER)

    def requests(self):
        return self.browser.js(
            "return [...addresses,"
            " ...performance.getEntriesByType('resource').map(({name}) => name)]")

    def asked(self):
        return [address for address in self.requests() if "/v1/" in address]

    # MARK: tests

    def test_a_token_is_asked_for_before_anything_else(self):
        self.open(ready=False)
        self.dialog()
        self.note("This service asks who you are: give it a token.")
        self.assertEqual(
            self.browser.js("return document.activeElement.id"), "token-input")
        self.browser.screenshot("token-dialog")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return !document.getElementById('token-dialog').open", "its end")
        self.assertEqual(self.asked(), [], "no call was made without a token")
        # It is offered again, from the keyboard.
        self.browser.find("#token-change").send_keys(Keys.ENTER)
        self.dialog()
        for wrong, sentence in (("  ", "Paste a token first."), ("two words", "no spaces")):
            self.give(wrong)
            self.assertIn(sentence, self.browser.text("#token-problem"))
        token = self.signer.token("ann")
        self.give("Bearer " + token)
        self.browser.wait("return window.moyeo?.ready === true", "the first answer")
        self.note("You call as ann.")
        self.assertEqual(self.browser.js("return moyeo.sumOfCounts"), 20)
        self.browser.wait("return moyeo.mode === 'stream'", "the stream of changes")
        self.browser.screenshot("token-given")
        # The tab has the token, and nothing else has.
        self.assertEqual(self.browser.js("return sessionStorage.getItem('moyeo.token')"), token)
        self.assertEqual(self.browser.js("return [localStorage.length, document.cookie]"), [0, ""])
        self.assertNotIn(token, self.browser.driver.current_url)
        self.assertTrue(any("tiles/watch" in address for address in self.asked()))
        for address in self.requests():
            self.assertNotIn("access_token", address)
            self.assertNotIn(token, address)

    def test_changes_arrive_on_a_stream_with_a_header(self):
        self.open(self.signer.token("ann"))
        self.browser.wait("return moyeo.mode === 'stream'", "the stream of changes")
        service = tokens.bearer(self.signer.token("server", tokens.ALL + " service"))
        # The page asks by itself only every 15 s while the stream lives.
        self.daemon.request("POST", "/v1/layers/users/positions", {"positions": [
            {"id": "late", "latitude": 37.51, "longitude": 127.01, "ttlSeconds": 0}]}, service)
        began = self.browser.js("return performance.now()")
        self.browser.wait("return moyeo.sumOfCounts === 21", "the change")
        self.assertLess(self.browser.js("return performance.now()") - began, 10_000)
        self.daemon.request("DELETE", "/v1/layers/users/positions/late", headers=service)
        self.browser.wait("return moyeo.sumOfCounts === 20", "the removal")

    def test_an_expired_token_is_said_and_changed(self):
        self.expected_console = ("401",)
        self.open(self.signer.token("ann", seconds=-600), ready=False)
        self.note("Your token has expired: get a new one and give it here.")
        self.dialog()
        self.browser.screenshot("token-expired")
        count = len(self.asked())
        self.give(self.signer.token("ann"))
        self.browser.wait("return window.moyeo?.ready === true", "the first answer")
        self.note("You call as ann.")
        # Not a flood of calls that could only be refused.
        self.assertLess(count, 10)

    def test_a_token_of_nobody_is_said(self):
        self.expected_console = ("401",)
        self.open("nonsense", ready=False)
        self.note("The service does not take this token: the token is neither")
        self.dialog()
        # It may be forgotten.
        self.browser.find("#token-forget").click()
        self.note("This service asks who you are: give it a token.")
        self.assertIsNone(self.browser.js("return sessionStorage.getItem('moyeo.token')"))

    def test_what_a_token_may_not_do_is_said(self):
        self.expected_console = ("403",)
        self.open(self.signer.token("ann", "report"), ready=False)
        self.note("Your token may not do everything here:")
        self.assertFalse(self.browser.js("return document.getElementById('token-dialog').open"))
        self.assertEqual(self.browser.text("#token-change"), "Change token")
        self.browser.find("#token-change").click()
        self.dialog()
        self.give(self.signer.token("ann"))
        self.browser.wait("return window.moyeo?.ready === true", "the first answer")

    def test_a_person_sees_parties_without_the_feed_of_all(self):
        self.open(self.signer.token("ann"))
        self.assertEqual(
            self.browser.js("return [document.getElementById('parties-rider').value,"
                            " document.getElementById('tickets-user').value]"), ["ann", "ann"])
        before = self.browser.js("return performance.now()")
        self.browser.find("#parties-show").click()
        self.browser.wait(
            "return performance.getEntriesByType('resource').some("
            "({name, startTime}) => name.includes('parties/search') && startTime > arguments[0])",
            "parties", before)
        self.assertFalse(any("/v1/events" in address for address in self.asked()))

    def test_an_api_key_streams_too(self):
        code, said, error = run(
            "keys", "create", "--scopes", "read,service", "--data-directory",
            str(self.daemon.directory), name="moyeo")
        self.assertEqual(code, 0, error)
        self.open(said.split()[-1], ready=False)
        # The daemon takes a new key in within a second: it is given again as long as it does not.
        self.expected_console = ("401",)
        self.browser.wait(
            "if (window.moyeo?.ready) return true;"
            "if (document.getElementById('token-dialog')?.open) location.reload();",
            "the first answer")
        self.note("You call with a token.")
        self.browser.wait("return moyeo.mode === 'stream'", "the stream of changes")

    def test_a_hostile_subject_is_text(self):
        self.open(self.signer.token(HOSTILE))
        self.note(f"You call as {HOSTILE}.")
        self.assertEqual(self.browser.js(
            "return document.querySelectorAll('#panel img[src=x]').length"), 0)

    def test_a_stream_ends_with_its_token_and_says_so(self):
        self.expected_console = ("401",)
        # The skew of clocks, 30 s, is over already but for these seconds.
        self.open(self.signer.token("ann", seconds=-24))
        self.note("Your token has expired: get a new one and give it here.")
        self.dialog()


class OpenPage(unittest.TestCase):
    def test_open_mode_is_said_and_asks_for_nothing(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            browser = Browser()
            self.addCleanup(browser.close)
            browser.open(daemon.url + "/", ready=False)
            browser.wait(
                "return document.querySelector('#auth-mode span')?.textContent ==="
                " 'Open mode: everybody on this machine may do everything.'", "the sentence")
            self.assertTrue(browser.js("return document.getElementById('token-change').hidden"))
            self.assertIsNone(browser.js("return document.getElementById('token-dialog')"))


if __name__ == "__main__":
    unittest.main()
