"""The daemon as the benchmarks start it: clusters off, objects that live for a day, nothing written
to disk (as the Redis beside it)."""

import re
from pathlib import Path

from processes import Server, fresh_folder, wait_until

LAYER = "bench"


def start(folder: Path, daemon: Path, resources: Path | None,
          cores: set[int] | None = None) -> Server:
    data = fresh_folder(folder / "moyeo")
    arguments = [str(daemon), "--host", "127.0.0.1", "--http-port", "0", "--grpc-port", "0",
                 "--data-directory", str(data)]
    if resources is not None:
        arguments += ["--resources", str(resources)]
    return Server("moyeod", arguments, data, cores=cores, environment={
        "MOYEO_LAYERS_BENCH_CLUSTERS": "false", "MOYEO_LAYERS_BENCH_TTL_SECONDS": "86400",
        "MOYEO_POSITIONS_KEEP": "false", "MOYEO_LOG_FORMAT": "text"})


def ports(server: Server) -> dict[str, int]:
    """Where it listens, `httpPort` and `grpcPort`, once it does."""
    found: dict[str, int] = {}

    def ready() -> bool:
        text = server.log.read_text(errors="replace")
        for name in ("httpPort", "grpcPort"):
            if match := re.search(rf"{name}=\"?(\d+)", text):
                found[name] = int(match[1])
        return len(found) == 2

    wait_until(ready, server)
    return found
