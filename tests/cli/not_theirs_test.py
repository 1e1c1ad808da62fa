# SPDX-License-Identifier: Apache-2.0
"""Nothing of others is run, replaced or emptied: not the Python of the folder in which a command is called, not a program
that a mailed results file names, not a file or folder that no run of ngb has made."""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import unittest

from ngb_program import BIN, TOOLCHAINS, NgbTest, without_toolchains

STUDY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, image_size: 16}}
compilers:
  - "null": {label: a}
  - "null": {label: b}
reference: none
processes: 1
repetitions: 3
warm_up: 1
min_repetition_ms: 0
disturbance:
  max_wait_percent: 100
"""


class NotTheirs(NgbTest):
    def setUp(self):
        super().setUp()
        self.write("study.yaml", STUDY)

    def ngb_in(self, folder, *arguments):
        return subprocess.run([BIN / "ngb", *arguments], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1500)

    def measured(self, output="results/test"):
        done = self.ngb("run", "study.yaml", "--output", output, "--no-report")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / output


class PythonInTheWorkingFolder(NotTheirs):
    """Python would import any of these instead of its own, and leave a mark."""

    NAMES = ("os", "json", "platform", "csv", "re", "bisect", "ast", "importlib", "pip", "vl_convert")

    def setUp(self):
        super().setUp()
        self.mark = self.folder / "mark"
        for name in self.NAMES:
            self.write(f"{name}.py", f"open({str(self.mark)!r}, 'a').write('{name} ')\n")
        self.write("runpy.py", f"open({str(self.mark)!r}, 'a').write('runpy ')\n")

    def assert_unmarked(self, *arguments, code):
        with self.subTest(arguments):
            done = self.ngb(*arguments, timeout=1500)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertFalse(self.mark.exists(), self.mark.exists() and self.mark.read_text())

    def test_is_not_run_by_the_commands_that_ask_python(self):
        self.assert_unmarked("doctor", code=3)  # no toolchain is installed
        self.assert_unmarked("compilers", code=0)
        self.assert_unmarked("toolchain", "install", "no-such-compiler", code=2)
        self.environment["PIP_NO_INDEX"] = "1"
        self.assert_unmarked("toolchain", "install", "onnxruntime@9.9.9", code=3)
        (self.folder / "empty").mkdir()
        self.assert_unmarked("toolchain", "adopt", "onnxruntime", "empty", code=3)

    def test_is_not_run_where_the_results_came_with_it(self):
        results = self.measured()
        for name in self.NAMES:
            shutil.copy(self.folder / f"{name}.py", results)
        done = self.ngb_in(results, "report", ".")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(self.mark.exists())


class AddressesInResults(NotTheirs):
    """A results.db that was mailed says that its run is still on a device, which a program of its author reaches."""

    def setUp(self):
        super().setUp()
        self.mark = self.folder / "reached"
        self.mailed = self.measured("mailed")
        (self.mailed / "study.json").unlink()
        self.use_device({"x": {"command": ["sh", "-c", f"touch {self.mark}; exit 1"]}})

    def use_device(self, device):
        with sqlite3.connect(self.mailed / "results.db") as database:
            study = json.loads(database.execute("SELECT study_json FROM run").fetchone()[0])
            study["devices"] = [device]
            database.execute("UPDATE run SET study_json = ?", (json.dumps(study),))
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                if "device" in [column[1] for column in database.execute(f"PRAGMA table_info({table})")]:
                    database.execute(f"UPDATE {table} SET device = 'x'")
            database.execute("INSERT INTO presence SELECT run_key, device FROM run_device")

    def test_are_named_and_not_used(self):
        for command in (("status", self.mailed), ("show", self.mailed), ("report", self.mailed)):
            self.assertEqual(self.ngb(*command).returncode, 0, command)
        cancelled = self.ngb("cancel", self.mailed)
        self.assertEqual(cancelled.returncode, 3)
        self.assertIn("may still be on x: mailed/results.db has the addresses, but no run that was begun here has them, so "
                      "nothing is started because of them; if the run is yours, name its study: ngb cancel mailed --study "
                      "FILE", cancelled.stderr.replace(f"{self.folder}/", ""))
        ran = self.ngb("run", "study.yaml", "--output", self.mailed)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("may still be on x", ran.stderr)
        self.assertFalse(self.mark.exists())

    def test_are_used_from_a_study_that_the_user_names(self):
        self.write("mine.yaml", STUDY + f'devices:\n  - x: {{command: [sh, -c, "touch {self.mark}; exit 1"]}}\n')
        cancelled = self.ngb("cancel", self.mailed, "--study", "mine.yaml")
        self.assertEqual(cancelled.returncode, 3)
        self.assertTrue(self.mark.exists())


class StudyBesideResults(NotTheirs):
    def test_is_not_replaced_by_a_gate_that_is_refused(self):
        results = self.measured()
        before = (results / "study.json").read_text()
        self.write("other.yaml", STUDY.replace("repetitions: 3", "repetitions: 7"))
        refused = self.ngb("gate", "other.yaml", "--baseline", "a", "--candidate", "b", "--output", results)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("measured under another protocol", refused.stderr)
        self.assertEqual((results / "study.json").read_text(), before)

    def test_is_not_replaced_if_it_is_the_users_own(self):
        own = self.folder / "own"
        own.mkdir()
        (own / "study.json").write_text(STUDY)
        for command in (("run", "study.json"), ("gate", "study.json", "--baseline", "a", "--candidate", "b")):
            refused = self.ngb_in(own, *command, "--output", ".")
            self.assertEqual(refused.returncode, 3, refused.stderr)
            self.assertIn("own/study.json: this file is not one that ngb has written, and would be replaced; give the study "
                          "another name, or its results another folder (--output)", refused.stderr)
            self.assertEqual((own / "study.json").read_text(), STUDY)

    def test_is_continued_where_a_run_has_written_it(self):
        results = self.measured()
        self.assertEqual(self.ngb("resume", results).returncode, 0)


class WorkFolder(NotTheirs):
    def test_that_has_files_of_others_is_not_emptied(self):
        theirs = self.folder / "results/test/devices/local"
        for name in ("models/precious.onnx", "scratch/thesis.tex", "journal of 2025.txt"):
            (theirs / name).parent.mkdir(parents=True, exist_ok=True)
            (theirs / name).write_text("theirs")
        refused = self.ngb("run", "study.yaml", "--output", "results/test")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertIn("local/models: this folder would be emptied, but it has files and no run of ngb has worked beside it",
                      refused.stderr)
        self.assertEqual([(theirs / name).read_text() for name in ("models/precious.onnx", "scratch/thesis.tex")],
                         ["theirs", "theirs"])

    def test_that_is_a_link_to_a_faster_disk_is_used(self):
        (self.folder / "fast").mkdir()
        (self.folder / "results/test/devices").mkdir(parents=True)
        (self.folder / "results/test/devices/local").symlink_to(self.folder / "fast")
        self.measured()
        self.assertEqual(self.ngb("run", "study.yaml", "--output", "results/test").returncode, 0)

    def test_whose_path_is_not_utf8_is_refused_by_its_name(self):
        for command in (("run", "study.yaml"), ("gate", "study.yaml", "--baseline", "a", "--candidate", "b"),
                        ("calibrate", "--compiler", "null", "--threads", "1"),
                        ("choose", self.measured(), "--latency", "p50=10s", "--load", "1/s", "--confirm")):
            with self.subTest(command):
                refused = self.ngb_in(self.folder, *command, "--output", b"o\xff")
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn("the results folder's path is not UTF-8", refused.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("o")], [])


class LinksInResults(NotTheirs):
    def test_are_not_followed_out_of_the_folder_by_a_merge(self):
        results = self.measured("mailed")
        (self.folder / "secret").mkdir()
        (self.folder / "secret/key").write_text("secret")
        (results / "logs").symlink_to(self.folder / "secret")
        with sqlite3.connect(results / "results.db") as database:
            database.execute("UPDATE process SET log_path = 'logs/key'")
        merged = self.ngb("merge", results, "--output", "merged")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertEqual([path for path in (self.folder / "merged").rglob("*") if path.is_file() and b"secret" in
                          path.read_bytes()], [])


    def test_are_not_written_through_by_a_run(self):
        self.write("more.yaml", STUDY + "batch_sizes: [1, 2]\n")
        self.assertEqual(self.ngb("run", "more.yaml", "--output", "more", "--no-report").returncode, 0)
        logs = [f"logs/{log.name}" for log in (self.folder / "more/devices/local/logs").iterdir()]
        for names in (["agent.log"], ["journal"], logs):
            with self.subTest(names[0]):
                theirs = self.write(f"theirs of {len(names)} {names[0][:4]}", "theirs")
                work = self.measured(f"mailed {names[0][:4]}") / "devices/local"
                for name in names:
                    (work / name).unlink(missing_ok=True)
                    (work / name).symlink_to(theirs)
                self.ngb("run", "more.yaml", "--output", work.parent.parent, "--no-report")
                self.assertEqual(theirs.read_text(), "theirs")

    def test_in_place_of_a_devices_folders_are_not_written_through(self):
        self.write("more.yaml", STUDY + "batch_sizes: [1, 2]\n")
        for name in ("devices", "devices/local", "devices/local/logs", "devices/local/references"):
            with self.subTest(name):
                results = self.measured(f"mailed {name.replace('/', ' ')}")
                theirs = self.folder / f"theirs {name.replace('/', ' ')}"
                theirs.mkdir()
                (theirs / "thesis.tex").write_text("theirs")
                if (results / name).exists():
                    shutil.rmtree(results / name)
                (results / name).symlink_to(theirs)
                ran = self.ngb("run", "more.yaml", "--output", results, "--no-report")
                self.assertEqual(ran.returncode, 3, ran.stdout + ran.stderr)
                self.assertIn(f"{results / name}: is a link, and a run would write into what it leads to; remove the link", ran.stderr)
                self.assertEqual([path.name for path in theirs.iterdir()], ["thesis.tex"])

    def test_beside_results_are_not_written_through(self):
        film = bytes(64) + b"film"  # begins with a zero, as a journal that is over
        for name in ("results.db.lock", "results.db-journal", "results.db-wal", "results.db-shm"):
            with self.subTest(name):
                results = self.measured(f"mailed {name}")
                theirs = self.folder / f"film {name}"
                theirs.write_bytes(film)
                (results / name).symlink_to(theirs)
                for command in (("show", results), ("run", "study.yaml", "--output", results)):
                    self.assertIn(self.ngb(*command).returncode, (0, 3))
                    self.assertEqual(theirs.read_bytes(), film)


    def test_in_a_report_are_not_written_through(self):
        for name in ("figures", "tables"):
            with self.subTest(name):
                results = self.measured(f"mailed {name}")
                self.assertEqual(self.ngb("report", results, "--tables", "csv").returncode, 0)
                (results / "report" / name).rename(self.folder / f"theirs {name}")
                (results / "report" / name).symlink_to(self.folder / f"theirs {name}")
                before = sorted(path.stat().st_ino for path in (self.folder / f"theirs {name}").iterdir())
                refused = self.ngb("report", results, "--tables", "csv")
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn(f"report/{name}: is a link, and files behind it would be replaced", refused.stderr)
                self.assertEqual(sorted(path.stat().st_ino for path in (self.folder / f"theirs {name}").iterdir()), before)


class NestedResults(NotTheirs):
    def test_are_refused_by_every_command_that_reads_them(self):
        deep = "[" * 200_000 + "]" * 200_000
        results = self.measured()
        with sqlite3.connect(results / "results.db") as database:
            study = json.loads(database.execute("SELECT study_json FROM run").fetchone()[0])
            database.execute("UPDATE run SET study_json = ?", (json.dumps({**study, "devices": "@"}).replace('"@"', deep),))
            database.execute("UPDATE cell SET options_json = ?", (f'{{"a": {deep}}}',))
        for command in (("status",), ("show",), ("profile",), ("cancel",), ("report",),
                        ("choose", "--latency", "p50=10s", "--load", "1/s")):
            refused = self.ngb(command[0], results, *command[1:], timeout=1500)
            self.assertEqual(refused.returncode, 3, (command, refused.stderr[-500:]))
        merged = self.ngb("merge", results, "--as", "local=x", "--output", "merged", timeout=1500)
        self.assertIn(merged.returncode, (0, 3), merged.stderr[-500:])


class Cancel(NotTheirs):
    def test_is_refused_while_a_client_measures(self):
        self.write("study.yaml", STUDY.replace("processes: 1", "processes: 200"))
        client = self.start("run", "study.yaml", "--output", "results/test")
        self.wait_for(lambda: (self.folder / "results/test/results.db").exists())
        refused = self.ngb("cancel", "results/test")
        self.assertEqual(refused.returncode, 3, refused.stdout)
        self.assertRegex(refused.stderr, "the results are in use by .*; end that program first")
        client.kill()
        client.communicate()


class PackagesOfTheUser(NotTheirs):
    @unittest.skipIf(without_toolchains("identity"), without_toolchains("identity"))
    def test_are_no_part_of_what_is_measured(self):
        asked = subprocess.run(["python3", "-c", "import site; print(site.getusersitepackages())"], env=self.environment,
                               capture_output=True, text=True, check=True)
        site = pathlib.Path(asked.stdout.strip())
        site.mkdir(parents=True)
        (site / "usercustomize.py").write_text(f"open({str(self.folder / 'mark')!r}, 'a').write('x')\n")
        self.write("study.yaml", STUDY.replace('"null": {label: a}', "identity").replace('\n  - "null": {label: b}', ""))
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.measured()
        self.assertFalse((self.folder / "mark").exists())


class SameContents(NotTheirs):
    """A gate that is continued in its folder, after what it measures has changed under its name."""

    def write_model(self, depth):
        with sqlite3.connect(self.measured() / "results.db") as database:
            recipe = json.loads(database.execute("SELECT recipe_json FROM model").fetchone()[0])
        recipe["parameters"]["depth"] = depth
        subprocess.run([BIN / "ngb-worker", "write-model", "--recipe", "-", "--batch", "1", "--threads", "1", "-o", "m.onnx"],
                       input=json.dumps(recipe), text=True, cwd=self.folder, env=self.environment, check=True,
                       capture_output=True)

    def gate(self):
        return self.ngb("gate", "gate.yaml", "--baseline", "a", "--candidate", "b", "--output", "gated", "--turns", "1")

    def test_are_demanded_of_a_gate_that_is_continued(self):
        self.write_model(1)
        gated = STUDY.replace("zoo: {conv_block: {width: 8, image_size: 16}}", "onnx: m.onnx")
        self.write("gate.yaml", gated.replace("processes: 1\n", ""))
        self.assertIn(self.gate().returncode, (0, 4))
        self.write_model(2)
        refused = self.gate()
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("gated: what was measured there has changed since: m, batch 1; measure into another folder (--output), "
                      "or restore what has changed", refused.stderr)
        self.write_model(1)
        self.assertIn(self.gate().returncode, (0, 4))


class Surroundings(NotTheirs):
    def test_a_cache_in_whose_place_others_may_put_another_is_not_used(self):
        shared = self.folder / "shared"
        (shared / "cache").mkdir(parents=True, mode=0o700)
        self.environment["NGB_CACHE"] = str(shared / "cache")
        for mode, is_used in ((0o777, False), (0o1777, True), (0o755, True)):
            shared.chmod(mode)
            done = self.ngb("run", "study.yaml", "--output", f"results/{mode}", "--no-report")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("the cache is not used" not in done.stderr, is_used, (oct(mode), done.stderr))

    def test_a_cache_in_which_others_may_change_anything_is_not_used_unless_they_cannot_enter_it(self):
        for kind in ("runs", "references", "prepared", "exports", "calibrations", "machines", "a kind of tomorrow"):
            folder = self.folder / f"cache of {kind}" / kind
            folder.mkdir(parents=True)
            self.environment["NGB_CACHE"] = str(folder.parent)
            for of_kind, of_cache, is_used in ((0o777, 0o755, False), (0o775, 0o755, False), (0o777, 0o700, True),
                                               (0o755, 0o755, True)):
                folder.chmod(of_kind)
                folder.parent.chmod(of_cache)
                done = self.ngb("plan", "study.yaml")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("the cache is not used" not in done.stderr, is_used, (kind, oct(of_kind), done.stderr))

    @unittest.skipIf(os.geteuid() != 0, "only root may give a folder to another group")
    def test_a_cache_in_whose_place_a_group_may_put_another_is_not_used(self):
        shared = self.folder / "shared"
        (shared / "cache").mkdir(parents=True, mode=0o700)
        os.chown(shared, -1, 12345)
        self.environment["NGB_CACHE"] = str(shared / "cache")
        for mode, is_used in ((0o2775, False), (0o2755, True)):
            shared.chmod(mode)
            done = self.ngb("plan", "study.yaml")
            self.assertEqual("the cache is not used" not in done.stderr, is_used, (oct(mode), done.stderr))

    def test_all_of_a_cache_is_for_its_user_alone_whatever_the_umask_says(self):
        cache = self.folder / "new/cache"
        self.environment["NGB_CACHE"] = str(cache)
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.write("study.yaml", STUDY.replace("reference: none", 'reference: "null"'))
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        folders = [cache.parent, cache, *(path for path in cache.rglob("*") if path.is_dir())]
        self.assertGreater(len(folders), 3)
        self.assertEqual({oct(path.stat().st_mode & 0o777) for path in folders}, {"0o700"}, folders)

    def test_a_relative_cache_is_that_of_the_working_folder_and_a_relative_one_of_xdg_is_none(self):
        self.environment |= {"NGB_CACHE": "own", "XDG_CACHE_HOME": "xdg"}
        self.write("study.yaml", STUDY.replace("reference: none", 'reference: "null"'))
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        self.assertTrue(list(self.folder.glob("own/references/*.ref")))
        del self.environment["NGB_CACHE"]
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report", "--output", "again").returncode, 0)
        self.assertTrue(list(self.folder.glob("home/.cache/ngraphbench/references/*.ref")))
        self.assertFalse((self.folder / "xdg").exists())

    def test_what_is_set_for_pip_elsewhere_does_not_change_where_it_installs(self):
        file = self.write("pip.conf", "[global]\nrequire-virtualenv = true\n[install]\nuser = true\n")
        plain = self.environment | {"PIP_NO_INDEX": "1"}
        for setting in ({"PIP_REQUIRE_VIRTUALENV": "1", "PIP_USER": "1", "PIP_PREFIX": "/nowhere"},
                        {"PIP_CONFIG_FILE": str(file)}):
            self.environment = plain | setting
            done = self.ngb("toolchain", "install", "onnxruntime@9.9.9")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("pip finds no version of onnxruntime==9.9.9", done.stderr)


if __name__ == "__main__":
    unittest.main()
