# SPDX-License-Identifier: Apache-2.0
"""ngb compilers: the table, one compiler, and a name that is none."""

import json

from ngb_program import NgbTest


class Compilers(NgbTest):
    def test_the_table_tells_what_is_installed_and_what_is_not(self):
        listed = {row["name"]: row for row in json.loads(self.ngb("compilers", "--json").stdout)}
        self.assertEqual(listed["identity"]["installed"], [])
        self.assertEqual(listed["identity"]["host"], "python")
        self.assertEqual(listed["openvino"]["devices"], ["cpu", "gpu", "npu", "auto"])
        self.assertIn({"name": "spinning", "type": "bool", "values": [], "default": True,
                       "meaning": "idle threads wait for work by spinning (the library's own default) instead of "
                                  "sleeping"}, listed["onnxruntime"]["options"])
        self.assertIn("null           built in", self.ngb("compilers").stdout)

    def test_one_is_shown_with_what_it_may_be_told(self):
        shown = self.ngb("compilers", "openvino")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("performance_hint: latency | throughput | none  (default latency)", shown.stdout)

    def test_a_name_that_is_none_gets_the_nearest(self):
        wrong = self.ngb("compilers", "openvno")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown compiler, did you mean openvino?", wrong.stderr)
