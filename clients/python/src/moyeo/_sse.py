"""Server-sent events out of a stream of bytes (WHATWG HTML, section 9.2)."""

from __future__ import annotations

from dataclasses import dataclass

# A line that never ends is none of ours.
MAXIMUM_LINE = 16 << 20


@dataclass(frozen=True)
class ServerSentEvent:
    """One event as it stood on the wire."""

    kind: str
    data: str
    # The resume token; None where the event brought none.
    id: str | None


class EventReader:
    """Keeps what has arrived of an event until it is whole."""

    def __init__(self) -> None:
        self._rest = b""
        self._kind = ""
        self._data: list[str] = []
        self._id: str | None = None

    def take(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that `chunk` completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAXIMUM_LINE:
            raise ValueError(f"a line of more than {MAXIMUM_LINE} bytes")
        found = []
        for line in lines:
            text = line.removesuffix(b"\r").decode()
            if not text:
                if self._data:
                    found.append(ServerSentEvent(self._kind, "\n".join(self._data), self._id))
                self._kind, self._data, self._id = "", [], None
                continue
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._kind = value
            elif name == "data":
                self._data.append(value)
            elif name == "id":
                self._id = value
        return found
