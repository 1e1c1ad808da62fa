# SPDX-License-Identifier: Apache-2.0
"""The kernels of an IREE program: their times by IREE's own tools, because its Python runtime has no profiler, and the
ONNX nodes that they stand for by the locations in the program as it was when kernels were made."""
import collections
import json
import os
import re
import subprocess
import tempfile

from ngraphbench.adaptor import CompilerError, Kernel

_SITE = re.compile(r"flow\.dispatch @[\w$.]+::@([\w$.]+)")
_FUNCTION = re.compile(r"\s*func\.func @([\w$.]+)")
_COMPUTES = re.compile(r"\s*%\S+ = (?!arith\.constant)(arith|math|linalg)\.(?!fill|yield)|\s*\} -> ")
_NAME = re.compile(r'"([^"]*)"')


def sites_of(program, nodes):
    """Return [(kernel, [nodes])] of a program's dispatches in their order. `program` is the text of the phase `flow` with
    locations, `nodes` the names in the ONNX file. The locations within a kernel count only for its only dispatch."""
    within, sites, function = collections.defaultdict(list), [], None
    for line in program.splitlines():
        entered, called = _FUNCTION.match(line), _SITE.search(line)
        if entered:
            function = entered.group(1)
        elif called:
            sites.append((called.group(1), _located(line)))
            function = None
        elif function and _COMPUTES.match(line):
            within[function] += _located(line)
    count = collections.Counter(name for name, _ in sites)
    known = set(nodes)
    return [(name, [each for each in dict.fromkeys((within[name] if count[name] == 1 else []) + places) if each in known])
            for name, places in sites]


def _located(line):
    return _NAME.findall(line[line.rfind("loc("):]) if "loc(" in line else []


def lower(program, flags):
    """Return the text of the phase in which kernels are made. `program` is the imported model's bytecode."""
    import iree.compiler

    tool = os.path.join(os.path.dirname(iree.compiler.__file__), "_mlir_libs", "iree-compile")
    with tempfile.TemporaryDirectory(prefix="flow-", dir=_scratch()) as folder:
        source = os.path.join(folder, "model.mlirbc")
        with open(source, "wb") as file:
            file.write(program)
        return _run([tool, "--compile-to=flow", "--mlir-print-debuginfo", "--mlir-elide-elementsattrs-if-larger=4", *flags,
                     source])


def measure(artifact, function, flags, arrays, inferences):
    """Return [[(kernel, ns)]] for the last `inferences` of a run in IREE's own program, in order of call."""
    import numpy
    from iree import _runtime_libs

    tools = os.path.dirname(_runtime_libs.__file__)
    with tempfile.TemporaryDirectory(prefix="profile-", dir=_scratch()) as folder:
        inputs = []
        for index, array in enumerate(arrays):
            path = os.path.join(folder, f"{index}.npy")
            numpy.save(path, array)
            inputs.append(f"--input=@{path}")
        profile = os.path.join(folder, "profile")
        _run([os.path.join(tools, "iree-benchmark-module"), f"--module={artifact}", f"--function={function}", *flags,
              *inputs, f"--benchmark_min_time={inferences}x",
              "--device_profiling_mode=host-execution,executable-metadata,queue-events",
              f"--device_profiling_output={profile}"])
        told = _run([os.path.join(tools, "iree-profile"), "dispatch", "--format=jsonl", "--dispatch_events", profile])
    return split([json.loads(line) for line in told.splitlines() if '"host_dispatch_event"' in line], inferences)


def split(events, inferences):
    """Return [[(kernel, ns)]] of the last `inferences`. What a program computes when it is loaded comes before them."""
    runs = collections.defaultdict(list)
    for event in sorted(events, key=lambda each: each["start_host_time_ns"]):
        runs[event["submission_id"]].append((event["key"], event["duration_ns"]))
    alike = list(runs.values())[-inferences:]
    names = [name for name, _ in alike[-1]] if alike else []
    if len(alike) < inferences or any([name for name, _ in run] != names for run in alike):
        raise CompilerError("no_profile", "IREE's profile does not have the same kernels in each inference")
    return alike


def kernels_of(runs, sites):
    """Return the kernels. A kernel that is not in the program's phase `flow`, such as one that packs a tensor, stands for
    no node; the others must be those of `sites` in the same order, else no nodes are reported. A copy that pads for a
    convolution has the convolution's location, but does not compute it."""
    names = [name for name, _ in runs[0]]
    in_program = {name for name, _ in sites}
    is_in_order = [name for name in names if name in in_program] == [name for name, _ in sites]
    computed = {node for name, nodes in sites if not _is_copy(name) for node in nodes}
    places = iter(sites)
    kernels = []
    for index, name in enumerate(names):
        nodes = next(places)[1] if is_in_order and name in in_program else []
        if _is_copy(name):
            nodes = [each for each in nodes if each not in computed]
        kernels.append(Kernel(name, sum(run[index][1] for run in runs) / len(runs), _kind(name), nodes, (),
                              "location" if nodes else ""))
    return kernels


def _is_copy(name):
    return _kind(name).endswith("memcpy")


def _kind(name):
    """Return "matmul_like" of "main$async_dispatch_0_matmul_like_10x768x256_f32"."""
    return re.sub(r"(_\d+(x\d+)*.*)$", "", re.sub(r"^.*?(dispatch_\d+_|_encoding_\d+_)", "", name))


def _run(command):
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CompilerError("no_profile", f"this version of IREE has no program {os.path.basename(command[0])}",
                            "profile another version of it") from error
    if told.returncode != 0:
        raise CompilerError("compiler_failed", f"{os.path.basename(command[0])} failed with code {told.returncode}: "
                                               f"{(told.stderr.strip().splitlines() or [''])[-1]}",
                            "all its messages are in the log of this attempt")
    return told.stdout


def _scratch():
    """Return the worker's folder, which the agent empties, or another one if that cannot be written."""
    return os.getcwd() if os.access(os.getcwd(), os.W_OK) else None
