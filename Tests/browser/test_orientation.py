"""What a stranger finds on the map page: words in two languages, a legend, three steps, figures that
filter, sentences for what is empty or wrong; and faults that were once there.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_orientation.py
"""

import os
import re
import unittest

from selenium.webdriver.common.keys import Keys

from browser import Browser
from map_daemon import MapDaemon
from running_daemon import ROOT, Daemon

daemon = None
RUN = f"{os.getpid():x}"
PAGE = ROOT / "page"


def setUpModule():
    global daemon
    daemon = MapDaemon()


def tearDownModule():
    if daemon:
        daemon.stop()


class PageTest(unittest.TestCase):
    width, height, language = 1280, 800, "en"
    expected_console = ()

    def setUp(self):
        self.browser = Browser(self.width, self.height, "dark", language=self.language)
        self.addCleanup(self.browser.close)

    def tearDown(self):
        said = [line for line in self.browser.console()
                if not any(part in line for part in self.expected_console)]
        self.assertEqual(said, [], "the console is not empty")

    def layer(self, positions):
        name = f"page-{self._testMethodName[5:35].strip('_').lower()}-{RUN}"
        daemon.report(name, positions)
        return name

    def open(self, layer="users", at=(37.55, 126.99), zoom=12, **more):
        fields = "".join(f"&{key}={value}" for key, value in more.items())
        self.browser.open(f"{daemon.url}/#layer={layer}&zoom={zoom}&at={at[0]},{at[1]}{fields}")


class Words(PageTest):
    def table(self):
        self.browser.open(daemon.url + "/", ready=False)
        return self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "import('/js/texts.js').then(({ texts }) => done(texts))")

    def test_every_text_is_there_in_both_languages_with_the_same_blanks(self):
        table = self.table()
        self.assertGreater(len(table), 200)
        blanks = lambda text: sorted(set(re.findall(r"\{\w+\}", text)))
        for name, pair in table.items():
            self.assertEqual(len(pair), 2, name)
            self.assertTrue(all(pair), name)
            if re.sub(r"\{\w+\}", "", pair[0]).strip() not in ("", "ms"):
                self.assertNotEqual(pair[0], pair[1], f"{name} is not translated")
            self.assertEqual(blanks(pair[0]), blanks(pair[1]), name)
        self.assertRegex("".join(pair[1] for pair in table.values()), "[가-힣]{4}")

    def test_every_text_that_is_used_is_in_the_table_and_none_is_idle(self):
        table = self.table()
        source = "".join(path.read_text() for path in PAGE.glob("js/*.js"))
        source += (PAGE / "index.html").read_text()
        used = set(re.findall(r"\bt\(\s*\"(\w+)\"", source))
        used |= set(re.findall(r"data-t(?:-\w+)?=\"(\w+)\"", source))
        self.assertEqual(used - set(table), set())
        # Those that are named by a variable stand as words, or begin as one that is built does.
        begun = tuple(re.findall(r"`(\w+_)\$\{", source))
        words = set(re.findall(r"\"(\w+)\"", source))
        idle = {name for name in table if name not in words and not name.startswith(begun)}
        self.assertEqual(idle, set())

    def test_the_operator_s_page_has_the_same_words_for_the_token(self):
        table = self.table()
        named = set(re.findall(r"\bt\(\"(\w+)\"", (PAGE / "js/token.js").read_text()))
        words = (PAGE / "admin/js/language.js").read_text()
        found = dict(re.findall(r"^  (\w+):\s+\"(.*)\",$", words, re.MULTILINE))
        self.assertEqual(found, {name: table[name][0] for name in named})

    def test_the_switch_turns_the_page_to_korean_and_back(self):
        self.open()
        self.assertEqual(self.browser.text("#language"), "한국어")
        self.browser.find("#language").click()
        self.browser.wait("return document.documentElement.lang === 'ko' && window.moyeo?.ready",
                          "Korean")
        self.assertEqual(self.browser.text("#explore-show"), "둘러보기")
        self.assertRegex(self.browser.js(
            "return document.querySelector('.marker.cluster').getAttribute('aria-label')"),
            r"^[\d,]+개의 클러스터")
        self.assertIn("layer=users", self.browser.js("return location.hash"))
        self.browser.find("#language").click()
        self.browser.wait("return document.documentElement.lang === 'en' && window.moyeo?.ready",
                          "English")

    def test_nothing_english_is_left_on_the_korean_page(self):
        self.open(lang="ko")
        for mode in ("explore", "parties", "tickets"):
            self.browser.js("document.getElementById(arguments[0]).click()", f"{mode}-show")
            shown = self.browser.js(
                "const seen = (e) => e.checkVisibility() && !e.closest('option, select, #figures-tags,"
                " .leaflet-control-attribution, #tag-popular, #language, .graticule');"
                "const words = [];"
                "for (const e of document.querySelectorAll('#panel *, #figures *, #status *')) {"
                "  if (!seen(e)) continue;"
                "  for (const node of e.childNodes) if (node.nodeType === 3) words.push(node.data) }"
                "return words.join(' ')")
            left = set(re.findall(r"[A-Za-z]{3,}", shown)) - {
                "Moyeo", "Escape", "Tab", "Enter", "swift", "python", "kotlin"}
            self.assertEqual(left, set(), mode)


class Korean(PageTest):
    language = "ko"

    def test_the_browser_s_language_comes_first(self):
        self.open()
        self.assertEqual(self.browser.js("return document.documentElement.lang"), "ko")
        self.browser.screenshot("korean")


class Orientation(PageTest):
    def test_a_first_visit_is_offered_three_steps_once(self):
        self.open()
        self.assertTrue(self.browser.find("#tour-offer").is_displayed())
        self.browser.find("#tour-start").click()
        titles = []
        for _ in range(3):
            titles.append(self.browser.text("#tour-title"))
            self.browser.screenshot(f"tour-{len(titles)}")
            self.browser.keys(Keys.ENTER)
        self.assertEqual(titles, ["A city that lives", "Who is near?", "Share a taxi"])
        self.assertEqual(self.browser.find_all("#tour"), [])
        self.assertEqual(self.browser.js("return document.body.dataset.mode"), "explore")
        self.open()
        self.assertFalse(self.browser.find("#tour-offer").is_displayed())

    def test_the_legend_shows_what_is_drawn(self):
        self.open()
        self.browser.find("#help-open").click()
        self.browser.wait("return document.getElementById('legend').open", "the legend")
        self.assertEqual(len(self.browser.find_all(".legend li")), 8)
        self.browser.screenshot("legend")
        self.browser.keys(Keys.ESCAPE)
        self.browser.wait("return !document.getElementById('legend').open", "its end")

    def test_an_empty_view_says_what_to_do(self):
        layer = self.layer([("a", 37.55, 127.0, ["swift"], {})])
        self.open(layer, (37.55, 127.0), 13, tags="nobodyhasthis")
        self.browser.wait("return !document.getElementById('empty').hidden", "the sentence")
        self.assertIn("what you filter by", self.browser.text("#empty-text"))
        self.browser.find("#empty-clear").click()
        self.browser.wait("return moyeo.sumOfCounts === 1", "the object")
        self.assertFalse(self.browser.find("#empty").is_displayed())
        self.browser.view(36.0, 128.0, 13)
        self.browser.wait("return !document.getElementById('empty').hidden", "the sentence")
        self.assertEqual(self.browser.text("#empty-text"), "Nothing stands in this view.")

    def test_place_names_stand_at_street_zoom(self):
        self.open(at=(37.4979, 127.0276), zoom=15)
        self.browser.wait("return document.querySelectorAll('.place-name').length > 0", "names")
        names = self.browser.js(
            "return [...document.querySelectorAll('.place-name')].map((e) => e.textContent)")
        self.assertIn("Gangnam Station", names)
        self.browser.screenshot("street")
        self.browser.view(37.55, 126.99, 11)
        self.browser.wait("return document.querySelectorAll('.place-name').length === 0", "none")

    def test_names_stand_beside_circles_and_never_under_them(self):
        for zoom in (11, 13):
            self.open(zoom=zoom)
            self.browser.wait(
                "const shown = [...document.querySelectorAll('.map-name span')]"
                "  .filter((one) => one.checkVisibility({ visibilityProperty: true }))"
                "  .map((one) => one.getBoundingClientRect());"
                "const isUnder = ({ left, right, top, bottom }, { x, y, radius }) => Math.hypot("
                "  x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom)))"
                "  < radius - 2;"
                "return shown.length > 5 && shown.every((name) =>"
                "  moyeo.scene.circles.every((circle) => !isUnder(name, circle)))",
                f"names beside circles at zoom {zoom}")
            self.browser.screenshot(f"names-{zoom}")


class Away(unittest.TestCase):
    def test_while_the_daemon_is_away_numbers_are_dimmed_and_dated(self):
        with Daemon("--resources", str(ROOT)) as own:
            own.request("POST", "/v1/layers/users/positions", {"positions": [
                {"id": "a", "latitude": 37.5, "longitude": 127.0, "ttlSeconds": 0}]})
            browser = Browser()
            self.addCleanup(browser.close)
            browser.open(f"{own.url}/#layer=users&zoom=13&at=37.5,127")
            self.assertFalse(browser.js("return document.body.classList.contains('is-stale')"))
            own.kill()
            browser.wait("return document.body.classList.contains('is-stale')", "the dimming")
            self.assertRegex(
                browser.text("#notice"),
                r"^The daemon has not answered since \d\d:\d\d:\d\d: what you see is from then\.$")
            browser.screenshot("away")


class Figures(PageTest):
    def test_bars_of_tags_and_of_an_attribute_filter_the_map(self):
        layer = self.layer([
            (f"f{i:03}", 37.55 + i / 5000, 127.0, ["swift"] if i % 4 == 0 else ["math"],
             {"level": 1 + i % 5, "kind": "cafe" if i % 2 else "bar"}) for i in range(100)])
        self.open(layer, (37.56, 127.0), 13)
        self.browser.wait("return document.querySelectorAll('#figures-tags li').length === 2", "tags")
        rows = self.browser.js(
            "return [...document.querySelectorAll('#figures-tags li')].map((e) => e.innerText"
            ".split(/\\s+/))")
        self.assertEqual(rows, [["math", "75"], ["swift", "25"]])
        self.browser.js("document.querySelector('#figures-tags [data-text=swift]').click()")
        self.browser.wait("return moyeo.sumOfCounts === 25", "those with the tag")
        self.browser.js("document.querySelector('#figures-tags [data-text=swift]').click()")
        self.browser.wait("return moyeo.sumOfCounts === 100", "everybody")
        self.browser.js(
            "const s = document.getElementById('histogram-attribute'); s.value = 'level';"
            "s.dispatchEvent(new Event('change'))")
        bars = self.browser.js(
            "return [...document.querySelectorAll('#histogram li')].map((e) => e.innerText"
            ".split(/\\s+/).map(Number))")
        self.assertEqual(bars, [[n, 20] for n in (1, 2, 3, 4, 5)])
        self.browser.js("document.querySelector('#histogram [data-text=\"3\"]').click()")
        self.browser.wait("return moyeo.sumOfCounts === 20", "those of that level")
        self.assertEqual(self.browser.text("#conditions button"), "level 3")
        # The search has the same filter.
        self.browser.js("document.getElementById('radius').value = 20000")
        self.browser.find("#search-here").click()
        self.browser.wait("return moyeo.hits.length === 20", "hits of that level")
        self.browser.find("#conditions button").click()
        self.browser.wait("return moyeo.sumOfCounts === 100", "everybody again")

    def test_a_sample_of_a_large_view_is_of_all_of_it_and_says_so(self):
        # A quarter of the objects, of a kind of their own, stand at one end of the view.
        layer = self.layer([
            (f"s{i:04}", 37.50 + (i * 37 % 2000) / 20_000, 126.95 + (i * 61 % 2000) / 20_000,
             ["swift" if i * 37 % 2000 < 500 else "math"],
             {"side": "south" if i * 37 % 2000 < 500 else "north"}) for i in range(2000)])
        self.open(layer, (37.55, 127.0), 12)
        self.browser.wait("return document.querySelectorAll('#histogram li').length === 2", "bars")
        note = self.browser.text("#figures-note")
        found = re.fullmatch(r"Estimated from a sample of (\d+) of the 2,000 objects in view\.", note)
        self.assertTrue(found, note)
        self.assertGreater(int(found.group(1)), 350)
        self.assertLessEqual(int(found.group(1)), 500)
        shown = self.bars("#histogram")
        self.assertEqual([name for name, _ in shown], ["north", "south"])
        for (_, number), true in zip(shown, (1500, 500)):
            self.assertTrue(number.startswith("≈"), number)
            estimated = float(number[1:].rstrip("k")) * (1000 if number.endswith("k") else 1)
            self.assertAlmostEqual(estimated, true, delta=100)
        # Without a filter the daemon counts the tags of all of them.
        self.assertEqual(self.bars("#figures-tags"), [["math", "1,500"], ["swift", "500"]])

    def test_the_tags_are_those_of_what_the_filter_leaves(self):
        layer = self.layer([
            (f"t{i:03}", 37.55 + i / 5000, 127.0, ["math", "swift"] if i % 4 == 0 else ["math", "ml"],
             {"level": 1 + i % 5}) for i in range(100)])
        self.open(layer, (37.56, 127.0), 13)
        self.browser.wait("return document.querySelectorAll('#figures-tags li').length === 3", "tags")
        self.assertEqual(self.bars("#figures-tags"), [["math", "100"], ["ml", "75"], ["swift", "25"]])
        self.assertEqual(self.browser.text("#figures-note"), "All 100 objects in view.")
        self.browser.js("document.querySelector('#figures-tags [data-text=swift]').click()")
        self.browser.wait(
            "return document.getElementById('figures-note').textContent.includes(' 25 ')", "those left")
        self.assertEqual(self.bars("#figures-tags"), [["math", "25"], ["swift", "25"]])

    def bars(self, selector):
        """The words and numbers of bars, as they are read."""
        return self.browser.js(
            "return [...document.querySelectorAll(arguments[0] + ' li')].map((e) =>"
            " [e.querySelector('.bar-text').textContent, e.querySelector('.bar-count').textContent])",
            selector)

    def test_changes_and_shared_answers_are_told(self):
        self.open(zoom=11)
        self.browser.wait(
            "return Number(document.getElementById('status-updates').textContent.replace(',', ''))"
            " > 0", "changes a second")
        self.browser.wait(
            "return /^\\d+ %$/.test(document.getElementById('status-shared').textContent)",
            "the share")
        share = self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "import('/js/pace.js').then(({ sharedShare }) => done(sharedShare("
            "'moyeo_shared_reads_joined_total 3\\nmoyeo_shared_reads_worked_out_total 5\\n'"
            " + 'moyeo_kept_tiles_hits_total 1\\nmoyeo_kept_tiles_misses_total 1\\n')))")
        self.assertAlmostEqual(share, 0.4)


class Faults(PageTest):
    def test_a_tag_that_is_too_long_is_said_and_not_added(self):
        layer = self.layer([("a", 37.55, 127.0, ["swift"], {})])
        self.open(layer, (37.55, 127.0), 13)
        field = self.browser.find("#tag-input")
        for long in ("가" * 22, "x" * 65):
            field.clear()
            field.send_keys(long + Keys.ENTER)
            self.assertIn("at most 64 bytes", self.browser.text("#tag-message"))
            self.assertEqual(self.browser.find_all("#tag-chips button"), [])
            # It stays to be shortened, and the map is as it was.
            self.assertEqual(field.get_attribute("value"), long)
            self.assertEqual(self.browser.js("return moyeo.sumOfCounts"), 1)
        field.clear()
        field.send_keys("가" * 21 + Keys.ENTER)
        self.browser.wait("return moyeo.sumOfCounts === 0", "a filter")
        self.assertFalse(self.browser.find("#tag-message").is_displayed())
        # Nor does one in the address empty the map.
        self.open(layer, (37.55, 127.0), 13, tags="y" * 65)
        self.assertEqual(self.browser.js("return moyeo.sumOfCounts"), 1)

    def test_results_stand_above_the_fold(self):
        self.open(self.layer([
            (f"r{i:02}", 37.55 + i / 10_000, 126.99, ["swift", "math"], {}) for i in range(30)]))
        self.browser.find("#search-here").click()
        self.browser.wait("return document.querySelectorAll('#search-results > li').length > 5", "hits")
        fold, message, third = self.browser.js(
            "const bottom = (e) => e.getBoundingClientRect().bottom;"
            "return [bottom(document.getElementById('panel-body')),"
            " bottom(document.getElementById('search-message')),"
            " bottom(document.querySelectorAll('#search-results > li')[2])]")
        self.assertLessEqual(message, fold)
        self.assertLessEqual(third, fold, "three results are in sight")


class Accessible(PageTest):
    """The checks of axe that matter here, by our own hand."""

    SCRIPT = """
      const wrong = [];
      const name = (e) => (e.getAttribute('aria-label') || e.title || e.innerText || e.placeholder
        || (e.labels && [...e.labels].map((l) => l.innerText).join(' ')) || e.alt || '').trim();
      const seen = (e) => e.checkVisibility() && !e.closest('[aria-hidden=true]');
      for (const e of document.querySelectorAll(
        'button, a[href], input, select, [role=button], [role=tab], summary')) {
        if (seen(e) && !name(e)) wrong.push('no name: ' + e.outerHTML.slice(0, 90)); }
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push('twice: ' + id);
      for (const a of ['aria-controls', 'aria-labelledby', 'aria-describedby']) {
        for (const e of document.querySelectorAll(`[${a}]`)) {
          for (const id of e.getAttribute(a).split(' ')) {
            if (!document.getElementById(id)) wrong.push(`${a}: no ${id}`); } } }
      for (const e of document.querySelectorAll('img:not([alt])')) {
        if (!e.closest('.leaflet-pane')) wrong.push('no alt: ' + e.outerHTML); }
      if (document.querySelectorAll('h1').length !== 1) wrong.push('not one h1');
      for (const e of document.querySelectorAll('ul, ol')) {
        for (const child of e.children) {
          if (child.localName !== 'li') wrong.push('list of ' + child.localName); } }
      for (const e of document.querySelectorAll('button, [role=button], select, input')) {
        if (!seen(e)) continue;
        // As laid out: a marker may be growing with the map's zoom just now.
        const [width, height] = [e.offsetWidth, e.offsetHeight];
        if (width > 0 && (width < 16 || height < 16) && e.type !== 'radio')
          wrong.push(`small: ${width} x ${height} ${e.outerHTML.slice(0, 60)}`); }
      return wrong;
    """

    def test_names_ids_lists_and_sizes(self):
        self.open()
        for mode in ("explore", "parties", "tickets"):
            self.browser.js("document.getElementById(arguments[0]).click()", f"{mode}-show")
            if mode == "parties":
                self.browser.wait("return document.querySelector('#parties-nearby .open')", "rides")
                self.browser.js("document.querySelector('#parties-nearby .open').click()")
                self.browser.wait("return !document.getElementById('party-card').hidden", "a card")
            self.assertEqual(self.browser.js(self.SCRIPT), [], mode)


class AccessiblePhone(Accessible):
    width, height = 390, 844


if __name__ == "__main__":
    unittest.main()
