# SPDX-License-Identifier: Apache-2.0
"""gpu-proof without a GPU: it ends at its first step; and all of its steps against the stand-ins, which claim one."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
from unittest import mock

import measuring
import proof
import steps

BUILD = pathlib.Path(os.environ["BUILD"])
HERE = pathlib.Path(__file__).resolve().parent
CUDA = pathlib.Path(os.environ["RECORDING_CUDA_STAND_IN"])
TENSORRT = pathlib.Path(os.environ["RECORDING_TENSORRT_STAND_IN"])
PYTHON_STAND_IN = HERE.parent / "conformance/python/recording_tensorrt_stand_in/tensorrt"
MODEL = '{"inputs": {"x": ["FLOAT", [2, 3]]}, "outputs": {"y": ["FLOAT", [2, 3]]}}'


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def prove(self, *words, libraries=""):
        environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "NGB_PYTHON": sys.executable,
                       "NGB_TENSORRT_STAND_IN_VERSION": "10.9.0.34"}
        return subprocess.run(["sh", HERE.parent.parent / "scripts/gpu-proof", "-o", self.folder / "out", *words],
                              capture_output=True, text=True, env=environment, cwd=self.folder, check=False)

    def rows(self, sql, database="proof.db"):
        connection = sqlite3.connect(self.folder / "out" / database)
        self.addCleanup(connection.close)
        return connection.execute(sql).fetchall()

    def states(self):
        return {name: (state, reason) for name, state, reason in self.rows("SELECT name, state, reason FROM step")}


class Proof(InAFolder):
    def test_without_a_gpu_it_ends_at_the_first_step_with_the_reason(self):
        shutil.copy(CUDA, self.folder / "libcuda.so.1")
        (self.folder / "libcuda.so.1").write_bytes(b"not a library")  # also where there is a GPU
        run = self.prove("--build", BUILD, libraries=str(self.folder))
        self.assertEqual(run.returncode, 6, run.stdout + run.stderr)
        self.assertIn("no GPU: there is no NVIDIA driver here", run.stdout)
        self.assertEqual([(name, state) for name, state in self.rows("SELECT name, state FROM step")], [("gpu", "failed")])
        self.assertIn("no GPU", (self.folder / "out/proof.txt").read_text())

    def test_all_steps_end_against_the_stand_ins_and_those_that_are_done_are_not_repeated(self):
        site = self.tensorrt()
        (self.folder / "model.json").write_text(MODEL)
        words = ["--build", BUILD, "--no-machine", "--adopt", f"tensorrt={site}", "--limit", "200", "--model",
                 self.folder / "model.json", "--shape", "x=2x3", "--pack", self.folder / "results.tar.gz"]
        small = ",".join(step.name for step in proof.steps() if step.name != "paper")
        run = self.prove(*words, "--steps", small, libraries=str(CUDA.parent))
        states = self.states()
        done = [name for name, (state, _) in states.items() if state == "done"]
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertEqual(done, ["gpu", "machine", "build", "adopt tensorrt", "tensorrt", "tensorrt-options"], states)
        self.assertEqual([states[name][1] for name in ("tensorrt", "tensorrt-options")],
                         ["2 of 2 cells have a result", "4 of 4 cells have a result"])
        self.assertEqual(self.rows("SELECT DISTINCT value FROM fact WHERE name = 'device_name'", "tensorrt/results.db"),
                         [("Recording Stand-In",)])
        # On the stand-ins an inference takes a microsecond, of which the plugin's call is a part that can be seen.
        self.assertRegex(" ".join(states["agreement-tensorrt"]), "^(done|failed) the plugin's call takes ")
        # The stand-ins have no NVML, whose readings would be the proof of this step.
        self.assertEqual(states["readings of NVML"],
                         ("failed", "gpu_utilisation: no NVIDIA driver: no libnvidia-ml.so.1"))
        for name in ("adopt identity", "pytorch", "questions", "agreement-pytorch", "onnxruntime", "wait", "tvm", "half"):
            self.assertEqual(states[name][0], "skipped", (name, states[name]))
            self.assertTrue(states[name][1], name)
        ratios = self.rows("SELECT compiler, rival FROM agreement WHERE ratio > 0 ORDER BY rival")
        self.assertEqual(ratios, [("tensorrt-cpp", "GPU alone (events)"), ("tensorrt-cpp", "enqueueV3 and a wait")])
        self.assertEqual(dict(self.rows("SELECT name, value FROM fact"))["gpu"], "Recording Stand-In")
        with tarfile.open(self.folder / "results.tar.gz") as packed:
            self.assertLess({"proof.txt", "proof.db", "tensorrt/results.db", "tensorrt.yaml"}, set(packed.getnames()))
        again = self.prove(*words, "--steps", "tensorrt,trtexec", libraries=str(CUDA.parent))
        self.assertNotIn("== tensorrt (", again.stdout)
        self.assertIn("== trtexec (", again.stdout)
        self.assertNotIn("== adopt tensorrt", again.stdout)

    def test_wrong_arguments_are_named(self):
        for words, message in ((["--build", self.folder], "there is no bin/ngb in it"),
                               (["--adopt", "tensorrt"], "not COMPILER=FOLDER"),
                               (["--adopt", f"nonesuch={self.folder}"], "not COMPILER=FOLDER"),
                               (["--steps", "tensorrt,nonesuch"], "--steps nonesuch: unknown, expected some of pytorch, "),
                               (["--budget", "900"], "name the prepared folder with --carried")):
            run = self.prove(*words)
            self.assertEqual(run.returncode, 2)
            self.assertIn(message, run.stderr)

    def tensorrt(self):
        """Return a folder of packages in which both stand-ins of TensorRT are."""
        site, libraries = self.folder / "site", self.folder / "site/tensorrt_libs"
        shutil.copytree(PYTHON_STAND_IN, site / "tensorrt")
        libraries.mkdir()
        information = site / "tensorrt-10.9.0.34.dist-info"
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorrt\nVersion: 10.9.0.34\n")
        for name in ("libnvinfer.so.10", "libnvonnxparser.so.10"):
            (libraries / name).symlink_to(TENSORRT)
        shutil.copy(CUDA, libraries / "libnvinfer_builder_resource_sm87.so.10")
        return site


class Studies(InAFolder):
    def test_of_all_steps_are_accepted_so_that_no_minute_of_a_lent_gpu_goes_to_one_that_is_refused(self):
        write, accepted = measuring._write_study, []

        def planned(*arguments, **more):
            path, _ = write(*arguments, **more)
            run = subprocess.run([BUILD / "bin/ngb", "plan", path], capture_output=True, text=True, cwd=self.folder, check=False)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            accepted.append(path.stem)
            raise steps.Skip("it is not run")

        machine = types.SimpleNamespace(
            versions={"identity": "2.15.0", "onnxruntime": "1.32.0", "tensorrt": "10.9.0.34", "tvm": "0.27.0"},
            proof=types.SimpleNamespace(folder=self.folder, facts={"tensorrt-cpp": "built"}))
        with mock.patch.object(measuring, "_write_study", planned):
            studies = [step for step in proof.steps() if step.of.__qualname__.startswith(("study", "killed_study", "explained"))]
            for step in studies:
                with self.subTest(step.name), self.assertRaises(steps.Skip):
                    step.of(machine, step.name)()
        self.assertEqual(accepted, [step.name for step in studies])
        self.assertEqual(len(accepted), 16)


class Killed(InAFolder):
    def test_a_killed_worker_and_a_killed_ngb_lose_nothing(self):
        (self.folder / "study.yaml").write_text("""
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: [{"null": {options: {run_ns: 1000000}}}]
reference: none
processes: 8
repetitions: 100
attempts: 2
disturbance: {max_wait_percent: 100}
""")
        run = subprocess.run([sys.executable, "-B", HERE / "killed.py", BUILD / "bin/ngb", "study.yaml", "out"],
                             capture_output=True, text=True, cwd=self.folder, check=False,
                             env={**os.environ, "NGB_CACHE": str(self.folder), "GPU_HOLDS": "/compilers/null/"})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"killed: the worker \d+; ngb and \d+ processes below it after 4 of 8")
        self.assertEqual(self.rows("SELECT COUNT(*), SUM(is_complete) FROM process", "results.db"), [(9, 8)])


class Steps(InAFolder):
    def test_a_step_that_hangs_is_ended_and_the_next_one_runs(self):
        proof = steps.Proof(self.folder / "out", 60)
        self.assertFalse(proof.step("hangs", 0.2, lambda: proof.run(["sleep", "60"])))
        self.assertTrue(proof.step("next", 10, lambda: proof.run(["true"])))
        self.assertEqual(self.rows("SELECT name, state, reason FROM step"),
                         [("hangs", "failed", "sleep did not end in time"), ("next", "done", "")])

    def test_when_the_whole_time_is_over_the_rest_is_skipped(self):
        proof = steps.Proof(self.folder / "out", 0)
        self.assertFalse(proof.step("late", 10, lambda: self.fail("it was run")))
        self.assertEqual(proof.outcomes[0].state, "skipped")

    def test_a_proof_in_the_same_folder_knows_what_is_done_and_a_repeated_step_is_there_once(self):
        first = steps.Proof(self.folder / "out", 60)
        first.facts["gpu"] = "a GPU"
        first.add_agreement("tensorrt-cpp", "resnet18", "a loop", 3.0, 2.0)
        first.step("good", 10, lambda: first.run(["true"]))
        first.step("bad", 10, lambda: first.run(["false"]))
        second = steps.Proof(self.folder / "out", 60)
        self.assertEqual((second.is_done("good"), second.is_done("bad"), second.facts), (True, False, {"gpu": "a GPU"}))
        second.add_agreement("tensorrt-cpp", "resnet18", "a loop", 2.0, 2.0)
        second.step("bad", 10, lambda: second.run(["true"]))
        self.assertEqual(self.rows("SELECT name, state FROM step"), [("good", "done"), ("bad", "done")])
        self.assertEqual(self.rows("SELECT ratio FROM agreement"), [(1.0,)])

    def test_what_is_small_is_packed_after_each_step(self):
        proof = steps.Proof(self.folder / "out", 60, self.folder / "results.tar.gz")
        for name, size in (("study/results.db", 2 << 20), ("study/devices/local/logs/1.log", 10), ("study/big.log", 2 << 20),
                           ("model.onnx", 10), ("toolchains/a.json", 10), ("carried/b.txt", 10)):
            path = self.folder / "out" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"x" * size)
        proof.step("one", 10, lambda: "")
        with tarfile.open(self.folder / "results.tar.gz") as packed:
            self.assertEqual(sorted(packed.getnames()),
                             ["proof.db", "proof.txt", "study/devices/local/logs/1.log", "study/results.db"])


if __name__ == "__main__":
    unittest.main()
