# SPDX-License-Identifier: Apache-2.0
"""Options as text against their table."""
import unittest

from ngraphbench.adaptor import CompilerError
from ngraphbench.options import parse_options

TABLE = [
    {"name": "memory_format", "type": "string", "values": ["contiguous", "channels_last"], "default": "contiguous"},
    {"name": "inference_mode", "type": "bool", "default": "true"},
    {"name": "level", "type": "int", "default": "3"},
    {"name": "ratio", "type": "float", "default": "0.5"},
]
QUOTED = [{"name": "word", "type": "string", "values": ['"a"', '"b"'], "default": '"a"'}]


class Options(unittest.TestCase):
    def refusal(self, table, given):
        with self.assertRaises(CompilerError) as caught:
            parse_options(table, given)
        self.assertEqual(caught.exception.kind, "invalid_option")
        return caught.exception

    def test_what_is_not_given_has_its_default_and_its_type(self):
        self.assertEqual(parse_options(TABLE, {}),
                         {"memory_format": "contiguous", "inference_mode": True, "level": 3, "ratio": 0.5})

    def test_what_is_given_is_typed(self):
        given = {"memory_format": "channels_last", "inference_mode": "false", "level": "-2", "ratio": "1e-3"}
        self.assertEqual(parse_options(TABLE, given),
                         {"memory_format": "channels_last", "inference_mode": False, "level": -2, "ratio": 0.001})

    def test_words_may_come_as_json_text(self):
        self.assertEqual(parse_options(QUOTED, {}), {"word": "a"})
        self.assertEqual(parse_options(QUOTED, {"word": "b"}), {"word": "b"})
        self.assertEqual(parse_options(TABLE, {"memory_format": '"channels_last"'})["memory_format"], "channels_last")

    def test_an_unknown_name_is_refused_with_the_nearest(self):
        self.assertEqual(self.refusal(TABLE, {"memory_fromat": "x"}).advice, 'did you mean "memory_format"?')
        self.assertIn("level", self.refusal(TABLE, {"zzz": "x"}).advice)
        self.assertIn("no options", self.refusal([], {"zzz": "x"}).advice)

    def test_a_value_out_of_the_list_is_refused_with_the_list(self):
        error = self.refusal(TABLE, {"memory_format": "nhwc"})
        self.assertEqual(error.message, 'option "memory_format" cannot be "nhwc"')
        self.assertEqual(error.advice, "give one of contiguous, channels_last")

    def test_values_of_a_wrong_type_are_refused(self):
        for given in ({"inference_mode": "yes"}, {"inference_mode": "1"}, {"level": "1.5"}, {"level": ""},
                      {"ratio": "many"}, {"ratio": "nan"}, {"ratio": "inf"}):
            self.refusal(TABLE, given)


if __name__ == "__main__":
    unittest.main()
