# SPDX-License-Identifier: Apache-2.0
"""The notebooks in examples, from the first cell to the last, with the null compiler in the place of the others."""

import json
import os
import re
import unittest
from unittest import mock

from package import ROOT, SITE, STUDY, PackageTest, ngb

try:
    import nbclient
    import nbformat
    import traitlets.config
except ModuleNotFoundError as missing:
    raise unittest.SkipTest(f"{missing}; scripts/setup tests installs it") from None

NOTEBOOKS = ROOT / "examples/notebooks"
# How long an inference takes under each compiler's name, in tenths of a ms.
STAND_INS = {"eager": 4, "onnxruntime": 2, "openvino": 1}
COMPILERS = [{"null": {"label": name, "options": {"made_up_ns": tenths * 100_000}}} for name, tenths in STAND_INS.items()]
FULL = '"compilers": ["identity", "onnxruntime", "openvino"],'


def with_stand_ins(source):
    return source.replace(FULL,
                          f'"compilers": {json.dumps(COMPILERS)}, "baseline": "eager", "reference": "none", '
                          '"disturbance": {"max_wait_percent": 100},')


class Notebooks(PackageTest):
    def execute(self, name, change=lambda source: source):
        """Executes a notebook in the working folder, its code changed; returns the text of all outputs. An error of a cell
        is raised."""
        notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        for cell in notebook.cells:
            cell.source = change(cell.source)
        # Sockets of files, which no other user of the machine can read.
        sockets = traitlets.config.Config({"KernelManager": {"transport": "ipc"}})
        nbclient.NotebookClient(notebook, timeout=1500, resources={"metadata": {"path": str(self.folder)}}, config=sockets).execute()
        return json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)

    def test_show_an_error_of_the_package_as_its_message_alone(self):
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell('import ngraphbench as ngb\nngb.open("absent")')]
        sockets = traitlets.config.Config({"KernelManager": {"transport": "ipc"}})
        nbclient.NotebookClient(notebook, timeout=1500, allow_errors=True, resources={"metadata": {"path": str(self.folder)}},
                                config=sockets).execute()
        output = notebook.cells[0]["outputs"][-1]
        self.assertEqual(output["traceback"], [
            "ResultsError: absent: there are no results here; name a folder that `ngb run` has written"])

    def test_look_at_results_shows_cells_findings_and_a_chart(self):
        study = {**STUDY, "compilers": [*COMPILERS, "iree"], "baseline": "eager"}
        shown = self.execute("look_at_results", lambda source: source.replace('ngb.run("quickstart"', f"ngb.run({study!r}"))
        self.assertIn("openvino", shown)
        self.assertIn("vega", shown)

    def test_run_a_study_measures_it_and_shows_what_a_block_costs(self):
        shown = self.execute("run_a_study", with_stand_ins)
        self.assertIn("conv_block", shown)
        self.assertIn("vega", shown)
        self.assertEqual(len(ngb.open("results/width_of_a_block").cells), 24)

    def test_compare_and_choose_finds_the_compiler_that_is_fastest(self):
        shown = self.execute("compare_and_choose", with_stand_ins)
        self.assertIn("openvino", shown)
        self.assertIn("vega", shown)

    @unittest.skipUnless(SITE.exists(), "the toolchain identity is not installed")
    def test_measure_a_module_goes_from_a_class_in_a_cell_to_the_answer(self):
        quick = 'compilers=["identity"], processes=1, repetitions=3, warm_up=1, longer_look_s=0, disturbance={"max_wait_percent": 100}'
        changed = {"NGB_TOOLCHAINS": str(SITE.parents[2]), "PYTHONPATH": f"{os.environ['PYTHONPATH']}:{SITE}"}
        with mock.patch.dict(os.environ, changed):
            shown = self.execute("measure_a_module", lambda source: re.sub(r"compilers=\[.*?\]", quick, source)
                                 .replace("batch_sizes=[1, 8]", "batch_sizes=[1]"))
        self.assertIn("<table>", shown)
        self.assertIn("gated, batch", shown.replace("</td><td>", ", batch "))
        folder, = self.folder.glob("results/block-gated-*")
        self.assertEqual(set(ngb.open(folder).cells["status"]), {"measured"})


class Page(PackageTest):
    def test_the_code_of_the_page_runs_in_its_order(self):
        """docs/python.md, with made-up compilers, and results in which they are there."""
        self.measure("results/quickstart", models=[{"zoo": {"conv_block": {"width": 8, "depth": [1, 2], "image_size": 16}}}],
                     batch_sizes=[1, 4])
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL)
        run = [block for block in blocks if "ngb.measure" not in block]  # those are typed in a notebook above
        self.assertGreater(len(run), 3)
        with mock.patch("sys.stderr"):
            exec("\n".join(with_stand_ins(block.replace('"compilers": ["identity", "onnxruntime"],', FULL)) for block in run), {})


if __name__ == "__main__":
    unittest.main()
