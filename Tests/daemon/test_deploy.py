"""What an operator installs (deploy/): the daemon tells its service manager, the unit is hardened, the
image's steps hold together, and dashboard and alerts ask for what /metrics has.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_deploy.py
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import unittest

import yaml

import tls
from reasons import reasons
from running_daemon import ROOT, Daemon, MissingProgram, program, run

DEPLOY = ROOT / "deploy"
FAMILY = re.compile(r"^# TYPE (\w+) (\w+)$")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$")
SAMPLES = re.compile(r"^\w.*$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class ServiceManager(unittest.TestCase):
    """The datagrams of sd_notify(3)."""

    def listen(self, address):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        listener.bind(address)
        listener.settimeout(30)
        return listener

    def told(self, listener):
        return dict(line.split("=", 1) for line in listener.recv(4096).decode().splitlines())

    def test_it_is_told_when_the_daemon_serves_and_when_it_ends(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = f"{folder.name}/notify"
        abstract = f"moyeo-test-{os.getpid()}"
        for name, address in ((path, path), ("@" + abstract, "\0" + abstract)):
            with self.subTest(name):
                listener = self.listen(address)
                daemon = Daemon(env={"NOTIFY_SOCKET": name}, ready=False)
                self.addCleanup(daemon.close)
                ready = self.told(listener)
                self.assertEqual((ready["READY"], ready["MAINPID"]), ("1", str(daemon.pid)))
                # Not before it is: what the manager hears is what /readyz says.
                self.assertEqual(daemon.request("GET", "/readyz")[0], 200)
                self.assertEqual(daemon.terminate(), 0)
                self.assertEqual(self.told(listener)["STOPPING"], "1")

    def test_a_manager_that_is_gone_hinders_nothing(self):
        for name in ("/nowhere/notify", "@nobody-listens", "relative", "/" + "x" * 200):
            with self.subTest(name), Daemon(env={"NOTIFY_SOCKET": name}) as daemon:
                self.assertEqual(daemon.request("GET", "/healthz")[0], 200)


class Unit(unittest.TestCase):
    TEXT = (DEPLOY / "moyeod.service").read_text()

    def lines(self, key):
        return re.findall(rf"(?m)^{key}=(.*)$", self.TEXT)

    def test_systemd_takes_it_and_finds_it_tight(self):
        analyze = shutil.which("systemd-analyze")
        if not analyze:
            raise MissingProgram("install Debian's package systemd")
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "moyeod.service"
            # The program is not installed here.
            unit.write_text(self.TEXT.replace("/usr/bin/moyeod", program()))
            done = subprocess.run(
                [analyze, "verify", str(unit)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            # Tenths: 2.0 of 10, where 10 is a service without any protection.
            done = subprocess.run(
                [analyze, "security", "--offline=yes", "--threshold=20", str(unit)],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout[-400:] + done.stderr)

    def test_its_commands_are_the_daemon_s(self):
        self.assertEqual(self.lines("Type"), ["notify"])
        help_text = run("--help")[1]
        for command in self.lines("ExecStart") + self.lines("ExecStartPre"):
            words = shlex.split(command)
            self.assertEqual(words[0], "/usr/bin/moyeod")
            for word in words:
                if word.startswith("--"):
                    self.assertIn(word, help_text)
        self.assertEqual(self.lines("ExecReload"), ["/bin/kill -HUP $MAINPID"])


class Image(unittest.TestCase):
    """deploy/Dockerfile, as far as it can be held to without building it."""

    def instructions(self):
        text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
        return [line.split(None, 1) for line in text.splitlines()
                if line.strip() and not line.startswith("#")]

    def stages(self):
        found = []
        for name, rest in self.instructions():
            if name == "FROM":
                image, _, stage = rest.partition(" AS ")
                found.append((image, stage, []))
            else:
                found[-1][2].append((name, rest))
        return found

    def packages(self, stage):
        (step,) = [rest for name, rest in stage[2] if name == "RUN" and "apt-get install" in rest]
        words = step.split("apt-get install", 1)[1].split("&&", 1)[0].split()
        return {word for word in words if not word.startswith("-")}

    def test_two_stages_of_named_versions(self):
        build, last = self.stages()
        self.assertEqual((build[1], last[1]), ("build", "run"))
        self.assertRegex(build[0], r"^swift:6\.3-bookworm$")
        # The programs carry Swift's libraries in them.
        self.assertEqual(last[0], "debian:bookworm-slim")
        # They are built as `make build` builds them.
        flags = next(line for line in (ROOT / "Makefile").read_text().splitlines()
                     if line.startswith("RELEASE = ")).removeprefix("RELEASE = ")
        self.assertIn(("ARG", f'FLAGS="{flags}"'), build[2])
        for name, rest in build[2]:
            if name == "RUN" and "swift build" in rest:
                self.assertEqual(rest.count("swift build"), rest.count("swift build $FLAGS"))
        known = {"ARG", "RUN", "WORKDIR", "COPY", "USER", "ENV", "VOLUME", "EXPOSE", "STOPSIGNAL",
                 "ENTRYPOINT", "CMD"}
        self.assertLessEqual({name for name, _ in build[2] + last[2]}, known)

    def test_it_runs_as_nobody_special(self):
        steps = self.stages()[-1][2]
        names = [name for name, _ in steps]
        user = names.index("USER")
        self.assertRegex(steps[user][1], r"^[1-9]\d{3,}:[1-9]\d{3,}$")
        # Nothing is changed as root after that, and nothing but this is the last user.
        self.assertNotIn("RUN", names[user:])
        self.assertEqual(names.count("USER"), 1)
        settings = dict(word.split("=") for word in dict(steps)["ENV"].split())
        help_text = run("--print-configuration")[1]
        for name in settings:
            key = name.removeprefix("MOYEO_").lower().replace("_", ".")
            self.assertRegex(help_text, rf"(?m)^{re.escape(key)}\s")
        json.loads(dict(steps)["CMD"])
        (entry,) = json.loads(dict(steps)["ENTRYPOINT"])
        self.assertIn(f"{entry[1:]}".rsplit("/", 1)[0], " ".join(rest for _, rest in self.stages()[0][2]))

    def test_its_shell_is_shell_and_what_it_copies_is_there(self):
        for _, _, steps in self.stages():
            for name, rest in steps:
                if name == "RUN":
                    done = subprocess.run(["sh", "-n", "-c", rest], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for part in rest.split("&&"):
                        if "apt-get install" in part:
                            self.assertIn("--no-install-recommends", part)
                elif name == "COPY" and not rest.startswith("--from"):
                    self.assertTrue((ROOT / rest.split()[0]).exists(), rest)
        ignored = (ROOT / ".dockerignore").read_text().split()
        self.assertIn(".build", ignored)
        # What the manifest names as a folder of a target is among the copies.
        copied = {rest.split()[0] for name, rest in self.stages()[0][2] if name == "COPY"}
        for path in re.findall(r'path: "([^"]+)"', (ROOT / "Package.swift").read_text()):
            self.assertTrue(any(path == one or path.startswith(one + "/") for one in copied), path)

    def test_its_packages_are_those_of_the_build_and_of_the_programs(self):
        build, last = self.stages()
        made = (ROOT / "Makefile").read_text().replace("\\\n", " ")
        wanted = set(re.search(r"(?m)^RUN_PACKAGES = (.*)$", made)[1].split())
        self.assertEqual(self.packages(build), wanted - {"libjs-leaflet"})
        self.assertIn("libjs-leaflet", self.packages(last))
        if not shutil.which("dpkg-query"):
            raise MissingProgram("Debian's dpkg-query is needed")
        # The libraries that the daemon loads come from the slim image, or from these packages.
        done = subprocess.run(["ldd", program()], capture_output=True, text=True, check=True)
        held, direct = set(), subprocess.run(
            ["readelf", "-d", program()], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.+?)\]", direct):
            path = re.search(rf"{re.escape(name)} => (\S+)", done.stdout)
            if not path or "/swift/" in path[1]:
                continue
            found = subprocess.run(
                ["dpkg-query", "-S", os.path.realpath(path[1])], capture_output=True, text=True)
            if found.returncode == 0:
                held.add(found.stdout.split(":")[0])
        self.assertLessEqual(held - {"libc6", "libgcc-s1", "libstdc++6"}, self.packages(last))
        self.assertIn("libspatialite7", held)


    def test_its_packages_can_be_had(self):
        for stage in self.stages():
            done = subprocess.run(
                ["apt-get", "install", "--simulate", "--no-install-recommends", *self.packages(stage)],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_it_lays_out_serves_as_its_user(self):
        build, last = self.stages()
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            root = pathlib.Path(folder)
            for path in (root, root / "usr/bin"):
                path.mkdir(parents=True, exist_ok=True)
                path.chmod(0o755)
            shutil.copy(program(), root / "usr/bin/moyeod")
            for source, target in (
                    rest.split() for name, rest in build[2] if name == "COPY" and " /out/" in rest):
                place = root / target.removeprefix("/out/")
                place.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
                copy(ROOT / source, place)
            user, group = map(int, dict(last[2])["USER"].split(":"))

            def become():
                os.setgroups([])
                os.setgid(group)
                os.setuid(user)

            # Only root becomes somebody else, and a debug build needs libraries of the toolchain, which may be
            # its owner's alone: then it serves as whoever runs the tests.
            if os.geteuid() != 0 or subprocess.run(
                    [root / "usr/bin/moyeod", "--version"], preexec_fn=become, cwd="/",
                    capture_output=True).returncode != 0:
                user, group, become = os.geteuid(), os.getegid(), None
            data = root / "var/lib/moyeo"
            data.mkdir(parents=True, mode=0o700)
            os.chown(data, user, group)
            settings = dict(word.split("=") for word in dict(last[2])["ENV"].split())
            self.assertEqual(settings.pop("MOYEO_DATA_DIRECTORY"), "/var/lib/moyeo")
            resources = root / settings.pop("MOYEO_RESOURCES_DIRECTORY").lstrip("/")
            self.assertEqual(settings, {})
            with Daemon(
                    directory=data, executable=root / "usr/bin/moyeod", preexec=become,
                    env={"MOYEO_RESOURCES_DIRECTORY": str(resources)}) as daemon:
                for path, part in (("/", "<title>"), ("/moyeo.js", "export"), ("/readyz", "")):
                    status, text, _ = daemon.request("GET", path)
                    self.assertEqual(status, 200, path)
                    self.assertIn(part, str(text))
                fare = daemon.request("POST", "/v1/fares/estimate", {
                    "origin": {"latitude": 37.5547, "longitude": 126.9707},
                    "destination": {"latitude": 37.4979, "longitude": 127.0276}})
                self.assertEqual(fare[0], 200, fare)
                kept = [path for path in data.rglob("*") if path.is_file()]
                self.assertTrue(kept and all(path.stat().st_uid == user for path in kept))


class Watching(unittest.TestCase):
    """The dashboard and the alerts against /metrics of a daemon that has done a little of everything."""

    @classmethod
    def setUpClass(cls):
        # Nobody listens at the collector: the spans are counted all the same.
        cls.daemon = Daemon(
            "--resources", str(ROOT), "--admin-port", "0", security=tls.client(),
            env=tls.settings() | {"MOYEO_TRACING_ENDPOINT": "http://127.0.0.1:9"})
        cls.addClassCleanup(cls.daemon.close)
        daemon = cls.daemon
        daemon.report("users", [("a", 37.5, 127.0)])
        daemon.request("GET", "/v1/layers/users/nearby?latitude=37.5&longitude=127")
        daemon.request("GET", "/v1/layers/none/nearby?latitude=37.5&longitude=127")
        # A peer that speaks no TLS, on each port.
        for grpc in (False, True):
            with daemon.socket(grpc=grpc) as link:
                link.sendall(b"GET / HTTP/1.1\r\n\r\n")
                while link.recv(4096):
                    pass
        cls.text = daemon.request("GET", "/metrics")[1]
        cls.kinds, cls.samples = {}, {}
        for line in cls.text.splitlines():
            if family := FAMILY.match(line):
                cls.kinds[family[1]] = family[2]
            elif sample := SAMPLE.match(line):
                cls.samples.setdefault(sample[1], []).append(dict(LABEL.findall(sample[2] or "")))

    # What the collector adds, and what is its own.
    ADDED = {"instance", "job"}
    OWN = {"up"}
    WORDS = {"sum", "by", "rate", "max", "min", "time", "histogram_quantile", "increase", "without",
             "le", "on", "ignoring"}

    def expressions(self):
        rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
        for group in rules["groups"]:
            for rule in group["rules"]:
                yield rule["alert"], rule["expr"]
        board = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield panel["title"], target["expr"]

    def check(self, expression):
        """What an expression names that /metrics does not have."""
        wrong, grouped = [], set()
        for labels in re.findall(r"\bby \(([^)]*)\)", expression):
            grouped |= {one.strip() for one in labels.split(",")}
        bare = re.sub(r"\bby \([^)]*\)|\[[^\]]*\]", "", expression)
        found = re.findall(r"([a-zA-Z_]\w*)(?:\{([^}]*)\})?", re.sub(r'"[^"]*"', '""', bare))
        matchers = re.findall(r"([a-zA-Z_]\w*)\{([^}]*)\}", bare)
        names = {name for name, _ in found} - self.WORDS
        names -= {label for _, inside in matchers for label in re.findall(r"(\w+)\s*[=!]", inside)}
        known = set()
        for name in names - self.OWN:
            if name not in self.samples:
                wrong.append(f"{name} is not there")
                continue
            for sample in self.samples[name]:
                known |= set(sample)
        for name, inside in matchers:
            if name in self.OWN or name not in self.samples:
                continue
            for label, kind, value in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', inside):
                values = [one.get(label) for one in self.samples[name]]
                if label not in self.ADDED and not any(values):
                    wrong.append(f"{name} has no label {label}")
        wrong += [f"nothing here has the label {label}" for label in grouped - known - self.ADDED]
        return wrong

    def test_every_expression_finds_its_figures(self):
        seen = 0
        for title, expression in self.expressions():
            with self.subTest(title):
                self.assertEqual(self.check(expression), [])
                self.assertEqual(expression.count("("), expression.count(")"))
                seen += 1
        self.assertGreater(seen, 35)
        # The check itself finds what is wrong.
        self.assertTrue(self.check("rate(moyeo_nothing_total[5m])"))
        self.assertTrue(self.check('moyeo_parties{color="red"}'))
        self.assertTrue(self.check("sum by (color) (moyeo_parties)"))

    def test_values_that_alerts_name_exist(self):
        operations = set(re.findall(r'operation="(\w+)"', self.text))
        known = reasons()
        for title, expression in self.expressions():
            for names in re.findall(r'reason=~?"([^"]*)"', expression):
                for name in names.split("|"):
                    with self.subTest(title, reason=name):
                        self.assertIn(name, known)
        self.assertLessEqual({"Report", "Nearby"}, operations)

    def test_rates_are_of_counters_and_quantiles_of_histograms(self):
        for title, expression in self.expressions():
            for name in re.findall(r"(?:rate|increase)\((\w+)", expression):
                family = re.sub(r"_(bucket|sum|count)$", "", name)
                kind = self.kinds.get(name) or self.kinds.get(family)
                with self.subTest(title, name=name):
                    self.assertIn(kind, ("counter", "histogram"))
                    self.assertTrue(name.endswith("_total") or kind == "histogram")

    def test_every_family_says_what_it_is(self):
        lines = self.text.splitlines()
        for number, line in enumerate(lines):
            if family := FAMILY.match(line):
                with self.subTest(family[1]):
                    self.assertRegex(lines[number - 1], rf"^# HELP {family[1]} \w.*\.$")

    def test_the_operator_s_connections_are_shown(self):
        for name in ("moyeo_connections_open", "moyeo_connections_refused_total"):
            found = {sample["transport"] for sample in self.samples[name]}
            self.assertEqual(found, {"grpc", "http", "admin"})

    def test_calls_and_refusals_say_whose_they_are(self):
        for name in ("moyeo_requests_total", "moyeo_refusals_total"):
            self.assertEqual({sample["tenant"] for sample in self.samples[name]}, {"default"})
        # A line a bucket for each tenant would be too many.
        for sample in self.samples["moyeo_request_duration_seconds_count"]:
            self.assertNotIn("tenant", sample)

    def test_the_page_is_short_and_its_labels_are_bounded(self):
        with Daemon() as quiet:
            text = quiet.request("GET", "/metrics")[1]
            self.assertLess(len(SAMPLES.findall(text)), 80)
            self.assertNotIn("moyeo_requests_total{", text)
            # Names that callers choose make no series.
            for number in range(50):
                quiet.request("GET", f"/v1/layers/none{number}/nearby?latitude=1&longitude=1")
                quiet.request("GET", f"/nowhere/{number}")
            text = quiet.request("GET", "/metrics")[1]
            self.assertEqual(text.count("moyeo_requests_total{"), 2)
            self.assertEqual(text.count("moyeo_refusals_total{"), 2)
            self.assertIn('le="0.02"', text)
            self.assertLess(len(SAMPLES.findall(text)), 120)
