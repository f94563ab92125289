"""The reference page of the calls (/docs) in Chromium: every call is drawn, found and free of errors.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_docs_page.py
"""

import json
import shlex
import unittest

from selenium.webdriver.common.keys import Keys

from browser import SCREENSHOTS, Browser
from running_daemon import ROOT, Daemon


class ReferencePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        paths = cls.daemon.request("GET", "/openapi.json")[1]["paths"]
        cls.calls = {call["operationId"]: (method, path, call)
                     for path, methods in paths.items() for method, call in methods.items()}

    def opened(self, where="", **window):
        browser = Browser(**window)
        self.addCleanup(browser.close)
        browser.open(f"{self.daemon.url}/docs{where}", ready=False)
        browser.wait(f"return document.querySelectorAll('article').length === {len(self.calls)}",
                     "every call")
        return browser

    def errors(self, browser):
        return [line for line in browser.driver.get_log("browser") if line["level"] == "SEVERE"]

    def test_every_call_is_drawn_with_its_refusals(self):
        browser = self.opened()
        drawn = browser.driver.execute_script(
            "return [...document.querySelectorAll('article')].map(one => [one.id, one.textContent])")
        self.assertEqual({name for name, _ in drawn}, set(self.calls))
        for name, text in drawn:
            method, path, call = self.calls[name]
            self.assertIn(path, text)
            self.assertIn(method.upper(), text)
            for response in call["responses"].values():
                for reason in response.get("x-moyeo-reasons", []):
                    self.assertIn(reason, text, name)
        self.assertIn("latitude", dict(drawn)["NearbyByGet"])
        self.assertEqual(self.errors(browser), [])
        if SCREENSHOTS:
            browser.driver.save_screenshot(f"{SCREENSHOTS}/docs.png")

    def test_every_call_says_what_it_does_and_how_its_body_looks(self):
        browser = self.opened()
        drawn = browser.driver.execute_script(
            "return Object.fromEntries([...document.querySelectorAll('article')].map((one) =>"
            " [one.id, [one.querySelector('.meaning')?.textContent,"
            " one.querySelector('pre').textContent]]))")
        bodies = 0
        for name, (_, _, call) in self.calls.items():
            meaning, command = drawn[name]
            self.assertEqual(meaning, call["description"].replace("`", ""), name)
            if "requestBody" not in call:
                self.assertNotIn(" -d ", command)
                continue
            # The command can be given to a shell as it stands; its body is the example.
            words = shlex.split(command)
            given = json.loads(words[words.index("-d") + 1])
            self.assertEqual(given, call["requestBody"]["content"]["application/json"]["example"])
            bodies += 1
        self.assertGreater(bodies, 30)

    def test_answers_show_their_headers_and_whether_they_have_a_body(self):
        browser = self.opened()
        shown = browser.driver.execute_script(
            "return Object.fromEntries([...document.querySelectorAll('article')].map((one) =>"
            " [one.id, Object.fromEntries([...one.querySelectorAll('details[data-status]')].map("
            " (answer) => [answer.dataset.status, answer.textContent]))]))")
        for name, (_, _, call) in self.calls.items():
            wanted = {status: one for status, one in call["responses"].items()
                      if "x-moyeo-reasons" not in one}
            self.assertEqual(set(shown[name]), set(wanted), name)
            for status, one in wanted.items():
                text = shown[name][status]
                for word in [*one.get("content", ["no body"]), *one.get("headers", [])]:
                    self.assertIn(word, text, (name, status))
        tile = shown["GetTileMVT"]
        self.assertIn("no body", tile["204"])
        self.assertIn("What the caller has (If-None-Match) is current.", tile["304"])
        self.assertIn("ETagstringOf this tile", tile["200"])
        self.assertIn("New callers are to be sent elsewhere.", shown["Readiness"]["503"])
        # What a refusal has beside its sentence: when to come again.
        refusals = browser.driver.execute_script(
            "return document.querySelector('#Within tr:has(.bad), #WithinByGet tr:has(.bad)')"
            "?.closest('table').textContent")
        self.assertIn("Retry-After", refusals)

    def test_a_message_in_a_message_opens_with_its_fields(self):
        browser = self.opened("#PartyCreate")
        summary = ("[...document.querySelectorAll('#PartyCreate > details:not([data-status]) > summary')]"
                   ".find((one) => one.textContent === 'PartyPolicyInput')")
        self.assertEqual(browser.js(f"return {summary}.parentElement.children.length"), 1)
        browser.js(f"{summary}.focus()")
        browser.keys(Keys.ENTER)
        browser.wait(f"return {summary}.parentElement.textContent.includes('sameAttributes')",
                     "the fields of a policy")

    def test_an_answer_opens_its_example(self):
        browser = self.opened("#PartyJoin")
        answer = "document.querySelector('#PartyJoin details[data-status=\"200\"]')"
        browser.js(f"{answer}.open = true;"
                   f"[...{answer}.querySelectorAll('summary')]"
                   ".find((one) => one.textContent === 'Example').focus()")
        browser.keys(Keys.ENTER)
        shown = browser.wait(f"return {answer}.querySelector('pre')?.textContent", "the example")
        _, _, call = self.calls["PartyJoin"]
        described = call["responses"]["200"]["content"]["application/json"]["example"]
        self.assertEqual(json.loads(shown), described)

    def test_the_filter_finds_calls_by_path_field_and_reason(self):
        browser = self.opened()
        for text, wanted in (("party_full", "PartyJoin"), ("maxstaleness", "Within"),
                             ("/v1/ride-requests", "PartyListRideRequests")):
            browser.driver.execute_script(
                "const field = document.getElementById('filter'); field.value = arguments[0];"
                "field.dispatchEvent(new Event('input'))", text)
            shown = browser.driver.execute_script(
                "return [...document.querySelectorAll('article:not([hidden])')].map(one => one.id)")
            self.assertTrue(any(name.startswith(wanted) for name in shown), (text, shown))
            self.assertLess(len(shown), len(self.calls))
        self.assertIn(" of ", browser.driver.execute_script(
            "return document.getElementById('count').textContent"))

    def test_nothing_is_wider_than_a_phone(self):
        browser = self.opened("#PartyJoin", width=390, height=800, scheme="dark")
        self.assertLessEqual(browser.driver.execute_script(
            "return document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.errors(browser), [])

    def test_nothing_is_fetched_from_elsewhere(self):
        for path in ("/docs", "/docs/", "/docs/docs.js", "/docs/docs.css"):
            status, text, _ = self.daemon.request("GET", path)
            self.assertEqual(status, 200, path)
            for word in ("//cdn", "unpkg", "googleapis", "https://"):
                self.assertNotIn(word, text)


if __name__ == "__main__":
    unittest.main()
