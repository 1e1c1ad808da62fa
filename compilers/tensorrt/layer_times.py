# SPDX-License-Identifier: Apache-2.0
"""Notes the times of layers, which TensorRT measures on the GPU."""
import re

from ngraphbench.adaptor import CompilerError, Kernel


def make_profiler(trt):
    """Return a profiler that notes what TensorRT reports."""

    class Profiler(trt.IProfiler):
        def __init__(self):
            trt.IProfiler.__init__(self)
            self.times = []

        def report_layer_time(self, layer_name, ms):
            self.times.append((layer_name, ms))

    return Profiler()


def nodes_in(layer):
    """Return the names of ONNX nodes in a layer's name: "conv1 + act1", "PWN(PWN(a), b)", "{ForeignNode[a...b]}". Of a
    foreign node, TensorRT names only the first and the last node."""
    foreign = re.fullmatch(r"\{ForeignNode\[(.*)\]\}", layer)
    if foreign:
        return foreign.group(1).split("...")
    nodes = []
    for part in layer.split(" + "):
        marks = part.count("PWN(")
        bare = part.replace("PWN(", "")
        for _ in range(marks):
            before, _, after = bare.rpartition(")")
            bare = before + after
        nodes += bare.split(", ")
    return nodes


def kernels_of(times, inferences):
    """Return the kernels of one inference, with means over all. Raises CompilerError if they were not alike."""
    count = len(times) // inferences
    names = [layer for layer, _ in times[:count]]
    if not names or [layer for layer, _ in times] != names * inferences:
        raise CompilerError("no_profile", "TensorRT does not report the same layers for each inference")
    return [Kernel(name, sum(ms for _, ms in times[place::count]) * 1e6 / inferences, "", nodes_in(name), (), "node name")
            for place, name in enumerate(names)]
