# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of ExecuTorch: a method of the file that its exporter makes, called by its Python runtime."""
import os

from ngraphbench.program import Parts

_FILE = "model.pte"


def parts(cell) -> Parts:
    signature = cell.compile_natively(os.path.dirname(__file__), _FILE, has_xnnpack=cell.options["delegate"] == "xnnpack")
    order = [signature["inputs"].index(place) for place in range(len(cell.inputs))]
    lines = [f"portable_lib._unsafe_reset_threadpool({cell.threads})  # the default: a thread for each core",
             f'program = Runtime.get().load_program(os.path.join(FOLDER, "{_FILE}"))',
             'method = program.load_method("forward")',
             f"tensors = [torch.from_numpy(arrays[i]) for i in {order!r}]  # in the order of the method's arguments",
             "",
             "def run():",
             "    global results",
             "    results = method.execute(tensors)  # which copies the outputs",
             "",
             "def infer(*given):",
             "    for buffer, array in zip(arrays, given):",
             "        buffer[...] = array",
             "    run()",
             "    return [each.numpy() for each in results]"]
    return Parts(imports="import warnings\nfrom importlib import metadata\nimport torch\n"
                         'warnings.simplefilter("ignore")  # its Python runtime is called experimental\n'
                         "from executorch.extension.pybindings import portable_lib\nfrom executorch.runtime import Runtime",
                 is_version=f'metadata.version("executorch") == "{cell.version}"', session="\n".join(lines), file=_FILE,
                 needs_pytorch=True)
