"""The preloaded shim of Tests/CFaultShim: faults of files, power cuts and steps of the clock."""

import os
import pathlib
import random
import shutil
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "CFaultShim" / "fault_shim.c"
SECTOR = 512
_built = None


def build():
    """Compiles the shim once a run; the compiler must be there."""
    global _built
    if _built is None:
        folder = tempfile.TemporaryDirectory()
        library = pathlib.Path(folder.name) / "fault_shim.so"
        subprocess.run(
            [os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", "-o", library, SOURCE,
             "-ldl", "-lpthread"], check=True)
        _built = (folder, str(library))
    return _built[1]


class Shim:
    """Faults for one data directory; switched on and off while the daemon runs."""

    def __init__(self, directory, control, log=None, seed=1):
        self.directory, self.control, self.log = str(directory), pathlib.Path(control), log
        self.seed = seed
        self.set()

    def set(self, **faults):
        """Only these are on from now on (within 10 ms). See fault_shim.c for the names."""
        values = {"fail_write": 0, "short_write": 0, "fail_sync": 0, "lying_sync": 0,
                  "fail_read": 0, "clock": 0, "seed": self.seed, **faults}
        text = "".join(f"{name}={value}\n" for name, value in values.items())
        fresh = self.control.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(self.control)

    def environment(self):
        variables = {"LD_PRELOAD": build(), "MOYEO_FAULT_DIRECTORY": os.path.abspath(self.directory),
                     "MOYEO_FAULT_CONTROL": str(self.control)}
        if self.log:
            variables["MOYEO_FAULT_LOG"] = str(self.log)
        return variables


class _File:
    def __init__(self, data=b""):
        self.seen, self.durable = bytearray(data), bytearray(data)
        self.dirty = []  # (offset, length) since the last sync

    def write(self, offset, data):
        if len(self.seen) < offset:
            self.seen.extend(bytes(offset - len(self.seen)))
        self.seen[offset:offset + len(data)] = data
        self.dirty.append((offset, len(data)))

    def cut(self, size):
        del self.seen[size:]
        if len(self.seen) < size:
            self.seen.extend(bytes(size - len(self.seen)))

    def sync(self):
        if len(self.durable) > len(self.seen):
            del self.durable[len(self.seen):]
        self.durable.extend(bytes(len(self.seen) - len(self.durable)))
        for offset, length in self.dirty:
            end = min(offset + length, len(self.seen))
            if end > offset:
                self.durable[offset:end] = self.seen[offset:end]
        self.dirty = []

    def left(self, dice, survivors):
        """What is there after a power cut: each sector written since the last sync, or not."""
        out = bytearray(self.durable)
        for offset, length in self.dirty:
            end, at = min(offset + length, len(self.seen)), offset
            while at < end:
                stop = min((at // SECTOR + 1) * SECTOR, end)
                if dice.random() < survivors:
                    if len(out) < stop:
                        out.extend(bytes(stop - len(out)))
                    out[at:stop] = self.seen[at:stop]
                at = stop
        return bytes(out)


def power_cut(before, log, target, dice, survivors):
    """Writes into `target` what a power cut leaves of a directory that was as `before` when the
    log began. Names are taken to survive in their order, as journals of file systems have it."""
    files = {
        path.name: _File(path.read_bytes()) for path in pathlib.Path(before).iterdir()
        if path.is_file()}
    data, at = pathlib.Path(log).read_bytes(), 0
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0:
            break
        kind, name, offset, length = data[at:end].decode().split(" ")
        offset, length, at = int(offset), int(length), end + 1
        body, at = data[at:at + length], at + length
        if len(body) < length:
            break
        if kind == "w":
            files.setdefault(name, _File()).write(offset, body)
        elif kind == "t":
            files.setdefault(name, _File()).cut(offset)
        elif kind == "s" and name in files:
            files[name].sync()
        elif kind == "x" and name in files:
            files[name].dirty = []
        elif kind == "d":
            files.pop(name, None)
        elif kind == "m" and name in files:
            files[body.decode()] = files.pop(name)
        elif kind == "l" and name in files:
            files[body.decode()] = files[name]
    for name, file in files.items():
        # Shared memory is made anew, and the lock fell with its process.
        if name.endswith("-shm") or name == "moyeo.lock":
            continue
        (pathlib.Path(target) / name).write_bytes(file.left(dice, survivors))


def copy_directory(source, target):
    shutil.copytree(source, target, dirs_exist_ok=True)


def mixed(dice: random.Random):
    """A few faults at rates at which some calls still succeed."""
    kinds = ["fail_write", "short_write", "fail_sync", "fail_read"]
    return {kind: dice.choice([20, 60, 200]) for kind in dice.sample(kinds, dice.randint(1, 2))}
