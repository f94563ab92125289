"""The operator's page on the operator's own port: figures, the daemon, people with hostile ids, and
nothing done without a reason.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run browser/test_admin_page.py
"""

import datetime
import pathlib
import re
import tempfile
import unittest
import urllib.parse

from selenium.webdriver.common.keys import Keys

import commutes
import tokens
from browser import Browser
from running_daemon import ROOT, Daemon, run

HOSTILE = [
    "<img src=x onerror=alert(1)>", "'\"><script>alert(1)</script>", "javascript:alert(1)",
    "a/../../b?tenant=c#d%2e%00", "\u202ebob\u202c\u200b", "${7*7}{{7*7}}", "한글 🚕 é",
    "x" * 128,
]
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
          "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def admin_url(daemon):
    port = daemon.admin_port
    return f"http://127.0.0.1:{port}"


class AdminPage(unittest.TestCase):
    width, scheme = 1280, "light"

    def setUp(self):
        self.browser = Browser(self.width, 900, self.scheme)
        self.addCleanup(self.browser.close)
        # Whatever an id holds, nothing of it runs.
        self.browser.before_load(
            "window.alerts = 0; window.alert = () => { window.alerts += 1; };")
        self.expected_console = ()

    def tearDown(self):
        self.assertEqual(self.browser.js("return window.alerts"), 0)
        said = [line for line in self.browser.console()
                if not any(part in line for part in self.expected_console)]
        self.assertEqual(said, [], "the console is not empty")

    # MARK: moves

    def people(self, method, path, body=None):
        return self.daemon.request(method, path, body)

    def wait_open(self, user):
        answer = self.people("POST", "/v1/tickets", {
            "userId": user, "here": {"latitude": 37.5, "longitude": 127.0}, "tags": ["swift"]})
        self.assertEqual(answer[0], 200, answer[1])

    def offer(self, host):
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)
        answer = self.people("POST", "/v1/parties", {
            "hostId": host, "origin": {"latitude": 37.4979, "longitude": 127.0276},
            "destination": {"latitude": 37.5663, "longitude": 126.9779},
            "departureTime": soon.strftime("%Y-%m-%dT%H:%M:%SZ"), "seats": 4})
        self.assertEqual(answer[0], 200, answer[1])
        return answer[1]["party"]["id"]

    def open(self, url):
        self.browser.open(url + "/", ready=False)

    def read(self, more=1):
        """Waits for figures that were asked for from now on."""
        count = self.browser.js("return window.moyeo?.readings ?? 0")
        self.browser.wait(
            "return window.moyeo?.readings >= arguments[0]", "figures", count + more)

    def look_up(self, user):
        # Keys of a driver know no characters beyond the first plane.
        self.browser.js(
            # Whoever is shown from before stays until the answer.
            "document.getElementById('person-name')?.classList.add('before');"
            "document.getElementById('person-id').value = arguments[0];"
            "document.getElementById('person-form').requestSubmit()", user)
        self.browser.wait(
            "return !document.getElementById('person').hidden"
            " && document.querySelector('#person-name:not(.before)')", "the person")

    def confirm(self, reason, until=None):
        self.browser.wait("return document.getElementById('confirm')?.open", "the dialog")
        self.browser.find("#confirm-reason").send_keys(reason)
        if until:
            self.browser.js("document.getElementById('confirm-until').value = arguments[0]", until)
        self.browser.find("#confirm-go").click()

    def done(self, sentence):
        self.browser.wait(
            "return !document.getElementById('confirm')"
            " && document.getElementById('person-message').textContent.includes(arguments[0])",
            f"the sentence {sentence!r}", sentence)

    def press(self, selector):
        self.browser.wait(
            "const one = document.querySelector(arguments[0]); return one && !one.disabled",
            selector, selector)
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def texts(self, selector):
        return self.browser.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            selector)


class OpenDaemon(AdminPage):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT), "--admin-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report("users", [(f"p{i}", 37.5, 127.0) for i in range(30)])
        cls.url = admin_url(cls.daemon)


class OpenMode(OpenDaemon):
    def test_the_page_is_on_its_own_port_with_a_strict_policy(self):
        self.open(self.url)
        self.read()
        for path in ("/admin/", "/admin/index.html", "/admin/js/main.js", "/admin/admin.css"):
            self.assertEqual(self.daemon.request("GET", path)[0], 404, path)
        headers = self.browser.js(
            "return fetch('/').then(({headers}) => [...headers.entries()])")
        headers = dict(headers)
        self.assertEqual(headers["content-security-policy"], POLICY)
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertEqual(headers["referrer-policy"], "no-referrer")
        page = self.browser.js("return fetch('/').then((answer) => answer.text())")
        self.assertIsNone(re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", page))
        # What the map page has is not here.
        self.assertEqual(self.browser.js(
            "return fetch('/leaflet/leaflet.js').then(({status}) => status)"), 404)
        self.expected_console = ("404",)

    def test_figures_are_refreshed(self):
        self.open(self.url)
        self.read()
        self.assertIn("Open mode:", self.browser.text("#auth-mode"))
        self.browser.wait("return window.moyeo.lists > 0", "the lists")
        self.assertIn("users", self.texts("#layers td:first-child"))
        self.assertEqual(self.browser.text("#tenants td"), "default")
        self.assertEqual(self.texts("#keys"), ["No API key opens anything here."])
        self.daemon.report("counted", [(f"c{i}", 37.5, 127.0) for i in range(1234)])
        self.browser.wait(
            "return [...document.querySelectorAll('#layers td')]"
            ".some((one) => one.textContent === '1,234')", "the new layer")
        self.offer("figure-host")
        self.browser.wait(
            "return /^Commands/.test(document.getElementById('commits').textContent)",
            "commits")
        self.browser.screenshot("admin-figures")

    def test_the_daemon_is_drained_and_back(self):
        self.open(self.url)
        self.read()
        self.press("#drain")
        self.browser.wait(
            "return document.getElementById('daemon-state').textContent.includes('draining')",
            "draining")
        self.assertEqual(self.people("GET", "/readyz")[0], 503)
        self.assertEqual(self.browser.text("#drain"), "Take new work again")
        self.press("#drain")
        self.browser.wait(
            "return document.getElementById('daemon-state').textContent.includes('is ready')",
            "the end of it")
        self.assertEqual(self.people("GET", "/readyz")[0], 200)

    def test_log_level_and_snapshot(self):
        self.open(self.url)
        self.browser.wait("return window.moyeo?.lists > 0", "the lists")
        self.assertEqual(self.browser.js("return document.getElementById('log-level').value"), "info")
        self.browser.find("#log-level").send_keys("debug")
        self.browser.wait(
            "return document.getElementById('daemon-message').textContent.includes('from debug')",
            "the level")
        self.browser.find("#log-level").send_keys("info")
        self.browser.wait(
            "return document.getElementById('daemon-message').textContent.includes('from info')",
            "the level before")
        self.press("#snapshot")
        self.browser.wait(
            "return document.getElementById('daemon-message').textContent.includes('were written')",
            "the snapshot")

    def test_hostile_ids_are_text(self):
        for user in HOSTILE:
            self.wait_open(user)
        party = self.offer(HOSTILE[0])
        self.open(self.url)
        self.read()
        for user in HOSTILE:
            with self.subTest(user=user):
                self.look_up(user)
                shown = self.texts("#person-name")[0]
                self.assertEqual(self.browser.js(
                    "return document.querySelectorAll('#person img, #person script, #person a,"
                    " dialog img').length"), 0)
                if "\u202e" in user:
                    self.assertEqual(shown, "\\u{202e}bob\\u{202c}\\u{200b}")
                else:
                    self.assertEqual(shown, user)
                # It reaches the very person.
                self.press("#ban")
                self.confirm(f"because of {HOSTILE[0]}")
                self.done("They are banned")
                answer = self.daemon.request(
                    "POST", "/v1/tickets",
                    {"userId": user, "here": {"latitude": 37.5, "longitude": 127.0}})
                self.assertEqual(answer[1]["error"]["reason"], "banned")
                self.assertIn("admin.banned", self.texts("#person-events td:nth-child(3)"))
                self.press("#unban")
                self.confirm("talked")
                self.done("It is done")
        self.look_up(HOSTILE[0])
        self.assertEqual(self.texts("#person-parties td")[0], party)
        self.browser.screenshot("admin-hostile")
        self.press("#ban")
        self.browser.wait("return document.getElementById('confirm')?.open", "the dialog")
        self.browser.screenshot("admin-ban")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return !document.getElementById('confirm')", "the end of the dialog")

    def test_nothing_is_done_without_a_reason(self):
        self.wait_open("reasoned")
        self.open(self.url)
        self.read()
        self.look_up("reasoned")
        self.press("#ban")
        self.browser.wait("return document.getElementById('confirm')?.open", "the dialog")
        self.assertEqual(self.browser.js("return document.activeElement.id"), "confirm-reason")
        self.browser.find("#confirm-go").click()
        self.assertTrue(self.browser.js("return document.getElementById('confirm').open"))
        # Of spaces alone the daemon thinks the same, and says so in the dialog.
        self.browser.find("#confirm-reason").send_keys("   ")
        self.browser.find("#confirm-go").click()
        self.assertIn("reason", self.browser.text("#confirm-problem"))
        self.expected_console = ("400",)
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return !document.getElementById('confirm')", "the end of the dialog")
        seen = self.people("GET", "/v1/tickets/reasoned")[1]
        self.assertEqual(seen["ticket"]["state"], "open")

    def test_a_commute_is_ended_with_its_days(self):
        commute = self.people(
            "POST", "/v1/commutes", commutes.every_day("repeater"))[1]["commute"]["id"]
        commutes.appeared(lambda path: self.people("GET", path)[1], commute, 1)
        self.open(self.url)
        self.read()
        self.look_up("repeater")
        self.press("#person-parties .end-commute")
        self.confirm("fraud")
        self.done("The commute has ended.")
        self.assertEqual(
            self.people("GET", f"/v1/commutes/{commute}")[1]["commute"]["state"], "cancelled")
        self.assertEqual(
            set(self.texts("#person-parties td:nth-child(2)")), {"cancelled"})

    def test_party_ticket_and_erasure(self):
        self.wait_open("goner")
        party = self.offer("goner")
        self.open(self.url)
        self.read()
        self.look_up("goner")
        self.press("#close-ticket")
        self.confirm("asleep")
        self.done("The ticket is closed.")
        self.assertEqual(self.people("GET", "/v1/tickets/goner")[1]["ticket"]["state"], "closed")
        self.press("#person-parties button")
        self.confirm("fraud")
        self.done("The party is cancelled.")
        self.assertEqual(
            self.people("GET", f"/v1/parties/{party}")[1]["party"]["state"], "cancelled")
        self.assertTrue(
            self.browser.js("return document.querySelector('#person-parties button').disabled"))
        self.assertEqual(
            [kind for kind in self.texts("#person-events td:nth-child(3)")
             if kind.startswith("admin.")], ["admin.party_cancelled", "admin.ticket_closed"])
        self.press("#erase")
        self.browser.wait("return document.getElementById('confirm')?.open", "the dialog")
        self.browser.find("#confirm-reason").send_keys("goner asked for it")
        # Not before it is ticked.
        self.browser.find("#confirm-go").click()
        self.assertTrue(self.browser.js("return document.getElementById('confirm').open"))
        self.browser.screenshot("admin-erase")
        self.browser.find("#confirm-warning").click()
        self.browser.find("#confirm-go").click()
        # The reason names the person: refused, and nothing has happened.
        self.assertIn("does not name the person", self.browser.text("#confirm-problem"))
        self.expected_console = ("400",)
        self.browser.find("#confirm-reason").clear()
        self.browser.find("#confirm-reason").send_keys("it was asked for")
        self.browser.find("#confirm-go").click()
        self.done("They are erased:")
        self.assertEqual(self.people("GET", "/v1/tickets/goner")[0], 404)
        self.assertTrue(self.browser.js("return document.getElementById('person').hidden"))

    def test_everything_without_a_mouse(self):
        self.wait_open("keyed")
        self.open(self.url)
        self.read()
        reached = []
        for _ in range(40):
            self.browser.keys(Keys.TAB)
            reached.append(self.browser.js("return document.activeElement.id"))
            if reached[-1] == "person-id":
                break
        self.assertEqual(reached[-1], "person-id", reached)
        self.browser.keys("keyed", Keys.ENTER)
        self.browser.wait("return !document.getElementById('person').hidden", "the person")
        for _ in range(5):
            self.browser.keys(Keys.TAB)
            if self.browser.js("return document.activeElement.id") == "ban":
                break
        self.browser.keys(Keys.ENTER)
        self.browser.wait("return document.getElementById('confirm')?.open", "the dialog")
        self.browser.keys("rude", Keys.ENTER)
        self.done("They are banned")

    def test_nobody_and_ids_that_no_path_has(self):
        self.open(self.url)
        self.read()
        self.expected_console = ("404",)
        for user, sentence in (("nobody at all", "nothing is known of"),
                               ("..", "use moyeo admin in a shell"),
                               (".", "use moyeo admin in a shell")):
            self.browser.js(
                "document.getElementById('person-id').value = arguments[0];"
                "document.getElementById('person-form').requestSubmit()", user)
            self.browser.wait(
                "return document.getElementById('person-message').textContent"
                ".includes(arguments[0])", sentence, sentence)
            self.assertTrue(self.browser.js("return document.getElementById('person').hidden"))


class Narrow(OpenDaemon):
    """On a phone, in the dark."""

    width, scheme = 390, "dark"

    def test_it_fits(self):
        self.wait_open("narrow")
        self.offer("narrow")
        self.open(self.url)
        self.read()
        self.look_up("narrow")
        self.assertLessEqual(
            self.browser.js("return document.documentElement.scrollWidth"), self.width)
        self.browser.screenshot("admin-narrow")


class WithTokens(AdminPage):
    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "jwks.json"
        keys.write_text(tokens.key_set(cls.signer))
        cls.daemon = Daemon(
            "--resources", str(ROOT), "--admin-port", "0", env=tokens.settings(keys))
        cls.addClassCleanup(cls.daemon.close)
        cls.url = admin_url(cls.daemon)
        for tenant, name in (("default", HOSTILE[0]), ("blue", "blue's")):
            code, _, error = run(
                "keys", "create", "--tenant", tenant, "--scopes", "read,service", "--name", name,
                "--expires", "90d", "--data-directory", str(cls.daemon.directory), name="moyeo")
            assert code == 0, error
        # A tenant is served from its first call on.
        cls.daemon.request("GET", "/v1/layers", headers=tokens.bearer(
            cls.signer.token("ann", tenant="blue")))

    def give(self, token):
        self.browser.wait("return document.getElementById('token-dialog')?.open", "the dialog")
        self.browser.find("#token-input").clear()
        self.browser.find("#token-input").send_keys(token + Keys.ENTER)

    def test_a_token_is_asked_for_and_kept_in_the_tab(self):
        self.open(self.url)
        self.browser.wait("return document.getElementById('token-dialog')?.open", "the dialog")
        self.browser.screenshot("admin-token")
        token = self.signer.token("olga", "admin")
        self.give(token)
        self.read()
        self.assertIn("You call as olga.", self.browser.text("#auth-mode"))
        self.browser.wait("return window.moyeo.lists > 0", "the lists")
        self.assertEqual(
            set(self.texts("#keys td:nth-child(2)")), {HOSTILE[0], "blue's"})
        self.assertEqual(self.browser.js("return document.querySelectorAll('#keys img').length"), 0)
        self.assertEqual(self.texts("#tenants td:first-child"), ["blue", "default"])
        self.assertEqual(
            self.browser.js("return [localStorage.length, document.cookie]"), [0, ""])
        addresses = self.browser.js(
            "return performance.getEntriesByType('resource').map(({name}) => name)")
        for address in [*addresses, self.browser.driver.current_url]:
            self.assertNotIn(token, urllib.parse.unquote(address))
        # Another tenant's keys and figures.
        self.browser.js("document.querySelector('#tenants button').click()")
        self.browser.wait(
            "return document.getElementById('tenant').value === 'blue'"
            " && document.querySelectorAll('#keys tbody tr').length === 1", "blue's keys")
        self.assertEqual(self.texts("#keys td:nth-child(2)"), ["blue's"])

    def test_what_a_token_may_not_is_said(self):
        self.expected_console = ("401", "403")
        self.open(self.url)
        self.give("nonsense")
        self.browser.wait(
            "return document.querySelector('#auth-mode span')?.textContent"
            ".includes('does not take this token')", "the sentence")
        self.give(self.signer.token("ann", tokens.ALL + " service"))
        self.browser.wait(
            "return document.querySelector('#auth-mode span')?.textContent"
            ".includes('Your token may not do everything here')", "the sentence")
        self.assertFalse(self.browser.js("return document.getElementById('token-dialog').open"))
        self.browser.find("#token-change").click()
        self.give(self.signer.token("olga", "admin", seconds=-600))
        self.browser.wait(
            "return document.querySelector('#auth-mode span')?.textContent"
            ".includes('Your token has expired')", "the sentence")

    def test_the_operator_of_one_tenant_sees_no_other(self):
        self.open(self.url)
        self.give(self.signer.token("tom", "admin", tenant="blue"))
        self.read()
        self.browser.wait("return window.moyeo.lists > 0", "the lists")
        self.assertEqual(self.browser.js(
            "return ['daemon-section', 'tenants-section']"
            ".map((id) => document.getElementById(id).hidden)"), [True, True])
        self.assertEqual(self.texts("#keys td:nth-child(2)"), ["blue's"])


if __name__ == "__main__":
    unittest.main()
