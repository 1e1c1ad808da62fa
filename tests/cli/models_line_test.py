# SPDX-License-Identifier: Apache-2.0
"""Models that are measured without a study of the user's: `ngb run my_model.onnx`."""

import os
import signal
import unittest

from ngb_program import NULL_STUDY, NgbTest

NULL = ("--compiler", "null")


def write_open_file(path):
    """An ONNX file whose input is as long as a sequence: y = Relu(x[batch, sequence])."""
    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    def number(place, value):
        return bytes([place << 3, value])

    shape = b"".join(field(1, field(2, name)) for name in (b"batch", b"sequence"))
    values = {name: field(1, name) + field(2, field(1, number(1, 1) + field(2, shape))) for name in (b"x", b"y")}
    node = field(1, b"x") + field(2, b"y") + field(4, b"Relu")
    graph = field(1, node) + field(2, b"g") + field(11, values[b"x"]) + field(12, values[b"y"])
    path.write_bytes(number(1, 8) + field(8, number(2, 17)) + field(7, graph))


class ModelsLine(NgbTest):
    def refused(self, *arguments):
        told = self.ngb("run", *arguments)
        self.assertEqual(told.returncode, 2, told.stdout + told.stderr)
        return told.stderr

    def ran(self, *arguments):
        """What ngb says of a run. Beside other work its cell may be disturbed until the budget is over, which is not the matter
        here."""
        told = self.ngb(*arguments, *(("--budget", "10s") if arguments[0] == "run" else ()))
        if told.returncode != 3 or "the budget of 10s was too short for one round" not in told.stderr:
            self.assertIn(told.returncode, (0, 1), told.stdout + told.stderr)
        return told

    def written_model(self, name="my_model.onnx"):
        self.ngb("models", "write", "conv_block", "--parameters", '{"width": 8, "image_size": 16}', "-o", name)
        return name

    def test_a_file_is_measured_and_its_study_lies_beside_the_results(self):
        name = self.written_model()
        told = self.ran("run", name, *NULL, "--batch", "1", "--no-report")
        self.assertIn("my_model", told.stdout)
        study = (self.folder / "results/my_model.yaml").read_text()
        self.assertIn('- onnx: "../my_model.onnx"\n', study)
        self.assertIn('reference: "null"\nbaseline: "null"\nbatch_sizes: [1]\nthreads: 1\n', study)
        self.ran("run", name, *NULL, "--batch", "1", "--no-report")
        self.assertEqual((self.folder / "results/my_model.yaml").read_text(), study, "the same line goes on")
        self.ran("run", "results/my_model.yaml", "--no-report")

    def test_another_line_for_the_same_results_is_refused(self):
        name = self.written_model()
        self.ran("run", name, *NULL, "--no-report")
        self.assertIn("results/my_model.yaml: there is a study here that says something else",
                      self.refused(name, *NULL, "--batch", "2"))
        self.ran("run", name, *NULL, "-o", "results/two", "--no-report")

    def test_a_file_that_is_no_model_is_named_as_what_it_is(self):
        for name, what in {"net.safetensors": "weights", "net.keras": "a model of Keras", "results.zip": "a bundle",
                           "net.py": "a Python file"}.items():
            with self.subTest(name):
                self.write(name, "PK")
                self.assertIn(f"ngb: {name}: this is {what}", self.refused(name))

    def test_what_is_no_file_at_all_is_named_as_what_it_is(self):
        (self.folder / "folder").mkdir()
        (self.folder / "folder.onnx").mkdir()
        self.write("empty.onnx", "")
        self.write("results.db", "")
        os.mkfifo(self.folder / "pipe.onnx")
        for word, what in {"https://host.example/net.onnx": "ngb: https://host.example/net.onnx: this is an address, and no file; "
                                                            "download it first",
                           "folder": "folder: a folder, expected a study file", "folder.onnx": "/folder.onnx: not a file; name an ONNX file",
                           ".": "ngb: these are results; to read them: ngb show .; to go on: ngb resume .",
                           "empty.onnx": "/empty.onnx: not an ONNX model: IR version, opset, or a graph with nodes is missing",
                           "pipe.onnx": "/pipe.onnx: not a file"}.items():
            with self.subTest(word):
                self.assertIn(what, self.refused(word, *NULL))
        self.assertFalse((self.folder / "results").exists(), "nothing is left of what was refused")

    def test_a_file_that_shrinks_while_it_is_read_is_an_error_with_a_reason(self):
        study = NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 600000000000}}')
        self.write("study.yaml", study)
        run = self.start("run", "study.yaml")
        self.wait_for(lambda: self.children_of(run.pid))
        run.send_signal(signal.SIGBUS)  # as the kernel does where a mapped file has lost the part that is read
        self.assertEqual(run.wait(timeout=1500), 3)
        self.assertIn("ngb: a file became shorter while it was read; let what writes it end, then run the same command again\n",
                      run.stdout.read())

    def test_a_folder_does_not_hide_the_study_that_ships_under_its_name(self):
        (self.folder / "quickstart").mkdir()
        self.assertEqual(self.ngb("plan", "quickstart").returncode, 0)

    def test_what_is_missing_is_named(self):
        self.assertIn("there is no such file", self.refused("absent.onnx", *NULL))
        self.assertIn("nul: unknown compiler, did you mean null?", self.refused(self.written_model(), "--compilers", "nul"))
        self.assertIn("no compiler is installed", self.refused("resnet18"))
        self.assertFalse((self.folder / "results").exists(), "nothing is left of what was refused")

    def test_a_study_keeps_its_own_threads(self):
        self.write("study.yaml", "models: [zoo: resnet18]\ncompilers: ['null']\n")
        self.assertIn("a study has its own threads", self.refused("study.yaml", "--threads", "2"))

    def test_what_a_file_leaves_open_is_chosen_and_said(self):
        write_open_file(self.folder / "open.onnx")
        told = self.ran("run", "open.onnx", *NULL, "--no-report")
        self.assertIn("open.onnx leaves extents of its inputs open; chosen (guessed by their names; edit the study for others):\n"
                      "    dimensions: {sequence: ", told.stderr)
        self.assertRegex((self.folder / "results/open.yaml").read_text(), r'onnx: "\.\./open\.onnx"\n    dimensions: \{sequence: \d+\}\n')

    def test_a_new_study_takes_models_as_a_line_does(self):
        name = self.written_model()
        told = self.ran("new", name)
        self.assertIn("my_model.yaml: written. Next:\n  ngb plan my_model.yaml\n", told.stdout)
        study = (self.folder / "my_model.yaml").read_text()
        self.assertIn('models:                    # every model is measured with every compiler\n  - onnx: "my_model.onnx"\n', study)
        self.assertIn("compilers:\n  - identity\n  - onnxruntime\n  - openvino\n", study, "the quickstart's: none is installed")
        self.assertEqual(self.ngb("plan", "my_model.yaml").returncode, 0)
        self.assertIn("ends in .yaml", self.ngb("new", name, "study.txt").stderr)
        self.ran("new", name, "resnet18", "both.yaml")
        self.assertIn('  - onnx: "my_model.onnx"\n  - zoo: "resnet18"\n', (self.folder / "both.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
