# SPDX-License-Identifier: Apache-2.0
"""Studies over real sshd on three hosts."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import hosts as network  # noqa: E402
from fleet import PATIENCE_S, PROCESSES, DemonstrationTest, FleetTest  # noqa: E402
from ngb_program import TOOLCHAINS, forge_last_output, toolchain, without_toolchains  # noqa: E402

WHY_NOT = network.missing()
QUICKER_SSH = """\
#!/bin/sh
for word; do
  shift
  case $word in
  ServerAliveInterval=5) word=ServerAliveInterval=1 ;;
  ConnectTimeout=15) word=ConnectTimeout=3 ;;
  esac
  set -- "$@" "$word"
done
exec {ssh} "$@"
"""


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Ssh(FleetTest):
    def setUp(self):
        super().setUp()
        self.use(self.hosts.devices())

    def test_a_study_runs_on_three_hosts_while_one_watches_and_is_taken_away_again(self):
        self.slow(300)  # so that every state can be seen: the page gets one each second
        client = self.start("run", self.study, "--serve")
        port = int(re.search(r":(\d+)/$", client.stdout.readline())[1])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/events", timeout=PATIENCE_S) as events:
            states = [json.loads(line[len("data: "):]) for line in events if line.startswith(b"data: ")]
        seen = {(device["name"], device["progress"]) for state in states for device in state["devices"]}
        self.assertLessEqual({(host, progress) for host in ("edge1", "edge2", "edge3") for progress in ("measuring", "finished")}, seen)
        self.assertEqual((states[-1]["processes_done"], states[-1]["processes_total"]), (3 * PROCESSES, 3 * PROCESSES))
        printed = client.stdout.read()
        self.assertEqual(client.wait(timeout=PATIENCE_S), 0, printed)
        self.assertIn("torn down: 3 of 3 verified", printed)
        self.assert_whole()

    def test_a_client_that_was_killed_finds_what_was_done_without_it(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGKILL)
        client.wait()
        before = sum(self.recorded().values())
        time.sleep(2)  # the devices go on
        self.assertEqual(sum(self.recorded().values()), before)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()

    def test_fetch_gets_what_was_done_and_leaves_the_devices_at_work(self):
        self.slow(1200)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGKILL)
        client.wait()
        before = sum(self.recorded().values())
        while sum(self.recorded().values()) < before + 3:  # the devices go on
            fetched = self.ngb("fetch", self.results)
            self.assertEqual(fetched.returncode, 0, fetched.stderr)
        self.assertEqual([len(host.agents()) for host in self.hosts.all], [1, 1, 1])
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()
        self.assertIn("no run is active", self.ngb("fetch", self.results).stderr)

    def test_an_agent_that_is_killed_is_started_again(self):
        self.slow(200)
        client = self.start("run", self.study)
        for kills in range(5):
            self.wait_until(lambda: sum(self.recorded().values()) > 3 * kills)
            for pid in self.hosts.all[kills % 3].agents():
                os.kill(pid, signal.SIGKILL)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()

    def quicken_ssh(self):
        """ssh notices five times as soon that its host is not there, if ngb lets it notice that at all."""
        commands = self.folder / "commands"
        commands.mkdir()
        self.write("commands/ssh", QUICKER_SSH.format(ssh=shutil.which("ssh"))).chmod(0o755)
        self.environment["PATH"] = f"{commands}:{self.environment['PATH']}"

    def test_a_host_that_was_cut_off_goes_on_and_reports_when_it_is_back(self):
        self.quicken_ssh()
        self.slow(200)
        client = self.start("run", self.study)
        cut = self.hosts.all[1]
        self.wait_until(lambda: self.recorded().get(cut.name, 0) >= 1)
        cut.down()
        self.wait_until(lambda: all(self.recorded().get(host.name) == PROCESSES for host in self.hosts.all
                                    if host is not cut))
        self.assertLess(self.recorded()[cut.name], PROCESSES)
        failures = (line for line in client.stdout if f"{cut.name}: no connection" in line)
        self.assertIn("not responding", next(failures))  # ssh's keep-alive
        self.assertTrue(next(failures))  # no new connection, either
        self.assertIsNone(client.poll())
        self.assertLess(self.recorded()[cut.name], PROCESSES)
        cut.up()
        output = client.stdout.read()
        self.assertEqual(client.wait(timeout=PATIENCE_S), 0, output)
        self.assert_whole()

    def test_a_host_that_loses_its_power_goes_on_from_its_last_process(self):
        self.slow(200)
        client = self.start("run", self.study)
        lost = self.hosts.all[2]
        self.wait_until(lambda: self.recorded().get(lost.name, 0) >= 2)
        lost.power_off()
        time.sleep(1)
        lost.start()
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()

    def test_a_wrong_host_key_is_said_and_holds_up_no_other_host(self):
        known = self.hosts.known
        lines = known.read_text().splitlines(keepends=True)
        known.write_text(lines[0].replace(lines[0].split()[2], lines[1].split()[2]) + "".join(lines[1:]))
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("HOST IDENTIFICATION HAS CHANGED", done.stderr)
        self.assertEqual(self.recorded(), {host.name: PROCESSES for host in self.hosts.all[1:]})

    def test_two_clients_at_once_do_not_measure_at_once(self):
        self.slow(800)  # longer than a client waits for a dying one
        first = self.start("run", self.study)
        self.wait_until(lambda: len(self.recorded()) == 3)
        second = self.ngb("run", self.study, "-o", self.folder / "other")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertRegex(second.stderr, "edge1: is busy with run runs/.* [(]process [0-9]+[)]; waits for it")
        output = first.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(first.returncode, 0, output)
        self.assert_whole()

    def test_a_device_whose_disk_is_too_full_is_told_of_and_holds_up_no_other(self):
        full = self.hosts.all[0]
        full.folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20M,mode=700", "ngb-test", full.folder], check=True)
        self.addCleanup(subprocess.run, ["umount", full.folder])
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the disk is too full", done.stderr)
        self.assertIn("free some space, or give the device another folder", done.stderr)
        self.assertEqual(self.recorded(), {host.name: PROCESSES for host in self.hosts.all[1:]})

    def test_status_resume_and_cancel_know_a_run_by_its_folder(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGKILL)
        client.wait()
        told = json.loads(self.ngb("status", self.results, "--json").stdout)
        self.assertEqual({device["device"]: device["planned_processes"] for device in told["devices"]},
                         {host.name: PROCESSES for host in self.hosts.all})
        self.assertFalse(told["is_complete"])
        cancelled = self.ngb("cancel", self.results)
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertIn("torn down: 3 of 3 verified", cancelled.stdout)
        self.assert_quiet()
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()

    def test_devices_check_says_what_each_host_has(self):
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", self.devices_file() + "gone: {ssh: {host: gone, config: "
                                                         f"{self.hosts.config}}}}}\n"))
        told = self.ngb("devices", "check", "--json")
        self.assertEqual(told.returncode, 3, told.stderr)
        found = {device["name"]: device for device in json.loads(told.stdout)}
        self.assertEqual(found["edge1"]["machine"], os.uname().machine)
        self.assertLess(abs(found["edge1"]["clock_offset_s"]), 5)
        self.assertIn("Could not resolve hostname", found["gone"]["error"])

    def test_a_host_gives_no_more_time_than_it_may_and_the_same_command_goes_on(self):
        self.use(self.hosts.devices().replace("folder:", "limits: {time_s: 4}, environment: {OMP_PROC_BIND: close}, "
                                              "folder:", 1))
        self.slow(600)
        first = self.ngb("run", self.study)
        self.assertEqual(first.returncode, 3, first.stdout)
        self.assertRegex(first.stderr, "edge1: .*: the device may be used for 4.0 s, and that time is over")
        self.assertGreater(PROCESSES, self.recorded().get("edge1", 0))
        for _ in range(3 * PROCESSES):
            done = self.ngb("run", self.study)
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()
        variables = self.query("SELECT DISTINCT device, value FROM environment_entry JOIN environment USING "
                               "(environment_key) WHERE name = 'variable_OMP_PROC_BIND'")
        self.assertEqual(variables, [("edge1", "close")])

    def test_ctrl_c_stops_all_devices_and_the_same_command_goes_on(self):
        self.slow(300)
        client = self.start("run", self.study)
        self.wait_until(lambda: sum(self.recorded().values()) >= 3)
        client.send_signal(signal.SIGINT)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 130, output)
        for host in self.hosts.all:
            self.wait_until(lambda host=host: host.agents() == [])
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assert_whole()


WITHOUT_IDENTITY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
  - {onnx: user.onnx, inputs: {input: values.npz}}
compilers: [onnxruntime]
processes: 1
disturbance:
  max_wait_percent: 100
warm_up: 1
repetitions: 5
protocol: paper
"""


@unittest.skipIf(WHY_NOT or without_toolchains("onnxruntime", "identity"),
                 WHY_NOT or without_toolchains("onnxruntime", "identity"))
class WithoutTheReferenceCompiler(FleetTest):
    """The hosts have no identity and are given none: the client's is not its own."""

    HOSTS = 2
    COMPILERS = ()

    def setUp(self):
        super().setUp()
        for folder in (self.folder / "toolchains", self.folder / "hosts"):
            (folder / "onnxruntime").mkdir(parents=True)
            (folder / toolchain("onnxruntime")).symlink_to(TOOLCHAINS / toolchain("onnxruntime"))
        written = self.ngb("models", "write", "conv_block", "--parameters", '{"width": 8, "image_size": 16}',
                           "-o", "whole.onnx")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.set_data_beside_it()
        self.study = self.write("study.yaml", WITHOUT_IDENTITY + "devices:\n" +
                                self.hosts.devices(self.folder / "hosts"))

    def set_data_beside_it(self):
        """Weights in another file, and what is fed in a third: all of them are delivered."""
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        site = TOOLCHAINS / toolchain("identity") / manifest["site"]
        program = ("import numpy, onnx; onnx.save_model(onnx.load('whole.onnx'), 'user.onnx', size_threshold=0, "
                   "save_as_external_data=True, location='user.weights'); "
                   "numpy.savez('values.npz', input=numpy.ones((1, 3, 16, 16), numpy.float32))")
        subprocess.run([manifest["python"], "-c", program], cwd=self.folder, check=True,
                       env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site)})

    def adopt_identity(self):
        """As `ngb toolchain adopt` does, without the imports that it tries."""
        folder = self.folder / "toolchains" / toolchain("identity")
        folder.mkdir(parents=True)
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        manifest |= {"adopted": True, "site": str(TOOLCHAINS / toolchain("identity") / manifest["site"])}
        (folder / "manifest.json").write_text(json.dumps(manifest))

    def checks(self):
        return self.query("SELECT device, reference, failure.kind FROM output_check JOIN process USING (process_key) "
                          "LEFT JOIN failure USING (process_key) ORDER BY 1, 3")

    def test_they_are_compared_with_what_the_client_has_made_for_them(self):
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        version = toolchain("identity").name
        self.assertEqual(self.query("SELECT DISTINCT kind, message FROM failure"), [(
            "no_reference",
            f"identity {version} is not installed on this device, and the client could not make its outputs: "
            f"identity {version} is not installed on the client either (ngb toolchain install identity@{version})")])

        self.adopt_identity()
        done = self.ngb("run", "--retry-failed", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        made_here = f"identity {version}, made by the client"
        self.assertEqual(self.checks(), [(host, made_here, None) for host in ("edge1", "edge1", "edge2", "edge2")])

        altered = next((self.folder / "home/.cache/ngraphbench/references").glob("*.ref"))
        forge_last_output(altered, lambda last: 1e6)
        self.results = self.folder / "other"
        done = self.ngb("run", self.study, "-o", self.results)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertEqual(self.checks(), [(host, made_here, kind) for host in ("edge1", "edge2")
                                         for kind in (None, "inaccurate")])
        self.assertIn("torn down: 2 of 2 verified", done.stdout)
        self.assertEqual(sorted(path.name for host in self.hosts.all for path in host.folder.iterdir()),
                         [".ngraphbench"] * 2 + ["toolchains"] * 2)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Demonstration(DemonstrationTest):
    def test_it_ends_with_the_table_and_nothing_left(self):
        self.demonstrate()


WITH_A_MODULE = """\
name: test
models:
  - pytorch: net.py:build
    shapes: {x: [batch, 4]}
    inputs: {x: {range: [0, 1]}}
compilers: [identity, onnxruntime]
batch_sizes: [2]
processes: 1
disturbance:
  max_wait_percent: 100
warm_up: 1
repetitions: 5
protocol: paper
"""


@unittest.skipUnless(os.environ.get("NGB_ALL_CASES"), "NGB_ALL_CASES is not set")
@unittest.skipIf(WHY_NOT or without_toolchains("onnxruntime", "identity"),
                 WHY_NOT or without_toolchains("onnxruntime", "identity"))
class WithAModule(FleetTest):
    """The host has the toolchains; the user's files come with the study."""

    HOSTS = 1
    COMPILERS = ()

    def test_a_users_module_is_exported_there_with_what_it_imports(self):
        for folder in (self.folder / "toolchains", self.folder / "hosts"):
            for compiler in ("onnxruntime", "identity"):
                (folder / compiler).mkdir(parents=True)
                (folder / toolchain(compiler)).symlink_to(TOOLCHAINS / toolchain(compiler))
        self.write("net.py", "from layers import linear\n\n\ndef build():\n    return linear()\n")
        self.write("layers.py", "import torch\n\n\ndef linear():\n    class Net(torch.nn.Module):\n"
                                "        def __init__(self):\n            super().__init__()\n"
                                "            self.linear = torch.nn.Linear(4, 3)\n"
                                "        def forward(self, x):\n            return self.linear(x)\n"
                                "    return Net()\n")
        self.study = self.write("study.yaml", WITH_A_MODULE + "devices:\n" + self.hosts.devices(self.folder / "hosts"))
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(self.query("SELECT DISTINCT reference, failure.kind FROM output_check JOIN process "
                                    "USING (process_key) LEFT JOIN failure USING (process_key)"),
                         [(f"identity {toolchain('identity').name}", None)])


WITH_A_VARIANT = """\
name: test
models:
  - {zoo: {mlp: {features: 16, width: 32, depth: 1, classes: 10}}, label: exact}
  - {quantise: dynamic, variant_of: exact}
compilers: [onnxruntime]
reference: onnxruntime
processes: 1
disturbance:
  max_wait_percent: 100
warm_up: 1
repetitions: 3
protocol: paper
"""


@unittest.skipIf(WHY_NOT or without_toolchains("onnxruntime"), WHY_NOT or without_toolchains("onnxruntime"))
class WithAVariant(FleetTest):
    HOSTS = 1
    COMPILERS = ()

    def test_a_file_that_was_quantised_here_is_measured_there_and_its_agreement_comes_back(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        (self.folder / "hosts/onnxruntime").mkdir(parents=True)
        (self.folder / "hosts" / toolchain("onnxruntime")).symlink_to(TOOLCHAINS / toolchain("onnxruntime"))
        self.study = self.write("study.yaml", WITH_A_VARIANT + "devices:\n" + self.hosts.devices(self.folder / "hosts"))
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("making exact int8 dynamic with onnxruntime", done.stderr)
        self.assertEqual(self.query("SELECT process.device, label, count(*), min(cosine) > 0.99 FROM agreement JOIN process USING "
                                    "(process_key) JOIN cell USING (cell_key) JOIN model USING (model_key)"),
                         [("edge1", "exact int8 dynamic", 64, 1)])


if __name__ == "__main__":
    unittest.main()
