"""A moyeod to be tortured: an answer may be missing, and then nothing is known."""

import http.client
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from running_daemon import ROOT, Daemon, program  # noqa: E402

# The path of moyeod, or of a program that is named.
binary = program


class Unknown(Exception):
    """No answer: the command may have taken effect or not."""


class Service(Daemon):
    """One data directory and the process that owns it now; starts when told."""

    def __init__(self, directory, arguments=(), environment=None):
        super().__init__("--resources", str(ROOT), *arguments, directory=directory,
                         env=environment, start=False)

    @property
    def port(self):
        return self.http_port

    def stop(self):
        """The exit code after SIGTERM."""
        return self.terminate()

    def connect(self, timeout=20):
        return self.connection(timeout)

    def call(self, method, path, body=None, key=None, connection=None):
        """(status, answer); raises Unknown when there is none."""
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body)
        try:
            return self.request(method, path, data, headers, connection, timeout=20)[:2]
        except (OSError, http.client.HTTPException) as error:
            if connection is not None:
                connection.close()
            raise Unknown(str(error)) from None


def reason(answer):
    return answer.get("error", {}).get("reason", "")


# A command that says so itself was not confirmed: it may or may not have taken effect.
UNCONFIRMED = {"unavailable", "deadline_exceeded", "internal"}
