# SPDX-License-Identifier: Apache-2.0
"""gpu-proof without a GPU: it ends at its first step; and all of its steps against the stand-ins, which claim one."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import zipfile

import carried
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
                       "RECORDING_TENSORRT_STAND_IN_VERSION": "10.9.0.34"}
        return subprocess.run(["sh", HERE.parent.parent / "scripts/gpu-proof", "-o", self.folder / "out", *words],
                              capture_output=True, text=True, env=environment, cwd=self.folder, check=False)

    def rows(self, sql, database="proof.db"):
        connection = sqlite3.connect(self.folder / "out" / database)
        self.addCleanup(connection.close)
        return connection.execute(sql).fetchall()


class Proof(InAFolder):
    def test_without_a_gpu_it_ends_at_the_first_step_with_the_reason(self):
        shutil.copy(CUDA, self.folder / "libcuda.so.1")
        (self.folder / "libcuda.so.1").write_bytes(b"not a library")  # also where there is a GPU
        run = self.prove("--build", BUILD, libraries=str(self.folder))
        self.assertEqual(run.returncode, 6, run.stdout + run.stderr)
        self.assertIn("no GPU: there is no NVIDIA driver here", run.stdout)
        self.assertEqual([(name, state) for name, state in self.rows("SELECT name, state FROM step")], [("gpu", "failed")])
        self.assertIn("no GPU", (self.folder / "out/proof.txt").read_text())

    def test_all_steps_end_against_the_stand_ins(self):
        site = self.tensorrt()
        (self.folder / "model.json").write_text(MODEL)
        run = self.prove("--build", BUILD, "--no-machine", "--adopt", f"tensorrt={site}", "--limit", "120",
                         "--model", self.folder / "model.json", "--shape", "x=2x3", "--only-small", libraries=str(CUDA.parent))
        states = {name: (state, reason) for name, state, reason in self.rows("SELECT name, state, reason FROM step")}
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        done = [name for name, (state, _) in states.items() if state == "done"]
        self.assertEqual(done, ["gpu", "machine", "build", "adopt tensorrt", "study tensorrt",
                                "agreement of tensorrt-cpp"], states)
        self.assertEqual(states["study tensorrt"][1], "12 of 12 cells have a result")
        self.assertEqual(self.rows("SELECT DISTINCT value FROM fact WHERE name = 'device_name'", "tensorrt/results.db"),
                         [("Recording Stand-In",)])
        # The stand-ins have no NVML, whose readings would be the proof of this step.
        self.assertEqual(states["readings of NVML"],
                         ("failed", "gpu_utilisation: no NVIDIA driver: no libnvidia-ml.so.1"))
        for name in ("adopt identity", "study pytorch", "study onnxruntime", "study tvm", "agreement of PyTorch"):
            self.assertEqual(states[name][0], "skipped", (name, states[name]))
            self.assertTrue(states[name][1], name)
        ratios = self.rows("SELECT compiler, rival FROM agreement WHERE ratio > 0 ORDER BY rival")
        self.assertEqual(ratios, [("tensorrt-cpp", "GPU alone (events)"), ("tensorrt-cpp", "enqueueV3 and a wait")])
        self.assertEqual(dict(self.rows("SELECT name, value FROM fact"))["gpu"], "Recording Stand-In")

    def test_wrong_arguments_are_named(self):
        for words, message in ((["--build", self.folder], "there is no bin/ngb in it"),
                               (["--adopt", "tensorrt"], "not COMPILER=FOLDER"),
                               (["--adopt", f"nonesuch={self.folder}"], "not COMPILER=FOLDER")):
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


class Carried(InAFolder):
    def test_files_are_cut_and_put_together_again(self):
        pieces, into = self.folder / "pieces", self.folder / "into"
        pieces.mkdir()
        wheel, archive = self.folder / "toy.whl", self.folder / "libraries.jar"
        with zipfile.ZipFile(wheel, "w") as file:
            file.writestr("toy/__init__.py", "x = 1\n" * 1000)
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("deep/below/libnvinfer.so.10", "a library")
            file.writestr("deep/below/notes.txt", "left out")
        entries = [{**carried.cut(wheel, pieces, 100), "for": "tensorrt"},
                   {**carried.cut(archive, pieces, 100), "for": "tensorrt", "libraries": "tensorrt_libs"}]
        self.assertGreater(len(entries[0]["pieces"]), 1)
        self.assertLessEqual(max(path.stat().st_size for path in pieces.iterdir()), 100)
        carried.write_manifest(pieces, entries)
        build, sites = carried.unpack(pieces, into)
        self.assertEqual((build, sites), (None, {"tensorrt": into / "tensorrt"}))
        self.assertEqual((into / "tensorrt/toy/__init__.py").read_text(), "x = 1\n" * 1000)
        self.assertEqual([path.name for path in (into / "tensorrt/tensorrt_libs").iterdir()], ["libnvinfer.so.10"])

    def test_missing_and_damaged_pieces_are_named(self):
        pieces = self.folder / "pieces"
        pieces.mkdir()
        (self.folder / "file").write_bytes(b"0123456789")
        carried.write_manifest(pieces, [{**carried.cut(self.folder / "file", pieces, 4), "for": "build"}])
        (pieces / "file.001").write_bytes(b"xxxx")
        with self.assertRaisesRegex(carried.Damaged, "do not have the SHA-256"):
            carried.unpack(pieces, self.folder / "into")
        (pieces / "file.001").unlink()
        with self.assertRaisesRegex(carried.Damaged, r"lacks file\.001: carry the rest"):
            carried.unpack(pieces, self.folder / "into")
        with self.assertRaisesRegex(carried.Damaged, "--prepare"):
            carried.unpack(self.folder, self.folder / "into")


if __name__ == "__main__":
    unittest.main()
