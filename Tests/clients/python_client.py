"""The Python client as the tests use it: the synchronous one, and that of asyncio in the same form."""

import asyncio
import concurrent.futures
import contextlib
import functools
import itertools
import os
import sys
import threading
from datetime import datetime, timedelta, timezone

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import tokens  # noqa: E402
from faulty_proxy import FaultyProxy  # noqa: E402
from running_daemon import ROOT, Daemon  # noqa: E402

FOLDER = ROOT / "clients" / "python"
sys.path.insert(0, str(FOLDER / "src"))

import moyeo  # noqa: E402

SEOUL = {"latitude": 37.5547, "longitude": 126.9707}
GANGNAM = {"latitude": 37.4979, "longitude": 127.0276}
# Waits are short where they are real.
QUICK = moyeo.RetryPolicy(base=0.01, longest=0.05)
_numbers = itertools.count()


def fresh(name):
    """An id that no other test has."""
    return f"{name}-{os.getpid()}-{next(_numbers)}"


def soon():
    """When trips of tests begin."""
    return datetime.now(timezone.utc) + timedelta(minutes=30)


def create_party(daemon, headers=None):
    """A new party of a host who has no other, made without any client."""
    status, answer, _ = daemon.request("POST", "/v1/parties", {
        "hostId": fresh("host"), "origin": SEOUL, "destination": GANGNAM,
        "departureTime": f"{soon():%FT%TZ}"}, headers)
    assert status == 200, answer
    return answer["party"]


def addresses(daemon):
    """Over HTTP and over gRPC."""
    return daemon.url, f"grpc://{daemon.grpc_address}"


class Pretended:
    """A clock that only waiting moves, and what was waited for."""

    def __init__(self):
        self.now, self.waits = 1000.0, []

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds):
        self.sleep(seconds)

    def options(self, kind, dice=1.0):
        return {"clock": lambda: self.now, "dice": lambda: dice,
                "sleep": self.sleep_async if kind is Awaited else self.sleep}


class Awaited:
    """`AsyncMoyeo` with an event loop on a thread of its own, called like `Moyeo`."""

    def __init__(self, address, **options):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = moyeo.AsyncMoyeo(address, **options)

    def __getattr__(self, name):
        return _AwaitedGroup(self._loop, getattr(self._client, name))

    def close(self):
        self._run(self._client.close())
        self._run(self._end_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    @staticmethod
    async def _end_tasks():
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class _AwaitedGroup:
    def __init__(self, loop, group):
        self._loop, self._group = loop, group

    def __getattr__(self, name):
        def call(**values):
            made = getattr(self._group, name)(**values)
            if isinstance(made, moyeo.AsyncStream):
                return _AwaitedStream(self._loop, made)
            return asyncio.run_coroutine_threadsafe(made, self._loop).result(60)
        return call


class _AwaitedStream:
    def __init__(self, loop, stream):
        self._loop, self._stream, self._reading = loop, stream, None

    @property
    def resume_token(self):
        return self._stream.resume_token

    def __iter__(self):
        return self

    def __next__(self):
        self._reading = asyncio.run_coroutine_threadsafe(self._next(), self._loop)
        try:
            return self._reading.result(60)
        except (StopAsyncIteration, concurrent.futures.CancelledError):
            raise StopIteration from None

    async def _next(self):
        return await self._stream.__anext__()

    def close(self):
        if self._reading is not None:
            self._reading.cancel()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(60)

    async def _end(self):
        # The task that was reading ends first.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        with contextlib.suppress(RuntimeError):
            await self._stream.aclose()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


KINDS = (moyeo.Moyeo, Awaited)


def each(http, grpc):
    """(name, kind, address) of the four clients there are."""
    for kind in KINDS:
        for address in (http, grpc):
            yield f"{kind.__name__} over {address.split(':')[0]}", kind, address


def for_each_client(test):
    """Runs a test with each client over each wire: it is given what `self.client` opens."""
    @functools.wraps(test)
    def run(self):
        for kind in KINDS:
            for is_grpc in (False, True):
                with self.subTest(kind=kind.__name__, grpc=is_grpc):
                    with self.client(kind, is_grpc) as given:
                        test(self, *given)
    return run


class OneDaemon:
    """A daemon for all tests of a case, asked by each client directly."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)

    @contextlib.contextmanager
    def client(self, kind, is_grpc):
        with kind(addresses(self.daemon)[is_grpc]) as client:
            yield (client,)


class OneDaemonWithTokens:
    """The same, where everybody needs a token; it ends at once when its time is over."""

    @classmethod
    def setUpClass(cls):
        cls.signer = tokens.Signer("one")
        path = cls.enterClassContext(tokens.key_file(cls.signer))
        cls.daemon = Daemon("--resources", str(ROOT), env={
            **tokens.settings(path), "MOYEO_AUTH_CLOCK_SKEW_SECONDS": "0"})
        cls.addClassCleanup(cls.daemon.close)

    def token(self, seconds=600):
        return self.signer.token("svc", "read report command service", seconds=seconds)


@contextlib.contextmanager
def proxied(test, kind, is_grpc):
    """A proxy in front of the daemon of a test, and a client that asks through it."""
    proxy = FaultyProxy(test.daemon.grpc_port if is_grpc else test.daemon.http_port)
    test.addCleanup(proxy.close)
    with kind(proxy.grpc_address if is_grpc else proxy.url, retry=QUICK) as client:
        yield proxy, client
