# SPDX-License-Identifier: Apache-2.0
"""What adaptors make of the profiles of their libraries, without a library: locations in IREE's programs, names of modules,
and names of nodes."""
import os
import sys
import types
import unittest

from toolchain import LIB, toolchain_or_skip

_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402
from ngraphbench.onnx_file import node_names  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402


def module_of(compiler, name):
    sys.modules.pop("ngraphbench_compiler", None)
    for loaded in [each for each in sys.modules if each.startswith("ngraphbench_compiler.")]:
        del sys.modules[loaded]
    return Host(os.path.join(LIB, "compilers", compiler)).module(name)


class NamesOfNodes(unittest.TestCase):
    def test_a_node_without_a_name_or_with_anothers_has_type_and_index(self):
        nodes = [helper.make_node("Conv", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["b"], name="twice"),
                 helper.make_node("Relu", ["b"], ["c"], name="twice"), helper.make_node("Add", ["c"], ["y"], name="once")]
        self.assertEqual(node_names(helper.make_graph(nodes, "g", [], [])), ["Conv:0", "Relu:1", "Relu:2", "once"])


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.times = module_of("identity", "module_times")

    def test_a_module_owns_the_nodes_whose_names_continue_its_path_but_not_those_of_modules_within_it(self):
        names = ["blocks.0.attn.qkv/product", "blocks.0.attn/scores", "blocks.0/add", "blocks.01/add"]
        owned = self.times.owned_nodes(["", "blocks.0", "blocks.0.attn", "blocks.0.attn.qkv"], names)
        self.assertEqual(owned, {"blocks.0.attn.qkv": ["blocks.0.attn.qkv/product"],
                                 "blocks.0.attn": ["blocks.0.attn/scores"], "blocks.0": ["blocks.0/add"],
                                 "": ["blocks.01/add"]})

    def net(self):
        return torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Identity())

    def test_each_call_is_timed_without_the_modules_that_it_calls(self):
        net = self.net()
        times = self.times.ModuleTimes(net)
        for _ in range(3):
            net(torch.zeros(1, 2))
        times.stop()
        kernels = times.kernels(3, self.times.ModuleNodes(net, None, []))
        self.assertEqual([(kernel.name, kernel.kind, list(kernel.nodes)) for kernel in kernels],
                         [("0", "Linear", ["0"]), ("1", "ReLU", ["1"]), ("2", "Identity", ["2"])])

    def test_a_module_that_only_calls_others_is_no_kernel_unless_nodes_are_its_own(self):
        net = torch.nn.Sequential(self.net())
        graph = helper.make_graph([helper.make_node("Gemm", ["x"], ["a"], name="0.0"),
                                   helper.make_node("Relu", ["a"], ["b"], name="0.1"),
                                   helper.make_node("Add", ["b", "x"], ["y"], name="0/add")], "g", [], [])
        times = self.times.ModuleTimes(net)
        net(torch.zeros(1, 2))
        times.stop()
        kernels = times.kernels(1, self.times.ModuleNodes(net, graph, ["0.0", "0.1", "0/add"]))
        self.assertEqual([(kernel.name, kernel.nodes) for kernel in kernels],
                         [("0.0", ["0.0"]), ("0.1", ["0.1"]), ("0", ["0/add"])])

    def test_a_modules_time_is_without_that_of_the_modules_that_it_calls(self):
        clock = types.SimpleNamespace(ns=0)

        class Busy(torch.nn.Module):
            def __init__(self, ns, inner=None):
                super().__init__()
                self.ns, self.inner = ns, inner

            def forward(self, x):
                clock.ns += self.ns
                return x if self.inner is None else self.inner(x)

        net = torch.nn.Sequential(Busy(10, Busy(50)))
        self.addCleanup(setattr, self.times, "perf_counter_ns", self.times.perf_counter_ns)
        self.times.perf_counter_ns = lambda: clock.ns
        graph = helper.make_graph([helper.make_node("Add", ["x"], ["a"], name="0/add"),
                                   helper.make_node("Relu", ["a"], ["y"], name="0.inner")], "g", [], [])
        times = self.times.ModuleTimes(net)
        net(torch.zeros(1))
        net(torch.zeros(1))
        times.stop()
        kernels = times.kernels(2, self.times.ModuleNodes(net, graph, ["0/add", "0.inner"]))
        self.assertEqual([(kernel.name, kernel.ns) for kernel in kernels], [("0.inner", 50), ("0", 10)])

    def test_on_a_gpu_the_marks_in_its_stream_say_when_it_is_done_with_a_module(self):
        net = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        marks = iter([0, 10, 100, 1100, 1130, 1170])  # before each module, from the outside, and after each, in µs
        gpu = types.SimpleNamespace(marker=lambda: lambda: next(marks), between_ns=lambda begin, end: 1000 * (end - begin))
        graph = helper.make_graph([helper.make_node("Add", ["x"], ["a"], name="0/add"),
                                   helper.make_node("Relu", ["a"], ["y"], name="0.0")], "g", [], [])
        times = self.times.ModuleTimes(net, gpu)
        net(torch.zeros(1))
        times.stop()
        kernels = times.kernels(1, self.times.ModuleNodes(net, graph, ["0/add", "0.0"]))
        # 0.0: from 100 to 1100. 0: from 10 to 1130, without 0.0.
        self.assertEqual([(kernel.name, kernel.ns) for kernel in kernels], [("0.0", 1_000_000), ("0", 120_000)])

    def test_no_hook_stays(self):
        registered = torch.nn.modules.module._global_forward_hooks
        before = len(registered)
        times = self.times.ModuleTimes(self.net())
        self.assertEqual(len(registered), before + 1)
        times.stop()
        times.stop()
        self.assertEqual(len(registered), before)

    def test_inferences_that_call_other_modules_are_refused(self):
        net = self.net()
        times = self.times.ModuleTimes(net)
        net(torch.zeros(1, 2))
        net[0](torch.zeros(1, 2))
        times.stop()
        with self.assertRaises(CompilerError) as caught:
            times.kernels(2, self.times.ModuleNodes(net, None, []))
        self.assertEqual(caught.exception.kind, "no_profile")


class Inductor(unittest.TestCase):
    def event(self, name, begin, ns, shapes=()):
        return types.SimpleNamespace(name=lambda: name, start_ns=lambda: begin, duration_ns=lambda: ns,
                                     is_async=lambda: False, shapes=lambda: shapes)

    def test_only_the_outermost_kernels_count(self):
        times = module_of("identity", "inductor_times")
        events = [self.event("Torch-Compiled Region: 0/0", 0, 100), self.event("aten::empty", 12, 1),
                  self.event("mkldnn::_convolution_pointwise", 10, 20), self.event("graph_0_cpp_fused_relu_0", 40, 5)]
        self.assertEqual([each.name() for each in times.outermost(events)],
                         ["mkldnn::_convolution_pointwise", "graph_0_cpp_fused_relu_0"])

    def test_convolutions_are_the_files_only_if_number_and_shapes_of_weights_agree(self):
        times = module_of("identity", "inductor_times")
        weights = [onnx.TensorProto(name="w1", dims=[4, 3, 1, 1]), onnx.TensorProto(name="w2", dims=[8, 4, 3, 3])]
        graph = helper.make_graph([helper.make_node("Conv", ["x", "w1"], ["a"], name="one"),
                                   helper.make_node("Conv", ["a", "w2"], ["y"], name="two")], "g", [], [], weights)
        first = self.event("mkldnn::_convolution_pointwise", 0, 1, [[1, 3, 5, 5], [4, 3, 1, 1]])
        second = self.event("mkldnn::_convolution_pointwise_", 2, 1, [[1, 4, 5, 5], [8, 4, 3, 3]])
        self.assertEqual(times.anchors(graph, [first, second]), {0: "one", 1: "two"})
        self.assertEqual(times.anchors(graph, [second, first]), {})
        self.assertEqual(times.anchors(graph, [first]), {})

    def test_products_of_weights_and_of_values_are_counted_apart(self):
        times = module_of("identity", "inductor_times")
        weights = [onnx.TensorProto(name="wq", dims=[4, 8]), onnx.TensorProto(name="wo", dims=[4, 4])]
        nodes = [("qk", ["x", "wq"], ["q"]), ("scores", ["q", "q"], ["s"]), ("context", ["s", "q"], ["c"]), ("out", ["c", "wo"], ["y"])]
        graph = helper.make_graph([helper.make_node("MatMul", *inputs, name=name) for name, *inputs in nodes], "g", [], [], weights)
        events = [self.event(name, 2 * place, 1) for place, name in
                  enumerate(["mkl::_mkl_linear", "aten::bmm", "aten::bmm", "mkl::_mkl_linear"])]
        self.assertEqual(times.anchors(graph, events), {0: "qk", 1: "scores", 2: "context", 3: "out"})
        events[1:3] = [self.event("aten::_scaled_dot_product_flash_attention_for_cpu", 2, 1)]
        self.assertEqual(times.anchors(graph, events), {0: "qk", 2: "out"}, "attention became one kernel")
        self.assertEqual(times.anchors(graph, events[:-1]), {})


class Tvm(unittest.TestCase):
    """Relax modules are stood in for by objects with the same members."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, os.path.join(LIB, "compilers", "tvm", "python"))
        import kernel_nodes

        cls.kernels_of = staticmethod(kernel_nodes.kernels_of)

    def call(self, name, *weights):
        constants = [types.SimpleNamespace(value=types.SimpleNamespace(numpy=lambda each=each: numpy.float32(each)))
                     for each in weights]
        arguments = (types.SimpleNamespace(name_hint=name), types.SimpleNamespace(fields=[object(), *constants]))
        return types.SimpleNamespace(value=types.SimpleNamespace(op=types.SimpleNamespace(name="relax.call_tir"),
                                                                 args=arguments))

    def module(self, *calls):
        block = types.SimpleNamespace(bindings=[*calls, types.SimpleNamespace(value=object())])
        return {"main": types.SimpleNamespace(body=types.SimpleNamespace(blocks=[block]))}

    def graph(self):
        weights = {"w1": [1, 2], "w2": [3, 4], "alike": [0, 0], "alike too": [0, 0]}
        nodes = [helper.make_node("Conv", ["x", "w1", "alike"], ["a"], name="conv1"),
                 helper.make_node("MaxPool", ["a"], ["b"], name="pool"),
                 helper.make_node("Conv", ["b", "w2", "alike too"], ["y"], name="conv2")]
        return helper.make_graph(nodes, "g", [], [], [
            numpy_helper.from_array(numpy.array(values, numpy.float32), name) for name, values in weights.items()])

    def test_a_kernel_stands_for_the_nodes_whose_weights_it_receives(self):
        told = self.kernels_of(self.module(self.call("fused_conv2d_add", [[1, 2]], [0, 0]), self.call("max_pool2d"),
                                           self.call("fused_conv2d_add", [[3, 4]], [0, 0])), self.graph())
        self.assertEqual([(each["nodes"], each["found_by"]) for each in told],
                         [(["conv1"], "weights"), (["pool"], "order"), (["conv2"], "weights")])

    def test_the_order_says_nothing_if_there_are_more_kernels_than_nodes(self):
        told = self.kernels_of(self.module(self.call("max_pool2d"), self.call("max_pool2d1")), self.graph())
        self.assertEqual([each["nodes"] for each in told], [[], []])

    def test_without_a_file_no_nodes_are_told(self):
        told = self.kernels_of(self.module(self.call("fused_conv2d", [[1, 2]])), None)
        self.assertEqual(told, [{"kernel": "fused_conv2d", "nodes": [], "found_by": ""}])


class Iree(unittest.TestCase):
    PROGRAM = """
      func.func @main$async_dispatch_0_conv(%arg0: tensor<1xf32>) {
        %cst = arith.constant 0.0 : f32 loc("elsewhere")
        } -> tensor<1xf32> loc("conv")
          %8 = arith.addf %in, %in_0 : f32 loc("bn")
          linalg.yield %8 : f32 loc("bn")
      }
    util.func @main() {
    %3 = flow.dispatch @main$async_dispatch_0::@main$async_dispatch_0_conv(%2) : () -> tensor<1xf32> loc("conv")
    %4 = flow.dispatch @main$async_dispatch_1::@main$async_dispatch_1_copy(%3) : () -> tensor<1xf32> loc(fused["pad", "x"])
    %5 = flow.dispatch @main$async_dispatch_1::@main$async_dispatch_1_copy(%4) : () -> tensor<1xf32> loc("pad2")
    """

    def setUp(self):
        self.profiling = module_of("iree", "profiling")

    def test_a_dispatch_has_the_locations_of_its_kernel_unless_others_call_that_too(self):
        self.assertEqual(self.profiling.sites_of(self.PROGRAM, ["conv", "bn", "pad", "pad2"]),
                         [("main$async_dispatch_0_conv", ["conv", "bn"]), ("main$async_dispatch_1_copy", ["pad"]),
                          ("main$async_dispatch_1_copy", ["pad2"])])

    def events(self, *inferences):
        return [{"submission_id": number, "key": key, "duration_ns": ns, "start_host_time_ns": 10 * number + place}
                for number, inference in enumerate(inferences) for place, (key, ns) in enumerate(inference)]

    def test_what_is_computed_when_the_program_is_loaded_does_not_count(self):
        told = self.events([("const", 9)], [("a", 1), ("b", 2)], [("a", 3), ("b", 4)])
        self.assertEqual(self.profiling.split(told, 2), [[("a", 1), ("b", 2)], [("a", 3), ("b", 4)]])

    def test_unlike_inferences_are_refused(self):
        with self.assertRaises(Exception) as caught:
            self.profiling.split(self.events([("a", 1)], [("b", 2)]), 2)
        self.assertEqual(caught.exception.kind, "no_profile")

    def test_kernels_have_means_and_the_nodes_of_their_dispatch(self):
        kernels = self.profiling.kernels_of([[("pack", 1), ("a", 2)], [("pack", 3), ("a", 6)]], [("a", ["conv"])])
        self.assertEqual([(each.name, each.ns, each.nodes, each.found_by) for each in kernels],
                         [("pack", 2.0, [], ""), ("a", 4.0, ["conv"], "location")])

    def test_a_copy_that_pads_for_a_convolution_is_not_the_convolution(self):
        copy, alone, conv = "main$async_dispatch_0_slow_memcpy", "main$async_dispatch_1_slow_memcpy", "main$async_dispatch_2_conv"
        kernels = self.profiling.kernels_of([[(copy, 1), (alone, 1), (conv, 9)]],
                                            [(copy, ["conv1"]), (alone, ["pad"]), (conv, ["conv1", "bn1"])])
        self.assertEqual([each.nodes for each in kernels], [[], ["pad"], ["conv1", "bn1"]])

    def test_a_version_without_the_program_that_profiles_says_so(self):
        with self.assertRaises(Exception) as caught:
            self.profiling._run(["/nowhere/iree-profile", "dispatch"])
        self.assertEqual((caught.exception.kind, caught.exception.message),
                         ("no_profile", "this version of IREE has no program iree-profile"))

    def test_in_another_order_no_nodes_are_told(self):
        kernels = self.profiling.kernels_of([[("b", 1), ("a", 2)]], [("a", ["conv"]), ("b", ["bn"])])
        self.assertEqual([each.nodes for each in kernels], [[], []])


if __name__ == "__main__":
    unittest.main()
