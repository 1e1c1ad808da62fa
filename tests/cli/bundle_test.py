# SPDX-License-Identifier: Apache-2.0
"""ngb bundle and ngb verify, and the examples of docs/bundle.md, on results of the null compiler."""

import hashlib
import io
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import socket
import sqlite3
import stat
import struct
import subprocess
import unittest
import warnings
import zipfile

from ngb_program import BIN, NULL_STUDY, NgbTest

GUIDE = (pathlib.Path(__file__).resolve().parents[2] / "docs/bundle.md").read_text("utf-8")
TABLE = "report/tables/table2_compilers.csv"
DATA = "report/figures/throughput_by_batch.csv"
DATABASE = "results/results.db"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def unpacked(bundle):
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in files.items():
            archive.writestr(name, each)
    return content.getvalue()


def with_manifest(files, **about):
    """Makes the manifest anew, as somebody does who changes a bundle on purpose."""
    manifest = json.loads(files["manifest.json"]) | about
    manifest["files"] = [{"path": path, "bytes": len(content), "sha256": sha256(content)}
                         for path, content in sorted(files.items()) if path != "manifest.json"]
    return files | {"manifest.json": (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()}


def forged(original, changed, **about):
    """Changes files, and writes the manifest again with their new hashes."""
    return packed(with_manifest(original | changed, **about))


# The first digit of a column's number that has a fraction. (A later digit can be less than the rounding that counts as equal.)
LEADING_DIGIT = rb",[0-9](?=[0-9]*\.[0-9])"


def next_digit(content, place):
    """Changes the digit at the end of the first match of `place`."""
    at = re.search(place, content).end() - 1
    return content[:at] + (b"1" if content[at:at + 1] != b"1" else b"2") + content[at + 1:]


class Bundle(NgbTest):
    made = None  # results.db and the bundle, made once for all tests

    def setUp(self):
        super().setUp()
        results = self.folder / "results/my_study"
        if Bundle.made is None:
            run = self.ngb("run", self.write("my_study.yaml", NULL_STUDY), "-o", results, "--no-report")
            self.assertEqual(run.returncode, 0, run.stderr)
            Bundle.made = ((results / "results.db").read_bytes(), self.bundle("first.zip").read_bytes())
        results.mkdir(parents=True, exist_ok=True)
        (results / "results.db").write_bytes(Bundle.made[0])
        self.files = unpacked(Bundle.made[1])

    def bundle(self, name):
        made = self.ngb("bundle", "results/my_study", "-o", name, "--licence", "CC-BY-4.0", "--author", "Ada Lovelace")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn(f"SHA-256: {sha256((self.folder / name).read_bytes())}", made.stdout)
        return self.folder / name

    def verify(self, bundle):
        """Returns the exit code, the verdict and for each rule that fails the places where it does."""
        (self.folder / "given.zip").write_bytes(bundle)
        verified = self.ngb("verify", "given.zip", "--format", "json")
        if not verified.stdout:
            return verified.returncode, verified.stderr, {}
        told = json.loads(verified.stdout)
        fails = {rule["rule"]: sorted(problem["where"] for problem in rule["problems"])
                 for rule in told["rules"] if rule["outcome"] == "fails"}
        return verified.returncode, told["verdict"], fails

    def changed_database(self, *statements):
        path = self.write("changed.db", "")
        path.write_bytes(self.files[DATABASE])
        with sqlite3.connect(path) as database:
            for statement in statements:
                self.assertNotEqual(database.execute(statement).rowcount, 0, statement)
        database.close()
        return path.read_bytes()

    def test_the_examples_of_the_guide_make_one_and_verify_it(self):
        script = "\n".join(re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL))
        shell = subprocess.run(["bash", "-euc", script], cwd=self.folder, capture_output=True, text=True, timeout=1500,
                               env=self.environment | {"PATH": f"{BIN}:{os.environ['PATH']}"})
        self.assertEqual(shell.returncode, 0, shell.stdout + shell.stderr)
        self.assertEqual(shell.stdout.count("verified: the files are those that the manifest lists"), 2, shell.stdout)
        self.assertEqual((self.folder / "my_study.zip").read_bytes(), Bundle.made[1])
        # Each command of its README makes the file beside it again.
        rows = re.findall(r"^\| `(\S+)` \| `(.+)` \| (.*) \|$", (self.folder / "my_study/README.md").read_text(), re.MULTILINE)
        self.assertEqual({path for path, *_ in rows} | {DATABASE, "LICENCE", "README.md", "manifest.json",
                                                        "study.json", "environment.json"}, set(self.files))
        outputs = {}
        for path, command, place in rows:
            program, *arguments = shlex.split(command)
            if not shutil.which(program) and program != "ngb":
                continue
            if command not in outputs:
                outputs[command] = subprocess.run([BIN / "ngb" if program == "ngb" else program, *arguments],
                                                  cwd=self.folder / "my_study", env=self.environment, capture_output=True,
                                                  timeout=1500, check=True).stdout
            made = outputs[command] if place == "its output" else (self.folder / "my_study" / place.strip("`")).read_bytes()
            if path == "report/index.html":  # which has the folder's name
                self.assertEqual(len(made.splitlines()), len(self.files[path].splitlines()))
            else:
                self.assertEqual(sorted(made.splitlines()), sorted(self.files[path].splitlines()), command)

    @unittest.skipUnless(shutil.which("sqlite3"), "sqlite3 is not installed")
    def test_the_command_for_samples_makes_the_same_bytes_with_the_line_ends_that_the_guide_adds(self):
        with zipfile.ZipFile(io.BytesIO(Bundle.made[1])) as archive:
            archive.extractall(self.folder / "unpacked")
        command, = re.findall(r"^\| `data/samples\.csv` \| `(.+)` \|", self.files["README.md"].decode(), re.MULTILINE)
        self.assertIn(r"`… \| sed 's/$/\r/'`", GUIDE)
        made = subprocess.run(["sh", "-c", rf"{command} | sed 's/$/\r/'"], cwd=self.folder / "unpacked", capture_output=True,
                              timeout=1500, check=True)
        self.assertEqual(made.stdout, self.files["data/samples.csv"])

    def test_the_same_results_give_the_same_bytes(self):
        with sqlite3.connect(self.folder / "results/my_study/results.db") as database:  # whether or not it keeps values
            database.execute("DELETE FROM derived")
        database.close()
        second = self.bundle("second.zip")
        self.assertEqual(second.read_bytes(), Bundle.made[1])
        self.assertEqual(self.verify(Bundle.made[1]), (0, "verified", {}))
        with zipfile.ZipFile(second) as archive:
            self.assertEqual(archive.namelist(), sorted(archive.namelist()))
            self.assertEqual({entry.date_time for entry in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})
            self.assertEqual({entry.external_attr >> 16 for entry in archive.infolist()}, {stat.S_IFREG | 0o444})
        self.assertEqual(len(self.files["data/samples.csv"].splitlines()) - 1,
                         self.query("results/my_study", "SELECT count(*) FROM sample")[0][0])

    def test_damaged_and_changed_files_fail_by_a_rule_on_files(self):
        whole = Bundle.made[1]
        at_content = whole.index(b"LICENCE") + 20
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        link_archive = io.BytesIO(packed(self.files))
        with zipfile.ZipFile(link_archive, "a") as archive:
            archive.writestr(link, "/etc/passwd")
        twice = io.BytesIO(packed(self.files))
        with zipfile.ZipFile(twice, "a") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            archive.writestr("LICENCE", "all rights reserved")
        end = whole.rindex(b"PK\5\6")
        directory, = struct.unpack("<I", whole[end + 16:end + 20])
        hidden = whole[whole.index(b"PK\3\4"):whole.index(b"PK\3\4", 4)]  # an entry, once more
        moved = struct.pack("<I", directory + len(hidden))
        at_name = whole.index(b"LICENCE")
        for what, bundle, rule in (
                ("a program before it", b"#!/bin/sh\nexit 0\n" + whole, "archive"),
                ("something behind it", whole + b"x", "archive"),
                ("a comment", whole[:end + 20] + b"\2\0ab", "archive"),
                ("an entry that is not in its list", whole[:directory] + hidden + whole[directory:end + 16] + moved + b"\0\0",
                 "archive"),
                ("an entry of another name than in its list", whole[:at_name] + b"license" + whole[at_name + 7:], "archive"),
                ("a byte of the zip", whole[:at_content] + bytes([whole[at_content] ^ 1]) + whole[at_content + 1:], "archive"),
                ("the end is cut off", whole[:-100], "archive"),
                ("more than fits on a disk", packed(self.files | {"more.csv": bytes(200_000_000)}), "archive"),
                ("a path out of the folder", packed(self.files | {"../evil": b"x"}), "paths"),
                ("an absolute path", packed(self.files | {"/tmp/evil": b"x"}), "paths"),
                ("a hidden file", packed(self.files | {"results/.x": b"x"}), "paths"),
                ("a folder", packed(self.files | {"more/": b""}), "paths"),
                ("a link", link_archive.getvalue(), "paths"),
                ("a name twice", twice.getvalue(), "paths"),
                ("no manifest", packed({path: each for path, each in self.files.items() if path != "manifest.json"}), "manifest"),
                ("a manifest with more in it", packed(self.files | {"manifest.json": self.files["manifest.json"] + b" "}), "manifest")):
            with self.subTest(what):
                code, verdict, fails = self.verify(bundle)
                self.assertEqual((code, verdict, [*fails]), (6, "files_differ", [rule]))
        view = self.changed_database("DROP VIEW sample", "CREATE VIEW sample AS SELECT 1 AS of_an_earlier_ngb")
        self.assertEqual(self.verify(forged(self.files, {DATABASE: view}))[:2], (0, "verified"))
        diary = self.changed_database("CREATE TABLE diary (day TEXT)", "INSERT INTO diary VALUES ('mine')")
        self.assertEqual(self.verify(forged(self.files, {DATABASE: diary}))[2], {"samples": [DATABASE]})
        others = {path: each for path, each in self.files.items() if path != TABLE}
        others |= {"results/results.db-journal": b"x", DATA: self.files[DATA] + b"x", DATABASE: self.files[DATABASE] + b"x"}
        code, _, fails = self.verify(packed(others))
        self.assertEqual((code, fails["manifest"], fails["hash"]),
                         (6, [TABLE, "results/results.db-journal"], [DATA, DATABASE]))
        self.verify(whole[:-100])
        self.assertEqual([line for line in self.ngb("verify", "given.zip").stdout.splitlines() if "unchecked" in line],
                         ["  unchecked: paths, manifest, hash, samples, derived, series, verdicts, tables, figures, page, study, "
                          "environment, metadata: an earlier rule does not hold"])
        self.assertFalse((self.folder.parent / "evil").exists() or os.path.exists("/tmp/evil"))

    def test_numbers_that_do_not_follow_fail_although_the_manifest_was_made_anew(self):
        numbers = {TABLE: rb"[a-z]{4}", "data/cells.csv": LEADING_DIGIT, DATA: LEADING_DIGIT, "report/index.html": rb"[0-9]{2}",
                   "data/samples.csv": rb",[0-9]{4}", "study.json": rb"[0-9]{2}", "environment.json": rb"[0-9]{2}",
                   "LICENCE": rb"[0-9]"}
        changed = {path: next_digit(self.files[path], number) for path, number in numbers.items()}
        code, verdict, fails = self.verify(forged(self.files, changed))
        self.assertEqual((code, verdict), (7, "numbers_differ"))
        self.assertEqual(fails, {"samples": ["data/samples.csv"], "tables": ["data/cells.csv", TABLE], "figures": [DATA],
                                 "page": ["report/index.html"], "study": ["study.json"], "environment": ["environment.json"],
                                 "metadata": ["LICENCE"]})
        self.assertEqual([*self.verify(forged(self.files, {TABLE: changed[TABLE]}))[2]], ["tables"])
        derived = self.changed_database("UPDATE derived SET value = 2 * value WHERE metric = 'throughput_per_s'")
        code, verdict, fails = self.verify(forged(self.files, {DATABASE: derived}))
        self.assertEqual((code, verdict, [*fails]), (7, "numbers_differ", ["derived"]))
        self.assertEqual(len(fails["derived"]), 4)
        verdicts = self.changed_database("UPDATE conclusion SET kind = upper(kind)")
        self.assertEqual([*self.verify(forged(self.files, {DATABASE: verdicts}))[2]], ["verdicts"])
        samples = self.changed_database("UPDATE repetition SET wall_ns = wall_ns + 1 WHERE process_key = 1")
        code, _, fails = self.verify(forged(self.files, {DATABASE: samples}))
        self.assertEqual(code, 7)
        self.assertLessEqual({"samples", "derived", "tables", "figures", "page"}, {*fails})
        others = {path: each for path, each in self.files.items() if path != TABLE} | {"report/tables/more.csv": b"a\r\n1\r\n"}
        self.assertEqual(self.verify(packed(with_manifest(others)))[2]["tables"], ["report/tables/more.csv", TABLE])
        text = self.ngb("verify", "given.zip")
        self.assertEqual(text.returncode, 7)
        self.assertIn("    report/tables/more.csv: it does not follow\n", text.stdout)
        self.assertRegex(text.stdout, "\nnumbers_differ: .*made its manifest anew\n$")

    def test_what_another_version_made_holds_if_all_is_the_same_and_else_that_version_decides(self):
        own = json.loads(self.files["manifest.json"])["made_by"]
        other = "9" + own[1:]
        named = {path: self.files[path].replace(own.encode(), other.encode())
                 for path in ("report/index.html", "README.md")}
        self.assertEqual(self.verify(forged(self.files, named, made_by=other)), (0, "verified", {}))
        header, *rows = self.files["data/samples.csv"].splitlines(keepends=True)
        words = named | {"data/samples.csv": b"".join([header.upper(), *rows])}
        self.assertEqual(self.verify(forged(self.files, words, made_by=other)), (3, "unknown", {}))
        text = self.ngb("verify", "given.zip")
        self.assertIn("samples     unchecked: data/samples.csv: the numbers are the same, words differ", text.stdout)
        numbers = named | {TABLE: next_digit(self.files[TABLE], rb"[0-9]")}
        self.assertEqual(self.verify(forged(self.files, numbers, made_by=other)), (7, "numbers_differ", {"tables": [TABLE]}))
        more = named | {"more.json": b"{}"}
        self.assertEqual(self.verify(forged(self.files, more, made_by=other)), (3, "unknown", {}))
        self.assertIn("more.json: this ngb makes no such file", self.ngb("verify", "given.zip").stdout)
        newer = self.changed_database("PRAGMA user_version = 99")
        self.assertEqual(self.verify(forged(self.files, {DATABASE: newer}))[:2], (3, "unknown"))
        code, message, _ = self.verify(packed(with_manifest(self.files, bundle_version=2)))
        self.assertEqual(code, 3)
        self.assertIn("a newer version of ngb has made this bundle", message)

    def test_a_page_of_another_version_is_left_to_it_and_its_tables_are_not(self):
        own = json.loads(self.files["manifest.json"])["made_by"]
        page = "report/index.html"

        def changed(made_by, **files):
            named = {path: self.files[path].decode().replace(own, made_by).encode() for path in (page, "README.md")}
            named[page] = named[page].replace("Compilers share a rank".encode(), "C0mpilers share a rank".encode())
            self.assertIn(b"C0mpilers", named[page])
            return forged(self.files, named | files, made_by=made_by)

        self.assertEqual(self.verify(changed(own)), (7, "numbers_differ", {"page": [page]}))
        other = "9" + own[1:]
        self.assertEqual(self.verify(changed(other)), (3, "unknown", {}))
        self.assertRegex(self.ngb("verify", "given.zip").stdout,
                         r"  page        unchecked: report/index.html: another version has made it \(line .* can decide\n")
        numbers = {TABLE: next_digit(self.files[TABLE], rb"[0-9]")}
        self.assertEqual(self.verify(changed(other, **numbers)), (7, "numbers_differ", {"tables": [TABLE]}))

    def test_is_verified_where_somebody_has_made_the_names_that_could_be_foretold(self):
        """In a folder that others use too: a process number and a counter would name the folder for unpacking."""
        (self.folder / "given.zip").write_bytes(Bundle.made[1])
        others = self.folder / "others"
        others.mkdir()
        self.environment["TMPDIR"] = str(others)
        newest = subprocess.Popen(["true"])
        newest.wait()
        host = socket.gethostname().replace(".", "_")
        names = [f"ngb-verify.{host}-{newest.pid + i}-1.partial" for i in range(2000)]
        for name in names:
            (others / name).touch()
        verified = self.ngb("verify", "given.zip")
        self.assertEqual(verified.returncode, 0, verified.stderr)
        self.assertEqual(sorted(path.name for path in others.iterdir()), sorted(names), "its own folder is removed")

    def test_a_file_that_is_too_large_to_compare_fails_by_its_rule(self):
        folder = self.folder / "given"
        with zipfile.ZipFile(io.BytesIO(Bundle.made[1])) as archive:
            archive.extractall(folder)
        samples = folder / "data/samples.csv"
        os.truncate(samples, (1 << 30) + 1)
        with samples.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        manifest = json.loads(self.files["manifest.json"])
        for entry in manifest["files"]:
            if entry["path"] == "data/samples.csv":
                entry |= {"bytes": (1 << 30) + 1, "sha256": digest}
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
        verified = self.ngb("verify", "given", timeout=1500)
        self.assertEqual(verified.returncode, 7, verified.stderr)
        self.assertIn("data/samples.csv: it does not follow from the samples, and is too large to say where", verified.stdout)

    def test_what_this_machine_lacks_says_nothing_about_a_bundle(self):
        (self.folder / "given.zip").write_bytes(Bundle.made[1])
        codes = set()
        for descriptors in range(4, 12):
            verified = subprocess.run([BIN / "ngb", "verify", "given.zip"], cwd=self.folder, env=self.environment,
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                      preexec_fn=lambda most=descriptors: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                                             (most, most)))
            codes.add(verified.returncode)
            self.assertIn(verified.returncode, (0, 3), (descriptors, verified.stdout, verified.stderr))
        self.assertEqual(codes, {0, 3})

    def test_without_a_folder_for_temporary_files_the_message_says_what_to_set(self):
        (self.folder / "given.zip").write_bytes(Bundle.made[1])
        self.environment["TMPDIR"] = "/no/such"
        verified = self.ngb("verify", "given.zip")
        self.assertEqual(verified.returncode, 3)
        self.assertIn("TMPDIR: there is no folder for temporary files; let TMPDIR name a folder that exists", verified.stderr)

    def test_a_folder_of_more_files_than_a_bundle_has_is_refused_without_reading_them(self):
        folder = self.folder / "many"
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        for number in range(1000):
            (folder / f"data/{number}.csv").write_bytes(b"")
        verified = self.ngb("verify", "many")
        self.assertEqual(verified.returncode, 6, verified.stderr)
        self.assertIn("it has more than 1000 files, which no bundle has", verified.stdout)

    def test_bad_input_gets_one_message_and_leaves_nothing(self):
        self.write("taken.zip", "")
        (self.folder / "empty").mkdir()
        for code, message, *arguments in (
                (3, "there are no results here", "bundle", "empty", "-o", "new.zip"),
                (3, "there are no results here", "bundle", "missing", "-o", "new.zip"),
                (2, "it exists already", "bundle", "results/my_study", "-o", "taken.zip"),
                (2, "did you mean CC-BY-4.0?", "bundle", "results/my_study", "-o", "new.zip", "--licence", "CC-BY-4"),
                (2, "no day of the calendar", "bundle", "results/my_study", "-o", "new.zip", "--date", "2026-13-01"),
                (2, "write it in one line", "bundle", "results/my_study", "-o", "new.zip", "--author", "a\nb"),
                (3, "cannot create the folder", "bundle", "results/my_study", "-o", "missing/new.zip"),
                (3, "there is no bundle here", "verify", "missing.zip")):
            with self.subTest(message):
                refused = self.ngb(*arguments)
                self.assertEqual((refused.returncode, len(refused.stderr.splitlines())), (code, 1), refused.stderr)
                self.assertIn(message, refused.stderr)
        self.assertEqual(self.ngb("verify", "taken.zip").returncode, 6)
        self.assertEqual(self.ngb("verify", "empty").returncode, 6)
        # No file may grow beyond 40,000 bytes, as on a disk that is almost full. (Python ignores the signal of that.)
        full = subprocess.run([BIN / "ngb", "bundle", "results/my_study", "-o", "new.zip"], cwd=self.folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
                              env=self.environment, capture_output=True, text=True, timeout=1500, restore_signals=False)
        self.assertEqual((full.returncode, len(full.stderr.splitlines())), (3, 1), full.stderr)
        self.assertEqual([path.name for path in self.folder.glob("new*")], [])


if __name__ == "__main__":
    unittest.main()
