"""scripts/swift-tests: what fails a run of the Swift tests besides a test that fails."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program():
    loader = importlib.machinery.SourceFileLoader(
        "swift_tests", str(ROOT / "scripts/swift-tests"))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("swift_tests", loader))
    loader.exec_module(module)
    return module


class SwiftTestsTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.swift = pathlib.Path(folder.name) / "swift"

    def run_with(self, lines, *arguments, then="exit 0", silent_seconds=30):
        """The exit code and what is printed where `swift test` prints the lines."""
        said = "\n".join(lines)
        self.swift.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\n{then}\n")
        self.swift.chmod(0o755)
        tests = program()
        tests.SILENT_SECONDS = silent_seconds
        before = os.environ.get("SWIFT")
        os.environ["SWIFT"] = str(self.swift)
        output = io.StringIO()
        try:
            with contextlib.redirect_stdout(output):
                code = tests.main(list(arguments))
        finally:
            if before is None:
                del os.environ["SWIFT"]
            else:
                os.environ["SWIFT"] = before
        return code, output.getvalue()

    def test_shared_data_may_be_absent_and_is_counted(self):
        code, output = self.run_with([
            '➜ Test one() skipped: "shared data is absent"',
            '➜ Suite Two skipped: "shared data is absent"'])
        self.assertEqual(code, 0)
        self.assertTrue(output.endswith("2 Swift tests skipped: shared development data is absent\n"))

    def test_a_skip_without_a_reason_or_for_another_fails(self):
        for line in ["➜ Test one() skipped.", '➜ Test one() skipped: "no browser here"']:
            self.assertNotEqual(self.run_with([line])[0], 0, line)

    def test_what_only_an_optimised_build_runs_is_skipped_in_no_optimised_build(self):
        line = '➜ Test one() skipped: "optimised: make test-release"'
        self.assertEqual(self.run_with([line])[0], 0)
        self.assertNotEqual(self.run_with([line], "-c", "release")[0], 0)

    def test_a_suite_that_must_run_and_does_not_fails(self):
        lines = ["✔ Suite WorkGateTests passed after 1.0 seconds."]
        code, output = self.run_with(lines, "--must-run", "WorkGateTests")
        self.assertEqual(code, 0)
        self.assertIn("ran: WorkGateTests\n", output)
        code, output = self.run_with(lines, "--must-run", "WorkGateTests,BatchInstanceTests")
        self.assertNotEqual(code, 0)
        self.assertIn("did not run: BatchInstanceTests", output)

    def test_a_run_that_hangs_fails_once_and_names_the_tests_under_way(self):
        code, output = self.run_with(
            ["◇ Test one() started.", "◇ Test two() started.",
             "✔ Test one() passed after 0.1 seconds."],
            then="exec tail -f /dev/null", silent_seconds=1)
        self.assertEqual(code, 124)
        self.assertIn("begun and not ended:\n  two()\n", output)
        self.assertEqual(output.count("Test two() started"), 1)

    def test_a_test_that_fails_fails_the_run(self):
        self.assertEqual(self.run_with(["✘ Test one() failed."], then="exit 3")[0], 3)


if __name__ == "__main__":
    unittest.main()
