"""Why a peer needs less CPU for an operation: the parts of its cost, from rows of the same run."""

from collections.abc import Callable

from forms import BATCH, UNDER_WAY

# Operation and system to microseconds.
Costs = Callable[[str, str], float]


def number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def more(value: float) -> str:
    """A difference; of two rows of noise it may come out below nothing."""
    return number(max(0.0, value))


def by_batch(family: str, peer: str, costs: Costs) -> str:
    ours, theirs = costs(f"{family}_100", "moyeo"), costs(f"{family}_100", peer)
    return f"by {BATCH} it is {number(ours)} to {number(theirs)} us"


def reason(operation: str, peer: str, title: str, costs: Costs) -> str:
    """`title` is the peer's."""
    family, _, form = operation.partition("_")
    if family in ("t10", "t01"):
        return (f"without a tag too, {alone('nearest', peer, title, costs)}; "
                f"{of_tag(family, '', title, costs)}")
    parts = [{"": alone, "16": call, "100": work}[form](family, peer, title, costs)]
    if family == "t1":
        parts.append(of_tag(family, "_100", title, costs))
    return "; ".join(parts)


def alone(family: str, peer: str, title: str, costs: Costs) -> str:
    """Of a server that has nothing else to do, and so sleeps and wakes for each request."""
    ours = costs(family, "moyeo") - costs(f"{family}_16", "moyeo")
    theirs = costs(family, peer) - costs(f"{family}_16", peer)
    return (f"waking up, reading and writing for a single request: {more(ours)} us more than "
            f"with {UNDER_WAY} under way ({title} {more(theirs)}), and the call of HTTP/2, "
            f"{more(call_cost(family, costs))} us more than inside a batch; "
            f"{by_batch(family, peer, costs)}")


def call(family: str, peer: str, title: str, costs: Costs) -> str:
    return (f"the call: a stream of HTTP/2 with headers both ways for each request, "
            f"{more(call_cost(family, costs))} us more than inside a batch, where a command of "
            f"{title} is a few bytes; {by_batch(family, peer, costs)}")


def call_cost(family: str, costs: Costs) -> float:
    return costs(f"{family}_16", "moyeo") - costs(f"{family}_100", "moyeo")


def work(family: str, peer: str, title: str, costs: Costs) -> str:
    if family == "update":
        return f"each position refreshes tags and expiry too, which {title} does not keep"
    if family == "mix":
        return (f"of updates {by_batch('update', peer, costs)}, "
                f"of searches {by_batch('nearest', peer, costs)}")
    return "the search and the encoding of its hits"


def of_tag(operation: str, form: str, title: str, costs: Costs) -> str:
    cost = costs(operation + form, "moyeo") - costs("nearest" + form, "moyeo")
    said = f"{number(cost)} us more than without" if cost > 0 else "no more than without"
    return (f"{title} has a key or an index of its own for the tag, which takes no updates here; "
            f"Moyeo asks its one index, {said} a tag")
