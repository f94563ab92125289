"""The reference page of the calls (/docs) in Chromium: every call is drawn, found and free of errors.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_docs_page.py
"""

import unittest

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
