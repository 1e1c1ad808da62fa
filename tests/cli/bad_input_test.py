# SPDX-License-Identifier: Apache-2.0
"""Faulty models, compilers and toolchains: each failure is stored with its reason, and the study continues."""

import os
import pathlib
import shutil
import unittest

from ngb_program import TOOLCHAINS, NgbTest, kill, toolchain, without_toolchains

NULL_STUDY = """\
name: bad
models:
  - zoo: {{conv_block: {{width: 8, depth: 1, image_size: 16}}}}
compilers:
  - "null": {{options: {{run_ns: 20000000}}}}
  - "null": {{options: {{run_ns: 20000000, fault: {fault}, fault_phase: {phase}}}}}
reference: "null"
processes: 1
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
attempts: 1
"""

STUDY = """\
name: bad
models: {models}
compilers: {compilers}
reference: {reference}
processes: 1
disturbance:
  max_wait_percent: 100
repetitions: 3
protocol: paper
attempts: 1
"""

PLAIN = "{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}"


def versions_of(compiler):
    """The installed versions with a site folder, which can be changed and copied."""
    folder = TOOLCHAINS / compiler
    return sorted(path.name for path in folder.iterdir() if (path / "site").is_dir()) if folder.is_dir() else []


def varint(number):
    """A number as protobuf writes it: seven bits a byte, the lowest first."""
    return bytes([number]) if number < 128 else bytes([number % 128 + 128]) + varint(number // 128)


def read_varint(data, at):
    """The number at this place, and the place behind it."""
    number, shift = 0, 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def with_other_text(data, place, text):
    """A protobuf message with another text where one with this place begins, and the lengths of all that contain it."""
    at = 0
    while at < len(data):
        tag, begin = read_varint(data, at)
        value, begin_of_value = read_varint(data, begin)
        if tag % 8 != 2:  # not a text or message: the value is a number
            at = begin_of_value
            continue
        end = begin_of_value + value
        if place < end:
            inner = text if place == begin else with_other_text(data[begin_of_value:end], place - begin_of_value, text)
            return data[:begin] + varint(len(inner)) + inner + data[end:]
        at = end
    raise ValueError("there is no text at this place")


class BadInput(NgbTest):
    def run_study(self, text, timeout=1500):
        self.write("study.yaml", text)
        return self.ngb("run", "study.yaml", timeout=timeout)

    def use_toolchains(self, *names):
        """Links to this machine's toolchains, in a folder that the test may damage."""
        why_not = without_toolchains(*names)
        if why_not:
            self.skipTest(why_not)
        for name in names:
            target = self.folder / "toolchains" / name
            target.mkdir(parents=True)
            for version in versions_of(name):
                (target / version).symlink_to(TOOLCHAINS / name / version)

    def cells(self):
        """{(model, compiler as in the table): kind of failure, or "ok"}"""
        return {(cell["model"], cell["compiler_label"]): (cell["failure"] or {"kind": "ok"})["kind"]
                for cell in self.show("results/bad")["cells"]}

    def messages(self):
        return [row[0] for row in self.query("results/bad", "select message from failure")]

    def facts(self, name):
        return dict(self.query("results/bad", "select compiler_label, value from fact join process using (process_key) "
                                              f"join cell using (cell_key) where name = '{name}'"))


class ACompilerThat(BadInput):
    def run_with(self, fault, phase="compile"):
        """Returns the faulty cell after checking that the healthy one was measured."""
        run = self.run_study(NULL_STUDY.format(fault=fault, phase=phase))
        healthy, faulty = sorted(self.show("results/bad")["cells"], key=lambda cell: "fault" in cell["options"])
        self.assertIsNotNone(healthy["metrics"]["throughput_median_per_s"]["value"])
        self.assertEqual(run.returncode, 0 if faulty["failure"] is None else 1, run.stderr)
        return faulty

    def test_writes_a_megabyte_is_measured_and_its_log_is_complete(self):
        cell = self.run_with("chatter")
        self.assertEqual(cell["status"], "measured")
        logs = self.query("results/bad", "select log_path from process join cell using (cell_key) "
                                         "where options_json like '%fault%'")
        log = (self.folder / "results/bad" / logs[0][0]).read_text()
        self.assertEqual(len(log), 1 << 20)
        self.assertIn("null: line   8192 of", log)

    def test_calls_exit_is_stored_with_its_code(self):
        failure = self.run_with("exit")["failure"]
        self.assertEqual((failure["kind"], failure["phase"], failure["exit_code"]), ("exit", "compile", 7))

    def test_aborts_is_stored_with_its_signal(self):
        failure = self.run_with("abort")["failure"]
        self.assertEqual((failure["kind"], failure["phase"], failure["signal"]), ("crash", "compile", 6))

    def test_leaks_busy_threads_is_measured_and_gets_a_flag(self):
        cell = self.run_with("leak_threads")
        self.assertEqual(cell["flags"]["extra_threads"], 3)  # 1 is allowed; its own and two busy ones ran

    def test_leaves_a_child_behind_is_measured_and_the_child_is_ended(self):
        cell = self.run_with("fork")
        self.assertEqual(cell["status"], "measured")
        left = [path for path in pathlib.Path("/proc").glob("[0-9]*/environ") if self.is_ours(path)]
        self.assertEqual(left, [])

    def is_ours(self, path):
        try:
            return f"NGB_WORK_FOLDER={self.folder}".encode() in path.read_bytes()
        except OSError:
            return False


class AModel(BadInput):
    def with_operator(self, name, word):
        """Writes the plain block with another operator instead of Relu."""
        written = self.ngb("models", "write", "conv_block", "--parameters", '{"width": 8, "depth": 1, "image_size": 16}',
                           "-o", name)
        self.assertEqual(written.returncode, 0, written.stderr)
        content = (self.folder / name).read_bytes()
        self.assertEqual(content.count(b"\x22\x04Relu"), 1)
        (self.folder / name).write_bytes(with_other_text(content, content.index(b"\x04Relu"), word.encode()))

    def test_that_some_or_all_compilers_refuse_fails_only_its_own_cells(self):
        self.use_toolchains("onnxruntime", "openvino", "tvm")
        self.with_operator("nobody.onnx", "Nope")
        self.with_operator("not_tvm.onnx", "LpNormalization")
        run = self.run_study(STUDY.format(models=f"[{{onnx: nobody.onnx}}, {{onnx: not_tvm.onnx}}, {PLAIN}]",
                                          compilers="[onnxruntime, openvino, tvm]", reference="none"))
        self.assertEqual(run.returncode, 1, run.stderr)
        plain = [model for model, _ in self.cells() if model.startswith("conv_block")][0]
        unsupported = "unsupported_operator"
        self.assertEqual(self.cells(), {
            ("nobody", "onnxruntime"): unsupported, ("nobody", "openvino"): unsupported, ("nobody", "tvm"): unsupported,
            ("not_tvm", "onnxruntime"): "ok", ("not_tvm", "openvino"): "ok", ("not_tvm", "tvm"): unsupported,
            (plain, "onnxruntime"): "ok", (plain, "openvino"): "ok", (plain, "tvm"): "ok"})
        messages = self.messages()
        self.assertEqual(sum("Nope" in message for message in messages), 3, messages)
        self.assertEqual(sum("LpNormalization" in message for message in messages), 1, messages)


class AToolchain(BadInput):
    def test_with_a_damaged_library_fails_only_its_own_cells(self):
        self.use_toolchains("onnxruntime", "openvino")
        linked = self.folder / "toolchains" / toolchain("onnxruntime")
        linked.unlink()
        shutil.copytree(TOOLCHAINS / toolchain("onnxruntime"), linked, symlinks=True,
                        ignore=shutil.ignore_patterns("numpy*", "sympy*", "*.py"))
        library = next(linked.glob("site/onnxruntime/capi/libonnxruntime.so*"))
        with open(library, "r+b") as file:
            file.truncate(library.stat().st_size // 2)
        run = self.run_study(STUDY.format(models=f"[{PLAIN}]", compilers="[onnxruntime, openvino]", reference="none"))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(sorted(kind for kind in self.cells().values()), ["ok", "toolchain_missing"])
        self.assertIn("is damaged: site/onnxruntime/", self.messages()[0])

    def test_with_the_same_libraries_as_another_uses_its_own(self):
        compilers, expected = [], {}
        self.use_toolchains("onnxruntime", "openvino")
        for name in ("onnxruntime", "openvino"):
            versions = versions_of(name)
            if len(versions) < 2:
                self.skipTest(f"only {versions} of {name}; ngb toolchain install another")
            compilers += [f"{name}: {{version: {version}}}" for version in versions]
            expected.update({f"{name} {version}": version for version in versions})
        self.assertEqual(self.run_study(STUDY.format(models=f"[{PLAIN}]", compilers=f"[{', '.join(compilers)}]",
                                                     reference="onnxruntime")).returncode, 0)
        self.assertEqual(set(self.cells().values()), {"ok"})
        told = {label: version.partition("-")[0] for label, version in self.facts("version").items()}
        self.assertEqual(told, expected)


class ATuning(BadInput):
    @unittest.skipUnless(os.environ.get("NGB_ALL_CASES"), "takes minutes: NGB_ALL_CASES=1")
    def test_that_is_killed_resumes_where_it_was(self):
        self.use_toolchains("onnxruntime", "tvm")
        self.write("study.yaml", STUDY.format(models=f"[{PLAIN}]", reference="onnxruntime",
                                              compilers="[onnxruntime, tvm: {options: {trials: 16, early_stop: 0}}]"))
        run = self.start("run", "study.yaml")
        tuned = self.folder / "home/.cache/ngraphbench/tuning/tvm"
        self.wait_for(lambda: any(path.stat().st_size for path in tuned.glob("*/database_tuning_record.json")), 300)
        kill(run.pid)
        run.wait()
        again = self.ngb("run", "study.yaml", timeout=1500)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(set(self.cells().values()), {"ok"})
        self.assertEqual((self.facts("trials")["tvm"], self.facts("tuning_sessions")["tvm"]), ("16", "2"))


if __name__ == "__main__":
    unittest.main()
