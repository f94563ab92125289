"""Waits for what another process or thread brings about; standard library only."""

import time


def until(condition, what, seconds=30):
    """Looks again and again until the condition holds, and answers what it found; fails with `what`."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not in {seconds} s: {what}")
        time.sleep(0.01)
    return found


def comes_true(condition, seconds):
    """The same, but answers whether it came to hold."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
