"""What stands in for the machines, files and servers that the pages speak of.

A page is run as it stands but for these: paths below /etc, /var/lib and /backup lie in a folder of the
page, `moyeod` in the foreground ends once it serves, servers are on this machine at ports that are free.
"""

import json
import pathlib
import shutil
import sys

import tls
import tokens
from redis_cluster import RedisCluster
from redis_servers import RedisServer, door_port
from running_daemon import ROOT, Daemon, program
from scratch_postgres import Postgres

# Programs as the pages call them; @name@ is filled in.
TOOLS = {
    # Refusals end it, unless the block is to be refused; of a stream the first line is enough.
    "curl": """#!/bin/bash
if [ "${KIND:-}" = refused ]; then
  /usr/bin/curl -sS --fail-with-body --max-time 60 "$@"
  [ $? = 22 ]
elif [ "${KIND:-}" = stream ]; then
  timeout 60 /usr/bin/curl -sS --fail-with-body "$@" 2>curl.log | head -n 1 | grep . && exit
  cat curl.log >&2
  exit 1
else exec /usr/bin/curl -sS --fail-with-body --max-time 60 "$@"; fi
""",
    "moyeo": """#!/bin/bash
if [ "${KIND:-}" = stream ]; then timeout 60 @moyeo@ "$@" | head -n 1 | grep .
else exec @moyeo@ "$@"; fi
""",
    # Serves, then ends as by an operator.
    "moyeod": """#!/bin/bash
case " $* " in *" --check-"*|*" --print-"*) exec @moyeod@ "$@";; esac
@moyeod@ --http-port 0 --grpc-port 0 "$@" >moyeod.log 2>&1 &
for _ in {1..1200}; do
  if grep -q httpPort moyeod.log; then kill -TERM $!; wait $!; exit; fi
  kill -0 $! 2>/dev/null || break
  sleep 0.05
done
cat moyeod.log >&2
kill -KILL $! 2>/dev/null
exit 1
""",
    "systemctl": """#!/bin/bash
[ "$2" = moyeod ] || exit 1
case "$1" in start) exec moyeod --data-directory @root@/var/lib/moyeo;; stop) ;; *) exit 1;; esac
""",
    # From a copy, since building leaves files in the folder; what it depends on is here already.
    "pip": """#!/bin/bash
[ "$1 $2" = "install ./clients/python" ] || exit 1
cp -r @repository@/clients/python python-client
exec @python@ -m pip install -q --no-deps --no-build-isolation --target installed ./python-client
""",
}


class Page:
    """The folder in which a page's blocks run, and what stands in for what they name."""

    def __init__(self, folder, daemon):
        self.root, self.work, self.tools = (
            pathlib.Path(folder) / name for name in ("root", "work", "tools"))
        for path in (self.work, self.tools, self.root / "etc" / "moyeo", self.root / "etc" / "haproxy",
                     self.root / "var" / "lib", self.root / "backup"):
            path.mkdir(parents=True)
        self.daemon = daemon
        self.replaced = [(f"/{name}", f"{self.root}/{name}")
                         for name in ("etc/moyeo", "etc/haproxy", "var/lib/moyeo", "backup/")]
        # A text of a block, and commands before it.
        self.before = []
        paths = {"moyeo": program("moyeo"), "moyeod": program("moyeod"), "root": self.root,
                 "repository": ROOT, "python": sys.executable}
        for name, text in TOOLS.items():
            for key, value in paths.items():
                text = text.replace(f"@{key}@", str(value))
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)
        self._lay_files()

    def _lay_files(self):
        etc = self.root / "etc"
        (etc / "moyeo.json").write_text('{"http": {"port": 0}}')
        for name, source in {
                "certificate.pem": "server", "key.pem": "server.key", "tls.pem": "server",
                "tls.key": "server.key", "authority.pem": "authority"}.items():
            shutil.copyfile(tls.path(source), etc / "moyeo" / name)
            (etc / "moyeo" / name).chmod(0o600)
        for name in ("keys.json", "jwks.json"):
            (etc / "moyeo" / name).write_text(tokens.key_set(tokens.Signer("docs")))
        (etc / "haproxy" / "tls.pem").write_bytes(tls.read("server") + tls.read("server.key"))
        shutil.copyfile(tls.path("authority"), etc / "haproxy" / "ca.pem")
        for name, source in {"me.pem": "client", "me.key": "client.key"}.items():
            shutil.copyfile(tls.path(source), self.work / name)

    def text(self, block):
        """A block's text with what stands in."""
        text = block.text
        for old, new in [*self.replaced, ("http://127.0.0.1:8080", self.daemon.url),
                         ("127.0.0.1:50051", self.daemon.grpc_address),
                         ("./clients/javascript/", f"{ROOT.as_uri()}/clients/javascript/")]:
            text = text.replace(old, str(new))
        return text

    def commands_before(self, block):
        return [command for part, command in self.before if part in block.text]


def benchmarks(page, until_end):
    page.replaced += [("--generate 1000000", "--generate 1000 --duration 2 --warm-up 0.5"),
                      ("$(pidof moyeod)", page.daemon.pid)]


def cluster(page, until_end):
    postgres = until_end.enter_context(Postgres())
    for name in ("one", "two"):
        postgres.sql(f"CREATE DATABASE {name}")
    redis = RedisCluster(password="secret")
    until_end.callback(redis.close)
    at = f"host=127.0.0.1 port={postgres.port} user=moyeo dbname="
    page.replaced = [
        ("host=db1,db2 dbname=moyeo user=moyeo passfile=/etc/moyeo/pgpass", at + "one"),
        ("--to-postgres 'host=db1,db2 dbname=moyeo user=moyeo'", f"--to-postgres '{at}two'"),
        ("redis1:6379,redis2:6379,redis3:6379", redis.addresses),
        ("MOYEO_CLUSTER_REDIS_PASSWORD=...", "MOYEO_CLUSTER_REDIS_PASSWORD=secret"),
        # The servers of the test have no certificates.
        ("MOYEO_CLUSTER_REDIS_TLS=true", "MOYEO_CLUSTER_REDIS_TLS=false"),
        *((f" app{number}:", " 127.0.0.1:") for number in (1, 2)), *page.replaced]
    page.before.append(("moyeo migrate", (
        f"env -u MOYEO_CLUSTER_POSTGRES moyeod --data-directory {page.root}/var/lib/moyeo")))


def identity(page, until_end):
    page.replaced += [("--data-directory DIR", f"--data-directory {page.work}"),
                      (" ID ", ' "$(moyeo keys list --data-directory . | tail -1 | cut -d" " -f1)" ')]


def operations(page, until_end):
    secured = until_end.enter_context(Daemon(
        "--resources", str(ROOT), env=tls.settings(), security=tls.client()))
    page.replaced += [("https://moyeo.example:8080", secured.url),
                      ("moyeo.example:50051", secured.grpc_address),
                      # The system trusts no authority of a test.
                      ("--client-key me.key", f"--client-key me.key --ca {tls.path('authority')}"),
                      ("/moyeo-2026-11-23.sqlite", "/moyeo-$(date +%F).sqlite")]
    # Steps 1 and 2 of a restore.
    page.before.append(("moyeo restore", (
        f"mv {page.root}/var/lib/moyeo {page.root}/var/lib/moyeo.old\n"
        f"touch {page.root}/var/lib/moyeo.old/erasures.list")))
    page.before.append(("$ADMIN_KEY", (
        f"ADMIN_KEY=$(moyeo keys create --scopes admin --data-directory {page.root}/var/lib/moyeo"
        " | grep -o '[^ ]*$')")))


def privacy(page, until_end):
    signer = tokens.Signer("docs")
    shown = until_end.enter_context(Daemon(
        "--resources", str(ROOT), directory=page.root / "var" / "lib" / "moyeo",
        env={**tokens.settings(page.root / "etc" / "moyeo" / "jwks.json"),
             "MOYEO_DISCLOSURES_LAYERS": "users"}))
    for who, scope in (("service", "report service"), ("rider-7", "read")):
        bearer = tokens.bearer(signer.token(who, scope))
        status, answer, _ = shown.request("POST", "/v1/layers/users/positions", {"positions": [
            {"id": f"rider-{number}", "latitude": 37.5, "longitude": 127 + number / 10_000}
            for number in (1, 9)]}, bearer) if "report" in scope else shown.request(
                "GET", "/v1/layers/users/nearby?latitude=37.5&longitude=127&limit=2", headers=bearer)
        assert status == 200, answer
    page.before.append(("disclosures", (
        f"until grep -q rider-7 {page.root}/var/lib/moyeo/disclosures/*; do sleep 0.05; done")))


def redis(page, until_end):
    server = until_end.enter_context(RedisServer())
    door = door_port(page.daemon)
    page.replaced += [("--resp-port 6380", "--resp-port 0"), ("127.0.0.1:6379", f"127.0.0.1:{server.port}"),
                      ("-p 6379", f"-p {server.port}"), ("-p 6380", f"-p {door}")]
    (page.work / "clients.conf").write_text("redis 127.0.0.1:6379\n")
    page.before.append(("moyeo import --redis", (
        f"redis-cli -p {server.port} GEOADD cars 126.978 37.5665 kim 127.0276 37.4979 lee")))


def webhooks(page, until_end):
    # A receiver that takes nothing, whose letters are dead at once.
    sender = until_end.enter_context(Daemon(
        "--resources", str(ROOT), directory=page.work / "moyeo-data", env={
            "MOYEO_WEBHOOKS_OUTAGE_HOURS": "0", "MOYEO_WEBHOOKS_MAXIMUM_ATTEMPTS": "1",
            "MOYEO_WEBHOOKS_ALLOW_PRIVATE_TARGETS": "true"}))
    page.replaced += [("https://backend.example/moyeo", "http://127.0.0.1:9/moyeo"),
                      ("wh_1f2e3d4c5b6a7988 1042", '"$hook" "$sequence"')]
    join = json.dumps({"riderId": "jun"})
    page.before.append(("moyeo webhooks letters", f"""
export MOYEO_URL={sender.url}
until grep -q wh_ <<<"$(moyeo webhooks letters)"; do
  party=$(moyeo party create --host "mina-$RANDOM" --from 37.5547,126.9707 --to 37.4979,127.0276 --in 30 \\
    --json | grep -o '"id" *: *"[^"]*"' | head -1 | cut -d'"' -f4)
  curl -X POST "$MOYEO_URL/v1/parties/$party/join" -H 'Content-Type: application/json' \\
    -d '{join}'
  moyeo party leave "$party" --rider jun
  sleep 1
done
hook=$(moyeo webhooks list | grep -o 'wh_[0-9a-f]*' | head -1)
sequence=$(moyeo webhooks letters --json | grep -o '"sequence" *: *[0-9]*' | head -1 | grep -o '[0-9]*$')
"""))


OF_PAGES = {f"{prepare.__name__}.md": prepare
            for prepare in (benchmarks, cluster, identity, operations, privacy, redis, webhooks)}
