# SPDX-License-Identifier: Apache-2.0
"""ngb compilers: the table, one compiler, and an unknown name."""

import json
import pathlib

from ngb_program import NgbTest


class Compilers(NgbTest):
    def test_the_table_shows_what_is_installed_and_what_is_not(self):
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

    def test_shows_which_of_a_compilers_devices_this_machine_has(self):
        listed = {row["name"]: row for row in json.loads(self.ngb("compilers", "--json").stdout)}
        self.assertEqual(listed["xla"]["devices_here"], ["cpu"])
        self.assertLessEqual({"cpu", "auto"}, set(listed["openvino"]["devices_here"]))
        has_nvidia_gpu = any(pathlib.Path(path).exists() for path in (
            "/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/nvhost-ctrl", "/dev/dxg"))
        self.assertEqual(listed["tensorrt"]["devices_here"], ["cuda"] if has_nvidia_gpu else [])
        shown = self.ngb("compilers", "tensorrt").stdout
        self.assertRegex(shown, r"devices  +cuda\n  devices here  +" + ("cuda" if has_nvidia_gpu else "none"))

    def test_one_compiler_is_shown_with_its_options(self):
        shown = self.ngb("compilers", "openvino")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("performance_hint: latency | throughput | none  (default latency)", shown.stdout)

    def test_an_unknown_name_gets_the_nearest(self):
        wrong = self.ngb("compilers", "openvno")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("unknown compiler, did you mean openvino?", wrong.stderr)


class ToolchainDownload(NgbTest):
    WHERE = ("--machine", "aarch64", "--glibc", "2.35", "--python", "3.11")

    def test_its_former_name_still_works_and_names_the_new_one(self):
        today = self.ngb("toolchain", "download", "openvno", *self.WHERE)
        self.assertEqual((today.returncode, today.stdout), (2, ""))
        self.assertIn("openvino", today.stderr)
        former = self.ngb("toolchain", "fetch", "openvno", *self.WHERE)
        notice = "ngb: `ngb toolchain fetch` is now called `ngb toolchain download`\n"
        self.assertEqual((former.returncode, former.stdout, former.stderr), (2, "", notice + today.stderr))
        self.assertNotIn("fetch", self.ngb("toolchain", "--help").stdout)
