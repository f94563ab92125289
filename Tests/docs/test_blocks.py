"""Every fenced block of the pages is held to what it says: it runs, it is what was printed, its settings
are good, its code is compiled. None stands there unlooked at.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run -k Blocks docs

The comment on the line before a block says of which kind it is:

    <!-- run -->                       commands, Python or JavaScript: ends well
    <!-- run: refused -->              each curl is answered by a refusal
    <!-- run: stream -->               each command prints a first line
    <!-- output -->                    what the block before it prints
    <!-- output: id, version differ --> the same, but for the values under these names
    <!-- settings: moyeo.json -->      good settings by `moyeod --check-configuration`; blocks after it
                                       find them in that file (the name may be left out)
    <!-- from: Tests/a/file.swift -->  stands in that file word for word
    <!-- checked: make -->             targets and variables of the Makefile
    <!-- checked: haproxy -->          by `haproxy -c`; yaml: it is a mapping
    <!-- not run: why -->              counted, and listed in a run of this test

The module graph has the comments of scripts/module-graph instead. A block in the language `text` is no
code, needs no comment, and is counted. A page's blocks run in one shell, against a demo city, with what
stand_ins.py says.
"""

import collections
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import yaml

from outputs import difference
from pages import HELD, blocks
from running_daemon import ROOT, Daemon, environment
from stand_ins import OF_PAGES, Page

# Commands that take a block on standard input.
COMMANDS = {
    "sh": None, "python": f"PYTHONPATH='{ROOT}/clients/python/src' '{sys.executable}' -W error -",
    "javascript": "node --input-type=module -",
    "sql": 'psql -X -v ON_ERROR_STOP=1 -f - "$MOYEO_CLUSTER_POSTGRES"'}
# The kinds: what the comment says, and in which languages a block of it is written.
KINDS = (
    ("run", r"run(?:: (?P<how>refused|stream))?", set(COMMANDS)),
    ("output", r"output(?:: (?P<differing>\w+(?:, \w+)*) differs?)?", {"json", "text"}),
    ("settings", r"settings(?:: (?P<file>[\w.-]+))?", {"json"}),
    ("from", r"from: (?P<file>\S+)", {"swift"}),
    ("checked", r"checked: (?P<by>make|haproxy|yaml)", {"sh", "haproxy", "yaml"}),
    ("made", r"module graph: begin", {"mermaid"}),
    ("not run", r"not run: \S.*", set(COMMANDS)))
# Blocks that nothing stands in for.
NOT_RUN = 0
# A page's blocks, and a city's begin, on a machine that does much else.
PATIENCE_SECONDS = 300


def said(block):
    """(kind, what its comment says), or (None, None)."""
    for kind, mark, languages in KINDS:
        found = re.fullmatch(mark, block.mark or "")
        if found:
            return (kind, found.groupdict()) if block.language in languages else (None, None)
    return ("text", {}) if block.language == "text" and block.mark is None else (None, None)


def kind_of(block):
    return said(block)[0]


class CountedBlocks:
    """The blocks of a page; each output knows the block that prints it."""

    def __init__(self, found):
        self.all = found
        self.run = [block for block in found if kind_of(block) == "run"]
        # The block whose output an output is.
        self.outputs, before = {}, None
        for block in found:
            if kind_of(block) == "output":
                assert before, f"{block.place}: no block that runs stands before this output"
                self.outputs[block] = before
            before = block if kind_of(block) == "run" else None


class Blocks(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--demo", "seoul", "--resources", str(ROOT), "--resp-port", "0",
                            "--adapters", "study-queue,taxi-party,messenger",
                            env={"MOYEO_DEMO_USERS": "2000"}, start=False)
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start(patience=PATIENCE_SECONDS)

    def test_every_block_holds(self):
        counts = collections.Counter()
        for path in HELD:
            found = blocks(path)
            if not found:
                continue
            for block in found:
                kind = kind_of(block)
                counts[kind] += 1
                with self.subTest(block.place):
                    self.assertIsNotNone(kind, (
                        f"```{block.language}, after the comment {block.mark!r}: name a language "
                        f"(`text` for what is no code) and, as {__file__} says, a kind"))
                    if kind == "not run":
                        print(f"{block.place}: {block.mark}", file=sys.stderr)
            with self.subTest(path.name), contextlib.ExitStack() as until_end:
                folder = until_end.enter_context(tempfile.TemporaryDirectory())
                page = Page(folder, self.daemon)
                OF_PAGES.get(path.name, lambda *_: None)(page, until_end)
                self.hold(CountedBlocks(found), page)
        checked = sum(counts[kind] for kind in ("settings", "from", "checked", "made"))
        print(f"docs: {counts.total()} blocks: {counts['run']} run, {counts['output']} compared with "
              f"what is printed, {checked} checked, {counts['text']} text, {counts['not run']} not run",
              file=sys.stderr)
        self.assertEqual(counts["not run"], NOT_RUN)
        self.assertGreater(counts["run"], 50)
        self.assertGreater(counts["output"], 10)

    def hold(self, found, page):
        for block in found.all:
            check = getattr(self, f"check_{kind_of(block)}", None)
            if check:
                with self.subTest(block.place):
                    check(block, page, said(block)[1])
        if not found.run:
            return
        printed = self.run_blocks(found.run, page)
        for output, block in found.outputs.items():
            with self.subTest(output.place):
                names = (said(output)[1]["differing"] or "").split(", ")
                told = difference(output.text, printed[block.place], names)
                self.assertIsNone(told, f"{block.place} prints something else: {told}")

    def run_blocks(self, run, page):
        """What each block printed, by its place."""
        lines = ["set -eu -o pipefail"]
        for block in run:
            text = page.text(block)
            if COMMANDS[block.language]:
                text = f"{COMMANDS[block.language]} <<'@@ END'\n{text}@@ END"
            lines += ["KIND=", *page.commands_before(block), f"KIND={said(block)[1]['how'] or ''}",
                      f"echo '@@ {block.place}' >&2", f"printf '\\n@@ %s\\n' {block.place}", text]
        shell = subprocess.Popen(
            ["bash", "-c", "export KIND\n" + "\n".join(lines)], cwd=page.work, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            env=environment(
                PATH=f"{page.tools}:{os.environ['PATH']}", MOYEO_URL=self.daemon.url,
                MOYEO_RESOURCES_DIRECTORY=str(ROOT), MOYEO_GRPC=""))
        try:
            text, errors = shell.communicate(timeout=PATIENCE_SECONDS)
        finally:
            # Nothing that a page started outlives it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
        last = [line for line in errors.splitlines() if line.startswith("@@")][-1:]
        self.assertEqual(shell.returncode, 0, f"{last}\n{text[-1500:]}\n{errors[-1500:]}")
        text = text.replace(self.daemon.url, "http://127.0.0.1:8080")
        parts = re.split(r"^@@ (.+)\n", text, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2]))

    def check_settings(self, block, page, mark):
        file = page.work / (mark["file"] or "settings.json")
        file.write_text(page.text(block))
        self.ends_well([str(page.tools / "moyeod"), "--check-configuration", "--config", str(file)])

    def check_from(self, block, page, mark):
        self.assertIn(block.text, (ROOT / mark["file"]).read_text())

    def check_checked(self, block, page, mark):
        getattr(self, f"check_{mark['by']}")(page.text(block), page)

    def check_haproxy(self, text, page):
        file = page.work / "haproxy.cfg"
        file.write_text(text)
        self.ends_well(["haproxy", "-c", "-f", str(file)])

    def check_yaml(self, text, page):
        self.assertIsInstance(yaml.safe_load(text), dict)

    def check_make(self, text, page):
        makefile = (ROOT / "Makefile").read_text()
        for line in text.splitlines():
            words = re.sub(r'"[^"]*"', "", line.partition("#")[0]).split()
            self.assertEqual(words[:1], ["make"])
            self.assertGreater(len(words), 1)
            for word in words[1:]:
                name, is_variable, _ = word.partition("=")
                self.assertRegex(makefile, rf"\$\({name}\)" if is_variable else rf"(?m)^{name}\b.*:",
                                 f"{word} is not in the Makefile")

    def check_made(self, block, page, mark):
        """test_docs.py compares it with the manifest."""
        self.assertIn("<!-- module graph: end -->", block.page.read_text())

    def ends_well(self, command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120,
                              env=environment(MOYEO_RESOURCES_DIRECTORY=str(ROOT)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
