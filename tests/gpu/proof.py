#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on an NVIDIA GPU what was written without one. See scripts/gpu-proof and docs/gpu-proof.md."""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

import calls
import carried
import gpu
import measuring
import preparing
import studies
from machine import OWNERS, REPOSITORY, Machine
from measuring import killed_study, study
from steps import Failed, Proof, Skip

NO_GPU = 6


@dataclasses.dataclass(frozen=True)
class Step:
    name: str
    seconds: float        # expected on a machine with an H100, after its toolchains are adopted
    most_s: float         # its bound where there is time
    toolchains: tuple
    archives: tuple       # what has to be carried for it, beside ngb
    of: typing.Callable   # (machine, name) -> work


PYTORCH, WITH_TENSORRT = ("packages",), ("packages", "tensorrt", "kernels")
# For a package that brings a C++ library of its own beside PyTorch's, and crashes.
ONE_CXX_LIBRARY = {"devices": [{"local": {"environment": {"LD_PRELOAD": "libstdc++.so.6"}}}]}
THREE_ONCE = {"processes": 3, "compile": "once"}  # intervals, for the time of one engine


def steps(model_file=None, shape=""):
    """Return the steps in the order of their value for what they take. TensorRT 10.6 takes 43 s to make a builder, in each
    process: so there are two cells of it in a study, and not the fifty of a large one."""
    torch, both = ("identity",), ("identity", "tensorrt")
    ort, ort_and_kernels = ("packages", "onnxruntime"), (*WITH_TENSORRT, "onnxruntime")
    return [
        Step("pytorch", 100, 300, torch, PYTORCH, killed_study(studies.pytorch, "identity")),
        Step("programs", 35, 120, torch, PYTORCH, study(studies.programs, "identity")),
        Step("questions", 40, 300, torch, PYTORCH, measuring.questions),
        Step("agreement-pytorch", 20, 60, torch, PYTORCH, measuring.agreement_of_torch),
        Step("tensorrt", 110, 400, both, WITH_TENSORRT, study(studies.tensorrt, "tensorrt")),
        Step("agreement-tensorrt", 55, 240, ("tensorrt",), WITH_TENSORRT, measuring.agreement_of_tensorrt(model_file, shape)),
        Step("onnxruntime", 20, 200, ("identity", "onnxruntime"), ort, study(studies.onnxruntime, "onnxruntime")),
        Step("wait", 25, 120, ("identity", "onnxruntime"), ort, study(studies.wait, "identity")),
        Step("onnxruntime-tensorrt", 60, 200, ("identity", "onnxruntime", "tensorrt"), ort_and_kernels,
             study(studies.onnxruntime_tensorrt, "onnxruntime", "tensorrt")),
        Step("peak", 60, 200, torch, PYTORCH, measuring.peak),
        Step("explain", 100, 300, both, WITH_TENSORRT, measuring.explained(
            studies.explain, "identity", "tensorrt-cpp", "identity", "tensorrt", compile="once")),
        Step("aotinductor", 150, 300, torch, PYTORCH, study(studies.aotinductor, "identity")),
        Step("aotinductor-preloaded", 110, 200, torch, PYTORCH, study(studies.aotinductor_alone, "identity", **ONE_CXX_LIBRARY)),
        Step("decoder", 90, 200, torch, PYTORCH, study(studies.decoder, "identity")),
        Step("tvm", 170, 400, ("identity", "tvm"), ("packages", "tvm"), study(studies.tvm, "tvm")),
        Step("figure-1", 190, 400, both, WITH_TENSORRT, study(studies.figure_1, "identity", "tensorrt", **THREE_ONCE)),
        Step("families", 350, 520, both, WITH_TENSORRT, study(studies.families, "identity", "tensorrt", **THREE_ONCE)),
        Step("tensorrt-options", 200, 600, both, WITH_TENSORRT, study(studies.tensorrt_options, "tensorrt")),
        Step("half", 110, 300, both, (*WITH_TENSORRT, "kernels-f16"), study(
            studies.half, "identity", "tensorrt", precision="f16", tolerances={"absolute": 0.1, "relative": 0.05})),
        Step("trtexec", 60, 240, both, WITH_TENSORRT, measuring.trtexec),
        Step("paper", 1500, 2400, both, WITH_TENSORRT, study(studies.paper)),
    ]


def prove(proof, machine, wanted):
    """Do the steps that are not done. Each has the time that it is expected to take at least, and what the later ones
    leave, but never more than its own bound."""
    proof.step("machine", 60, machine.describe)
    if not proof.step("build", 900, machine.prepare_build):
        return
    wanted = [step for step in wanted if not proof.is_done(step.name)]
    tried = set(machine.versions)
    for at, step in enumerate(wanted):
        lacks = [name for name in step.archives if not machine.has_carried(name)]
        if lacks:
            proof.step(step.name, 1, lambda lacks=lacks: _skip(f"not carried yet: {', '.join(lacks)}"))
            continue
        for compiler in step.toolchains:
            if compiler not in tried:
                tried.add(compiler)
                proof.step(f"adopt {compiler}", 120, lambda compiler=compiler: machine.adopt(compiler))
        rest = sum(later.seconds for later in wanted[at + 1:])
        proof.step(step.name, min(step.most_s, max(step.seconds, proof.left_s() - rest)), step.of(machine, step.name))
    proof.step("readings of NVML", 30, measuring.readings(machine))


def _skip(why):
    raise Skip(why)


def read_arguments(words):
    parser = argparse.ArgumentParser(prog="gpu-proof", description=__doc__)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("gpu-proof"),
                        help="folder of results; a proof in it is continued")
    parser.add_argument("--steps", default="", metavar="A,B", help="only these; 'none' unpacks what was carried")
    parser.add_argument("--limit", type=float, default=3300, metavar="SECONDS", help="for the whole command")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FILE", help="after each step, what is small as a tar.gz")
    parser.add_argument("--build", type=pathlib.Path, help="a build (default: the carried one, else one is made)")
    parser.add_argument("--carried", type=pathlib.Path, help="folder that --prepare made, or a part of it")
    parser.add_argument("--adopt", action="append", default=[], metavar="COMPILER=FOLDER")
    parser.add_argument("--no-machine", dest="machine", action="store_false", help="adopt nothing that is not named")
    parser.add_argument("--model", type=pathlib.Path, help="ONNX file for the bare loop (default: ResNet-18)")
    parser.add_argument("--shape", default="input=1x3x224x224", help="its input, as NAME=AxB")
    parser.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER", help="make the folder to carry, and end")
    parser.add_argument("--archives", type=pathlib.Path, action="append", default=[], metavar="FOLDER",
                        help="with --prepare: where downloads are")
    parser.add_argument("--piece", type=int, default=50, metavar="MIB", help="with --prepare: size of a folder of pieces")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="with --carried: print the calls for that time, and end")
    arguments = parser.parse_args(words)
    arguments.adopt = dict(_pair(parser, pair) for pair in arguments.adopt)
    known = [step.name for step in steps()]
    arguments.steps = arguments.steps.split(",") if arguments.steps else known
    for name in arguments.steps:
        if name not in (*known, "none"):
            parser.error(f"--steps {name}: unknown, expected some of {', '.join(known)}")
    if arguments.build and not (arguments.build / "bin/ngb").exists():
        parser.error(f"--build {arguments.build}: there is no bin/ngb in it")
    if arguments.budget and not arguments.carried:
        parser.error("--budget: name the prepared folder with --carried")
    return arguments


def _pair(parser, text):
    compiler, equals, folder = text.partition("=")
    if compiler not in OWNERS or not equals or not os.path.isdir(folder):
        parser.error(f"--adopt {text}: not COMPILER=FOLDER with one of {', '.join(OWNERS)} and a folder that exists")
    return compiler, folder


def main(words):
    arguments = read_arguments(words)
    wanted = [step for step in steps(arguments.model, arguments.shape) if step.name in arguments.steps]
    try:
        if arguments.prepare:
            preparing.prepare(REPOSITORY, arguments.prepare, arguments.build, arguments.archives, arguments.piece)
            return 0
        if arguments.budget:
            planned, left_out = calls.plan(wanted, carried.read_manifest(arguments.carried), arguments.budget)
            print(calls.text(planned, left_out, arguments.budget, arguments.carried))
            return 0
    except (preparing.Unprepared, carried.Damaged, subprocess.CalledProcessError) as why:
        print(f"gpu-proof: {why}", file=sys.stderr)
        return 1
    os.environ.setdefault("TMPDIR", tempfile.gettempdir())
    proof = Proof(arguments.output.resolve(), arguments.limit, arguments.pack)

    def find_gpu():
        try:
            proof.facts.update(gpu.first_gpu())
        except gpu.NoGpu as why:
            raise Failed(f"no GPU: {why}") from None
        return proof.facts["gpu"]

    if not proof.step("gpu", 30, find_gpu):
        print(f"\n{proof.text()}\nRun this on a machine with an NVIDIA GPU and its driver.")
        return NO_GPU
    prove(proof, Machine(proof, arguments.build, arguments.carried, arguments.adopt, arguments.machine), wanted)
    print(f"\n{proof.text()}\nResults: {proof.folder}")
    return 1 if any(outcome.state == "failed" for outcome in proof.outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
