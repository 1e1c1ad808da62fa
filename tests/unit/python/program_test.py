# SPDX-License-Identifier: Apache-2.0
"""What the program of a cell may be written of."""
import dataclasses
import unittest

from ngraphbench.adaptor import CompilerError
from ngraphbench.program import Cell

CELL = Cell(version="1", precision="f32", threads=1, options={}, settings={}, facts={}, model="", model_path="", recipe=None,
            inputs=[], outputs=[], site="", folder="", cache="")


class Precision(unittest.TestCase):
    def test_f32_is_what_a_program_of_any_compiler_asks_for(self):
        CELL.require_f32()

    def test_another_is_refused_where_the_program_would_not_ask_the_library_for_it(self):
        with self.assertRaisesRegex(CompilerError, "written for f32, not for bf16 yet"):
            dataclasses.replace(CELL, precision="bf16").require_f32()


if __name__ == "__main__":
    unittest.main()
