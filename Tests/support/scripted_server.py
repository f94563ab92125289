"""Servers that answer what a test tells them, over HTTP and gRPC, and note what they are asked."""

import concurrent.futures
import http.server
import json
import threading

import grpc

# An answer that says nothing.
FINE = (200, {"Content-Type": "application/json"}, "{}")


def event_stream(*events):
    """An answer of server-sent events that ends after them."""
    return 200, {"Content-Type": "text/event-stream"}, ": moyeo\nretry: 1000\n\n" + "".join(events)


def error_event(reason, retry_after_milliseconds=None):
    """The event by which the daemon ends a stream."""
    return f"event: error\ndata: {refusal(0, reason, retry_after_milliseconds)[2]}\n\n"


def refusal(status, reason, retry_after_milliseconds=None, code="UNAVAILABLE", headers=None):
    """An answer as the daemon words its refusals."""
    error = {"code": code, "reason": reason, "message": f"it is {reason}", "fields": []}
    sent = dict(headers or {})
    if retry_after_milliseconds is not None:
        error["retryAfterMilliseconds"] = retry_after_milliseconds
        sent.setdefault("Retry-After", str((retry_after_milliseconds + 999) // 1000))
    return status, {**sent, "Content-Type": "application/json"}, json.dumps({"error": error})


class ScriptedHTTP:
    """Answers `(status, headers, text)` one after another; the last one again and again."""

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                owner.requests.append(
                    (self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                status, headers, text = (
                    owner.answers.pop(0) if len(owner.answers) > 1 else owner.answers[0])
                data = text.encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                # Pages of other origins ask too, in browsers and in Node.
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_DELETE = answer

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def keys(self):
        return [headers.get("idempotency-key") for _, _, headers, _ in self.requests]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class ScriptedGRPC:
    """Answers bytes, or refuses with `(code, reason, retry_after_seconds)`, one after another."""

    def __init__(self, *answers):
        self.answers, self.keys = list(answers), []
        self._server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
        self._server.add_generic_rpc_handlers((self,))
        self._port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    @property
    def address(self):
        return f"grpc://127.0.0.1:{self._port}"

    def service(self, _):
        return grpc.unary_unary_rpc_method_handler(self._answer)

    def _answer(self, _, context):
        metadata = dict(context.invocation_metadata())
        self.keys.append(metadata.get("idempotency-key"))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, bytes):
            return answer
        code, reason, seconds = answer
        if reason:
            context.set_trailing_metadata(
                [("grpc-status-details-bin", self._details(code, reason, seconds))])
        context.abort(code, f"it is {reason}")

    @staticmethod
    def _details(code, reason, seconds):
        from google.protobuf.any_pb2 import Any
        from google.rpc import error_details_pb2, status_pb2

        status = status_pb2.Status(code=code.value[0], message=f"it is {reason}")
        details = [error_details_pb2.ErrorInfo(reason=reason, domain="moyeo")]
        if seconds is not None:
            info = error_details_pb2.RetryInfo()
            info.retry_delay.FromMilliseconds(int(seconds * 1000))
            details.append(info)
        for detail in details:
            packed = Any()
            packed.Pack(detail)
            status.details.append(packed)
        return status.SerializeToString()

    def close(self):
        self._server.stop(None).wait()
