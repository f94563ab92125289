"""A Redis Cluster of a test's own: 3 masters and 3 replicas from Debian's redis-server, on loopback."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from ports import free_port


class MissingRedis(Exception):
    """Redis is not installed."""


class RedisCluster:
    """With `certificates`, a function from a name to a file (tls.path), nothing is said without TLS."""

    def __init__(self, password=None, node_timeout=2000, certificates=None):
        if not shutil.which("redis-server") or not shutil.which("redis-cli"):
            raise MissingRedis("Redis is not installed (Debian: redis-server)")
        self.password = password
        self.certificates = certificates
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="moyeo-redis-", dir="/tmp"))
        self.node_timeout = node_timeout
        self.ports = [free_port(bus=10_000) for _ in range(6)]
        self.processes = {}
        try:
            for port in self.ports:
                self.start(port)
            self.until(lambda: all(self.ask(port, "PING") == "PONG" for port in self.ports))
            self._run("redis-cli", *self._auth(), "--cluster", "create",
                      *(f"127.0.0.1:{port}" for port in self.ports),
                      "--cluster-replicas", "1", "--cluster-yes")
            self.until(lambda: all(
                "cluster_state:ok" in self.ask(port, "CLUSTER", "INFO") for port in self.ports))
            self.until(lambda: all(
                self.ask(port, "INFO", "replication").count("state=online") == 1
                for port in self.masters()))
        except BaseException:
            self.close()
            raise

    @property
    def addresses(self):
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def _auth(self):
        """What redis-cli is told to be let in."""
        secure = ["--tls", "--cacert", self.certificates("authority")] if self.certificates else []
        return secure + (["-a", self.password, "--no-auth-warning"] if self.password else [])

    def _listening(self, port):
        """What a server is told of its port."""
        if not self.certificates:
            return ["--port", str(port)]
        return ["--port", "0", "--tls-port", str(port), "--tls-cluster", "yes", "--tls-replication", "yes",
                "--tls-auth-clients", "no", "--tls-ca-cert-file", self.certificates("authority"),
                "--tls-cert-file", self.certificates("server"),
                "--tls-key-file", self.certificates("server.key"),
                # To each other they are clients, too.
                "--tls-client-cert-file", self.certificates("client"),
                "--tls-client-key-file", self.certificates("client.key")]

    def _run(self, *arguments, seconds=60):
        return subprocess.run(arguments, capture_output=True, text=True, check=True,
                              stdin=subprocess.DEVNULL, timeout=seconds).stdout

    def start(self, port):
        folder = self.directory / str(port)
        folder.mkdir(exist_ok=True)
        more = ["--requirepass", self.password, "--masterauth", self.password] if self.password else []
        self.processes[port] = subprocess.Popen(
            ["redis-server", *self._listening(port), "--bind", "127.0.0.1", "--dir", str(folder),
             "--cluster-enabled", "yes", "--cluster-node-timeout", str(self.node_timeout),
             "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0", *more],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def ask(self, port, *words):
        """What a server answers, as redis-cli prints it; "" from one that does not."""
        done = subprocess.run(
            ["redis-cli", "-p", str(port), *self._auth(), *words], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=30)
        return done.stdout.strip()

    def command(self, *words):
        """The same of the cluster: redirects are followed."""
        port = next(port for port in self.ports if self.is_up(port))
        return self._run("redis-cli", "-c", "-p", str(port), *self._auth(), *words).strip()

    def is_up(self, port):
        return self.processes[port].poll() is None

    def masters(self, but=None):
        """Ports of the servers that are masters of slots, as a server that runs sees it; `but` is not asked."""
        for port in self.ports:
            if port != but and self.is_up(port):
                lines = self.ask(port, "CLUSTER", "NODES").splitlines()
                return [int(line.split()[1].split("@")[0].rpartition(":")[2]) for line in lines
                        if "master" in line.split()[2] and "fail" not in line.split()[2]]
        return []

    def name(self, port):
        """What the cluster calls a server."""
        lines = self.ask(port, "CLUSTER", "NODES").splitlines()
        return next(line.split()[0] for line in lines if "myself" in line.split()[2])

    def slots(self, port):
        """The slots of a master, ascending."""
        line = next(line for line in self.ask(port, "CLUSTER", "NODES").splitlines() if "myself" in line)
        ranges = [part.partition("-") for part in line.split()[8:] if "[" not in part]
        return [slot for first, _, last in ranges for slot in range(int(first), int(last or first) + 1)]

    def reshard(self, source, target, slots):
        """Moves slots with their keys from one master to another while both serve."""
        self._run("redis-cli", *self._auth(), "--cluster", "reshard", f"127.0.0.1:{source}",
                  "--cluster-from", self.name(source), "--cluster-to", self.name(target),
                  "--cluster-slots", str(slots), "--cluster-yes", seconds=300)

    def replica_of(self, master):
        lines = self.ask(master, "CLUSTER", "NODES").splitlines()
        name = self.name(master)
        return next(int(line.split()[1].split("@")[0].rpartition(":")[2]) for line in lines
                    if line.split()[3] == name)

    def pause(self, port):
        os.kill(self.processes[port].pid, signal.SIGSTOP)

    def go_on(self, port):
        os.kill(self.processes[port].pid, signal.SIGCONT)

    @contextlib.contextmanager
    def paused(self, port):
        """A server that stands still."""
        self.pause(port)
        try:
            yield
        finally:
            self.go_on(port)

    def kill(self, port):
        self.processes[port].kill()
        self.processes[port].wait()

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("the Redis Cluster does not come up")
            time.sleep(0.05)

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
