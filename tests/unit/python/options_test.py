# SPDX-License-Identifier: Apache-2.0
"""Options as values of their types."""
import unittest

from ngraphbench.options import typed_options

TABLE = [
    {"name": "memory_format", "type": "string", "values": ["contiguous", "channels_last"], "default": "contiguous"},
    {"name": "inference_mode", "type": "bool", "default": "true"},
    {"name": "level", "type": "int", "default": "3"},
    {"name": "ratio", "type": "float", "default": "0.5"},
]


class Options(unittest.TestCase):
    def test_what_is_not_given_has_its_default_and_its_type(self):
        self.assertEqual(typed_options(TABLE, {}),
                         {"memory_format": "contiguous", "inference_mode": True, "level": 3, "ratio": 0.5})

    def test_what_is_given_is_typed(self):
        given = {"memory_format": "channels_last", "inference_mode": "false", "level": "-2", "ratio": "1e-3"}
        self.assertEqual(typed_options(TABLE, given),
                         {"memory_format": "channels_last", "inference_mode": False, "level": -2, "ratio": 0.001})


if __name__ == "__main__":
    unittest.main()
