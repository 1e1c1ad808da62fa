# SPDX-License-Identifier: Apache-2.0
"""A study on an aarch64 device: agent, worker and plugin cross-built, ONNX Runtime from its aarch64 wheel, which comes as
on any such device, all run by qemu. What is right is what the identity says, which the device has not: its outputs are made on
this machine."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/cli"))
from lean_programs import lean_programs  # noqa: E402
from ngb_program import BIN, TOOLCHAINS, NgbTest, forge_last_output, toolchain, without_toolchains  # noqa: E402

PARTS = BIN.parent / "lib/ngraphbench-devices/aarch64"
VERSION = toolchain("onnxruntime").name
SSH = pathlib.Path(__file__).parent / "device"

STUDY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: [1, 2], image_size: 16}}
compilers:
  - onnxruntime
processes: 1
disturbance:
  max_wait_percent: 100
warm_up: 1
repetitions: 5
"""


def why_not():
    if not PARTS.exists():
        return "nothing was built for aarch64 devices: scripts/devices dev"
    if not shutil.which("qemu-aarch64-static"):
        return "no qemu-aarch64-static: scripts/setup tests"
    if reason := without_toolchains("onnxruntime", "identity"):
        return reason
    told = subprocess.run([SSH / "ssh", f"{PARTS}/bin/ngb-agent --version"], capture_output=True, text=True)
    return f"no aarch64 programs can be run in a user namespace here: {told.stderr}" if told.returncode else None


# The files of a Jetson Orin Nano's power monitor and GPU below /sys/class, as their drivers' documentation describes them.
BOARD = {"hwmon/hwmon1/name": "ina3221", "hwmon/hwmon1/in1_label": "VDD_IN", "hwmon/hwmon1/in1_enable": "1",
         "hwmon/hwmon1/in1_input": "5072", "hwmon/hwmon1/curr1_input": "1184", "hwmon/hwmon1/in2_label": "VDD_CPU_GPU_CV",
         "hwmon/hwmon1/in2_enable": "1", "hwmon/hwmon1/in2_input": "5064", "hwmon/hwmon1/curr2_input": "200",
         "devfreq/17000000.gpu/governor": "nvhost_podgov", "devfreq/17000000.gpu/cur_freq": "306000000",
         "devfreq/17000000.gpu/min_freq": "306000000", "devfreq/17000000.gpu/max_freq": "624750000",
         "devfreq/17000000.gpu/device/load": "437"}

WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Device(NgbTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = lean_programs(BIN.parent) / "bin/ngb"
        place = tempfile.mkdtemp(prefix="ngb-device-")
        cls.addClassCleanup(shutil.rmtree, place, ignore_errors=True)
        cls.device = pathlib.Path(place) / "device"  # keeps its toolchain, and nothing else, from one test to the next

    def setUp(self):
        super().setUp()
        # Beside it, what is fetched for aarch64 stays for the next time.
        toolchains = BIN.parent / "tests/aarch64/toolchains"
        toolchains.mkdir(parents=True, exist_ok=True)
        for compiler in ("onnxruntime", "identity"):
            if not (toolchains / compiler).exists():
                (toolchains / compiler).symlink_to(TOOLCHAINS / compiler)
        self.environment["NGB_TOOLCHAINS"] = str(toolchains)
        del self.environment["PIP_NO_INDEX"]
        self.environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        self.environment["PATH"] = f"{SSH}:{os.environ['PATH']}"
        for name, content in BOARD.items():
            path = self.folder / "board" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content + "\n")
        self.environment["BOARD"] = str(self.folder / "board")
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml",
                                                         f"arm: {{ssh: arm, folder: {self.device}}}\n"))
        pushed = self.ngb("toolchain", "push", "onnxruntime", "arm", timeout=1500)
        if "no network" in pushed.stderr or "package index" in pushed.stderr:
            raise unittest.SkipTest(pushed.stderr)
        self.assertEqual(pushed.returncode, 0, pushed.stderr)

    def test_it_computes_what_this_machine_does_and_is_left_as_it_was(self):
        here = self.ngb("run", self.write("here.yaml", STUDY + "output: here\n"))
        self.assertEqual(here.returncode, 0, here.stdout + here.stderr)
        wrong = next((self.folder / "home/.cache/ngraphbench/references").glob("*.ref"))
        forge_last_output(wrong, lambda last: last + 1)  # found out only if it is these that the device compares with
        devices = f"devices:\n  - arm: {{ssh: arm, folder: {self.device}}}\n"
        done = self.ngb("run", self.write("there.yaml", STUDY + devices + "output: there\n"), timeout=1500)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("torn down: 1 of 1 verified", done.stdout + done.stderr)
        checks = self.query("there", "SELECT failure.kind, reference, compared_elements, max_absolute_error FROM "
                            "output_check LEFT JOIN failure USING (process_key) ORDER BY max_absolute_error")
        self.assertEqual([check[:3] for check in checks],
                         [(kind, f"identity {toolchain('identity').name}, made by the client", 8 * 16 * 16) for kind in (None, "inaccurate")])
        self.assertLess(checks[0][3], 1e-5)
        self.assertAlmostEqual(checks[1][3], 1, delta=1e-5)
        readings = dict(self.query("there", "SELECT quantity, value FROM reading WHERE moment = 'end'"))
        self.assertAlmostEqual(readings["power_vdd_in"], 5.072 * 1.184)
        self.assertAlmostEqual(readings["power"], readings["power_vdd_in"])
        self.assertAlmostEqual(readings["gpu_utilisation"], 43.7)
        self.assertEqual(self.query("there", "SELECT DISTINCT value FROM environment_entry WHERE name = 'gpu'"),
                         [("17000000.gpu",)])
        self.assertEqual(self.query("there", "SELECT count(*) FROM repetition WHERE NOT is_warm_up"), [(5,)])
        self.assertEqual(sorted(path.name for path in self.device.iterdir()), [".ngraphbench", "files", "toolchains"])
        (manifest,), = self.query("there", "SELECT manifest_json FROM toolchain JOIN toolchain_manifest USING "
                                 "(toolchain_key) JOIN manifest USING (manifest_sha256) WHERE device = 'arm'")
        package, = json.loads(manifest)["packages"]
        self.assertEqual((package["name"], package["version"], len(package["sha256"])), ("onnxruntime", VERSION, 64))

    def test_it_says_what_it_is(self):
        told = self.ngb("devices", "check", "--json")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(json.loads(told.stdout)[0]["machine"], "aarch64")
        self.assertEqual(json.loads(told.stdout)[0]["toolchains"], [f"onnxruntime@{VERSION}"])


if __name__ == "__main__":
    unittest.main()
