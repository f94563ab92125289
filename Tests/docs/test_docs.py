"""The pages hold what they say: links lead somewhere, files and functions that are named exist,
and tables are those of the programs. What stands in their blocks is test_blocks.py's.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run docs
"""

import re
import subprocess
import unittest

from pages import HELD, PAGES, anchors, blocks, tracked, without_blocks
from running_daemon import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")
# A name in backquotes that begins with one of these is a file or a folder of this repository.
FOLDERS = ("Sources/", "Tests/", "docs/", "data/", "proto/", "scripts/", "page/", "Decisions/",
           "Benchmarks/", ".ci/", "clients/")


def swift_sources():
    """(path, text) of each file of the programs and libraries."""
    return [(path, path.read_text()) for path in sorted((ROOT / "Sources").rglob("*.swift"))]


def types_of(text):
    """The types that a file declares or extends: of `A.B` both."""
    return {name for path in re.findall(
        r"\b(?:class|struct|enum|actor|protocol|extension) (?=([\w.]+))", text)
            for name in path.split(".")}


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for number, line in enumerate(without_blocks(page), 1):
                for target in LINK.findall(line):
                    if target.startswith(("http://", "https://", "mailto:")):
                        continue
                    with self.subTest(page=page.name, line=number, target=target):
                        name, _, part = target.partition("#")
                        to = (page.parent / name).resolve() if name else page
                        self.assertTrue(to.exists(), f"{name} is not there")
                        if part:
                            self.assertIn(part, anchors(to))

    def test_both_readmes_say_the_same(self):
        """As far as a program can tell: where they lead, and what stands in their blocks."""
        english, korean = (ROOT / name for name in ("README.md", "README.ko.md"))
        targets = [{target for line in without_blocks(page) for target in LINK.findall(line)}
                   for page in (english, korean)]
        self.assertEqual(targets[0] - {korean.name}, targets[1] - {english.name})
        self.assertEqual(
            *([(block.mark, re.sub("#.*", "", block.text)) for block in blocks(page)]
              for page in (english, korean)))

    def test_files_that_are_named_exist(self):
        paths = tracked()
        for page in HELD:
            for number, line in enumerate(without_blocks(page), 1):
                for text in CODE.findall(line):
                    name = text.split(":")[0].rstrip("/")
                    if not text.startswith(FOLDERS) or re.search(r"[*<{…\s]", name):
                        continue
                    with self.subTest(page=page.name, line=number):
                        self.assertTrue(
                            name in paths or any(one.startswith(name) for one in paths
                                                 if text.endswith("*")),
                            f"{name} is not there")

    def test_targets_of_make_exist(self):
        made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        for page in HELD:
            for named in re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)", page.read_text()):
                if re.search(rf"(?m)(^|`)make {re.escape(named)}\b", page.read_text()):
                    with self.subTest(page=page.name):
                        self.assertIn(named, made)

    def test_functions_that_are_named_exist(self):
        """In docs/architecture.md `Type.member` stands in a file that declares or extends Type."""
        # Of each file the types that it declares or extends, and what it declares in them.
        files = [(types_of(text), set(re.findall(r"\b(?:func|var|let|case) (?=(\w+))", text)))
                 for path, text in swift_sources() if "Generated" not in path.parts]
        named = set()
        for line in without_blocks(ROOT / "docs" / "architecture.md"):
            named.update(re.findall(r"`([A-Z]\w+)\.(\w+)(?:\([^`]*\))?`", line))
        self.assertGreater(len(named), 20)
        for owner, member in sorted(named):
            if member in ("swift", "md", "proto"):
                continue
            with self.subTest(f"{owner}.{member}"):
                members = [declared for owners, declared in files if owner in owners]
                self.assertTrue(members, f"no file declares {owner}")
                self.assertTrue(
                    any(member in declared for declared in members),
                    f"no file of {owner} declares {member}")

    def test_types_that_are_named_exist(self):
        """A name in backquotes that looks like a type of ours is one."""
        declared = {name for _, text in swift_sources() for name in re.findall(
            r"\b(?:class|struct|enum|actor|protocol|typealias) (?=(\w+))", text)}
        modules = {path.name for path in (ROOT / "Sources").iterdir()}
        made_by_script = False
        for number, line in enumerate(without_blocks(ROOT / "docs" / "architecture.md"), 1):
            if "module graph:" in line:
                made_by_script = "begin" in line
            if made_by_script:
                continue
            for name in re.findall(r"`([A-Z][a-z]+\w*[A-Z]\w*|[A-Z][a-z]{4,})`", line):
                with self.subTest(line=number, name=name):
                    self.assertTrue(
                        name in modules or name == "MoyeoCore" or name in declared,
                        f"{name} is declared nowhere")

    def test_what_the_api_leaves_open_is_said(self):
        """What callers would otherwise take for errors; Tests/hostile/README.md names each."""
        said = {
            "calls.md": (
                "south-west corner is in", "cut to whole millimetres",
                "at most 5e-8 of the distance up to 50 km, 8e-7 at 200 km, 2e-5 at 1,000 km and "
                "5e-4 at 5,000 km", "longer trip may cost less at the edge of a Korean night band",
                "Open a channel for each 50 or so streams"),
            "reliability.md": (
                "reports with the right time are `stale`",
                "a command whose key was forgotten takes effect again"),
        }
        for page, sentences in said.items():
            text = " ".join((ROOT / "docs" / page).read_text().split())
            for sentence in sentences:
                with self.subTest(page=page, sentence=sentence):
                    self.assertIn(sentence, text)

    def test_the_module_graph_is_that_of_the_manifest(self):
        done = subprocess.run(
            [str(ROOT / "scripts" / "module-graph"), "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_table_of_settings_is_what_the_daemon_lists(self):
        done = subprocess.run(
            [str(ROOT / "scripts" / "configuration-table"), "--check"], capture_output=True,
            text=True)
        self.assertEqual(done.returncode, 0, "make docs renews it: " + done.stderr)


class Findings(unittest.TestCase):
    """Tests/hostile/README.md: each finding has a test that exists, or is listed as open."""

    FOLDER = ROOT / "Tests" / "hostile"
    ROW = re.compile(r"^\| ([A-Z]\d+) \| (.+?) \| (.+) \|$", re.MULTILINE)
    # A file under Tests, then its tests.
    TEST = re.compile(r"`([\w/+]+\.(?:py|swift))` ((?:`\w+`(?:, )?)+)")
    ALL = {"W": 12, "B": 6, "M": 7, "F": 5, "O": 3, "A": 8, "R": 8, "D": 11, "C": 14}

    def setUp(self):
        self.text = (self.FOLDER / "README.md").read_text()
        self.held, _, self.open = self.text.partition("## Open")

    def test_each_finding_stands_once(self):
        names = [row[0] for row in self.ROW.findall(self.text)]
        self.assertEqual(sorted(names), sorted(
            f"{letter}{number + 1}" for letter, count in self.ALL.items()
            for number in range(count)))

    def test_each_is_held_by_tests_that_exist(self):
        declared = {}
        for name, _, tests in self.ROW.findall(self.held):
            named = self.TEST.findall(tests)
            with self.subTest(name):
                self.assertTrue(named, "no test is named")
                # Nothing stands in the cell that this check does not read.
                self.assertEqual(re.sub(r"[;\s]", "", self.TEST.sub("", tests)), "")
            for file, list_ in named:
                if file not in declared:
                    path = ROOT / "Tests" / file
                    source = path.read_text() if path.exists() else ""
                    declared[file] = set(
                        re.findall(r"^ +def (test_\w+)\(", source, re.MULTILINE)
                        if file.endswith(".py") else
                        [re.search(r"\bfunc (\w+)", part)[1]
                         for part in source.split("@Test")[1:] if "func " in part])
                for test in re.findall(r"`(\w+)`", list_):
                    with self.subTest(f"{name}: {file} {test}"):
                        self.assertIn(test, declared[file])

    def test_what_is_open_says_why(self):
        for name, _, why in self.ROW.findall(self.open):
            with self.subTest(name):
                self.assertGreater(len(why), 20)
