# SPDX-License-Identifier: Apache-2.0
"""Toolchains on devices elsewhere, over real sshd: pushed, installed there by the device's own pip, adopted, and
recorded with a run. The wheels are made up here, and pip is configured (as a user would) to find only these."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import unittest
import zipfile

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import hosts as network  # noqa: E402
from fleet import HostsTest  # noqa: E402

WHY_NOT = network.missing()

STUDY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - onnxruntime: {version: 9.9.9}
  - "null"
reference: "null"
processes: 1
disturbance:
  max_wait_percent: 100
repetitions: 2
protocol: paper
devices:
"""


def make_wheel(folder, version, tag="py3-none-any"):
    """An onnxruntime of a few bytes (PEP 427); returns its hash."""
    info = f"onnxruntime-{version}.dist-info"
    path = folder / f"onnxruntime-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("onnxruntime/__init__.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: onnxruntime\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/RECORD", f"onnxruntime/__init__.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n"
                                           f"{info}/RECORD,,\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Toolchains(HostsTest):
    COMPILERS = ("null", "onnxruntime")

    def setUp(self):
        super().setUp()
        self.devices = self.hosts.devices()
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", self.devices_file()))
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        self.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        self.sha256 = make_wheel(self.wheels, "9.9.9")

    def give_pip(self, host):
        """That host's login finds the pip that this machine's user has, and the wheels."""
        host.power_off()
        host.start(path=os.environ["PATH"])
        self.hosts.wait_for(host)
        self.configure_pip(f"find-links = {self.wheels}\n")

    def configure_pip(self, more=""):
        """Writes the configuration of whoever logs in to a host."""
        configuration = self.hosts.home / ".config/pip/pip.conf"
        configuration.parent.mkdir(parents=True, exist_ok=True)
        configuration.write_text(f"[global]\nno-index = true\n{more}")

    def at(self, host, version="9.9.9"):
        return host.folder / "toolchains/onnxruntime" / version

    def put_by_hand(self, host, version, really):
        (self.at(host, version) / f"site/onnxruntime-{really}.dist-info").mkdir(parents=True)

    def test_a_toolchain_that_is_not_installed_here_is_fetched_and_pushed(self):
        pushed = self.ngb("toolchain", "push", "onnxruntime@9.9.9", "edge1", "edge2")
        self.assertEqual(pushed.returncode, 0, pushed.stderr)
        lines = [line.split(": ", 1) for line in pushed.stdout.splitlines()]
        self.assertEqual([device for device, _ in lines], ["edge1", "edge2"])
        self.assertRegex(lines[0][1], "^onnxruntime 9.9.9: 1 packages, [0-9a-f]{12}$")
        self.assertEqual(lines[0][1], lines[1][1])
        manifest = json.loads((self.at(self.hosts.all[0]) / "manifest.json").read_text())
        self.assertEqual([(each["name"], each["version"], each["sha256"]) for each in manifest["packages"]],
                         [("onnxruntime", "9.9.9", self.sha256)])
        self.assertTrue((self.at(self.hosts.all[1]) / "site/onnxruntime/__init__.py").exists())

    def test_the_devices_own_pip_installs_exactly_the_wheels_that_were_chosen_here(self):
        host = self.hosts.all[0]
        self.give_pip(host)
        pushed = self.ngb("toolchain", "push", "--install-there", "onnxruntime@9.9.9", "edge1")
        self.assertEqual(pushed.returncode, 0, pushed.stderr)
        self.assertIn(f"--hash=sha256:{self.sha256}", (self.at(host) / "requirements.txt").read_text())
        self.assertIn("Successfully installed onnxruntime-9.9.9", pathlib.Path(f"{self.at(host)}.log").read_text())
        self.assertFalse((self.folder / "toolchains/onnxruntime").exists())
        make_wheel(self.wheels, "9.9.8")
        self.configure_pip()
        failed = self.ngb("toolchain", "push", "--install-there", "onnxruntime@9.9.8", "edge1")
        self.assertEqual(failed.returncode, 3, failed.stderr)
        self.assertIn("edge1: pip: pip finds no version of onnxruntime==9.9.8", failed.stderr)
        self.assertIn("9.9.8.log", failed.stderr)
        self.assertFalse(self.at(host, "9.9.8").exists())

    def test_what_cannot_be_had_is_said_plainly(self):
        make_wheel(self.wheels, "8.0", "cp311-cp311-manylinux_2_28_riscv64")
        failed = self.ngb("toolchain", "push", "onnxruntime@8.0", "edge1")
        self.assertEqual(failed.returncode, 3, failed.stderr)
        self.assertIn(f"there is no wheel of onnxruntime==8.0 for {os.uname().machine} with glibc", failed.stderr)
        full = self.hosts.all[1]
        full.folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20M,mode=700", "ngb-test", full.folder], check=True)
        self.addCleanup(subprocess.run, ["umount", full.folder])
        failed = self.ngb("toolchain", "push", "onnxruntime@9.9.9", "edge2")
        self.assertEqual(failed.returncode, 3, failed.stderr)
        self.assertIn("the disk is too full", failed.stderr)
        bare = self.hosts.all[2]
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("sh", "head", "uname", "mkdir", "wc", "chmod", "mv"):
            (tools / name).symlink_to(f"/usr/bin/{name}")
        bare.power_off()
        bare.start(path=str(tools))
        self.hosts.wait_for(bare)
        failed = self.ngb("toolchain", "push", "--install-there", "onnxruntime@9.9.9", "edge3")
        self.assertEqual(failed.returncode, 3, failed.stderr)
        self.assertIn("edge3: onnxruntime@9.9.9 needs python3, which the device does not have", failed.stderr)

    def test_what_a_device_has_already_is_adopted(self):
        packages = self.folder / "jetpack/lib/python3.10/dist-packages"
        (packages / "onnxruntime_gpu-1.18.0.dist-info").mkdir(parents=True)
        adopted = self.ngb("toolchain", "adopt", "onnxruntime", self.folder / "jetpack", "--device", "edge1")
        self.assertEqual(adopted.returncode, 0, adopted.stderr)
        self.assertEqual(adopted.stdout, f"edge1: onnxruntime 1.18.0: adopted from {packages}\n")
        self.assertEqual((self.at(self.hosts.all[0], "1.18.0") / "site").resolve(), packages)
        again = self.ngb("toolchain", "adopt", "onnxruntime", self.folder / "jetpack", "--device", "edge1")
        self.assertIn("already exists", again.stderr)
        nothing = self.ngb("toolchain", "adopt", "onnxruntime", "/usr/share", "--device", "edge1")
        self.assertIn("no package onnxruntime or", nothing.stderr)
        self.put_by_hand(self.hosts.all[0], "9.9.9", "9.9.9")
        told = json.loads(self.ngb("devices", "check", "edge1", "--json").stdout)[0]
        self.assertEqual(told["toolchains"], ["onnxruntime@1.18.0", "onnxruntime@9.9.9"])
        self.assertEqual(told["toolchains_without_manifest"], ["onnxruntime@9.9.9"])

    def test_a_run_brings_what_a_device_lacks_records_what_is_there_and_tells_of_differences(self):
        self.put_by_hand(self.hosts.all[2], "9.9.9", "9.9.8")
        self.ngb("toolchain", "push", "onnxruntime@9.9.9", "edge1")
        done = self.ngb("run", self.write("study.yaml", STUDY + self.devices + "output: results\n"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)  # such an onnxruntime cannot be loaded
        recorded = {device: json.loads(manifest) for device, manifest in self.query(
            "results", "SELECT device, manifest_json FROM toolchain JOIN toolchain_manifest USING (toolchain_key) "
            "JOIN manifest USING (manifest_sha256) WHERE compiler = 'onnxruntime'")}
        self.assertEqual({device: [(each["version"], each["sha256"]) for each in manifest["packages"]]
                          for device, manifest in recorded.items()},
                         {"edge1": [("9.9.9", self.sha256)], "edge2": [("9.9.9", self.sha256)],
                          "edge3": [("9.9.8", "")]})
        self.assertEqual([manifest["adopted"] for _, manifest in sorted(recorded.items())], [False, False, True])
        self.assertIn("edge3: the toolchain onnxruntime 9.9.9 there has version 9.9.8", done.stderr)
        self.assertRegex(done.stderr, "onnxruntime 9.9.9 is not built as on edge[123]: onnxruntime 9.9.[89] instead of")

    def test_a_cell_whose_toolchain_is_not_to_be_had_fails_with_the_reason(self):
        study = STUDY.replace("9.9.9", "8.0") + self.devices.splitlines()[0] + "\noutput: results\n"
        done = self.ngb("run", self.write("study.yaml", study))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        (kind, message), = self.query("results", "SELECT kind, message FROM failure")
        self.assertEqual(kind, "toolchain_missing")
        self.assertIn("there is no wheel of onnxruntime==8.0 for", message)


if __name__ == "__main__":
    unittest.main()
