# SPDX-License-Identifier: Apache-2.0
"""Each kind of compiled file, made by its library's own tools of the same network, is measured as it is and agrees with the
ONNX file that it was made of; files that cannot be run are refused by name."""

import os
import shutil
import unittest

from compiled_files_test import NET, MeasuredFiles, run_python
from export_test import installed
from ngb_program import TOOLCHAINS, caching_cxx

MODULE = """
import onnx, onnx.numpy_helper, torch
weight = torch.from_numpy(onnx.numpy_helper.to_array(onnx.load("net.onnx").graph.initializer[0]).copy())
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(weight)
    def forward(self, x):
        return x @ self.weight
net, x = Net().eval(), torch.zeros(1, 64)
"""
EXECUTORCH = MODULE + """
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
made = to_edge_transform_and_lower(torch.export.export(net, (x,)), partitioner=[XnnpackPartitioner()])
made.to_executorch().save("net.pte")
"""
MNN = """
import _tools
_tools.mnnconvert("mnnconvert -f ONNX --modelFile net.onnx --MNNModel net.mnn --bizCode test".split())
"""
NCNN = """
import os, subprocess
from importlib import metadata
pnnx = next(file for file in metadata.files("pnnx") if str(file) == "pnnx/pnnx").locate()
subprocess.run([str(pnnx), "net.onnx", "inputshape=[1,64]f32", "fp16=0"], check=True)
layers = open("net.ncnn.param").read().replace("in0", "image").replace("out0", "score")
open("ncnn.param", "w").write(layers.replace("0 1 image", "0 1 image 0=64"))
open("open.param", "w").write(layers)
os.rename("net.ncnn.bin", "ncnn.bin")
open("open.bin", "wb").write(open("ncnn.bin", "rb").read())
"""
IREE = """
import onnx
from iree.compiler import ir, tools
from iree.compiler.extras import onnx_importer
with ir.Context() as context:
    model = onnx_importer.ModelInfo(onnx.shape_inference.infer_shapes(onnx.load("net.onnx")))
    module = model.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(model.main_graph, module).import_all()
    open("net.vmfb", "wb").write(tools.compile_str(str(module), input_type="onnx", target_backends=["llvm-cpu"]))
"""
PYTORCH = MODULE + """
torch.jit.trace(net, x).save("net.pt")
torch.save(net.state_dict(), "weights.pt")
torch.save(net.state_dict(), "old.pt", _use_new_zipfile_serialization=False)
torch.save(torch.nn.Linear(2, 2), "module.pt")
torch.export.save(torch.export.export(net, (x,)), "exported.pt2")
torch._inductor.aoti_compile_and_package(torch.export.export(net, (x,)), package_path="net.pt2")
"""
# The file, its compiler, the program that makes it, and keys that it needs.
KINDS = (("net.pte", "executorch", EXECUTORCH, ""), ("net.mnn", "mnn", MNN, ""), ("ncnn.param", "ncnn", NCNN, ""),
         ("net.vmfb", "iree", IREE, "shapes: {input0: [batch, 64]}"),
         ("net.pt2", "aotinductor", PYTORCH, "shapes: {input0: [batch, 64]}"),
         ("net.pt", "torchscript", "", "shapes: {x: [batch, 64]}"))


@unittest.skipUnless(all(installed(compiler) for _, compiler, _, _ in KINDS), "not all toolchains are on this machine")
class CompiledKinds(MeasuredFiles):
    def measure(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        run_python("identity", NET, self.folder)
        for _, compiler, program, _ in KINDS:
            run_python(compiler, program, self.folder, CXX=caching_cxx(self.folder), TORCHINDUCTOR_VEC_ISA_OK="1",
                       TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS="0", AOT_INDUCTOR_COMPILE_WRAPPER_OPT_LEVEL="O0")
        models = "".join(f"  - {{file: {file}, variant_of: source, {keys}}}\n" for file, _, _, keys in KINDS)
        compilers = ", ".join(compiler for _, compiler, _, _ in KINDS)
        self.write("study.yaml", "models:\n  - {onnx: net.onnx, label: source, compilers: [identity]}\n" + models +
                   f"compilers: [identity, {compilers}]\nprocesses: 1\nrepetitions: 6\n"
                   "disturbance: {max_wait_percent: 100}\noutput: results\n")
        run = self.ngb("run", "study.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_each_kind_is_measured_by_its_compiler_and_agrees_with_its_source(self):
        cells = self.cells()
        self.assertEqual(sorted(cells), sorted([("source", "identity"), *((file, compiler) for file, compiler, _, _ in KINDS)]))
        for file, compiler, _, _ in KINDS:
            with self.subTest(file):
                metrics = cells[file, compiler]["metrics"]
                self.assertGreater(metrics["throughput_per_s"]["value"], 0)
                self.assertGreater(metrics["cosine_ratio"]["value"], 1 - 1e-9)

    def test_one_line_finds_the_compiler_that_has_the_toolchain_of_another_one(self):
        for file, compiler in (("net.pt", "torchscript"), ("net.pt2", "aotinductor")):
            with self.subTest(file):
                told = self.ngb("run", file, "--dry-run", "-o", f"lines/{compiler}")
                self.assertNotIn("toolchain install", told.stderr)
                self.assertIn(f"compilers:\n  - {compiler}\n", (self.folder / f"lines/{compiler}.yaml").read_text())

    def test_the_sizes_are_those_of_the_files_with_their_weights(self):
        sizes = {file: os.path.getsize(self.folder / file) for file, _, _, _ in KINDS}
        sizes["ncnn.param"] += os.path.getsize(self.folder / "ncnn.bin")
        for file, compiler, _, _ in KINDS:
            self.assertEqual(self.cells()[file, compiler]["metrics"]["model_size_bytes"]["value"], sizes[file], file)

    def test_facts_say_who_made_a_file_and_what_its_delegates_leave(self):
        def facts(compiler):
            return dict(self.query("results", "SELECT name, value FROM fact JOIN process USING (process_key) JOIN cell USING "
                                              f"(cell_key) WHERE compiler_label = '{compiler}'"))

        self.assertEqual(facts("mnn")["made_by_version"], facts("mnn")["version"])
        # One product, which is XNNPACK's whole.
        self.assertEqual((facts("executorch")["delegates"], facts("executorch")["not_delegated"]), ("1", "0"))
        self.assertIn("'AOTI_MACHINE': '", facts("aotinductor")["package_metadata"])

    def test_wrong_files_are_refused_by_name(self):
        for name in ("net.pte", "net.mnn", "net.vmfb", "net.pt", "net.pt2"):
            (self.folder / f"cut{name[3:]}").write_bytes((self.folder / name).read_bytes()[:-9000])
        shutil.copy(self.folder / "net.pt", self.folder / "renamed.pte")
        program = (self.folder / "net.pte").read_bytes()
        (self.folder / "other.pte").write_bytes(program.replace(b"XnnpackBackend", b"CoreMLBackends"))
        layers = (self.folder / "ncnn.param").read_text()
        (self.folder / "own.param").write_text(layers.replace("InnerProduct", "Mine"))
        (self.folder / "cut.param").write_text("\n".join(layers.splitlines()[:-1]))
        for name in ("own.bin", "cut.bin"):
            shutil.copy(self.folder / "ncnn.bin", self.folder / name)
        shutil.copy(self.folder / "ncnn.param", self.folder / "alone.param")
        with open(self.folder / "large.mnn", "wb") as file:
            file.truncate(4 << 30)
        for file, compiler, what in (
                ("cut.pte", "executorch", "it cannot be read: "), ("cut.mnn", "mnn", "it cannot be read: "),
                ("other.pte", "executorch", "it is for CoreMLBackends, which is not in this ExecuTorch"),
                ("cut.vmfb", "iree", "it cannot be read: "), ("cut.pt2", "aotinductor", "it cannot be read: "),
                ("cut.pt", "torchscript", "it is not the archive that a program of TorchScript is"),
                ("renamed.pte", "executorch", "it cannot be read: "), ("large.mnn", "mnn", "it cannot be read: "),
                ("own.param", "ncnn", "ncnn has no layer Mine"), ("cut.param", "ncnn", "it has 1 layers of 2"),
                ("alone.param", "ncnn", "alone.bin: no such file, which has the weights of alone.param"),
                ("open.param", "ncnn", "it does not say the whole shape of image"),
                ("weights.pt", "torchscript", "it has weights that torch.save has written"),
                ("old.pt", "torchscript", "it is not the archive that a program of TorchScript is"),
                ("module.pt", "torchscript", "it has a pickled module (torch.nn.modules.linear.Linear)"),
                ("exported.pt2", "aotinductor", "it is a program of torch.export, which nothing has compiled yet")):
            with self.subTest(file):
                self.write("wrong.yaml", f"models: [{{file: {file}}}]\ncompilers: [{compiler}]\n")
                refused = self.ngb("plan", "wrong.yaml")
                self.assertEqual(refused.returncode, 2, refused.stdout)
                self.assertIn(file, refused.stderr)
                self.assertIn(what, refused.stderr)

    def test_what_a_file_leaves_open_is_asked_with_the_line_to_write(self):
        self.write("open.yaml", "models: [{file: open.param}]\ncompilers: [ncnn]\n")
        self.assertIn("give it, as in shapes: {image: [batch, 128]}", self.ngb("plan", "open.yaml").stderr)
        self.write("open.yaml", "models: [{file: open.param, shapes: {image: [batch, 64]}}]\ncompilers: [ncnn]\n")
        self.assertEqual(self.ngb("plan", "open.yaml").returncode, 0)
        self.write("open.yaml", "models: [{file: net.vmfb}]\ncompilers: [iree]\n")
        self.assertIn("give them in their order, as in shapes: {input0: ", self.ngb("plan", "open.yaml").stderr)

    def test_an_engine_of_tensorrt_says_where_tensorrt_comes_from(self):
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        self.write("net.engine", "ftrt")
        self.write("engine.yaml", "models: [{file: net.engine}]\ncompilers: [tensorrt]\n")
        refused = self.ngb("plan", "engine.yaml")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("run: ngb toolchain install tensorrt; or give the key shapes", refused.stderr)


if __name__ == "__main__":
    unittest.main()
