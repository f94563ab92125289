"""What both clients share of the two wires."""

from __future__ import annotations

from typing import Any

import httpx
from google.protobuf import json_format

from moyeo._call import AnswerT, Call, Shape, answer_of
from moyeo._sse import ServerSentEvent
from moyeo.errors import (
    GRPC_STATUS_HEADER,
    MoyeoError,
    TimedOut,
    UnexpectedAnswer,
    Unreachable,
    refused_over_grpc,
    refused_over_http,
)


def metadata_of(token: str | None, key: str | None) -> dict[str, str]:
    """Who calls, and the key of a command: headers and gRPC metadata alike."""
    sent = {}
    if token:
        sent["authorization"] = f"Bearer {token}"
    if key:
        sent["idempotency-key"] = key
    return sent


def stream_headers() -> dict[str, str]:
    """Of server-sent events, which are read as they come."""
    return {"accept": "text/event-stream", "accept-encoding": "identity"}


def httpx_error(address: str, error: Exception) -> MoyeoError:
    """A failure to connect sent nothing; after that, what arrived is unknown."""
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)):
        return Unreachable(address, str(error), sent=False)
    if isinstance(error, httpx.TimeoutException):
        return TimedOut(address)
    if isinstance(error, (httpx.NetworkError, httpx.RemoteProtocolError, httpx.StreamError)):
        return Unreachable(address, str(error))
    return UnexpectedAnswer(f"{address} does not answer as Moyeo does: {error}.")


def answer_over_http(call: Call[Any, AnswerT], response: httpx.Response, body: bytes) -> AnswerT:
    """The message of an answer; raises its refusal."""
    status = response.status_code
    if call.shape is Shape.TILE and (status == 304 or 200 <= status < 300):
        return _tile(call, response, body)
    if not 200 <= status < 300:
        raise refused_over_http(status, body, response.headers)
    try:
        return answer_of(call, body)
    except (json_format.ParseError, UnicodeDecodeError) as error:
        raise UnexpectedAnswer(
            f"{call.template} answered what is no {call.answer.__name__}: {error}.") from error


def _tile(call: Call[Any, AnswerT], response: httpx.Response, body: bytes) -> AnswerT:
    headers = response.headers
    lag = headers.get("x-moyeo-lag-milliseconds")
    return call.answer(
        tile=body, content_type=headers.get("content-type"), etag=headers.get("etag"),
        version=headers.get("x-moyeo-version"), lag_milliseconds=int(lag) if lag else None,
        not_modified=response.status_code == 304 or None,
        truncated=headers.get("x-moyeo-truncated") == "true" or None)


def event_of(call: Call[Any, AnswerT], event: ServerSentEvent) -> AnswerT:
    """The message of a server-sent event; an event `error` is the refusal that ends the stream."""
    if event.kind == "error":
        raise refused_over_http(200, event.data.encode(), {})
    try:
        return answer_of(call, event.data.encode())
    except json_format.ParseError as error:
        raise UnexpectedAnswer(
            f"{call.template} sent what is no {call.answer.__name__}: {error}.") from error


def grpc_error(address: str, error: Any) -> MoyeoError:
    """Of grpc.RpcError, which is a call as well."""
    trailers = dict(error.trailing_metadata() or ())
    return refused_over_grpc(
        address, error.code().name, error.details() or "", trailers.get(GRPC_STATUS_HEADER))
