# SPDX-License-Identifier: Apache-2.0
"""The program of a cell of IREE: its virtual machine with the program that its compiler makes, as iree_adaptor.py runs it."""
from ngraphbench.program import Parts, infer_with, numpy_type

from . import program
from .iree_adaptor import ELEMENTS, Iree

_FILE = "model.vmfb"


def parts(cell) -> Parts:
    Iree.preload()
    settings, model = cell.for_adaptor(_FILE)
    Iree(settings).compile(model)
    _, runtime_flags = program.flags_of(cell.settings)
    flags = [f"--task_topology_group_count={cell.threads}", f"--task_worker_stack_size={program.WORKER_STACK_BYTES}",
             *runtime_flags]
    driver = "local-sync" if cell.threads == 1 else "local-task"
    elements = ", ".join(f"runtime.HalElementType.{ELEMENTS[row['type']]}" for row in cell.inputs)
    types = ", ".join(f"np.{numpy_type(row['type'])}" for row in cell.outputs)
    lines = [f"runtime.flags.parse_flags(*{flags!r})  # the default: a worker for each core",
             f'device = runtime.get_driver("{driver}").create_default_device()  # one thread: the caller computes',
             "instance = runtime.VmInstance()",
             f'module = runtime.VmModule.mmap(instance, os.path.join(FOLDER, "{_FILE}"))',
             "context = runtime.VmContext(instance, [runtime.create_hal_module(instance, device), module])",
             f'function = module.lookup_function("{program.FUNCTION}")',
             f"TYPES, OUTPUTS = [{elements}], [{types}]",
             'atexit.register(lambda: globals().pop("results", None))  # results must be released before IREE ends its threads',
             "def arguments_of(values):",
             "    made = runtime.VmVariantList(len(values))",
             "    for array, kind in zip(values, TYPES):",
             "        made.push_ref(device.allocator.allocate_buffer_copy(",
             "            memory_type=runtime.MemoryType.DEVICE_LOCAL, device=device, buffer=array, element_type=kind,",
             "            allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING))",
             "    return made",
             "",
             "def run():",
             "    global results",
             "    results = runtime.VmVariantList(len(OUTPUTS))",
             "    context.invoke(function, arguments, results)",
             "",
             "def output(i, kind):",
             "    view = results.get_as_object(i, runtime.HalBufferView)",
             "    return runtime.DeviceArray(device, view, implicit_host_transfer=True).to_host().astype(kind)",
             *infer_with("arguments", "[output(i, kind) for i, kind in enumerate(OUTPUTS)]")]
    return Parts(imports="import atexit, iree.runtime as runtime\nfrom importlib import metadata",
                 is_version=f'metadata.version("iree-base-runtime") == "{cell.version}"', session="\n".join(lines), file=_FILE)
