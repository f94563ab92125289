"""Streams that resume by themselves."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic

from google.protobuf.message import Message

from moyeo._call import AnswerT, Call, Effect, Shape
from moyeo._tokens import is_renewable
from moyeo.errors import MoyeoError, Refused, Unreachable
from moyeo.retry import RetryPolicy, is_retryable, wait_before_retry
from moyeo.v1.calls import (
    PARTIES_GET,
    PARTIES_WATCH,
    PARTIES_WATCH_MATCHES,
    TICKETS_GET,
    TICKETS_WATCH,
)

if TYPE_CHECKING:
    from moyeo._async import AsyncCaller
    from moyeo._sync import Caller

log = logging.getLogger("moyeo")
# Of a rider who states none (proto/moyeo/v1/parties.proto).
_STANDARD_WINDOW = 600.0


class ResumeState(Generic[AnswerT]):
    """Where a stream stands, and whether and when it is opened again; it waits for nothing."""

    def __init__(
        self, call: Call[Any, AnswerT], message: Message, policy: RetryPolicy,
        clock: Callable[[], float], dice: Callable[[], float],
    ) -> None:
        self.call = call
        # Sent at each opening: it carries the resume token of the last event.
        self.message: Any = message
        self._policy, self._clock, self._dice = policy, clock, dice
        self._was_open = False
        self._failures = 0
        self._failing_since: float | None = None
        self._renewed = False
        self._last_sequence = 0
        self._began = time.time()

    @property
    def resume_token(self) -> str:
        """Of the last event; empty before the first, and for streams that have none."""
        return str(self.message.resume_token)

    @property
    def version_call(self) -> tuple[Call[Any, Any], dict[str, object], str] | None:
        """What to read before the first opening, so that nothing is missed when that is cut before
        its first event: the call, its request, and the field of the answer with the version."""
        message = self.message
        if message.HasField("resume_token") or self.call not in (PARTIES_WATCH, TICKETS_WATCH):
            return None
        if message.HasField("after_version"):
            return None
        if self.call is PARTIES_WATCH:
            return PARTIES_GET, {"id": message.id}, "party"
        return TICKETS_GET, {"user_id": message.user_id or None}, "ticket"

    def opened(self) -> None:
        """The service accepted the stream."""
        self._was_open = True

    def took(self, event: AnswerT) -> AnswerT | None:
        """The event to hand out; None for one that only says that the stream lives, or was had."""
        self._was_open, self._renewed = True, False
        self._failures, self._failing_since = 0, None
        told: Any = event
        if told.resume_token:
            self.message.resume_token = told.resume_token
        if told.kind == "heartbeat":
            return None
        if self.call.shape is Shape.DURABLE and told.sequence:
            if told.sequence <= self._last_sequence:
                return None
            self._last_sequence = told.sequence
        return event

    def is_over(self, said_so: bool) -> bool:
        """Whether a stream that ended without an error has said all: only matches ever have.

        `said_so`: gRPC tells the end from a shutdown. Over HTTP both look alike, so the rider's
        window decides.
        """
        if self.call is not PARTIES_WATCH_MATCHES:
            return False
        message = self.message
        departure = (message.departure_time.ToMicroseconds() / 1e6
                     if message.HasField("departure_time") else self._began)
        window = (message.departure_window_seconds
                  if message.HasField("departure_window_seconds") else _STANDARD_WINDOW)
        return said_so or time.time() >= departure + window

    def renews(self, error: MoyeoError, source: object) -> bool:
        """Whether to open it again at once with another token: once without an event between."""
        if self._renewed or not is_renewable(error, source):
            return False
        self._renewed = True
        return True

    def wait_after(self, error: MoyeoError) -> float:
        """Seconds until it is opened again; raises `error` when it ended for good."""
        told_to_return = isinstance(error, Refused) and error.reason == "too_slow_consumer"
        if not told_to_return and not is_retryable(error, Effect.READ):
            raise error
        now = self._clock()
        self._failures += 1
        self._failing_since = now if self._failing_since is None else self._failing_since
        patience = self._policy.stream_patience
        if not self._was_open and self._failures >= self._policy.attempts:
            raise error
        if patience is not None and now - self._failing_since > patience:
            raise error
        wait = wait_before_retry(error, self._failures, self._policy, self._dice)
        log.info("%s is opened again in %.1f s: %s", self.call.grpc_path, wait, error)
        return wait


class Stream(Generic[AnswerT]):
    """Events as they come; iterate over it, and close it or leave its `with` block.

    A cut connection and a restart of the daemon are not seen: the stream is opened again, durable
    ones after the last event that was handed out, the others by token or with a new snapshot. It
    raises what ends it for good.
    """

    def __init__(
        self, caller: Caller, state: ResumeState[AnswerT], key: str | None
    ) -> None:
        self._caller, self._state, self._key = caller, state, key
        self._is_closed = False
        # Ends what is being read now, from any thread.
        self._cancel: Callable[[], None] | None = None
        self._events = self._run()

    @property
    def resume_token(self) -> str:
        """Give it to the call that opens the stream to go on after the last event."""
        return self._state.resume_token

    def __iter__(self) -> Iterator[AnswerT]:
        return self

    def __next__(self) -> AnswerT:
        return next(self._events)

    def close(self) -> None:
        """Ends the stream; a thread that waits for an event gets StopIteration."""
        self._is_closed = True
        if self._cancel is not None:
            self._cancel()

    def __enter__(self) -> Stream[AnswerT]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self) -> Iterator[AnswerT]:
        state, caller = self._state, self._caller
        if (first := state.version_call) is not None:
            call, values, field = first
            state.message.after_version = getattr(
                caller.unary(call, values, None, None), field).version
        token = caller.tokens.current()
        while not self._is_closed:
            try:
                for event in caller.transport.open(state, self._key, token, self._cancelled_by):
                    told = state.took(event)
                    if told is not None:
                        yield told
                if self._is_closed or state.is_over(caller.transport.says_end):
                    return
                error: MoyeoError = Unreachable(caller.transport.address, "the stream ended")
            except MoyeoError as caught:
                error = caught
            if self._is_closed:
                return
            if state.renews(error, caller.tokens.source):
                token = caller.tokens.current(refused=token)
                continue
            caller.sleep(state.wait_after(error))
            token = caller.tokens.current()

    def _cancelled_by(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        if self._is_closed:
            cancel()


class AsyncStream(Generic[AnswerT]):
    """The same for `async for` and `async with`."""

    def __init__(
        self, caller: AsyncCaller, state: ResumeState[AnswerT], key: str | None
    ) -> None:
        self._caller, self._state, self._key = caller, state, key
        self._events = self._run()

    @property
    def resume_token(self) -> str:
        """As of `Stream`."""
        return self._state.resume_token

    def __aiter__(self) -> AsyncIterator[AnswerT]:
        return self

    async def __anext__(self) -> AnswerT:
        return await self._events.__anext__()

    async def aclose(self) -> None:
        """Ends the stream; cancel the task that waits for an event first."""
        await self._events.aclose()

    async def __aenter__(self) -> AsyncStream[AnswerT]:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def _run(self) -> AsyncGenerator[AnswerT, None]:
        state, caller = self._state, self._caller
        if (first := state.version_call) is not None:
            call, values, field = first
            answer = await caller.unary(call, values, None, None)
            state.message.after_version = getattr(answer, field).version
        token = await caller.tokens.current()
        while True:
            events = caller.transport.open(state, self._key, token)
            try:
                async for event in events:
                    told = state.took(event)
                    if told is not None:
                        yield told
                if state.is_over(caller.transport.says_end):
                    return
                error: MoyeoError = Unreachable(caller.transport.address, "the stream ended")
            except MoyeoError as caught:
                error = caught
            finally:
                await events.aclose()
            if state.renews(error, caller.tokens.source):
                token = await caller.tokens.current(refused=token)
                continue
            await caller.sleep(state.wait_after(error))
            token = await caller.tokens.current()
