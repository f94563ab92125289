"""What measurements are told by; standard library only."""

import math


def percentile(values, share):
    """The nearest rank; NaN of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan
