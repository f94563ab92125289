"""What schemathesis needs to know of Moyeo; loaded by its command line (SCHEMATHESIS_HOOKS)."""

import requests
import schemathesis

_send = requests.Session.send


def send(self, request, **options):
    """Reads the first events of a stream, which does not end by itself."""
    response = _send(self, request, **{**options, "stream": True})
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        response._content = next(response.iter_content(65536), b"")
        response._content_consumed = True
        response.close()
    else:
        response.content
    return response


requests.Session.send = send


@schemathesis.hook
def before_call(context, case, kwargs):
    """A long poll is asked for, and not waited for."""
    wait = (case.query or {}).get("waitSeconds")
    try:
        if wait is not None and 0.1 < float(wait) <= 30:
            case.query["waitSeconds"] = 0.05
    except (TypeError, ValueError):
        pass


@schemathesis.check
def reasons_are_described(context, response, case):
    """Each refusal has a reason that its call lists under that status."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    described = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    reason = response.json()["error"]["reason"]
    if reason == "method_not_allowed":
        return
    assert reason in described.get("x-moyeo-reasons", ()), (
        f"{response.status_code} {reason} is not among the refusals of {case.operation.label}")
