"""A hostile case: what is sent, and what a sound answer to it is."""

import random
import re

# One seed for all: case N of a family is the same on every machine and in every run.
SEED = 20261122

REASON = re.compile(r"^[a-z]+(_[a-z]+)*$")
# gRPC's codes as HTTP says them (API, Errors). Some reasons have a status of their own.
STATUS_OF_CODE = {
    "INVALID_ARGUMENT": {400, 415}, "NOT_FOUND": {404}, "ALREADY_EXISTS": {409},
    "PERMISSION_DENIED": {403}, "RESOURCE_EXHAUSTED": {413, 422, 429, 503},
    "FAILED_PRECONDITION": {409}, "ABORTED": {409}, "OUT_OF_RANGE": {410, 400},
    "UNIMPLEMENTED": {404, 405, 415, 501}, "UNAUTHENTICATED": {401}}


def dice(family, number):
    """The random source of one case."""
    return random.Random(f"{SEED}/{family}/{number}")


class Case:
    """A request and `expect`, which answers what is wrong with its answer, or None."""

    def __init__(self, label, method, target, headers=(), body=b"", expect=None, host="127.0.0.1"):
        self.label, self.method, self.target = label, method, target
        self.headers, self.body, self.host = headers, body, host
        self.expect = expect or anything

    def wrong(self, answer):
        return well_formed(answer, self.method) or self.expect(answer)

    def __repr__(self):
        return f"{self.label}: {self.method} {self.target!r} {self.body[:300]!r}"


def well_formed(answer, method="GET"):
    """What holds for every answer: no 5xx, and a refusal says code, reason, message and fields."""
    if answer.status >= 500:
        return f"a fault of ours, {answer}"
    if answer.status < 400:
        return None
    if method in ("HEAD", b"HEAD"):
        return None if not answer.body else f"HEAD with a body, {answer}"
    if parser_refusal(answer):
        return None
    error = (answer.json or {}).get("error") if isinstance(answer.json, dict) else None
    if not isinstance(error, dict):
        return f"a refusal without an error object, {answer}"
    if not REASON.match(str(error.get("reason"))):
        return f"a refusal without a reason, {answer}"
    if answer.status not in STATUS_OF_CODE.get(error.get("code"), ()):
        return f"code {error.get('code')} with status {answer.status}, {answer}"
    if not str(error.get("message", "")).strip():
        return f"a refusal without a message, {answer}"
    for one in error.get("fields", []):
        if not ("field" in one and REASON.match(str(one.get("reason"))) and one.get("message")):
            return f"a field without name, reason or message, {answer}"
    if "fields" not in error:
        return f"a refusal without fields, {answer}"
    return None


def parser_refusal(answer):
    """What the HTTP parser refuses before there is a request: the connection ends with it."""
    return (answer.status in (400, 413, 431) and not answer.body
            and answer.headers.get("connection", "").lower() == "close")


def anything(answer):
    return None


def accepted(answer):
    return None if answer.status == 200 else f"wanted 200, got {answer}"


def refused(status, *reasons, field=None):
    """A refusal with this status, one of these reasons (any when none is given) and this field,
    by its whole name or by its end."""
    def expect(answer):
        if answer.status != status:
            return f"wanted {status}, got {answer}"
        error = answer.json["error"]
        if reasons and error["reason"] not in reasons:
            return f"wanted {' or '.join(reasons)}, got {answer}"
        if field and not any(
                one["field"] == field or one["field"].endswith(field)
                for one in error["fields"]):
            return f"wanted the field {field}, got {answer}"
        return None
    return expect


def one_of(*statuses):
    return lambda answer: (
        None if answer.status in statuses else f"wanted one of {statuses}, got {answer}")
