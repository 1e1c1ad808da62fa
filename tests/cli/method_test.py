# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/method.md in the order in which they stand there, with the null compiler in the place of the others."""

import os
import pathlib
import re
import shutil
import subprocess

from ngb_program import BIN, TOOLCHAINS, NgbTest, without_toolchains

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/method.md").read_text()
OF_MODULES = ("widths", "layers")  # studies of PyTorch modules, whose files the identity's toolchain exports
# How long an inference takes under each compiler's name, in hundredths of a ms. TensorRT fails, as it does without a GPU.
STAND_INS = {"identity": 9, "torchscript": 8, "onnxruntime": 5, "openvino": 3}


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def stand_in(name):
    options = f"made_up_ns: {STAND_INS[name]}0000" if name in STAND_INS else "fault: error"
    return f'  - "null": {{label: {name}, options: {{{options}}}}}'


def with_stand_ins(study):
    names = re.search(r"^compilers: \[(.*)\]$", study, re.MULTILINE)
    entries = "\n".join(stand_in(name) for name in names.group(1).split(", "))
    study = study.replace(names.group(), "compilers:\n" + entries)
    # The stand-ins compute on one thread, and beside whatever else the tests do; a repetition is one short inference.
    study = study.replace("threads: all", "threads: 1")
    return study + "reference: none\nmin_repetition_ms: 0\ndisturbance: {max_wait_percent: 100}\n"


class Method(NgbTest):
    def setUp(self):
        super().setUp()
        for study in blocks("yaml"):
            self.write(re.match(r"# (\w+\.yaml)\n", study).group(1), with_stand_ins(study))
        for module in ("encoder.py", "text_encoder.py"):
            shutil.copy(ROOT / "studies" / module, self.folder)
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def shell(self, command):
        environment = self.environment | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1500)

    def answers(self):
        """Runs each query over the results that the text before it names, by name of the results."""
        found = {}
        for before, query in re.findall(r"results/(\w+)/results\.db`[^`]*?```sql\n(.*?)```", GUIDE, re.DOTALL):
            found[before] = self.query(f"results/{before}", query)
        return found

    def deepest_that_keep(self, samples_per_s):
        """What the page asks of results/block: [(compiler, width, the largest depth), …]"""
        deepest = {}
        for cell in self.show("results/block")["cells"]:
            low = cell["metrics"]["throughput_per_s"]["low"]
            if cell["batch"] == 8 and low is not None and low >= samples_per_s:
                width, depth = (int(re.search(rf"{name}=([0-9]+)", cell["model"]).group(1)) for name in ("width", "depth"))
                key = cell["compiler_label"], width
                deepest[key] = max(depth, deepest.get(key, 0))
        return [(*key, depth) for key, depth in sorted(deepest.items())]

    def test_studies_of_ones_own_are_short(self):
        for study in blocks("yaml"):
            self.assertLessEqual(len(study.splitlines()), 15, study)

    def test_every_command_and_query_works_in_the_order_of_the_page(self):
        for command in "".join(blocks("sh")).splitlines():
            with self.subTest(command):
                if any(name in command for name in OF_MODULES) and without_toolchains("identity"):
                    self.skipTest(without_toolchains("identity"))
                done = self.shell(command)
                expected = 1 if command.startswith("ngb run design.yaml") else 0
                self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        answers = self.answers()
        self.assertEqual(len(answers), len(blocks("sql")))
        self.assertEqual(len(answers["design"]), 5)
        for _, *outcomes in answers["design"]:
            self.assertEqual(outcomes[:4], ["yes"] * 4)
            self.assertNotIn(outcomes[4], ("yes", "not measured"))
        self.assertEqual([row[:3] for row in answers["block"]], self.deepest_that_keep(200))
        self.assertEqual({row[:3] for row in answers["deploy"]},
                         {("target", load, name) for load in ("none", "cpu: 1") for name in ("identity", "onnxruntime", "openvino")})
        self.assertTrue((self.folder / "deployed/index.html").exists())
