"""A daemon with tariffs, and calls that must succeed or be refused."""

import unittest

from running_daemon import ROOT, Daemon


class ServiceCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.__exit__)

    def call(self, method, path, given=None, key=None, status=200):
        headers = {"Idempotency-Key": key} if key else None
        got, answer, _ = self.daemon.request(method, path, given, headers)
        self.assertEqual(got, status, answer)
        return answer

    def refused(self, path, given, word, status, method="POST", field=None):
        error = self.call(method, path, given, status=status)["error"]
        self.assertEqual(error["reason"], word, error)
        self.assertTrue(error["message"])
        if field:
            self.assertIn(field, [one["field"] for one in error["fields"]], error)
        return error
