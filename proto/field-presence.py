"""Writes FieldPresence.swift: every optional field of the generated messages as a Swift optional.

Usage: field-presence.py FOLDER, the folder of the *.pb.swift files; proto/generate.sh calls it.
"""

import pathlib
import re
import sys

MESSAGE = re.compile(r"^( *)public (?:nonisolated )?(?:final )?struct (\w+): ")
FIELD = re.compile(r"^ *public var (\w+): ([\w.]+) \{$")
PRESENCE = re.compile(r"^ *public var has(\w+): Bool ")


def optional_fields(lines):
    """Yields (message, field, type) of each field that knows whether it was set."""
    enclosing, field = [], None
    for line in lines:
        if line.startswith("// MARK:"):
            return
        if message := MESSAGE.match(line):
            depth = len(message[1]) // 2
            enclosing = enclosing[:depth] + [message[2]]
        elif found := FIELD.match(line):
            field = found
        elif (presence := PRESENCE.match(line)) and field:
            if presence[1].lower() == field[1].strip("`").lower():
                yield ".".join(enclosing), presence[1], field[1], field[2]


def main(folder):
    fields = {}
    for path in sorted(folder.glob("*.pb.swift")):
        if not path.name.startswith("health"):
            for message, presence, name, kind in optional_fields(path.read_text().splitlines()):
                fields.setdefault(message, []).append((presence, name, kind))
    out = ["// Made by proto/field-presence.py; do not edit.", "", "package import Foundation",
           "package import SwiftProtobuf", "",
           "// Each optional field as a Swift optional: nil where the sender left it out.", ""]
    for message, entries in fields.items():
        out.append(f"extension {message} {{")
        for presence, name, kind in entries:
            plain = name.strip("`")
            out.append(f"  package var {plain}IfSet: {kind}? {{ has{presence} ? {name} : nil }}")
        out += ["}", ""]
    (folder / "FieldPresence.swift").write_text("\n".join(out))


main(pathlib.Path(sys.argv[1]))
