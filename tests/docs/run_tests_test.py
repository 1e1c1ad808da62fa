# SPDX-License-Identifier: Apache-2.0
"""What scripts/run-tests adds to ctest's output: the slowest tests, and why tests and cases within them were skipped."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "scripts/run-tests"
CASES = """\
import unittest
class Cases(unittest.TestCase):
    def test_one(self):
        pass
    @unittest.skip("there's no GPU")
    def test_another(self):
        pass
    def test_third(self):
        print("measuring", flush=True)
        self.skipTest("too noisy")
"""
PRINTED = "a.cpp:7: Skipped\nno GPU here\n[  SKIPPED ] Own.Case/one (0 ms)\n"  # as GoogleTest does
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(any NONE)
enable_testing()
add_test(NAME mixed COMMAND "{python}" -m unittest -v cases WORKING_DIRECTORY "{folder}")
add_test(NAME whole COMMAND "{python}" -c "print('SKIPPED: no network'); raise SystemExit(77)")
add_test(NAME Own.Case/one COMMAND ${{CMAKE_COMMAND}} -E cat "{folder}/printed")
add_test(NAME wrong COMMAND "{python}" -c "print('it is 7, not 8'); raise SystemExit({code})")
set_tests_properties(whole PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(mixed whole PROPERTIES LABELS slow)
"""


class RunTests(unittest.TestCase):
    def run_with(self, *options, code=0):
        with tempfile.TemporaryDirectory(prefix="ngb-run-tests-") as folder:
            folder = pathlib.Path(folder)
            (folder / "cases.py").write_text(CASES)
            (folder / "printed").write_text(PRINTED)
            (folder / "CMakeLists.txt").write_text(PROJECT.format(python=sys.executable, folder=folder, code=code))
            subprocess.run(["cmake", "-S", folder, "-B", folder / "build"], check=True, stdout=subprocess.DEVNULL)
            ran = subprocess.run([PROGRAM, "--test-dir", folder / "build", *options], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 8 if code else 0, ran.stdout + ran.stderr)
        return ran

    def test_the_end_of_what_a_failed_test_printed_stands_before_ctests_closing_lines(self):
        ran = self.run_with(code=3)
        told, closing = ran.stdout.split("wrong failed. The end of its output:\n")
        self.assertTrue(closing.startswith("    it is 7, not 8\n\n75% tests passed, 1 tests failed out of 4\n"), closing)
        self.assertIn("The following tests did not run:\n\t  2 - whole (Skipped)\n", told)

    def test_tests_that_are_unchanged_are_counted_as_skipped(self):
        ran = self.run_with("--unchanged=slow")
        self.assertIn("3 tests and cases were skipped, because:\n"
                      "    2  unchanged since they passed: slow (CI_FULL=1 runs them)\n         mixed, whole\n"
                      "    1  no GPU here\n         Own.Case/one\n"
                      "\n100% tests passed, 0 tests failed out of 2\n", ran.stdout)

    def test_tells_why_tests_and_cases_within_tests_were_skipped_before_ctests_closing_lines(self):
        ran = self.run_with()
        told, closing = ran.stdout.split("4 tests and cases were skipped, because:\n")
        self.assertIn("The slowest of 4 tests, beside others:", told)
        self.assertTrue(closing.startswith("    1  no GPU here\n         Own.Case/one\n"
                                           "    1  no network\n         whole\n"
                                           "    1  there's no GPU\n         mixed: test_another\n"
                                           "    1  too noisy\n         mixed: test_third\n"
                                           "\nThe following tests did not run:\n\t  2 - whole (Skipped)\n\n100% tests passed, 0 tests failed out of 4\n"), closing)


if __name__ == "__main__":
    unittest.main()
