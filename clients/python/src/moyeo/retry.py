"""When a call that failed is made again. Nothing here waits: clock and dice come from outside."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from moyeo._call import Effect
from moyeo.errors import MoyeoError, Refused, TimedOut, Unreachable

# The daemon did nothing, and may do it later (docs/calls.md, Refusals).
_LATER = {"overloaded", "unavailable", "rate_limited", "read_only"}
# Only after the time that the service gives.
_LATER_IF_TOLD = {"quota_exceeded", "too_slow_consumer"}
# Whether it took effect is unknown.
_UNCLEAR = {"deadline_exceeded"}
# Answers of proxies, which give no reason.
_LATER_STATUS = {429, 503}
_UNCLEAR_STATUS = {502, 504}
RENEWABLE = {"token_expired", "unauthenticated"}


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how far apart a call is tried."""

    # Of one call, the first included; 1: never again.
    attempts: int = 5
    # Seconds that the first wait is at most; each further one doubles it.
    base: float = 0.1
    longest: float = 5.0
    # Seconds of one attempt: longer than the daemon's own 5, so that its refusal is heard.
    attempt_timeout: float = 7.0
    # A stream that was open and is cut is opened again for so many seconds without an event; None:
    # for ever.
    stream_patience: float | None = None

    def backoff(self, failures: int, dice: Callable[[], float]) -> float:
        """Full jitter: anything from 0 to the bound, so that clients do not come back together."""
        return dice() * min(self.longest, self.base * 2.0 ** min(failures - 1, 30))


NO_RETRY = RetryPolicy(attempts=1)


def is_retryable(error: MoyeoError, effect: Effect) -> bool:
    """Whether the same call, sent again, may succeed and has its effect at most once."""
    again = effect is not Effect.ONCE
    if isinstance(error, Unreachable):
        return again or not error.sent
    if isinstance(error, TimedOut):
        return again
    if not isinstance(error, Refused):
        return False
    if error.reason:
        return (error.reason in _LATER
                or (error.reason in _LATER_IF_TOLD and error.retry_after is not None)
                or (error.reason in _UNCLEAR and again))
    return error.http_status in _LATER_STATUS or (again and error.http_status in _UNCLEAR_STATUS)


class Attempts:
    """The attempts of one call: until when, and how long to wait between them."""

    def __init__(
        self, policy: RetryPolicy, effect: Effect, timeout: float, clock: Callable[[], float],
        dice: Callable[[], float] = random.random, patience: float = 0,
    ) -> None:
        self._policy, self._effect = policy, effect
        self._clock, self._dice = clock, dice
        self._deadline = clock() + timeout
        self._patience = patience
        self._failures = 0

    @property
    def timeout(self) -> float:
        """Seconds that the next attempt may take: less when the deadline is near."""
        return min(self._policy.attempt_timeout + self._patience,
                   max(0.001, self._deadline - self._clock()))

    def wait_after(self, error: MoyeoError) -> float:
        """Seconds to wait before the next attempt; raises `error` when there is none."""
        self._failures += 1
        if self._failures >= self._policy.attempts or not is_retryable(error, self._effect):
            raise error
        wait = wait_before_retry(error, self._failures, self._policy, self._dice)
        # An attempt that could only come too late is not waited for.
        if self._clock() + wait >= self._deadline:
            raise error
        return wait


def wait_before_retry(
    error: MoyeoError, failures: int, policy: RetryPolicy, dice: Callable[[], float]
) -> float:
    """At least what the service asked for, plus jitter, so that all do not return at once."""
    asked = error.retry_after if isinstance(error, Refused) else None
    return (asked or 0.0) + policy.backoff(failures, dice)
