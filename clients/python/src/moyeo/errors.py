"""Why a call has no answer."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Over gRPC the same words as in HTTP bodies.
GRPC_STATUS_HEADER = "grpc-status-details-bin"


@dataclass(frozen=True)
class FieldViolation:
    """One field of the request at fault."""

    # JSON path, e.g. ``positions[3].latitude``.
    field: str
    reason: str
    message: str


class MoyeoError(Exception):
    """Any failure of a call; `str` of it is a sentence."""

    # One word for one cause, e.g. ``unknown_layer``; empty when the service did not answer.
    reason: str = ""


class Unreachable(MoyeoError):
    """Nobody answers there, or the connection broke before the answer.

    `sent` tells whether the request may have arrived, so that its effect is unknown.
    """

    def __init__(self, address: str, cause: str, sent: bool = True) -> None:
        super().__init__(f"Nobody answers at {address}: {cause or 'the connection broke'}.")
        self.address = address
        self.sent = sent


class TimedOut(MoyeoError):
    """No answer within the time that the caller gave."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} gave no answer in time.")
        self.address = address


class UnexpectedAnswer(MoyeoError):
    """Something answered, but not as Moyeo does."""


class Refused(MoyeoError):
    """The service refused the call and says why."""

    def __init__(
        self, message: str, *, code: str = "", reason: str = "",
        fields: tuple[FieldViolation, ...] = (), retry_after: float | None = None,
        metadata: Mapping[str, str] | None = None, http_status: int | None = None,
        rejections: tuple[dict[str, Any], ...] = (),
    ) -> None:
        self.message = message
        # Name of the gRPC status, e.g. INVALID_ARGUMENT, over HTTP too.
        self.code = code
        self.reason = reason
        self.fields = fields
        # Seconds to wait before the next try, when the service says so.
        self.retry_after = retry_after
        # Figures of the refusal, for programs.
        self.metadata = dict(metadata or {})
        self.http_status = http_status
        # Of a Report of which every item was refused; over gRPC they are not told.
        self.rejections = rejections
        text = message or code or f"HTTP status {http_status}"
        if reason:
            text += f" ({reason})"
        for violation in fields:
            if len(fields) > 1 or violation.message != message:
                text += f"\n  {violation.field}: {violation.message} ({violation.reason})"
        super().__init__(text)


def refused_over_http(status: int, body: bytes, headers: Mapping[str, str]) -> MoyeoError:
    """The error of an HTTP answer; one without our body, as of a proxy, keeps status and wait."""
    wait = retry_after_header(headers.get("retry-after"))
    try:
        said = json.loads(body)
        error = said["error"]
        milliseconds = error.get("retryAfterMilliseconds")
        return Refused(
            str(error["message"]), code=str(error["code"]), reason=str(error["reason"]),
            fields=tuple(
                FieldViolation(str(one["field"]), str(one["reason"]), str(one["message"]))
                for one in error.get("fields", ())),
            retry_after=wait if milliseconds is None else float(milliseconds) / 1000,
            metadata=error.get("metadata"), http_status=status,
            rejections=tuple(said.get("rejections", ())))
    except (ValueError, KeyError, TypeError, AttributeError):
        # An adapter, or something in front of the daemon.
        return Refused(f"The service answered HTTP status {status}.", http_status=status,
                       retry_after=wait)


def retry_after_header(value: str | None, now: float | None = None) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, section 10.2.3): a number, or a date."""
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        at = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError):
        return None
    return max(0.0, at - (time.time() if now is None else now))


def refused_over_grpc(
    address: str, code: str, details: str, status: bytes | None
) -> MoyeoError:
    """The error of a gRPC status; `status` is google.rpc.Status as the trailers carry it."""
    # Imported here, so that HTTP alone needs neither.
    from google.rpc import error_details_pb2, status_pb2

    reason, wait = "", None
    metadata: dict[str, str] = {}
    fields: list[FieldViolation] = []
    for detail in status_pb2.Status.FromString(status).details if status else ():
        if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
            info = error_details_pb2.ErrorInfo.FromString(detail.value)
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            delay = error_details_pb2.RetryInfo.FromString(detail.value).retry_delay
            wait = delay.seconds + delay.nanos / 1e9
        elif detail.Is(error_details_pb2.BadRequest.DESCRIPTOR):
            for one in error_details_pb2.BadRequest.FromString(detail.value).field_violations:
                fields.append(FieldViolation(one.field, one.reason, one.description))
    if not reason:
        if code == "DEADLINE_EXCEEDED":
            return TimedOut(address)
        if code == "UNAVAILABLE":
            return Unreachable(address, details)
    return Refused(details, code=code, reason=reason, fields=tuple(fields), retry_after=wait,
                   metadata=metadata)
