"""docs/limits.md has every limit with its setting and default, and no setting that there is not."""

import re
import unittest

from reasons import reasons
from running_daemon import ROOT


PAGE = ROOT / "docs" / "limits.md"
ROW = re.compile(r"^\| (.+?) \| `([\w.<>]+)` \| (.*?) \| ?(.*?) ?\|$", re.MULTILINE)

# Settings that bound nothing: what is served, where, by whose rules and for whom.
NO_LIMITS = re.compile(
    r"host|adapters|(http|grpc|resp|admin)\.(port|host|hosts|corsOrigins|fastPath|reflection)"
    r"|tls\.(certificate|key|clientAuthority)|coalescing\.enabled|data\..*|resources\..*|map\..*"
    r"|fares\..*|routes\.(provider|url|keyId|key|network)|demo\..*|log\..*|dialects\..*|auth\..*"
    r"|places\.(layers|provider|url|keyId|key|searchKeyId|searchKey)|positions\.keep|layers\..*"
    r"|parties\.(enabled|defaultSeats|departingSeconds|sameAttributes|policyPack|policyDirectories)"
    r"|disclosures\.layers|tickets\.(enabled|requiredAttributes|recommendedTags|protected.*)"
    r"|tracing\.endpoint|cluster\..*|commutes\.calendarDirectories")


def settings():
    """Key -> default, as the daemon lists them."""
    loader = {"__file__": str(ROOT / "scripts" / "configuration-table"), "__name__": "table"}
    exec((ROOT / "scripts" / "configuration-table").read_text(), loader)
    return {key: standard for key, standard, _ in loader["settings"]()}


class Limits(unittest.TestCase):
    def setUp(self):
        self.rows = ROW.findall(PAGE.read_text())
        self.settings = settings()

    def test_every_limit_stands_there_once(self):
        named = [key for _, key, _, _ in self.rows]
        self.assertEqual(len(named), len(set(named)))
        wanted = {key for key in self.settings if not NO_LIMITS.fullmatch(key)}
        self.assertEqual(wanted - set(named), set(), "limits without a row in docs/limits.md")
        self.assertEqual(set(named) - wanted, set(), "rows of docs/limits.md without a limit")
        self.assertGreater(len(wanted), 50)

    def test_defaults_are_those_of_the_program(self):
        for what, key, standard, beyond in self.rows:
            with self.subTest(key):
                self.assertEqual(standard, self.settings[key])
                self.assertTrue(what)

    def test_reasons_that_are_named_exist(self):
        known = reasons()
        for _, key, _, beyond in self.rows:
            for reason in re.findall(r"`([a-z_]+)`", beyond):
                with self.subTest(key, reason=reason):
                    self.assertIn(reason, known)
