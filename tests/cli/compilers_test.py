# SPDX-License-Identifier: Apache-2.0
"""ngb compilers: the table, one compiler, and a name that is none."""

import json
import pathlib

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
        table = self.ngb("compilers").stdout
        self.assertIn("null           built in", table)
        self.assertIn("devices here", table.splitlines()[0])

    def test_of_its_devices_those_are_told_that_are_here(self):
        listed = {row["name"]: row for row in json.loads(self.ngb("compilers", "--json").stdout)}
        self.assertEqual(listed["xla"]["devices_here"], ["cpu"])
        self.assertLessEqual({"cpu", "auto"}, set(listed["openvino"]["devices_here"]))
        has_nvidia_gpu = any(pathlib.Path(path).exists() for path in (
            "/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/nvhost-ctrl", "/dev/dxg"))
        self.assertEqual(listed["tensorrt"]["devices_here"], ["cuda"] if has_nvidia_gpu else [])
        shown = self.ngb("compilers", "tensorrt").stdout
        self.assertRegex(shown, r"devices  +cuda\n  devices here  +" + ("cuda" if has_nvidia_gpu else "none"))

    def test_one_is_shown_with_what_it_may_be_told(self):
        shown = self.ngb("compilers", "openvino")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("performance_hint: latency | throughput | none  (default latency)", shown.stdout)

    def test_a_name_that_is_none_gets_the_nearest(self):
        wrong = self.ngb("compilers", "openvno")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown compiler, did you mean openvino?", wrong.stderr)
