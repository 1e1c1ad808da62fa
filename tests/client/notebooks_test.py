# SPDX-License-Identifier: Apache-2.0
"""The notebooks in examples, from the first cell to the last, with the null compiler in the place of the others."""

import json
import unittest

from package import ROOT, STUDY, PackageTest, ngb

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
MEASURED = STUDY | {"compilers": COMPILERS, "baseline": "eager"}


def with_stand_ins(source):
    return source.replace('"compilers": ["identity", "onnxruntime", "openvino"],',
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
        nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(self.folder)}}, config=sockets).execute()
        return json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)

    def test_show_an_error_of_the_package_as_its_message_alone(self):
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell('import ngraphbench as ngb\nngb.open("absent")')]
        sockets = traitlets.config.Config({"KernelManager": {"transport": "ipc"}})
        nbclient.NotebookClient(notebook, timeout=300, allow_errors=True, resources={"metadata": {"path": str(self.folder)}},
                                config=sockets).execute()
        output = notebook.cells[0]["outputs"][-1]
        self.assertEqual(output["traceback"], [
            "ResultsError: absent: there are no results here; name a folder that `ngb run` has written"])

    def test_look_at_results_shows_cells_findings_and_a_chart(self):
        self.measure("results/quickstart", compilers=[*COMPILERS, "iree"], baseline="eager")
        shown = self.execute("look_at_results")
        self.assertIn("openvino", shown)
        self.assertIn("vega", shown)

    def test_run_a_study_measures_it_and_shows_what_a_block_costs(self):
        shown = self.execute("run_a_study", with_stand_ins)
        self.assertIn("conv_block", shown)
        self.assertIn("vega", shown)
        self.assertEqual(len(ngb.open("results/width_of_a_block").cells), 24)

    def test_compare_and_choose_finds_the_compiler_that_is_fastest(self):
        for folder in ("results/before", "results/after"):
            ngb.run(MEASURED, folder, progress=False)
        shown = self.execute("compare_and_choose")
        self.assertIn("openvino", shown)
        self.assertIn("vega", shown)


if __name__ == "__main__":
    unittest.main()
