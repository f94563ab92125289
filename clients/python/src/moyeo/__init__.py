"""Client of Moyeo: who is near, live clusters, shared taxis, fares and study mates."""

from moyeo._async import AsyncMoyeo
from moyeo._endpoint import TLS
from moyeo._streams import AsyncStream, Stream
from moyeo._sync import Moyeo
from moyeo.errors import (
    FieldViolation,
    MoyeoError,
    Refused,
    TimedOut,
    UnexpectedAnswer,
    Unreachable,
)
from moyeo.retry import NO_RETRY, RetryPolicy

__all__ = [
    "NO_RETRY", "TLS", "AsyncMoyeo", "AsyncStream", "FieldViolation", "Moyeo", "MoyeoError",
    "Refused", "RetryPolicy", "Stream", "TimedOut", "UnexpectedAnswer", "Unreachable",
]
