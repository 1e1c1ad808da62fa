# SPDX-License-Identifier: Apache-2.0
"""What is said of an exception in one line."""

import sys
import types
import unittest

from ngraphbench import reasons


def raised(call):
    try:
        call()
    except Exception as error:
        return error


class Reasons(unittest.TestCase):
    def test_are_the_type_with_the_first_line_of_the_text(self):
        self.assertEqual(reasons.cause(ValueError("bad shape\nin kernel.cc")), "ValueError: bad shape")
        self.assertEqual(reasons.cause(ValueError("")), "ValueError")

    def test_of_a_heading_are_below_it_or_in_the_exception_before(self):
        self.assertEqual(reasons.cause(RuntimeError("Errors:\n\n  no kernel for Erf\nend")), "RuntimeError: Errors: no kernel for Erf")

        def export():
            try:
                raise KeyError("erf")
            except KeyError:
                raise ValueError("Failed to export flatbuffer: ")

        self.assertEqual(reasons.cause(raised(export)), "ValueError: Failed to export flatbuffer: KeyError: 'erf'")

    def test_have_the_innermost_line_of_the_users_files(self):
        source = "import json\ndef load():\n    return json.loads('{')\n"
        module = types.ModuleType(reasons.USER_MODULE)
        module.__file__ = "/home/user/net.py"
        exec(compile(source, module.__file__, "exec"), vars(module))
        sys.modules[reasons.USER_MODULE] = module
        self.addCleanup(sys.modules.pop, reasons.USER_MODULE)
        self.assertRegex(reasons.cause(raised(module.load)), r"^JSONDecodeError: Expecting .* \(net.py, line 3\)$")


if __name__ == "__main__":
    unittest.main()
