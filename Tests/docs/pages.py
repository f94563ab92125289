"""The pages that people read, and what stands in them."""

import re

from running_daemon import ROOT

PAGES = sorted([
    *(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "README.ko.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md", *(ROOT / "Decisions").glob("*.md"), ROOT / "data" / "README.md"])
HELD = [page for page in PAGES if page.parent.name != "Decisions"]

MARK = re.compile(r"<!-- (run(?:: refused)?|not run: .+?) -->\s*$")
FENCE = re.compile(r"^```(\w*)\s*$")


class Block:
    """A fenced block: its language, its text, its line, and the mark on the line before it."""

    def __init__(self, page, line, language, text, mark):
        self.page, self.line, self.language = page, line, language
        self.text, self.mark = text, mark

    @property
    def place(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page):
    found, mark, block = [], None, None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if block and fence:
            found.append(block)
            block, mark = None, None
        elif block:
            block.text += line + "\n"
        elif fence:
            block = Block(page, number, fence[1], "", mark)
        elif line.strip():
            marked = MARK.search(line)
            mark = marked[1] if marked else None
    assert block is None, f"{page}: a block that does not end"
    return found


def without_blocks(page):
    """The page's text, its fenced blocks left blank so that lines keep their numbers."""
    out, inside = [], False
    for line in page.read_text().splitlines():
        if FENCE.match(line):
            inside = not inside
            out.append("")
        else:
            out.append("" if inside else line)
    return out


def anchor(heading):
    """The anchor of a heading as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return kept.strip().replace(" ", "-")


def anchors(page):
    return {anchor(line.lstrip("#")) for line in without_blocks(page) if line.startswith("#")}


def tracked():
    """Every path of the checkout that a page may name."""
    return {str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
            if ".build" not in path.parts and ".git" not in path.parts}
