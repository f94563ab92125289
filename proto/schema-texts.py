"""Writes SchemaTexts.swift: what the comments in proto/ say of messages, fields and calls, for /openapi.json.

Usage: schema-texts.py FOLDER, the folder of the generated code; proto/generate.sh calls it.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"^\s*// ?(.*)$")
SCOPE = re.compile(r"^\s*(service|message|oneof|enum) (\w+) \{")
CALL = re.compile(r"^\s*rpc (\w+)\(")
FIELD = re.compile(r"^\s*(?:optional |repeated )?(?:map<[^>]+>|[\w.]+) (\w+) = \d+")
# Where a call is found over HTTP is told by the page itself.
ROUTE = re.compile(r"^(?:GET|POST|PUT|DELETE)[ ,].*")


def texts(lines):
    """Yields (name, text): `Service.Call`, `Message` or `Message.field`; without the package."""
    above, scopes = [], []
    for line in lines:
        if comment := COMMENT.match(line):
            above.append(comment[1])
            continue
        text = " ".join(filter(None, (ROUTE.sub("", part).strip() for part in above))).strip()
        above = []
        if scope := SCOPE.match(line):
            scopes.append(None if scope[1] == "oneof" else scope[2])
            if text and scopes[-1]:
                yield ".".join(filter(None, scopes)), text
            if line.rstrip().endswith("}"):
                scopes.pop()
        elif line.strip().startswith("}"):
            scopes.pop()
        elif (found := CALL.match(line) or FIELD.match(line)) and scopes and text:
            # As JSON calls a field.
            name = re.sub(r"_([a-z0-9])", lambda letter: letter[1].upper(), found[1])
            yield ".".join(filter(None, scopes)) + "." + name, text


def main(folder):
    root = pathlib.Path(__file__).resolve().parent
    found = []
    for path in sorted((root / "moyeo" / "v1").glob("*.proto")):
        found += texts(path.read_text().splitlines())
    names = [name for name, _ in found]
    assert len(set(names)) == len(names), "two comments of one name"
    rows = "\n".join(f"  {name} {text}" for name, text in sorted(found))
    (folder / "SchemaTexts.swift").write_text(
        "// Made by proto/schema-texts.py; do not edit.\n\n"
        "/// What the comments in proto/ say, a line each: a name without its package, a space, the text.\n"
        f'let schemaTextLines = #"""\n{rows}\n  """#\n')


main(pathlib.Path(sys.argv[1]))
