"""The reasons that a refusal may have, as Sources/MoyeoAPI/Reason.swift spells them on the wire."""

import re

from running_daemon import ROOT


def reasons():
    text = (ROOT / "Sources" / "MoyeoAPI" / "Reason.swift").read_text()
    body = text[text.index("enum Reason"):text.index("enum StatusCode")]
    return {given or name for name, given in
            re.findall(r'(?m)^  case (\w+)(?: = "(\w+)")?$', body)}
