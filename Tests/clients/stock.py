"""What the tests of stock clients share: the built Go client, and the books of the daemon."""

import collections
import functools
import json
import os
import shutil
import subprocess

from running_daemon import ROOT, MissingProgram

GO_LIBRARIES = "/usr/share/gocode"
LONG_SECONDS = float(os.environ.get("MOYEO_CLIENT_SECONDS", "0"))


@functools.cache
def go_client():
    """Builds Tests/clients/go with Debian's grpc-go; raises MissingProgram without it."""
    go = shutil.which("go")
    if not go or not os.path.isdir(f"{GO_LIBRARIES}/src/google.golang.org/grpc"):
        raise MissingProgram("install Debian's packages golang-go and golang-google-grpc-dev")
    out = ROOT / ".build" / "clients" / "go-client"
    subprocess.run(
        [go, "build", "-o", str(out), "."], cwd=ROOT / "Tests" / "clients" / "go", check=True,
        env={**os.environ, "GO111MODULE": "off", "GOPATH": GO_LIBRARIES, "GOFLAGS": "",
             "GOCACHE": str(ROOT / ".build" / "gocache")})
    return str(out)


def run_go(daemon, **options):
    """Runs the Go client; answers its report. With MOYEO_CLIENT_SECONDS it goes on for so long,
    however many calls that makes."""
    if LONG_SECONDS:
        options.update(seconds=max(LONG_SECONDS, options["seconds"]), calls=1_000_000_000)
    arguments = [f"-{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        [go_client(), "-address", daemon.grpc_address, *arguments], capture_output=True, text=True,
        timeout=90 + LONG_SECONDS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def created_hosts(daemon):
    """Hosts by the events of parties created: how often each was."""
    found, after = {}, 0
    while True:
        status, page, _ = daemon.request(
            "GET", f"/v1/events?after={after}&limit=1000&kinds=party.created")
        assert status == 200, page
        for event in page["events"]:
            host = event["body"]["hostId"]
            found[host] = found.get(host, 0) + 1
        if after == page["next"]:
            return found
        after = page["next"]


def events_by_kind(daemon, kinds, prefix):
    """Of each kind, how many people whose ids begin so had one such event, two, and so on."""
    counts, after = {kind: collections.Counter() for kind in kinds}, 0
    while True:
        status, page, _ = daemon.request(
            "GET", f"/v1/events?after={after}&limit=1000&kinds={','.join(kinds)}")
        assert status == 200, page
        for event in page["events"]:
            about = event["userIds"][0]
            if about.startswith(f"{prefix}-"):
                counts[event["kind"]][about] += 1
        if after == page["next"]:
            return {kind: dict(collections.Counter(found.values()))
                    for kind, found in counts.items()}
        after = page["next"]
