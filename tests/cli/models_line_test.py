# SPDX-License-Identifier: Apache-2.0
"""Models that are measured without a study of the user's: `ngb run my_model.onnx`."""

import unittest

from ngb_program import NgbTest

NULL = ("--compilers", "null")


class ModelsLine(NgbTest):
    def refused(self, *arguments):
        told = self.ngb("run", *arguments)
        self.assertEqual(told.returncode, 2, told.stdout + told.stderr)
        return told.stderr

    def ran(self, *arguments):
        """What ngb says of a run; beside other work its cell may be disturbed, which is not the matter here."""
        told = self.ngb(*arguments)
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
        for name, what in {"net.pt": "weights or a program of PyTorch", "net.tflite": "a file that LiteRT has compiled",
                           "results.zip": "a bundle", "net.py": "a Python file"}.items():
            with self.subTest(name):
                self.write(name, "PK")
                self.assertIn(f"ngb: {name}: this is {what}", self.refused(name))

    def test_what_is_missing_is_named(self):
        self.assertIn("there is no such file", self.refused("absent.onnx", *NULL))
        self.assertIn("nul: unknown compiler, did you mean null?", self.refused(self.written_model(), "--compilers", "nul"))
        self.assertIn("no compiler is installed", self.refused("resnet18"))
        self.assertFalse((self.folder / "results").exists(), "nothing is left of what was refused")

    def test_a_study_keeps_its_own_choices(self):
        self.write("study.yaml", "models: [zoo: resnet18]\ncompilers: ['null']\n")
        self.assertIn("a study has its own compilers, batch sizes and threads", self.refused("study.yaml", "--batch", "8"))


if __name__ == "__main__":
    unittest.main()
