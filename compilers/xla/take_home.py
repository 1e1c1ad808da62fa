# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of XLA: JAX opens the PJRT plugin that was measured, which compiles the same StableHLO program."""
import os

from ngraphbench.program import Parts

_FILE = "model.stablehlo"


def parts(cell) -> Parts:
    os.environ["JAX_PLATFORMS"] = "cpu"
    cell.compile_natively(os.path.dirname(__file__), _FILE, stablehlo_version=cell.facts["stablehlo_version"])
    flags = {**cell.settings, "xla_cpu_use_xnnpack": cell.options["xnnpack"]}
    lines = ['library = os.path.join(xla_cpu_pjrt.__path__[0], "xla_cpu_pjrt.so")',
             'with open(os.path.join(FOLDER, "plugin.json"), "w") as file:  # the default: four devices with threads of their own',
             '    json.dump({"library_path": library, "create_options": {"cpu_device_count": 1}}, file)',
             'os.environ["PJRT_NAMES_AND_LIBRARY_PATHS"] = "xla_cpu:" + file.name',
             "client = backend.get_backend()",
             f"flags = {flags!r}  # the default of xla_cpu_use_xnnpack: True",
             "options = backend.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=flags)",
             f'with open(os.path.join(FOLDER, "{_FILE}"), "rb") as file:',
             "    call = client.compile_and_load(file.read(), xla_client.DeviceList(tuple(client.devices())), options)",
             "inputs = [jax.device_put(array) for array in arrays]",
             "",
             "def run():",
             "    global results",
             "    results = call.execute(inputs)",
             "    for each in results:",
             "        each.block_until_ready()",
             "",
             "def infer(*given):",
             "    global inputs",
             "    inputs = [jax.device_put(array) for array in given]",
             "    run()",
             "    return [np.asarray(each) for each in results]"]
    return Parts(imports="from importlib import metadata\nimport jax\nfrom jax.extend import backend\n"
                         "from jaxlib import xla_client\nfrom xla_plugins import xla_cpu_pjrt",
                 is_version=f'metadata.version("xla-cpu-pjrt") == "{cell.version}"', session="\n".join(lines), file=_FILE,
                 environment={"PJRT_NPROC": str(cell.threads), "JAX_PLATFORMS": "xla_cpu", "JAX_ENABLE_X64": "1"})
