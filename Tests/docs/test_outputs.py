"""What the test of blocks sees and overlooks: a comparison that lets all through would hold nothing."""

import pathlib
import tempfile
import unittest

from outputs import difference
from pages import blocks
from test_blocks import CountedBlocks, kind_of


def of(text):
    """The blocks of a page."""
    with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
        page.write(text)
        page.flush()
        return blocks(pathlib.Path(page.name))


class Outputs(unittest.TestCase):
    def test_json_is_compared_as_values(self):
        for told, printed in (
                ('{"a": 1,\n "b": [1, 2]}', '{"b":[1,2],"a":1}'),
                ('{"a": 1, …}', '{"a":1,"b":2}'), ('{"a": …}', '{"a":{"b":2}}'),
                ('[1, …]', '[1,2,3]'), ('{"id": "e9…"}', '{"id":"e912"}'),
                ('[1.5, 2.0]', '[1.4999,2]'),
                ('{"a": "é… \\"x\\""}', '{"a":"éa \\"x\\""}'),
                ('{"a":1}\n{"b":2}', '{"a":1}{"b":2}')):
            with self.subTest(told):
                self.assertIsNone(difference(told, printed))

    def test_other_json_is_told(self):
        for told, printed in (
                ('{"a": 1}', '{"a":2}'), ('{"a": 1}', '{"a":1,"b":2}'), ('{"a": 1, …}', '{"b":2}'),
                ('[1]', '[1,2]'), ('[1, 2, …]', '[1]'), ('{"id": "e9…"}', '{"id":"f912"}'),
                ('[1.5]', '[1.44]'), ('[15]', '[15.1]'),
                ('{"a": 1}', '{"a":true}'), ('{"a": 1}', '{"a":"1"}'), ('{"a": 1}', 'nothing'),
                ('{"a": 1}', ''), ('{"a": 1}', '{"a":1}{"a":1}')):
            with self.subTest(told, printed=printed):
                self.assertIsNotNone(difference(told, printed))

    def test_a_value_that_differs_keeps_its_name_and_kind(self):
        self.assertIsNone(difference('{"at": 1}', '{"at":7.5}', ["at"]))
        self.assertIsNotNone(difference('{"at": 1}', '{"at":"7"}', ["at"]))
        self.assertIsNotNone(difference('{"at": 1}', '{}', ["at"]))

    def test_lines_are_compared(self):
        self.assertIsNone(difference("a\n…\nd\n", "a\nb \nc\nd\n"))
        self.assertIsNone(difference("base  … KRW\n", "base  4,800 KRW\n"))
        for told, printed in (("a\n", "a\nb\n"), ("a\n", "b\n"), ("a … c\n", "a b\n"), ("a\n", "")):
            with self.subTest(told, printed=printed):
                self.assertIsNotNone(difference(told, printed))


class Marks(unittest.TestCase):
    def kinds(self, text):
        return [kind_of(block) for block in of(text)]

    def test_each_block_is_of_a_kind(self):
        self.assertEqual(
            self.kinds("<!-- run -->\n```sh\nls\n```\n\n<!-- output: a, b differ -->\n```json\n{}\n```\n"
                       "   <!-- not run: needs a bird -->\n   ~~~sh\n   fly\n   ~~~\n"
                       "```text\na -> b\n```\n"),
            ["run", "output", "not run", "text"])

    def test_what_is_unmarked_or_bare_is_of_none(self):
        for text in ("```\nls\n```\n", "```sh\nls\n```\n", "<!-- run -->\n```\nls\n```\n",
                     "<!-- run -->\n\nwords\n\n```sh\nls\n```\n", "<!-- runs -->\n```sh\nls\n```\n",
                     "~~~\nls\n~~~\n", "   ```\n   ls\n   ```\n", "<!-- not run: -->\n```sh\nls\n```\n",
                     "<!-- run -->\n```rust\nls\n```\n", "<!-- output -->\n```sh\nls\n```\n"):
            with self.subTest(text):
                self.assertEqual(self.kinds(text), [None])

    def test_text_of_a_block_in_a_list_begins_at_its_margin(self):
        block, = of("1. x\n\n   <!-- run -->\n   ```sh\n   ls \\\n     -l\n   ```\n")
        self.assertEqual(block.text, "ls \\\n  -l\n")

    def test_an_output_belongs_to_what_ran_before_it(self):
        with self.assertRaisesRegex(AssertionError, "no block that runs"):
            CountedBlocks(of("<!-- output -->\n```json\n{}\n```\n"))


if __name__ == "__main__":
    unittest.main()
