# SPDX-License-Identifier: Apache-2.0
"""ngb's messages about a faulty study file."""

from ngb_program import NgbTest, NULL_STUDY

FIVE_MISTAKES = """\
name: five
models:
  - zoo: resnet81
compilers:
  - openvno
  - onnxruntime: {options: {graph_optimisation: all}}
batch_sizes: [1, 0]
repetition: 20
"""


class StudyErrors(NgbTest):
    def test_all_five_mistakes_are_named_at_once_with_line_and_nearest_word(self):
        self.write("five.yaml", FIVE_MISTAKES)
        planned = self.ngb("plan", "five.yaml")
        self.assertEqual(planned.returncode, 2)
        for expected in (
            "five.yaml:3:",
            "did you mean resnet18?",
            "five.yaml:5:",
            "openvno: unknown compiler, did you mean openvino?",
            "five.yaml:6:",
            "did you mean graph_optimization?",
            "five.yaml:7:",
            "batch_sizes[1]",
            "five.yaml:8:",
            "did you mean repetitions?",
            "5 problems in five.yaml; nothing was run",
        ):
            self.assertIn(expected, planned.stderr)

    def test_a_setting_that_has_two_names_is_refused_with_line_and_key(self):
        study = NULL_STUDY[: NULL_STUDY.index("compilers:")] + """\
compilers:
  - openvino:
      settings:
        INFERENCE_NUM_THREADS: 4
        NUM_STREAMS: 2
  - iree: {settings: {--iree-opt-level: O1}}
"""
        self.write("settings.yaml", study)
        planned = self.ngb("plan", "settings.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertRegex(planned.stderr, r"settings\.yaml:\d+:9: compilers\[0\]\.openvino\.settings: "
                                         r"INFERENCE_NUM_THREADS: the key threads says this")
        self.assertIn("NUM_STREAMS: the key in_flight says this", planned.stderr)
        self.assertIn("--iree-opt-level: iree has the option opt_level for this", planned.stderr)
        self.assertIn("3 problems", planned.stderr)

    def test_a_missing_file_is_named(self):
        planned = self.ngb("plan", "absent.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertIn("absent.yaml", planned.stderr)
        self.assertIn("no such file", planned.stderr)

    def test_broken_yaml_is_named_with_its_line(self):
        self.write("broken.yaml", "name: x\nmodels: [a\ncompilers: }\n")
        planned = self.ngb("plan", "broken.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertRegex(planned.stderr, r"broken\.yaml:[23]:")

    def test_a_wrong_type_says_what_was_expected(self):
        self.write("type.yaml", NULL_STUDY.replace("processes: 3", "processes: many"))
        planned = self.ngb("plan", "type.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertRegex(planned.stderr, r"type\.yaml:9:\d+: processes: .*integer")

    def test_a_missing_truncated_or_invalid_model_file_is_named(self):
        study = "name: x\nmodels:\n  - onnx: model.onnx\ncompilers: ['null']\nreference: none\n"
        self.write("study.yaml", study)
        self.assertIn("model.onnx", self.ngb("plan", "study.yaml").stderr)
        self.write("model.onnx", "this is no model")
        self.assertRegex(self.ngb("plan", "study.yaml").stderr, "model.onnx.*ONNX")
        written = self.ngb("models", "write", "conv_block", "-o", "whole.onnx")
        self.assertEqual(written.returncode, 0, written.stderr)
        whole = (self.folder / "whole.onnx").read_bytes()
        (self.folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
        planned = self.ngb("plan", "study.yaml")
        self.assertEqual(planned.returncode, 2)
        self.assertRegex(planned.stderr, "model.onnx.*ONNX")

    def test_the_command_line_is_checked_with_exit_code_2(self):
        self.assertEqual(self.ngb("paln", "x.yaml").returncode, 2)
        self.assertEqual(self.ngb("run").returncode, 2)
        self.assertEqual(self.ngb().returncode, 2)

    def test_a_plan_names_the_toolchains_that_its_cells_lack(self):
        (self.folder / "study.yaml").write_text("models: [{zoo: {conv_block: {width: 8, depth: 1}}}]\n"
                                                "compilers: [onnxruntime: {version: 1.31.1}, \"null\"]\nreference: none\n")
        plan = self.ngb("plan", "study.yaml")
        self.assertEqual(plan.returncode, 0, plan.stderr)
        self.assertIn("Toolchains\n  onnxruntime@1.31.1 is not installed: its cells fail; to install it, run: ngb toolchain "
                      "install onnxruntime@1.31.1\n", plan.stdout)

    def test_a_device_with_less_memory_than_the_weights_of_a_model_is_named_before_anything_is_asked_for(self):
        study = """\
models: [zoo: vit_base_patch16_224]
compilers: [%s]
reference: none
devices:
  - edge1: {kubernetes: {image: debian:12, nodes: [edge1], memory: %s}}
"""
        # 86,567,656 parameters of four bytes; an eighth of a pod's memory is its agent's.
        said = "the weights of vit_base_patch16_224 are 346 MB, and a process on edge1 may hold 175 MB"
        self.write("study.yaml", study % ("onnxruntime", "200 MB"))
        self.assertIn("Memory: " + said, self.ngb("plan", "study.yaml").stdout)
        self.environment["PATH"] = str(self.folder)  # without kubectl
        ran = self.ngb("run", "study.yaml")
        self.assertIn("ngb: " + said, ran.stderr)
        self.assertLess(ran.stderr.index(said), ran.stderr.index("kubectl"))
        for fits in (("onnxruntime", "400 MB"), ('"null"', "200 MB")):  # 350 MB; null reads no weights
            self.write("study.yaml", study % fits)
            self.assertNotIn("the weights", self.ngb("plan", "study.yaml").stdout)
