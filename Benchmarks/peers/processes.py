"""Servers of a run: started on loopback with their own folders, measured, always stopped."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

CORES = os.cpu_count() or 1
_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class PeerError(Exception):
    """A server cannot be used; the text says why and what to do."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(ready, server: "Server", seconds: float = 60) -> None:
    """Polls `ready` until it answers true; fails when the server ends or the time is up."""
    deadline = time.monotonic() + seconds
    while not ready():
        if server.process.poll() is not None:
            raise PeerError(f"{server.name} ended at its start:\n{server.log_tail()}")
        if time.monotonic() > deadline:
            raise PeerError(f"{server.name} is not ready after {seconds:g} s:\n{server.log_tail()}")
        time.sleep(0.02)


def _fields(pid: int) -> list[str] | None:
    """/proc/PID/stat from the third field on (proc(5))."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text[text.rindex(")") + 2:].split()


def _clock_seconds(pid: int) -> float:
    """User and system time of a process, all threads, in nanosecond steps (the clock that
    clock_getcpuclockid(3) gives)."""
    try:
        return time.clock_gettime_ns(~pid << 3 | 2) / 1e9
    except OSError:
        return 0.0


def processor_seconds(root: int) -> float:
    """CPU time of a process and all its descendants, those that ended included."""
    parents: dict[int, list[int]] = {}
    reaped: dict[int, float] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _fields(int(entry))):
            parents.setdefault(int(fields[1]), []).append(int(entry))
            reaped[int(entry)] = (int(fields[13]) + int(fields[14])) / _TICKS
    total, waiting = 0.0, [root]
    while waiting:
        pid = waiting.pop()
        total += _clock_seconds(pid) + reaped.get(pid, 0.0)
        waiting += parents.get(pid, [])
    return total


def _machine_ticks() -> list[int]:
    """User, nice, system, idle, iowait, irq, softirq, steal of all cores together (proc(5))."""
    return [int(x) for x in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]


def machine_seconds() -> float:
    """Busy time of all cores, stolen time included."""
    ticks = _machine_ticks()
    return sum(ticks[:3] + ticks[5:]) / _TICKS


def stolen_seconds() -> float:
    """What the host has taken from all cores while they had something to do."""
    return _machine_ticks()[7] / _TICKS


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def child_setup(cores: set[int] | None, death_signal=signal.SIGTERM):
    """What a server does before its program begins: it ends with this process, on its cores."""
    def begin() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(death_signal))
        if cores:
            os.sched_setaffinity(0, cores)

    return begin


class Server:
    """A child process with a folder and a log; ends with this process, whatever happens."""

    def __init__(self, name: str, arguments: list[str], folder: Path, *, user: str | None = None,
                 environment: dict[str, str] | None = None, stop_signal=signal.SIGTERM,
                 cores: set[int] | None = None):
        self.name = name
        self.folder = folder
        self.log = folder.parent / f"{name}.log"
        self._stop_signal = stop_signal

        credentials = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                env={**os.environ, **(environment or {})}, start_new_session=True,
                preexec_fn=child_setup(cores, stop_signal), **credentials)

    @property
    def pid(self) -> int:
        return self.process.pid

    def processor_seconds(self) -> float:
        return processor_seconds(self.pid)

    def log_tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(self._stop_signal)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def fresh_folder(path: Path, owner: str | None = None) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    path.chmod(0o700)
    if owner is not None:
        shutil.chown(path, owner, owner)
    return path
