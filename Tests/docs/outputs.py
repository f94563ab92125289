"""What a page says a block prints, beside what it printed.

A page leaves out what is long by `…`: within a text anything, alone on a line any lines, at the end of an
array or an object of JSON all that follows. JSON is compared as values, so that a page may break its
lines. A number with a point may be rounded. Values under names that are said to differ are of the same
kind, and no more.
"""

import decimal
import itertools
import json
import re

LEFT_OUT = "…"


class NoJSON(Exception):
    """A text that claims to be JSON is none."""


def difference(told, printed, differing=()):
    """None where the page is right, else a sentence about the first thing that is not so."""
    if told.lstrip()[:1] not in ("{", "["):
        return _difference_of_lines(told, printed)
    try:
        pairs = itertools.zip_longest(documents(_completed(told), decimal.Decimal), documents(printed))
        for number, (one, other) in enumerate(pairs):
            if one is None or other is None:
                return f"{'more' if one is None else 'less'} is printed than the page says"
            found = _difference_of_values(one, other, differing, f"${number or ''}")
            if found:
                return found
    except NoJSON as error:
        return str(error)
    return None


def documents(text, number=float):
    """The values of JSON that stand one after the other; numbers with a point are of a type."""
    found, at = [], 0
    decoder = json.JSONDecoder(parse_float=number)
    while (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as error:
            raise NoJSON(f"no JSON ({error}): {text[at:at + 200]}") from None
        found.append(value)
    return found


def _completed(text):
    """The page's text with a member or an element in place of each `…` between values."""
    out, open_brackets = [], []
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|.', text, re.DOTALL):
        if part in "{[":
            open_brackets.append(part)
        elif part in "}]" and open_brackets:
            open_brackets.pop()
        if part == LEFT_OUT:
            is_value = "".join(out).rstrip().endswith(":")
            in_object = open_brackets and open_brackets[-1] == "{"
            part = f'"{LEFT_OUT}"' + (": 0" if in_object and not is_value else "")
        out.append(part)
    return "".join(out)


def _kind(value):
    return "number" if isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool) \
        else type(value).__name__


def _difference_of_values(told, printed, differing, path):
    if told == LEFT_OUT:
        return None
    if _kind(told) != _kind(printed):
        return f"{path} is {printed!r} and not {told!r}"
    if isinstance(told, dict):
        names = {name for name in told if name != LEFT_OUT}
        missing, more = names - printed.keys(), printed.keys() - names
        if missing or (more and LEFT_OUT not in told):
            return f"{path} has other members: without {sorted(missing)}, besides {sorted(more)}"
        pairs = [(f"{path}.{name}", told[name], printed[name]) for name in told
                 if name in names and name not in differing]
        kinds = [name for name in names if name in differing
                 and _kind(told[name]) != _kind(printed[name])]
        if kinds:
            return f"{path}.{kinds[0]} is {printed[kinds[0]]!r}, of another kind"
    elif isinstance(told, list):
        open_end = told[-1:] == [LEFT_OUT]
        told = told[:-1] if open_end else told
        if len(printed) < len(told) or (len(printed) > len(told) and not open_end):
            return f"{path} has {len(printed)} elements and not {len(told)}"
        pairs = [(f"{path}[{number}]", one, other)
                 for number, (one, other) in enumerate(zip(told, printed))]
    elif isinstance(told, str) and LEFT_OUT in told:
        pattern = ".*".join(map(re.escape, told.split(LEFT_OUT)))
        return None if re.fullmatch(pattern, printed, re.DOTALL) else \
            f"{path} is {printed!r} and not {told!r}"
    else:
        if isinstance(told, decimal.Decimal):
            told, printed = float(told), round(printed, -told.as_tuple().exponent)
        return None if told == printed else f"{path} is {printed!r} and not {told!r}"
    for where, one, other in pairs:
        found = _difference_of_values(one, other, differing, where)
        if found:
            return found
    return None


def _difference_of_lines(told, printed):
    pattern = ""
    for line in told.rstrip().splitlines():
        if line.strip() == LEFT_OUT:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(map(re.escape, line.rstrip().split(LEFT_OUT))) + "\n"
    lines = "".join(line.rstrip() + "\n" for line in printed.strip("\n").splitlines())
    return None if re.fullmatch(pattern, lines) else f"this is printed:\n{lines}"
