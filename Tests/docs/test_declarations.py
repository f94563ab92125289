"""Doc comments of public declarations: what throws says what it throws, and each is a sentence."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARATION = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public (?:(?:static|final|mutating|override|convenience|"
    r"nonisolated|class|indirect) )*(func|init|var|let|struct|enum|final class|class|protocol|"
    r"subscript|typealias|actor|case)\b")
THROWS = re.compile(r"\bthrows\b")


def declarations(path):
    """(line number, doc comment, head) of each public declaration."""
    lines = path.read_text().splitlines()
    comment = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("///"):
            comment.append(text[3:].strip())
            continue
        if text.startswith("@") and not DECLARATION.match(line):
            continue
        if DECLARATION.match(line):
            # The head ends where parentheses are closed and a body begins, or none follows.
            head, at = line, number
            while at < len(lines) and (
                    head.count("(") > head.count(")")
                    or lines[at].strip().startswith(("->", "where ", "throws", "async "))):
                head += "\n" + lines[at]
                at += 1
            yield number, comment, head
        comment = []


def own_head(head):
    """Without what stands in parentheses: the declaration's own effects, not its arguments'."""
    out, depth = "", 0
    for letter in head:
        depth += letter == "("
        if depth == 0:
            out += letter
        depth -= letter == ")"
    return re.split(r"\{| = ", out)[0]


class PublicDeclarationTests(unittest.TestCase):
    def public(self):
        for path in sorted((ROOT / "Sources").rglob("*.swift")):
            if "Generated" in path.parts:
                continue
            for number, comment, head in declarations(path):
                yield f"{path.relative_to(ROOT)}:{number}", comment, head

    def test_what_throws_says_what_it_throws(self):
        count, missing = 0, []
        for place, comment, head in self.public():
            if THROWS.search(own_head(head)):
                count += 1
                if not any(re.match(r"- Throws: \S", line) for line in comment):
                    missing.append(place)
        self.assertGreater(count, 20)
        self.assertEqual(missing, [])

    def test_a_comment_is_more_than_a_word_or_two(self):
        count, short = 0, []
        for place, comment, _ in self.public():
            words = " ".join(comment).split()
            if comment:
                count += 1
                if len(words) < 3:
                    short.append(f"{place}: {' '.join(words)}")
        self.assertGreater(count, 500)
        self.assertEqual(short, [])


if __name__ == "__main__":
    unittest.main()
