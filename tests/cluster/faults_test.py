# SPDX-License-Identifier: Apache-2.0
"""The fault matrix over ssh: whatever happens, in the end every process is recorded once."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

for folder in ("tests/cli", "tests/cluster", "examples/cluster"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / folder))
import hosts as network  # noqa: E402
from fleet import PATIENCE_S, PROCESSES, FleetTest  # noqa: E402

WHY_NOT = network.missing()
RANDOM = random.Random(5)

REAL_COMPILERS = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: [1, 2], image_size: 16}}
compilers:
  - onnxruntime: {threads: 1}
  - openvino: {threads: 1}
batch_sizes: [1]
reference: onnxruntime
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
min_repetition_ms: 20
"""


def toolchains_folder():
    """Where ngb looks for toolchains in the tester's own home."""
    data = os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share"
    return pathlib.Path(os.environ.get("NGB_TOOLCHAINS") or pathlib.Path(data) / "ngraphbench/toolchains")


def fill(folder):
    """Leaves no byte free there."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(folder).free - 2**20)
        filler.seek(0, os.SEEK_END)
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError:
            pass


def kill(pids, number=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class FaultsTest(FleetTest):
    def setUp(self):
        super().setUp()
        self.use(self.hosts.devices())

    def begin(self, milliseconds, processes=1):
        """The study runs, and every host has recorded so many processes."""
        self.slow(milliseconds)
        client = self.start("run", self.study)
        self.wait_until(lambda: all(self.recorded().get(host.name, 0) >= processes for host in self.hosts.all))
        return client

    def kill_workers(self, host):
        workers = [pid for pid in host.processes() if network.words_of(pid)[0] == "ngb-worker"]
        kill(workers)
        return workers

    def assert_ends_well(self, client):
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 0, output)
        self.assert_whole()
        return output


class WithAnyCompiler:
    """Faults that are tried with the null compiler and with real ones."""

    def test_agents_are_killed_at_random_instants(self):
        kills = 0
        while kills < self.AGENT_KILLS:
            client = self.begin(500)
            while kills < self.AGENT_KILLS and client.poll() is None:
                time.sleep(RANDOM.uniform(0, 0.6))
                agents = RANDOM.choice(self.hosts.all).agents()
                kill(agents)
                kills += len(agents)
            self.assert_ends_well(client)
            shutil.rmtree(self.results)  # a busy machine may have measured everything before the last of them

    def test_connections_that_are_cut_are_made_again(self):
        client = self.begin(600)
        for _ in range(3):
            children = subprocess.run(["pgrep", "-P", str(client.pid), "ssh"], capture_output=True, text=True).stdout
            kill(map(int, children.split()))
            time.sleep(1)
        self.assertIn("no connection (signal 9)", self.assert_ends_well(client))

    def test_a_rebooted_host_has_a_new_boot_id_and_goes_on(self):
        client = self.begin(300)
        rebooted = self.hosts.all[2]
        rebooted.power_off()
        boot_id = self.write("boot_id", "00000000-0000-4000-8000-000000000001\n")
        rebooted.start(mounts={"/proc/sys/kernel/random/boot_id": boot_id})
        self.assert_ends_well(client)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class WithTheNullCompiler(WithAnyCompiler, FaultsTest):
    AGENT_KILLS = 20

    def test_workers_killed_at_random_instants_are_tried_again(self):
        client = self.begin(500)
        recorded = dict.fromkeys((host.name for host in self.hosts.all), 0)

        def has_recorded(host, processes):
            return self.recorded().get(host.name, 0) >= min(processes, PROCESSES)

        for host in (self.hosts.all * 2)[:5]:
            # A process is tried twice, so the killed one is let through first: it is the next, unless one was on its way.
            self.wait_until(lambda host=host: has_recorded(host, recorded[host.name]))
            time.sleep(RANDOM.uniform(0, 0.6))
            recorded[host.name] = self.recorded().get(host.name, 0) + 2
            # On a busy machine it may have measured everything while the others were waited for.
            self.wait_until(lambda host=host: self.kill_workers(host) or has_recorded(host, PROCESSES))
        output = self.assert_ends_well(client)
        self.assertIn("signal 9", output)

    def test_a_partition_shorter_than_the_keep_alive_is_not_even_noticed(self):
        client = self.begin(300)
        self.hosts.all[0].down()
        time.sleep(3)
        self.hosts.all[0].up()
        self.assertNotIn("no connection", self.assert_ends_well(client))

    def test_a_disk_that_fills_up_on_a_device_is_said_and_the_same_command_goes_on(self):
        full = self.hosts.all[0]
        full.folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200M,mode=700", "ngb-test", full.folder], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", full.folder])
        client = self.begin(1000)
        agents = full.agents()
        kill(agents, signal.SIGSTOP)  # filling may take longer than the rest of the study
        fill(full.folder)
        kill(agents, signal.SIGCONT)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 3, output)
        # The agent or a worker could not write, or the agent that the client then started again refused to begin.
        self.assertRegex(output, "No space left|the disk is full|the disk is too full")
        self.assertEqual(self.recorded()["edge2"], PROCESSES)
        (full.folder / "filler").unlink()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_recorded()

    def test_a_disk_that_fills_up_under_the_client_is_said_and_the_same_command_goes_on(self):
        self.results.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=50M", "ngb-test", self.results], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.results])
        client = self.begin(400)
        client.send_signal(signal.SIGSTOP)
        fill(self.results)
        client.send_signal(signal.SIGCONT)
        output = client.communicate(timeout=PATIENCE_S)[0]
        self.assertEqual(client.returncode, 3, output)
        self.assertIn("no space left on the disk", output)
        (self.results / "filler").unlink()
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()

    def test_a_damaged_journal_costs_nothing_that_is_recorded(self):
        client = self.begin(1000, 2)
        torn, flipped = self.hosts.all[:2]
        for host, damage in ((torn, lambda content: content[:-5]),
                             (flipped, lambda content: content[:500] + bytes([content[500] ^ 4]) + content[501:])):
            host.power_off()
            journal = next(host.folder.glob("runs/*/journal"))
            journal.write_bytes(damage(journal.read_bytes()))
            host.start()
        self.assert_ends_well(client)

    def test_a_client_whose_clock_is_set_back_an_hour_goes_on(self):
        if subprocess.run(["which", "faketime"], capture_output=True).returncode != 0:
            self.skipTest("faketime is not installed")
        client = self.begin(300)
        kill([client.pid])
        client.communicate()
        done = subprocess.run(["faketime", "-f", "-1h", self.program, "run", self.study],
                              env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()

    def test_a_host_that_is_off_is_left_out_and_measured_later(self):
        off = self.hosts.all[0]
        off.power_off()
        done = self.ngb("run", self.study, "--without", off.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.recorded(), {host.name: PROCESSES for host in self.hosts.all[1:]})
        off.start()
        self.hosts.wait_for(off)
        self.assertEqual(self.ngb("run", self.study).returncode, 0)
        self.assert_whole()

    def test_a_machine_of_another_kind_is_refused_and_holds_up_no_other(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "uname").write_text("#!/bin/sh\necho riscv64\n")
        (tools / "uname").chmod(0o755)
        self.hosts.all[0].power_off()
        self.hosts.all[0].start(path=f"{tools}:/usr/bin:/bin")
        self.hosts.wait_for(self.hosts.all[0])
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("there is no agent for a machine of the kind riscv64", done.stderr)
        self.assertEqual(self.recorded(), {host.name: PROCESSES for host in self.hosts.all[1:]})

    def test_a_device_without_python_says_so_and_measures_what_needs_none(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("sh", "head", "uname", "mkdir", "wc", "chmod", "mv", "ln"):
            (tools / name).symlink_to(f"/usr/bin/{name}")
        self.hosts.all[0].power_off()
        self.hosts.all[0].start(path=str(tools))
        self.hosts.wait_for(self.hosts.all[0])
        self.environment["NGB_DEVICES"] = str(self.write("devices.yaml", self.devices_file()))
        told = self.ngb("devices", "check", "edge1")
        self.assertIn("compilers hosted by Python fail there", told.stdout)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class WithRealCompilers(WithAnyCompiler, FaultsTest):
    COMPILERS = ()
    AGENT_KILLS = 5

    def setUp(self):
        super().setUp()
        if not (toolchains_folder() / "openvino").exists():
            self.skipTest(f"no toolchains in {toolchains_folder()}: run ngb toolchain install")
        self.environment["NGB_TOOLCHAINS"] = str(toolchains_folder())
        self.study.write_text(REAL_COMPILERS + "devices:\n" + self.hosts.devices(toolchains_folder()))


if __name__ == "__main__":
    unittest.main()
