"""Headless Chromium with the few moves the tests make, all waiting on the page's own state."""

import atexit
import os
import pathlib
import shutil
import time
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By

from running_daemon import MissingProgram

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
PATIENCE_SECONDS = 20
# What Chromium notes where graphics are drawn in software, once a page.
SOFTWARE_GRAPHICS = "GPU stall due to ReadPixels"
# Whether the map rests over four frames; ends with the first in which it does not.
RESTS = """
  const done = arguments[arguments.length - 1];
  let left = 4;
  const look = () => {
    const { map } = moyeo;
    const moves = map._animatingZoom || map._panAnim?._inProgress
      || document.querySelector('.leaflet-zoom-anim');
    if (moves) return done(false);
    if (--left === 0) return done(true);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
"""
SCREENSHOTS = os.environ.get("MOYEO_SCREENSHOTS")


# Browsers without a page.
IDLE = []


def start():
    """A headless Chromium with one empty tab."""
    for found, package in ((CHROMIUM, "chromium"), (DRIVER, "chromium-driver")):
        if not found:
            raise MissingProgram(f"install Debian's package {package} for the map's tests")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
        # WebGL without a graphics card, as the page draws with.
        "--enable-unsafe-swiftshader", "--lang=en", "--window-size=1280,800",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    atexit.register(driver.quit)
    return driver


class Browser:
    """A tab of a headless Chromium, closed with all that its pages kept."""

    def __init__(self, width=1280, height=800, scheme="light", still=False, language="en"):
        # A start takes seconds: a browser that is closed waits for the next test, which gets a tab.
        self.driver = IDLE.pop() if IDLE else start()
        self.origins = set()
        self.driver.switch_to.new_window("tab")
        self.driver.set_script_timeout(PATIENCE_SECONDS)
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 500)
        self.cdp(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
            ])

        if language != "en":
            agent = self.js("return navigator.userAgent")
            self.cdp("Emulation.setUserAgentOverride", userAgent=agent,
                     acceptLanguage=f"{language},en")

    def close(self):
        """Leaves nothing to the next test: neither what pages keep nor what they noted."""
        try:
            self.driver.get("about:blank")
            for origin in self.origins:
                self.cdp("Storage.clearDataForOrigin", origin=origin, storageTypes="all")
            self.cdp("Network.clearBrowserCache")
            self.driver.close()
            (first, *others) = self.driver.window_handles
            self.driver.switch_to.window(first)
            self.driver.get_log("browser")
        except WebDriverException:
            others = ["it has ended"]
        if others:
            self.driver.quit()
        else:
            IDLE.append(self.driver)

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def before_load(self, script):
        """Runs a script in every page opened from now on, before the page's own."""
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, address, ready=True):
        # A change of the hash alone would not load the page anew.
        self.driver.get("about:blank")
        self.origins.add("://".join(urllib.parse.urlsplit(address)[:2]))
        self.driver.get(address)
        if ready:
            self.wait("return window.moyeo?.ready === true", "the first answer")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, what, *arguments):
        """Runs a script until its value is truthy; answers that value."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            value = self.js(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                state = self.js(
                    "const {layer, mode, answers, lastError, sumOfCounts} = window.moyeo ?? {};"
                    "return {layer, mode, answers, lastError, sumOfCounts}")
                raise AssertionError(f"waited in vain for {what}; the page: {state}")
            time.sleep(0.05)

    def press_until(self, keys, script, what, focus):
        """Presses keys until a script's value is truthy. An answer that comes in between may replace
        the element that has the focus: then the script `focus` gives it back."""
        for _ in range(5):
            self.keys(keys)
            end = time.monotonic() + 3
            while time.monotonic() < end:
                if value := self.js(script):
                    return value
                time.sleep(0.05)
            self.js(focus)
        return self.wait(script, what)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text once it shows: while a popup fades in, what it holds does not count as shown."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                shown = self.find(selector).text
            except StaleElementReferenceException:
                # Drawn anew in between.
                shown = ""
            if shown or time.monotonic() > end:
                return shown
            time.sleep(0.05)

    def view(self, latitude, longitude, zoom):
        """Moves the map without animation and waits for the answer to it."""
        self.js(
            "window.before = moyeo.answers;"
            "moyeo.map.setView([arguments[0], arguments[1]], arguments[2], {animate: false})",
            latitude, longitude, zoom)
        self.wait(
            "return moyeo.answers > window.before && moyeo.isCurrent", "an answer to the move")

    def current(self):
        """Waits until the map rests and what it shows is the answer about where it rests."""
        self.settle()
        self.wait("return moyeo.isCurrent", "the answer about this view")

    def settle(self):
        """Waits until a zoom or pan animation is over. One that was asked for begins with a later frame, so
        the map must rest over some of them."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.driver.execute_async_script(RESTS):
            if time.monotonic() > end:
                raise AssertionError("waited in vain for the map to come to rest")

    def click_map(self, latitude, longitude):
        """A real click where a place is drawn, once the map rests."""
        self.settle()
        x, y = self.js(
            "const p = moyeo.map.latLngToContainerPoint([arguments[0], arguments[1]]);"
            "const box = moyeo.map.getContainer().getBoundingClientRect();"
            "return [Math.round(box.left + p.x), Math.round(box.top + p.y)]",
            latitude, longitude)
        actions = ActionChains(self.driver)
        actions.w3c_actions.pointer_action.move_to_location(x, y)
        actions.w3c_actions.pointer_action.click()
        actions.perform()

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def console(self):
        """What the console said at level warning and above, since the last call."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] in ("WARNING", "SEVERE") and SOFTWARE_GRAPHICS not in entry["message"]
        ]

    def screenshot(self, name):
        if SCREENSHOTS:
            directory = pathlib.Path(SCREENSHOTS)
            directory.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(directory / f"{name}.png"))
