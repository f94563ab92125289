"""The pages that people read, and what stands in them."""

import os
import re

from running_daemon import ROOT

PAGES = sorted([
    *(ROOT / "docs").rglob("*.md"), *ROOT.glob("README*.md"), ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md", ROOT / "SECURITY.md", *(ROOT / "Decisions").glob("*.md"),
    *(ROOT / "data").glob("**/README.md"), *(ROOT / "clients").glob("*/README.md")])
HELD = [page for page in PAGES if page.parent.name != "Decisions"]

FENCE = re.compile(r"^ *(```+|~~~+) *(.*?) *$")
COMMENT = re.compile(r"<!-- (.+?) -->\s*$")


class Block:
    """A fenced block: its language, its text, its line, and the comment on the line before it."""

    def __init__(self, page, line, language, text, mark):
        self.page, self.line, self.language = page, line, language
        self.text, self.mark = text, mark

    @property
    def place(self):
        name = self.page.relative_to(ROOT) if self.page.is_relative_to(ROOT) else self.page
        return f"{name}:{self.line}"


def blocks(page):
    """Blocks of Markdown, those in lists too: theirs are indented."""
    found, mark, block, fence = [], None, None, None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        opened = FENCE.match(line)
        if block:
            if opened and opened[1].startswith(fence) and not opened[2]:
                found.append(block)
                block, mark = None, None
            else:
                block.text += line.removeprefix(indentation) + "\n"
        elif opened:
            fence, indentation = opened[1], line[:len(line) - len(line.lstrip())]
            block = Block(page, number, opened[2], "", mark)
        elif line.strip():
            marked = COMMENT.search(line)
            mark = marked[1] if marked else None
    assert block is None, f"{page}: a block that does not end"
    return found


def without_blocks(page):
    """The page's text, its fenced blocks left blank so that lines keep their numbers."""
    out, fence = [], None
    for line in page.read_text().splitlines():
        found = FENCE.match(line)
        out.append("" if found or fence else line)
        if found and fence is None:
            fence = found[1]
        elif found and found[1].startswith(fence) and not found[2]:
            fence = None
    return out


def anchor(heading):
    """The anchor of a heading as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return kept.strip().replace(" ", "-")


def anchors(page):
    return {anchor(line.lstrip("#")) for line in without_blocks(page) if line.startswith("#")}


def tracked():
    """Every path of the checkout that a page may name."""
    found = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".build", ".git")]
        found.update(os.path.relpath(os.path.join(folder, name), ROOT)
                     for name in [*folders, *files])
    return found
