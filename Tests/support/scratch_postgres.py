#!/usr/bin/env python3
"""A PostgreSQL of a test's own: a fresh cluster in a temporary folder, on a free port of loopback.

As a program it prints `ready PORT` once it takes connections, or `missing: REASON`, and ends with its
standard input, so that nothing outlives a test that crashed. Lines of standard input command it:
`pause` and `go on` stop its processes and let them run again, `kill` ends it as a power cut does,
`start` starts it again; each is answered by `done`.
"""

import glob
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_SECONDS = 60


class MissingPostgres(Exception):
    """PostgreSQL's server is not installed."""


def programs():
    """The folder with initdb and postgres of the newest release that is installed."""
    found = [path for path in glob.glob("/usr/lib/postgresql/*/bin/initdb")]
    if shutil.which("initdb"):
        found.append(os.path.realpath(shutil.which("initdb")))
    if not found:
        raise MissingPostgres("PostgreSQL's server is not installed (Debian: postgresql)")
    return pathlib.Path(max(found)).parent


class Postgres:
    """A running server; `connection` is a connection string of its owner."""

    def __init__(self, *settings):
        self.bin = programs()
        # A socket's path is short: not below a test's own folder. The server refuses to run as root.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="moyeo-pg-", dir="/tmp"))
        self.user = None
        if os.getuid() == 0:
            try:
                self.user = pwd.getpwnam("postgres")
            except KeyError:
                self.user = pwd.getpwnam("nobody")
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.settings = settings
        self.process = None
        try:
            self._run("initdb", "-D", str(self.directory / "data"), "-U", "moyeo", "-A", "trust",
                      "-E", "UTF8", "--locale", "C", "-N")
            self.start()
        except BaseException:
            self.close()
            raise

    @property
    def connection(self):
        return f"host=127.0.0.1 port={self.port} user=moyeo dbname=postgres"

    def _options(self):
        if self.user is None:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def _run(self, name, *arguments):
        done = subprocess.run(
            [str(self.bin / name), *arguments], capture_output=True, text=True, cwd=self.directory,
            stdin=subprocess.DEVNULL, env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            **self._options())
        if done.returncode != 0:
            raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
        return done.stdout

    def start(self):
        arguments = ["-D", str(self.directory / "data"), "-p", str(self.port),
                     "-c", "listen_addresses=127.0.0.1",
                     "-c", f"unix_socket_directories={self.directory}",
                     "-c", "max_connections=200"]
        for setting in self.settings:
            arguments += ["-c", setting]
        self.log = open(self.directory / "log", "ab")
        self.process = subprocess.Popen(
            [str(self.bin / "postgres"), *arguments], stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, cwd=self.directory, start_new_session=True, **self._options())
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            done = subprocess.run(
                [str(self.bin / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)])
            if done.returncode == 0:
                return
            time.sleep(0.05)
        raise RuntimeError(
            "PostgreSQL did not start: " + (self.directory / "log").read_text()[-2000:])

    def sql(self, text):
        """Rows of a statement, as psql prints them: columns by |, unaligned."""
        return self._run(
            "psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", text, self.connection).strip()

    def _signal(self, number):
        # Each of its processes leads a session of its own: only their parent tells whose they are.
        for process in [self.process.pid, *self.children()]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def pause(self):
        self._signal(signal.SIGSTOP)

    def go_on(self):
        self._signal(signal.SIGCONT)

    def kill(self):
        self._signal(signal.SIGKILL)
        self.process.wait()

    def children(self):
        """The process ids of the server's own processes."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == self.process.pid:
                        found.append(int(entry.name))
                except (OSError, IndexError, ValueError):
                    pass
        return found

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.go_on()
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main():
    try:
        # What a test writes need not outlive the machine.
        server = Postgres("fsync=off")
    except MissingPostgres as error:
        print(f"missing: {error}", flush=True)
        return 0
    with server:
        print(f"ready {server.port}", flush=True)
        commands = {"pause": server.pause, "go on": server.go_on, "kill": server.kill,
                    "start": server.start}
        for line in sys.stdin:
            commands[line.strip()]()
            print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
