"""/openapi.json says what is served: its examples are understood, and all of it is explained.

    MOYEOD=.build/debug/moyeod MOYEO=.build/debug/moyeo Tests/run daemon/test_described_api.py
"""

import datetime
import json
import unittest
import urllib.error
import urllib.request

from running_daemon import ROOT, Daemon

# Reasons that say that a request was not understood.
MISTAKES = {
    "malformed_request", "missing_field", "unknown_field", "conflicting_fields", "bad_value",
    "limit_out_of_range", "number_out_of_range", "amount_out_of_range", "bad_polygon", "bad_time"}


KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float)}


def mismatches(value, schema, schemas, place="answer"):
    """Where a value is not as its schema says, or has a field that the schema does not know."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    kind = schema.get("type")
    if kind and (not isinstance(value, KINDS[kind])
                 or isinstance(value, bool) and kind in ("integer", "number")):
        return [f"{place} is no {kind}: {value!r}"]
    found = []
    if kind == "object" and "properties" in schema:
        known = schema["properties"]
        found += [f"{place}.{name} is in no schema" for name in value if name not in known]
        found += [f"{place}.{name} is missing" for name in schema.get("required", [])
                  if name not in value]
        for name in set(value) & set(known):
            found += mismatches(value[name], known[name], schemas, f"{place}.{name}")
    elif kind == "array":
        for number, one in enumerate(value):
            found += mismatches(one, schema["items"], schemas, f"{place}[{number}]")
    elif kind in ("integer", "number"):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append(f"{place} is out of bounds: {value}")
    elif schema.get("format") == "date-time":
        try:
            datetime.datetime.fromisoformat(value)
        except ValueError:
            found.append(f"{place} is no time: {value}")
    return found


def calls(description):
    """(method, path, call) of each call."""
    for path, methods in description["paths"].items():
        for method, call in methods.items():
            yield method.upper(), path, call


def ask(url, method, path, body):
    """(status, media type, the beginning of the answer)."""
    request = urllib.request.Request(
        url + path, method=method, data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            kind = answer.headers.get_content_type()
            # A stream goes on for ever.
            return answer.status, kind, b"" if kind == "text/event-stream" else answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers.get_content_type(), refused.read()


class DescribedAPI(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(
            "--resources", str(ROOT), "--admin-port", "0")
        cls.addClassCleanup(cls.daemon.close)
        cls.description = cls.daemon.request("GET", "/openapi.json")[1]

    def test_every_example_is_understood(self):
        self.daemon.report("users", [("ann", 37.4979, 127.0276)])
        tried = 0
        for method, path, call in calls(self.description):
            content = call.get("requestBody", {}).get("content", {}).get("application/json", {})
            if "requestBody" in call:
                self.assertIn("example", content, f"{method} {path} has no example")
            if "example" not in content:
                continue
            tried += 1
            with self.subTest(f"{method} {path}"):
                place = path
                for name, value in (("layer", "users"), ("id", "p"), ("riderId", "ben"),
                                    ("userId", "ann")):
                    place = place.replace("{" + name + "}", value)
                status, kind, answer = ask(self.daemon.url, method, place, content["example"])
                if status != 200:
                    reason = json.loads(answer)["error"]["reason"]
                    # What the example names is not there, or is over.
                    self.assertNotIn(reason, MISTAKES, answer)
                    self.assertIn(status, (403, 404, 409), answer)
                else:
                    self.assertIn(kind, call["responses"]["200"]["content"])
        self.assertGreater(tried, 30)

    def test_every_answer_has_an_example_that_fits_its_schema(self):
        """`scripts/answer-examples` renews them."""
        schemas = self.description["components"]["schemas"]
        looked_at = 0
        for method, path, call in calls(self.description):
            content = call["responses"]["200"].get("content", {}).get("application/json")
            if content is None:
                continue
            with self.subTest(f"{method} {path}"):
                self.assertIn("example", content)
                self.assertEqual(
                    mismatches(content["example"], content.get("schema", {}), schemas), [])
                looked_at += 1
        self.assertGreater(looked_at, 60)

    def test_what_does_not_fit_a_schema_is_found(self):
        schemas = self.description["components"]["schemas"]
        schema = {"$ref": "#/components/schemas/NearbyResponse"}
        hit = {"id": "ann", "latitude": 37.5, "distanceMeters": 1}
        for value, expected in (
                ({"hits": [hit]}, []), ({"hits": {}}, ["answer.hits is no array: {}"]),
                ({"hits": [{**hit, "colour": "red"}]}, ["answer.hits[0].colour is in no schema"]),
                ({"hits": [{**hit, "id": 5}]}, ["answer.hits[0].id is no string: 5"]),
                ({"age": True}, ["answer.age is no number: True"]),
                ({"hits": [{**hit, "latitude": 91}]},
                 ["answer.hits[0].latitude is out of bounds: 91"])):
            with self.subTest(value):
                self.assertEqual(mismatches(value, schema, schemas), expected)

    def test_pages_that_say_whether_it_serves_are_described(self):
        for path, statuses in (("/healthz", {"200"}), ("/readyz", {"200", "503"})):
            with self.subTest(path):
                call = self.description["paths"][path]["get"]
                plain = {status: answer["content"]["text/plain"]
                         for status, answer in call["responses"].items()
                         if "text/plain" in answer.get("content", {})}
                self.assertEqual(set(plain), statuses)
                self.assertEqual(call["security"], [])
                status, text, headers = self.daemon.request("GET", path)
                self.assertEqual((status, text), (200, plain["200"]["example"]))
                self.assertEqual(headers.get_content_type(), "text/plain")

    def test_a_page_answers_get_and_head_alone(self):
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/docs", "/moyeo.js"):
            self.assertEqual(self.daemon.request("HEAD", path)[0], 200, path)
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                with self.subTest(f"{method} {path}"):
                    status, answer, headers = self.daemon.request(method, path)
                    self.assertEqual((status, headers["allow"]), (405, "GET, HEAD"), answer)
                    self.assertEqual(answer["error"]["reason"], "method_not_allowed")
        self.assertEqual(self.daemon.request("POST", "/nowhere")[0], 404)

    def test_bounds_that_generated_requests_went_past(self):
        """Each was accepted once, against the description."""
        far = {"latitude": 37.4979, "longitude": 127.0276}
        near = {"latitude": 37.5551, "longitude": 126.9368, "name": "x" * 513}
        riders = [{"riderId": "ann", "distanceMeters": 1000}, {"riderId": "ben", "distanceMeters": 900}]
        split = {"amount": 1000, "rule": "byDistance", "riders": riders}
        match = {"riderId": "ben", "origin": {**near, "name": "Sinchon"}, "destination": far}
        self.daemon.request("POST", "/v1/tickets", {"userId": "ann", "here": far})
        for path, body, headers, field in (
                ("/v1/routes/plan", {"origin": near, "destination": far}, {}, "origin.name"),
                ("/v1/fares/estimate", {"origin": near, "destination": far}, {}, "origin.name"),
                ("/v1/fares/split", {**split, "legs": [{"amount": -1, "aboard": []}]}, {},
                 "legs[0].amount"),
                ("/v1/fares/split", {**split, "hostId": ""}, {}, "hostId"),
                ("/v1/parties/match-batch", {"requests": [], "maxSeats": 0}, {}, "maxSeats"),
                ("/v1/parties/match", {**match, "minSharedRatio": 2}, {}, "minSharedRatio"),
                ("/v1/tickets/ann/heartbeat", {}, {"Idempotency-Key": ""}, "idempotencyKey"),
                ("/v1/tickets/ann/heartbeat", {}, {"Idempotency-Key": "k" * 129}, "idempotencyKey")):
            with self.subTest(path, field=field):
                status, answer, _ = self.daemon.request("POST", path, body, {
                    "Content-Type": "application/json", **headers})
                self.assertEqual(status, 400, answer)
                self.assertEqual(answer["error"]["fields"][0]["field"], field)

    def test_each_call_has_a_name_of_its_own(self):
        names = [call["operationId"] for _, _, call in calls(self.description)]
        self.assertEqual(len(set(names)), len(names), sorted(names))

    def test_every_field_and_call_is_explained(self):
        silent = [f"{method} {path}" for method, path, call in calls(self.description)
                  if not call.get("description")]
        for name, schema in self.description["components"]["schemas"].items():
            silent += [f"{name}.{field}" for field, one in schema.get("properties", {}).items()
                       if not one.get("description") and name != "Refusal"]
        self.assertEqual(silent, [])


if __name__ == "__main__":
    unittest.main()
