# SPDX-License-Identifier: Apache-2.0
"""Builds and measures tuning's candidates as TVM does, without the steps that cost TVM most of its time."""

import importlib
import importlib.util
import os
import platform
import shutil
import sys
import tempfile

BUILD_TIMEOUT_S = 120
RUN_TIMEOUT_S = 60
UNTUNED_TIMEOUT_S = 600
BUILDS_PER_PROCESS = 256  # build processes grow, so TVM starts fresh ones each round; these live longer


def import_intrinsics(kind):
    """Import the tensor intrinsics of this machine's processor alone, or of the GPU for a target of kind "cuda". TVM
    imports those of every kind of device, which takes 18 s, unless the package is imported already, as it is
    afterwards."""
    name = "tvm.s_tir.tensor_intrin"
    if name in sys.modules:
        return
    sys.modules[name] = importlib.util.module_from_spec(importlib.util.find_spec(name))
    own = "cuda" if kind == "cuda" else {"x86_64": "x86", "aarch64": "arm_cpu"}.get(platform.machine())
    if own:
        importlib.import_module(f"{name}.{own}")


def build_candidate(module, target):
    """Build a kernel in a build process and return its path. This is TVM's own function without the import of tensor
    intrinsics, 18 s per process, which the module contains by now."""
    from tvm.driver import build
    from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock
    from tvm.support.tar import tar

    built = build(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(module), target=target)
    path = os.path.join(tempfile.mkdtemp(), "kernel." + tar.output_format)
    built.export_library(path, fcompile=tar)
    return path


def make_builder(processes, before_each_round):
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder
    from tvm.support.popen_pool import PopenPoolExecutor, StatusKind

    @derived_object
    class Builder(PyBuilder):
        """Builds in its own processes, so that the 2 s to import TVM are paid once per process and not in every round.
        """

        def __init__(self):
            super().__init__()
            self.pool = PopenPoolExecutor(max_workers=processes, timeout=BUILD_TIMEOUT_S,
                                          maximum_process_uses=BUILDS_PER_PROCESS)

        def build(self, build_inputs):
            before_each_round(len(build_inputs))
            work = [(each.mod, each.target) for each in build_inputs]
            return [self._result(each.status, each.value)
                    for each in self.pool.map_with_error_catching(lambda pair: build_candidate(*pair), work)]

        def _result(self, status, value):
            if status == StatusKind.COMPLETE:
                return BuilderResult(value, None)
            why = f"took more than {BUILD_TIMEOUT_S} s" if status == StatusKind.TIMEOUT else str(value)
            return BuilderResult(None, "the candidate was not built: " + why)

    return Builder()


def make_runner():
    from tvm.s_tir.meta_schedule.runner import EvaluatorConfig, LocalRunner

    return LocalRunner(timeout_sec=RUN_TIMEOUT_S,
                       evaluator_config=EvaluatorConfig(number=1, repeat=3, min_repeat_ms=20))


def scheduled(module, target):
    """Return an untuned kernel as it would be built: on a GPU with TVM's default schedule, without which it has no
    threads."""
    if target.kind.name != "cuda":
        return module
    from tvm.s_tir import dlight

    with target:
        return dlight.ApplyDefaultSchedule(dlight.gpu.Matmul(), dlight.gpu.GEMV(), dlight.gpu.Reduction(),
                                           dlight.gpu.GeneralReduction(), dlight.gpu.Fallback())(module)


def measure_untuned(modules, target, builder):
    """Return the seconds of one run of each untuned kernel, or None for one that cannot run."""
    from tvm.s_tir.meta_schedule.arg_info import ArgInfo
    from tvm.s_tir.meta_schedule.builder import BuilderInput
    from tvm.s_tir.meta_schedule.runner import EvaluatorConfig, LocalRunner, RunnerInput

    runner = LocalRunner(timeout_sec=UNTUNED_TIMEOUT_S,
                         evaluator_config=EvaluatorConfig(number=1, repeat=1, min_repeat_ms=0))
    built = builder.build([BuilderInput(scheduled(module, target), target) for module in modules])
    seconds = []
    for module, kernel in zip(modules, built):
        result = None
        if kernel.artifact_path:
            device = "cuda" if target.kind.name == "cuda" else "cpu"
            inputs = RunnerInput(kernel.artifact_path, device, ArgInfo.from_entry_func(module))
            result = runner.run([inputs])[0].result()
            shutil.rmtree(os.path.dirname(str(kernel.artifact_path)), ignore_errors=True)
        seconds.append(float(result.run_secs[0]) if result and result.run_secs else None)
    return seconds
