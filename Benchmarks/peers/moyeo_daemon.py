"""The daemon as the benchmarks start it: clusters off, objects that live for a day, nothing written
to disk (as the Redis beside it)."""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests" / "support"))

from processes import child_setup, fresh_folder, processor_seconds  # noqa: E402
from running_daemon import Daemon  # noqa: E402

LAYER = "bench"


class MeasuredDaemon(Daemon):
    """What a benchmark asks of any server it compares: its CPU time and its end."""

    name = "moyeod"

    def processor_seconds(self) -> float:
        return processor_seconds(self.pid)

    def stop(self) -> None:
        self.close()
        shutil.rmtree(self.directory, ignore_errors=True)


# What is measured beside servers that do no more than answer.
BARE = {
    "MOYEO_LAYERS_BENCH_CLUSTERS": "false", "MOYEO_LAYERS_BENCH_TTL_SECONDS": "86400",
    "MOYEO_POSITIONS_KEEP": "false"}


def start(folder: Path, daemon: Path, resources: Path | None,
          cores: set[int] | None = None, name: str = "moyeo", settings: dict[str, str] = BARE,
          more: tuple[str, ...] = ()) -> MeasuredDaemon:
    arguments = ["--host", "127.0.0.1", *more]
    if resources is not None:
        arguments += ["--resources", str(resources)]
    return MeasuredDaemon(
        *arguments, directory=fresh_folder(folder / name), executable=daemon,
        preexec=child_setup(cores), env={**settings, "MOYEO_LOG_FORMAT": "text"})
