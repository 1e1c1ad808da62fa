# SPDX-License-Identifier: Apache-2.0
"""ngb tells its own files on a device from the user's, as users see it."""

import os
import pathlib
import unittest

from ssh_program import DeviceTest

STRANGERS = ("notes.txt", "agents/smith.txt", "bundles/of/joy.txt", "models/precious.onnx", "references/paper.bib",
             "tuning/fork.wav", "holders/candles.txt", "files/notes.txt", "runs/marathon/times.csv",
             "toolchains/gcc/13/bin/gcc")


class Devices(DeviceTest):
    COMPILERS = ("null",)

    def put(self, folder, names):
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("precious " + name)

    def test_a_folder_with_a_users_files_is_refused_and_not_changed(self):
        data = self.hosts / "dev" / "data"
        self.put(data, [name for name in STRANGERS if name != "notes.txt"])
        before = self.files(data)
        self.use("  - dev: {ssh: dev, folder: ~/data}\n")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, "dev: .*is not empty and not NGraphBench's: it holds .*; give the device a folder")
        for words in ([], ["--with-toolchains"]):
            self.ngb("cancel", self.results, *words)
            self.assertEqual(self.files(data), before)

    def test_other_files_in_our_folder_survive_run_and_cancel(self):
        ours = self.hosts / "dev" / ".ngraphbench"
        self.use("  - dev: {ssh: dev}\n")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(ours.exists())
        ours.mkdir(mode=0o700)
        checked = self.write("devices.yaml", "dev: {ssh: dev}\n")
        self.environment["NGB_DEVICES"] = str(checked)
        self.assertEqual(self.ngb("devices", "check").returncode, 0)
        self.assertTrue((ours / ".ngraphbench").exists())
        self.put(ours, STRANGERS)
        done = self.ngb("run", self.study, "-o", "results/again")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("torn down: 1 of 1 verified", done.stdout)
        for words in ([], ["--with-toolchains"]):
            cancelled = self.ngb("cancel", "results/again", *words)
            self.assertIn("torn down: 1 of 1 verified", cancelled.stdout, cancelled.stderr)
            self.assertEqual(sorted(self.files(ours)), sorted([".ngraphbench", *STRANGERS]))

    def test_two_devices_on_one_host_finish_in_one_run(self):
        self.use("  - a: {ssh: dev, environment: {OMP_PROC_BIND: close}}\n"
                 "  - b: {ssh: dev, environment: {OMP_PROC_BIND: spread}}\n", compile_ms=600)
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stderr, "[ab]: is busy with another device of this study [(]process [0-9]+[)]; waits for it")
        self.assertIn("torn down: 2 of 2 verified", done.stdout)
        self.assertEqual(self.query(self.results, "SELECT device, count(*) FROM process WHERE is_complete GROUP BY 1"),
                         [("a", 12), ("b", 12)])
        self.assertFalse((self.hosts / "dev" / ".ngraphbench").exists())


class Cache(DeviceTest):
    COMPILERS = ("null",)

    def run_here(self):
        self.use("  - local\n")
        return self.ngb("run", self.study, "-o", f"results/{len(list(self.folder.glob('results/*')))}")

    def run_without_home(self, passwd):
        """`passwd` replaces the content of /etc/passwd."""
        del self.environment["HOME"]
        self.write("passwd", passwd)
        self.use("  - local\n")
        apart = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0/passwd" /etc/passwd && exec "$@"', self.folder)
        client = self.start("run", self.study, begun_by=apart)
        output = client.communicate(timeout=1500)[0]
        self.assertEqual(client.returncode, 0, output)
        return output

    @unittest.skipIf(os.geteuid() != 0, "mounts need root")
    def test_without_HOME_in_the_environment_is_in_the_users_home(self):
        self.run_without_home(f"root:x:0:0::{self.folder}/root:/bin/sh\n")
        self.assertTrue(list((self.folder / "root/.cache/ngraphbench/references").glob("*.ref")))

    @unittest.skipIf(os.geteuid() != 0, "mounts need root")
    def test_is_not_used_without_any_home(self):
        before = set(pathlib.Path("/tmp/.cache/ngraphbench/references").glob("*"))
        output = self.run_without_home("root:x:0:0:::/bin/sh\n")
        self.assertIn("there is no home folder, so the cache is kept with the results", output)
        self.assertEqual(set(pathlib.Path("/tmp/.cache/ngraphbench/references").glob("*")), before)

    def test_is_not_used_if_others_may_write_to_it(self):
        cache = self.folder / "cache"
        cache.mkdir()
        cache.chmod(0o777)
        self.environment["NGB_CACHE"] = str(cache)
        done = self.run_here()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{cache}: the cache is not used, because other users may write there", done.stderr)
        self.assertEqual(list(cache.iterdir()), [])
        cache.chmod(0o700)
        done = self.run_here()
        self.assertNotIn("other users", done.stderr)
        self.assertTrue(list(cache.glob("references/*.ref")))


if __name__ == "__main__":
    unittest.main()
