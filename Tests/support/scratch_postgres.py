#!/usr/bin/env python3
"""A PostgreSQL of a test's own: a fresh cluster in a temporary folder, on a free port of loopback.

As a program it prints `ready PORT` once it takes connections, or `missing: REASON`, and ends with its
standard input, so that nothing outlives a test that crashed. Lines of standard input command it:
`pause` and `go on` stop its processes and let them run again, `kill` ends it as a power cut does,
`start` starts it again; each is answered by `done`.
"""

import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from ports import free_port

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
    """A running server; `connection` is a connection string of its owner.

    `standby_of`: another one, whose standby it is; it copies what that has. `megabytes`: its disk is
    in memory and so large; root alone may make it.
    """

    def __init__(self, *settings, standby_of=None, megabytes=None):
        self.bin = programs()
        # A socket's path is short: not below a test's own folder. The server refuses to run as root.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="moyeo-pg-", dir="/tmp"))
        self.is_mounted = False
        if megabytes:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs",
                            str(self.directory)], check=True)
            self.is_mounted = True
        self.user = None
        if os.getuid() == 0:
            try:
                self.user = pwd.getpwnam("postgres")
            except KeyError:
                self.user = pwd.getpwnam("nobody")
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        self.port = free_port()
        self.settings = settings
        self.process = None
        try:
            if standby_of:
                self.copy(standby_of)
            else:
                self._run("initdb", "-D", str(self.directory / "data"), "-U", "moyeo", "-A",
                          "trust", "-E", "UTF8", "--locale", "C", "-N",
                          *(["--wal-segsize", "1"] if megabytes else []))
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

    def copy(self, other):
        """Becomes a standby of another server, whatever it had before; to be started then."""
        shutil.rmtree(self.directory / "data", ignore_errors=True)
        self._run("pg_basebackup", "-D", str(self.directory / "data"), "-R", "-c", "fast", "-X",
                  "stream", "-N", "-h", "127.0.0.1", "-p", str(other.port), "-U", "moyeo")

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

    @contextlib.contextmanager
    def full_disk(self):
        """While it lasts there is no room on the server's own disk. What it writes ahead has room for a
        while, in files that it has already: else it would end, which is another fault."""
        for _ in range(24):
            self.sql("CREATE TABLE filling (); DROP TABLE filling; SELECT pg_switch_wal()")
        self.sql("CHECKPOINT")
        filling = self.directory / "filling"
        with open(filling, "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(4096)):
                    pass
        try:
            yield
        finally:
            filling.unlink()

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.go_on()
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.is_mounted:
            self.log.close()
            subprocess.run(["umount", "--lazy", str(self.directory)], check=False)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class PostgresPair:
    """A primary and a synchronous standby: what is acknowledged is on both. Either may be killed; the
    standby is promoted then, and the other one made anew as a standby of it."""

    def __init__(self, *settings):
        self.primary = Postgres(*settings)
        try:
            # Before it is copied: who is promoted waits for a standby as well.
            self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            self.standby = Postgres(*settings, standby_of=self.primary)
        except BaseException:
            self.primary.close()
            raise
        self._wait_for_standby("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
        self.primary.sql("SELECT pg_reload_conf()")
        self.wait_for_standby()

    @property
    def connection(self):
        ports = sorted((self.primary.port, self.standby.port))
        return (f"host=127.0.0.1,127.0.0.1 port={ports[0]},{ports[1]} user=moyeo dbname=postgres "
                "target_session_attrs=read-write connect_timeout=3")

    def _wait_for_standby(self, count):
        end = time.monotonic() + START_SECONDS
        while self.primary.sql(count) == "0":
            if time.monotonic() > end:
                raise RuntimeError("the standby does not follow")
            time.sleep(0.01)

    def wait_for_standby(self):
        """Returns once commits are waited for by a standby."""
        self._wait_for_standby(
            "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') "
            "AND state = 'streaming'")

    def sql(self, text):
        """See `Postgres.sql`; the standby shows it as well then, such as a database that was made."""
        rows = self.primary.sql(text)
        reached = self.primary.sql("SELECT pg_current_wal_lsn()")
        end = time.monotonic() + START_SECONDS
        while self.standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{reached}'") != "t":
            if time.monotonic() > end:
                raise RuntimeError("the standby does not follow")
            time.sleep(0.01)
        return rows

    def _run(self, *arguments):
        return self.primary._run(*arguments)

    def kill_primary(self):
        self.primary.kill()

    def promote(self):
        """The standby takes over; commits wait until it has a standby itself."""
        self.primary, self.standby = self.standby, self.primary
        self.primary.sql("SELECT pg_promote(true, 30)")

    def renew_standby(self):
        """The one that was killed follows the one that took over."""
        self.standby.copy(self.primary)
        self.standby.start()
        self.wait_for_standby()

    def close(self):
        self.standby.close()
        self.primary.close()

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
