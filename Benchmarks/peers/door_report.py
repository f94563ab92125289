"""The part of peers.md about the door for clients of Redis."""

from cost_reasons import number
from throughput import OPERATIONS

# Bare settings stand beside the default ones.
DOORS = ("door", "door_bare")

# What issue 20 asks: the most CPU, as a share of Redis's. Of the last two it does not say how many
# commands are under way.
ASKED = {
    "update": 1.0, "update_16": 0.6, "update_100": 0.35, "nearest_16": 0.12, "nearest_100": 0.12,
    **dict.fromkeys(("radius", "radius_16", "radius_100"), 0.02),
    **dict.fromkeys(("mix", "mix_16", "mix_100"), 0.3)}


def share(value: float) -> str:
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def door_section(result: dict, titles: dict, main: dict) -> list[str]:
    found = [s for s in result["systems"] if s["key"] in DOORS]
    if not found:
        return []
    out = ["## The door for clients of Redis", "",
           "The same commands over RESP to Redis and to Moyeo's door, one connection each. Redis has "
           "no nearest-k: its client guesses a radius and doubles it until enough is found, with the "
           "first guess that costs least; the door finds the nearest with one command. Redis keeps "
           "a key per tag that takes no updates; the door's members carry their tags, and every "
           "update sends them. All tries that were discarded stand in peers.json.", ""]
    out += ["| operation | Redis, CPU us | " + " | ".join(
        f"{s['title']} | ratio" for s in found) + " | asked |",
        "|---|---:|" + "---:|---:|" * len(found) + "---:|"]
    for operation, title in titles.items():
        redis = main[operation, "redis"]["serverMicroseconds"]
        cells = [title, number(redis)]
        for system in found:
            own = main[operation, system["key"]]["serverMicroseconds"]
            cells += [number(own), f"**{share(own / redis)}**"]
        asked = ASKED.get(operation)
        out.append("| " + " | ".join(cells) + f" | {'' if asked is None else f'{asked:g}'} |")
    return out + [""] + many_callers(result, found)


def many_callers(result: dict, found: list[dict]) -> list[str]:
    rows = {(r["operation"], r["callers"], r["system"]): r for r in result.get("throughput", [])}
    if not rows:
        return []
    columns = [("redis", "Redis"), *((s["key"], s["title"]) for s in found)]
    out = ["### Many callers", "",
           "Answers a second, and the server's CPU for one in microseconds: 1 caller on one "
           "connection, 16 and 128 callers over four. The clients run on the same cores.", "",
           "| operation | callers | " + " | ".join(
               f"{title}, a second | CPU us" for _, title in columns) + " |",
           "|---|---:|" + "---:|---:|" * len(columns)]
    for operation, callers in dict.fromkeys((r["operation"], r["callers"])
                                            for r in result["throughput"]):
        cells = [OPERATIONS[operation], str(callers)]
        for key, _ in columns:
            row = rows[operation, callers, key]
            cells += [f"{row['perSecond']:,.0f}", number(row["serverMicroseconds"])]
        out.append("| " + " | ".join(cells) + " |")
    return out + [""]
