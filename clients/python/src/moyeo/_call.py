"""What is known of a call before it is made, and how its request is written for each wire."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

RequestT = TypeVar("RequestT", bound=Message)
AnswerT = TypeVar("AnswerT", bound=Message)
MessageT = TypeVar("MessageT", bound=Message)


class Effect(Enum):
    """What happens when a call is sent again although its first answer was lost."""

    READ = "nothing was changed"
    SET = "the same state is set again"
    KEYED = "the idempotency key answers what was answered first"
    ONCE = "it would take effect again"


class Shape(Enum):
    """How the answer comes."""

    UNARY = "one message"
    TILE = "the bytes of a tile; over HTTP with headers of their own"
    DURABLE = "numbered events that are kept, so that a reader goes on where it was"
    SOFT = "a snapshot and what changes; a reader that comes back may get a snapshot again"


@dataclass(frozen=True)
class Call(Generic[RequestT, AnswerT]):
    """One call of moyeo.v1, for both wires."""

    grpc_path: str
    method: str
    # Path parameters in braces are JSON names of the request's fields.
    template: str
    request: type[RequestT]
    answer: type[AnswerT]
    effect: Effect
    shape: Shape


@dataclass(frozen=True)
class HTTPRequest:
    """What goes over HTTP."""

    method: str
    # Percent-encoded, with the query.
    path: str
    body: bytes | None
    headers: dict[str, str]


def build(kind: type[MessageT], values: Mapping[str, object]) -> MessageT:
    """A message from its fields by name, mappings inside and datetimes included; None is absent.

    Raises ValueError for a name that the message does not have, a value that does not fit its
    field, and a datetime without a time zone.
    """
    message = kind()
    fields = message.DESCRIPTOR.fields_by_name
    for name, value in values.items():
        if value is None:
            continue
        field = fields.get(name)
        if field is None:
            raise ValueError(f"{message.DESCRIPTOR.name} has no field {name!r}")
        try:
            _set(message, field, value)
        except (TypeError, json_format.ParseError) as error:
            raise ValueError(
                f"{name} of {message.DESCRIPTOR.name} cannot be {value!r}: {error}") from error
    return message


def _set(message: Message, field: Any, value: Any) -> None:
    if field.is_repeated:
        items = list(value)
        if field.message_type is None:
            getattr(message, field.name).extend(items)
            return
        for item in items:
            _fill(getattr(message, field.name).add(), item)
    elif field.message_type is not None:
        _fill(getattr(message, field.name), value)
    else:
        setattr(message, field.name, value)


def _fill(target: Message, value: Any) -> None:
    target.SetInParent()
    if isinstance(value, type(target)):
        target.CopyFrom(value)
    elif isinstance(target, Timestamp):
        if not isinstance(value, datetime):
            raise TypeError("a time is a datetime or a Timestamp")
        if value.tzinfo is None:
            raise ValueError(f"the time {value} has no time zone; give it one, such as timezone.utc")
        target.FromDatetime(value)
    elif isinstance(target, (Struct, Value, ListValue)):
        json_format.ParseDict(value, target)
    else:
        target.CopyFrom(build(type(target), value))


def http_request(call: Call[Any, Any], message: Message) -> HTTPRequest:
    """Writes a request as its route: what stands in the path, then a query or a body."""
    values = json_format.MessageToDict(message)
    headers: dict[str, str] = {}
    if call.shape is Shape.TILE:
        path = _tile_path(values, headers)
    else:
        path = call.template
        for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            # An absent one is told by the service, which sees an empty segment.
            path = path.replace("{" + name + "}", quote(str(values.pop(name, "")), safe=""))
    if call.method == "POST":
        return HTTPRequest(
            "POST", path, json.dumps(values, ensure_ascii=False).encode(),
            {**headers, "content-type": "application/json"})
    query = urlencode(list(_parameters(values)))
    return HTTPRequest(call.method, f"{path}?{query}" if query else path, None, headers)


def _parameters(values: Mapping[str, Any]) -> Any:
    for name, value in values.items():
        if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
            yield from ((name, _text(item)) for item in value)
        else:
            yield name, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tile_path(values: dict[str, Any], headers: dict[str, str]) -> str:
    kind = "json" if values.pop("format", "mvt") == "json" else "mvt"
    layer = quote(values.pop("layer", ""), safe="")
    zoom, x, y = (values.pop(name, "") for name in ("zoom", "x", "y"))
    known = values.pop("ifNoneMatch", None)
    if known is not None:
        headers["if-none-match"] = known
    return f"/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.{kind}"


def answer_of(call: Call[Any, AnswerT], body: bytes) -> AnswerT:
    """Reads an answer; fields that a newer daemon knows are passed over."""
    message = call.answer()
    json_format.Parse(body, message, ignore_unknown_fields=True)
    return message
