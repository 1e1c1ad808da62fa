# SPDX-License-Identifier: Apache-2.0
"""Results of NGraphBench as pandas frames, its figures as Altair charts, and its runs, from Python.

    import ngraphbench as ngb

    results = ngb.open("results/quickstart")
    results.cells[["model", "batch", "compiler_label", "throughput_per_s", "speed_up_ratio"]]
    ngb.figures(results)["throughput_by_batch"]
    results = ngb.measure(model, x, compilers=["identity", "onnxruntime"], budget="2m")  # a module in memory
    results = ngb.run({"models": [{"zoo": "resnet18"}], "compilers": ["identity", "onnxruntime"]}, output="results/mine")

Columns have the names of docs/metrics.md and docs/results.md, with their units at the end (`_ns`, `_s`, `_per_s`, `_bytes`,
`_percent`, `_ratio`). The program `ngb` computes every metric, series and verdict; this package computes none. It finds the
program by the environment variable NGB, beside itself, or in PATH.

Every error of this package is an NgbError; docs/python.md lists what raises which.
"""

from ngraphbench.comparison import Comparison, compare
from ngraphbench.errors import CellsFailedWarning, ModelError, NgbError, ProgramError, ProgramMissingError, ResultsError
from ngraphbench.figures import Figures, figures
from ngraphbench.history import history
from ngraphbench.measuring import measure
from ngraphbench.program import find_program
from ngraphbench.results import Results
from ngraphbench.results import open_results as open
from ngraphbench.running import run

__all__ = [
    "CellsFailedWarning",
    "Comparison",
    "Figures",
    "ModelError",
    "NgbError",
    "ProgramError",
    "ProgramMissingError",
    "Results",
    "ResultsError",
    "compare",
    "figures",
    "find_program",
    "history",
    "measure",
    "open",
    "run",
]
__version__ = "0.1.0"
