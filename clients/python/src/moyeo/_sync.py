"""The client for ordinary code; any number of threads may share one."""

from __future__ import annotations

import random
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

import grpc
import httpx

from moyeo._call import AnswerT, Call, Effect, RequestT, build, http_request
from moyeo._endpoint import KEEPALIVE, STREAMS_PER_CHANNEL, TLS, Endpoint
from moyeo._http import (
    answer_over_http,
    event_of,
    grpc_error,
    httpx_error,
    metadata_of,
    stream_headers,
)
from moyeo._sse import EventReader
from moyeo._streams import ResumeState, Stream
from moyeo._tokens import Tokens, TokenSource, is_renewable
from moyeo.errors import MoyeoError, Refused, TimedOut, refused_over_http
from moyeo.retry import Attempts, RetryPolicy
from moyeo.v1 import StreamReportsRequest, StreamReportsResponse
from moyeo.v1.sync_calls import (
    ClusterCalls,
    CommuteCalls,
    EventCalls,
    FareCalls,
    PartyCalls,
    PlaceCalls,
    PositionCalls,
    RouteCalls,
    TicketCalls,
)

OnCancel = Callable[[Callable[[], None]], None]


class Transport(Protocol):
    """One of the two wires."""

    address: str
    # Whether a stream that has said all ends otherwise than one whose daemon shuts down.
    says_end: bool

    def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None, token: str | None,
              timeout: float) -> AnswerT: ...

    def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None,
             on_cancel: OnCancel) -> Iterator[AnswerT]: ...

    def close(self) -> None: ...


class Caller:
    """Makes calls with retries, deadlines and tokens, over either wire."""

    def __init__(
        self, transport: Transport, tokens: Tokens, policy: RetryPolicy, timeout: float,
        clock: Callable[[], float], sleep: Callable[[float], None], dice: Callable[[], float],
    ) -> None:
        self.transport, self.tokens, self.policy = transport, tokens, policy
        self.timeout, self.clock, self.sleep, self.dice = timeout, clock, sleep, dice

    def unary(
        self, call: Call[RequestT, AnswerT], values: Mapping[str, object], key: str | None,
        timeout: float | None,
    ) -> AnswerT:
        """One answer; the key of a command is made once and kept over its attempts."""
        message = build(call.request, values)
        if call.effect is Effect.KEYED and key is None:
            key = str(uuid.uuid4())
        patience = getattr(message, "wait_seconds", 0.0)
        attempts = Attempts(
            self.policy, call.effect, self.timeout + patience if timeout is None else timeout,
            self.clock, self.dice, patience)
        token, renewed = self.tokens.current(), False
        while True:
            try:
                return self.transport.unary(call, message, key, token, attempts.timeout)
            except MoyeoError as error:
                if not renewed and is_renewable(error, self.tokens.source):
                    token, renewed = self.tokens.current(refused=token), True
                    continue
                self.sleep(attempts.wait_after(error))

    def stream(
        self, call: Call[RequestT, AnswerT], values: Mapping[str, object], key: str | None
    ) -> Stream[AnswerT]:
        """A stream that is opened when it is first read."""
        message = build(call.request, values)
        if call.effect is Effect.KEYED and key is None and getattr(message, "store", False):
            key = str(uuid.uuid4())
        return Stream(
            self, ResumeState(call, message, self.policy, self.clock, self.dice), key)


class Moyeo:
    """A client of a Moyeo daemon.

    >>> with Moyeo("http://127.0.0.1:8080") as moyeo:
    ...     answer = moyeo.positions.nearby(layer="users", latitude=37.5663, longitude=126.9779)

    `address` begins with ``http://``, ``https://``, ``grpc://`` or ``grpcs://``. `token` is a token
    or API key, or a function that gets one; a function is asked again when the service says that
    its token has expired. `timeout` is of a whole call, its retries included.
    """

    def __init__(
        self, address: str, *, token: TokenSource = None, timeout: float = 15.0,
        retry: RetryPolicy = RetryPolicy(), tls: TLS = TLS(),
        headers: Mapping[str, str] | None = None, quiet_seconds: float = 45.0,
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
        dice: Callable[[], float] = random.random,
    ) -> None:
        endpoint = Endpoint.of(address)
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        transport: Transport = (
            GRPCTransport(endpoint, tls, sent) if endpoint.is_grpc
            else HTTPTransport(endpoint, tls, sent, quiet_seconds))
        caller = Caller(transport, Tokens(token), retry, timeout, clock, sleep, dice)
        self._caller = caller
        self.positions = PositionCalls(caller)
        self.clusters = ClusterCalls(caller)
        self.parties = PartyCalls(caller)
        self.commutes = CommuteCalls(caller)
        self.events = EventCalls(caller)
        self.fares = FareCalls(caller)
        self.places = PlaceCalls(caller)
        self.routes = RouteCalls(caller)
        self.tickets = TicketCalls(caller)

    def stream_reports(
        self, requests: Iterable[StreamReportsRequest]
    ) -> Iterator[StreamReportsResponse]:
        """Reports over one stream, gRPC only: the first request names the layer.

        It does not resume, because handles hold for their connection.
        """
        transport = self._caller.transport
        if not isinstance(transport, GRPCTransport):
            raise Refused("Report streams are served over gRPC only.", code="UNIMPLEMENTED",
                          reason="unknown_route")
        return transport.stream_reports(requests, self._caller.tokens.current())

    def close(self) -> None:
        """Ends the connections, and with them the streams."""
        self._caller.transport.close()

    def __enter__(self) -> Moyeo:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class HTTPTransport:
    """JSON over HTTP/1.1 with a pool of connections."""

    says_end = False

    def __init__(
        self, endpoint: Endpoint, tls: TLS, headers: Mapping[str, str], quiet_seconds: float
    ) -> None:
        self.address = endpoint.text
        self._quiet = quiet_seconds
        verify = tls.context() if endpoint.is_secure else True

        def client(limits: httpx.Limits) -> httpx.Client:
            return httpx.Client(
                base_url=endpoint.text, headers=headers, verify=verify, limits=limits,
                follow_redirects=False, trust_env=False)

        # The daemon ends a connection that is idle for a minute.
        self._calls = client(httpx.Limits(max_connections=64, keepalive_expiry=30))
        self._streams = client(httpx.Limits(max_connections=None, max_keepalive_connections=0))

    def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None, token: str | None,
              timeout: float) -> AnswerT:
        request = http_request(call, message)
        end = time.monotonic() + timeout
        try:
            with self._calls.stream(
                    request.method, request.path, content=request.body,
                    headers={**request.headers, **metadata_of(token, key)},
                    timeout=timeout) as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    if time.monotonic() > end:
                        raise TimedOut(self.address)
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise httpx_error(self.address, error) from error
        return answer_over_http(call, response, bytes(body))

    def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None,
             on_cancel: OnCancel) -> Iterator[AnswerT]:
        request = http_request(state.call, state.message)
        try:
            with self._streams.stream(
                    request.method, request.path, content=request.body,
                    headers={**request.headers, **metadata_of(token, key), **stream_headers()},
                    timeout=httpx.Timeout(10.0, read=self._quiet)) as response:
                if response.status_code != 200:
                    raise refused_over_http(response.status_code, response.read(), response.headers)
                state.opened()
                on_cancel(lambda: _shut(response))
                reader = EventReader()
                for chunk in response.iter_raw():
                    for event in reader.take(chunk):
                        yield event_of(state.call, event)
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise httpx_error(self.address, error) from error

    def close(self) -> None:
        self._calls.close()
        self._streams.close()


def _shut(response: httpx.Response) -> None:
    """Wakes the thread that reads: closing a socket alone does not."""
    link = response.extensions["network_stream"].get_extra_info("socket")
    try:
        link.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It has ended already.
        pass


class GRPCTransport:
    """gRPC: one channel for calls, and one for each fifty streams."""

    says_end = True

    def __init__(self, endpoint: Endpoint, tls: TLS, headers: Mapping[str, str]) -> None:
        self.address = endpoint.text
        self._endpoint, self._tls = endpoint, tls
        self._headers = tuple(headers.items())
        self._lock = threading.Lock()
        self._calls = self._channel()
        self._stream_channels: list[list[Any]] = []

    def _channel(self) -> grpc.Channel:
        if not self._endpoint.is_secure:
            return grpc.insecure_channel(self._endpoint.authority, KEEPALIVE)
        return grpc.secure_channel(
            self._endpoint.authority, grpc.ssl_channel_credentials(*self._tls.read()), KEEPALIVE)

    def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None, token: str | None,
              timeout: float) -> AnswerT:
        ask = self._calls.unary_unary(
            call.grpc_path, request_serializer=call.request.SerializeToString,
            response_deserializer=call.answer.FromString)
        try:
            answer: AnswerT = ask(message, timeout=timeout, metadata=self._metadata(token, key))
            return answer
        except grpc.RpcError as error:
            raise grpc_error(self.address, error) from error

    def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None,
             on_cancel: OnCancel) -> Iterator[AnswerT]:
        call = state.call
        place = self._enter()
        try:
            stream = place[0].unary_stream(
                call.grpc_path, request_serializer=call.request.SerializeToString,
                response_deserializer=call.answer.FromString)(
                    state.message, metadata=self._metadata(token, key))
            on_cancel(stream.cancel)
            try:
                yield from stream
            finally:
                stream.cancel()
        except grpc.RpcError as error:
            raise grpc_error(self.address, error) from error
        finally:
            with self._lock:
                place[1] -= 1

    def _enter(self) -> list[Any]:
        """A channel with room, and the count of its streams."""
        with self._lock:
            for place in self._stream_channels:
                if place[1] < STREAMS_PER_CHANNEL:
                    break
            else:
                place = [self._channel(), 0]
                self._stream_channels.append(place)
            place[1] += 1
            return place

    def stream_reports(
        self, requests: Iterable[StreamReportsRequest], token: str | None
    ) -> Iterator[StreamReportsResponse]:
        stream = self._calls.stream_stream(
            "/moyeo.v1.PositionService/StreamReports",
            request_serializer=StreamReportsRequest.SerializeToString,
            response_deserializer=StreamReportsResponse.FromString)(
                iter(requests), metadata=self._metadata(token, None))
        try:
            yield from stream
        except grpc.RpcError as error:
            raise grpc_error(self.address, error) from error
        finally:
            stream.cancel()

    def _metadata(self, token: str | None, key: str | None) -> tuple[tuple[str, str], ...]:
        return self._headers + tuple(metadata_of(token, key).items())

    def close(self) -> None:
        with self._lock:
            channels = [self._calls, *(place[0] for place in self._stream_channels)]
        for channel in channels:
            channel.close()
