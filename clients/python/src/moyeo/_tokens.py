"""The token that a client sends, and its renewal."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Union

from moyeo.errors import MoyeoError
from moyeo.retry import RENEWABLE

TokenSource = Union[str, Callable[[], str], None]
AsyncTokenSource = Union[str, Callable[[], Union[str, Awaitable[str]]], None]


def is_renewable(error: MoyeoError, source: object) -> bool:
    """Whether a new token might help."""
    return error.reason in RENEWABLE and callable(source)


class Tokens:
    """Keeps a token until the service refuses it; many threads ask for one renewal."""

    def __init__(self, source: TokenSource) -> None:
        self.source = source
        self._lock = threading.Lock()
        self._kept: str | None = None

    def current(self, refused: str | None = None) -> str | None:
        """The token to send; asks the source when there is none, or when it is the refused one."""
        if not callable(self.source):
            return self.source
        with self._lock:
            if self._kept is None or self._kept == refused:
                self._kept = self.source()
            return self._kept


class AsyncTokens:
    """The same for asyncio; the source may be a coroutine function."""

    def __init__(self, source: AsyncTokenSource) -> None:
        self.source = source
        self._kept: str | None = None
        self._renewing: Awaitable[str | None] | None = None

    async def current(self, refused: str | None = None) -> str | None:
        """As `Tokens.current`."""
        import asyncio

        if not callable(self.source):
            return self.source
        if self._kept is not None and self._kept != refused:
            return self._kept
        if self._renewing is None:
            self._renewing = asyncio.ensure_future(self._renew())
        # One caller that is cancelled does not take the token from the others.
        return await asyncio.shield(self._renewing)

    async def _renew(self) -> str | None:
        assert callable(self.source)
        try:
            made = self.source()
            self._kept = await made if inspect.isawaitable(made) else made
            return self._kept
        finally:
            self._renewing = None
