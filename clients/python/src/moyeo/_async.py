"""The client for asyncio; the tasks of one event loop may share one."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol

import grpc
import grpc.aio
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
from moyeo._streams import AsyncStream, ResumeState
from moyeo._tokens import AsyncTokens, AsyncTokenSource, is_renewable
from moyeo.errors import MoyeoError, Refused, TimedOut, refused_over_http
from moyeo.retry import Attempts, RetryPolicy
from moyeo.v1 import StreamReportsRequest, StreamReportsResponse
from moyeo.v1.async_calls import (
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


class AsyncTransport(Protocol):
    """One of the two wires."""

    address: str
    # Whether a stream that has said all ends otherwise than one whose daemon shuts down.
    says_end: bool

    async def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None,
                    token: str | None, timeout: float) -> AnswerT: ...

    def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None
             ) -> AsyncGenerator[AnswerT, None]: ...

    async def close(self) -> None: ...


class AsyncCaller:
    """Makes calls with retries, deadlines and tokens, over either wire."""

    def __init__(
        self, transport: AsyncTransport, tokens: AsyncTokens, policy: RetryPolicy, timeout: float,
        clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]],
        dice: Callable[[], float],
    ) -> None:
        self.transport, self.tokens, self.policy = transport, tokens, policy
        self.timeout, self.clock, self.sleep, self.dice = timeout, clock, sleep, dice

    async def unary(
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
        token, renewed = await self.tokens.current(), False
        while True:
            try:
                return await self.transport.unary(call, message, key, token, attempts.timeout)
            except MoyeoError as error:
                if not renewed and is_renewable(error, self.tokens.source):
                    token, renewed = await self.tokens.current(refused=token), True
                    continue
                await self.sleep(attempts.wait_after(error))

    def stream(
        self, call: Call[RequestT, AnswerT], values: Mapping[str, object], key: str | None
    ) -> AsyncStream[AnswerT]:
        """A stream that is opened when it is first read."""
        message = build(call.request, values)
        if call.effect is Effect.KEYED and key is None and getattr(message, "store", False):
            key = str(uuid.uuid4())
        return AsyncStream(
            self, ResumeState(call, message, self.policy, self.clock, self.dice), key)


class AsyncMoyeo:
    """A client of a Moyeo daemon for asyncio; see `moyeo.Moyeo`.

    >>> async with AsyncMoyeo("grpc://127.0.0.1:50051") as moyeo:
    ...     answer = await moyeo.positions.nearby(layer="users", latitude=37.5, longitude=127.0)
    """

    def __init__(
        self, address: str, *, token: AsyncTokenSource = None, timeout: float = 15.0,
        retry: RetryPolicy = RetryPolicy(), tls: TLS = TLS(),
        headers: Mapping[str, str] | None = None, quiet_seconds: float = 45.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        dice: Callable[[], float] = random.random,
    ) -> None:
        endpoint = Endpoint.of(address)
        sent = {name.lower(): value for name, value in (headers or {}).items()}
        transport: AsyncTransport = (
            AsyncGRPCTransport(endpoint, tls, sent) if endpoint.is_grpc
            else AsyncHTTPTransport(endpoint, tls, sent, quiet_seconds))
        caller = AsyncCaller(transport, AsyncTokens(token), retry, timeout, clock, sleep, dice)
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

    async def stream_reports(
        self, requests: AsyncIterable[StreamReportsRequest]
    ) -> AsyncIterator[StreamReportsResponse]:
        """Reports over one stream, gRPC only: the first request names the layer.

        It does not resume, because handles hold for their connection.
        """
        transport = self._caller.transport
        if not isinstance(transport, AsyncGRPCTransport):
            raise Refused("Report streams are served over gRPC only.", code="UNIMPLEMENTED",
                          reason="unknown_route")
        async for answer in transport.stream_reports(requests, await self._caller.tokens.current()):
            yield answer

    async def close(self) -> None:
        """Ends the connections, and with them the streams."""
        await self._caller.transport.close()

    async def __aenter__(self) -> AsyncMoyeo:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


class AsyncHTTPTransport:
    """JSON over HTTP/1.1 with a pool of connections."""

    says_end = False

    def __init__(
        self, endpoint: Endpoint, tls: TLS, headers: Mapping[str, str], quiet_seconds: float
    ) -> None:
        self.address = endpoint.text
        self._quiet = quiet_seconds
        verify = tls.context() if endpoint.is_secure else True

        def client(limits: httpx.Limits) -> httpx.AsyncClient:
            return httpx.AsyncClient(
                base_url=endpoint.text, headers=headers, verify=verify, limits=limits,
                follow_redirects=False, trust_env=False)

        # The daemon ends a connection that is idle for a minute.
        self._calls = client(httpx.Limits(max_connections=64, keepalive_expiry=30))
        self._streams = client(httpx.Limits(max_connections=None, max_keepalive_connections=0))

    async def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None,
                    token: str | None, timeout: float) -> AnswerT:
        request = http_request(call, message)
        try:
            response = await asyncio.wait_for(
                self._calls.request(
                    request.method, request.path, content=request.body,
                    headers={**request.headers, **metadata_of(token, key)}, timeout=timeout),
                timeout)
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise TimedOut(self.address) from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise httpx_error(self.address, error) from error
        return answer_over_http(call, response, response.content)

    async def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None
                   ) -> AsyncGenerator[AnswerT, None]:
        request = http_request(state.call, state.message)
        try:
            async with self._streams.stream(
                    request.method, request.path, content=request.body,
                    headers={**request.headers, **metadata_of(token, key), **stream_headers()},
                    timeout=httpx.Timeout(10.0, read=self._quiet)) as response:
                if response.status_code != 200:
                    raise refused_over_http(
                        response.status_code, await response.aread(), response.headers)
                state.opened()
                reader = EventReader()
                async for chunk in response.aiter_raw():
                    for event in reader.take(chunk):
                        yield event_of(state.call, event)
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise httpx_error(self.address, error) from error

    async def close(self) -> None:
        await self._calls.aclose()
        await self._streams.aclose()


class AsyncGRPCTransport:
    """gRPC: one channel for calls, and one for each fifty streams."""

    says_end = True

    def __init__(self, endpoint: Endpoint, tls: TLS, headers: Mapping[str, str]) -> None:
        self.address = endpoint.text
        self._endpoint, self._tls = endpoint, tls
        self._headers = tuple(headers.items())
        # Made at the first call, since a channel belongs to the event loop that runs then.
        self._calls: grpc.aio.Channel | None = None
        self._stream_channels: list[list[Any]] = []

    def _channel(self) -> grpc.aio.Channel:
        if not self._endpoint.is_secure:
            return grpc.aio.insecure_channel(self._endpoint.authority, KEEPALIVE)
        return grpc.aio.secure_channel(
            self._endpoint.authority, grpc.ssl_channel_credentials(*self._tls.read()), KEEPALIVE)

    def _call_channel(self) -> grpc.aio.Channel:
        if self._calls is None:
            self._calls = self._channel()
        return self._calls

    async def unary(self, call: Call[Any, AnswerT], message: Any, key: str | None,
                    token: str | None, timeout: float) -> AnswerT:
        ask = self._call_channel().unary_unary(
            call.grpc_path, request_serializer=call.request.SerializeToString,
            response_deserializer=call.answer.FromString)
        try:
            answer: AnswerT = await ask(
                message, timeout=timeout, metadata=self._metadata(token, key))
            return answer
        except grpc.aio.AioRpcError as error:
            raise grpc_error(self.address, error) from error

    async def open(self, state: ResumeState[AnswerT], key: str | None, token: str | None
                   ) -> AsyncGenerator[AnswerT, None]:
        call = state.call
        place = self._enter()
        stream = place[0].unary_stream(
            call.grpc_path, request_serializer=call.request.SerializeToString,
            response_deserializer=call.answer.FromString)(
                state.message, metadata=self._metadata(token, key))
        try:
            async for event in stream:
                yield event
        except grpc.aio.AioRpcError as error:
            raise grpc_error(self.address, error) from error
        finally:
            stream.cancel()
            place[1] -= 1

    def _enter(self) -> list[Any]:
        """A channel with room, and the count of its streams."""
        for place in self._stream_channels:
            if place[1] < STREAMS_PER_CHANNEL:
                break
        else:
            place = [self._channel(), 0]
            self._stream_channels.append(place)
        place[1] += 1
        return place

    async def stream_reports(
        self, requests: AsyncIterable[StreamReportsRequest], token: str | None
    ) -> AsyncGenerator[StreamReportsResponse, None]:
        stream = self._call_channel().stream_stream(
            "/moyeo.v1.PositionService/StreamReports",
            request_serializer=StreamReportsRequest.SerializeToString,
            response_deserializer=StreamReportsResponse.FromString)(
                aiter(requests), metadata=self._metadata(token, None))
        try:
            async for answer in stream:
                yield answer
        except grpc.aio.AioRpcError as error:
            raise grpc_error(self.address, error) from error
        finally:
            stream.cancel()

    def _metadata(self, token: str | None, key: str | None) -> tuple[tuple[str, str], ...]:
        return self._headers + tuple(metadata_of(token, key).items())

    async def close(self) -> None:
        channels = [self._calls, *(place[0] for place in self._stream_channels)]
        for channel in channels:
            if channel is not None:
                await channel.close()
