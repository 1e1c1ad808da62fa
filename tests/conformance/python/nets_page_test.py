# SPDX-License-Identifier: Apache-2.0
"""scripts/nets: what stays on the page of compilers that were measured another time."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "nets"))
import report  # noqa: E402

NETS = [{"label": "timm a", "source": "timm", "parameters": 7, "size": "96 × 96"},
        {"label": "nn b", "source": "torch.nn", "parameters": 8, "size": "4"}]


class Page(unittest.TestCase):
    def page(self, cells, exporters):
        return report.write({"nets": NETS, "cells": cells, "exporters": exporters, "seed": 1, "most": 9, "options": "",
                             "versions": {"timm": "1", "torchvision": "2"}})

    def test_a_page_that_was_read_becomes_the_same_page(self):
        cells = {"timm a": {"identity": {"kind": None, "message": "", "error": 4e-04},
                            "mnn": {"kind": "inaccurate", "message": "1, not |2|", "error": None}},
                 "nn b": {"identity": {"kind": None, "message": "", "error": None}}}
        page = self.page(cells, {"timm a": "tracing"})
        read = report.read(page)
        self.assertEqual(read["cells"]["timm a"]["mnn"], {"kind": "inaccurate", "message": "1, not |2|", "error": None})
        self.assertEqual(read["exporters"], {"timm a": "tracing"})
        self.assertEqual(self.page(read["cells"], read["exporters"]), page)


if __name__ == "__main__":
    unittest.main()
