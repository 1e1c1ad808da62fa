# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's benchmark_app with its own arguments, which also prints one line for each repetition: nanoseconds. By itself
it tells their median and extremes."""
from openvino.tools.benchmark.benchmark import Benchmark
from openvino.tools.benchmark.main import main

infer = Benchmark.sync_inference


def infer_and_print(self, *arguments):
    milliseconds, *rest = infer(self, *arguments)
    print(*(round(each * 1e6) for each in milliseconds), sep="\n")
    return milliseconds, *rest


Benchmark.sync_inference = infer_and_print

if __name__ == "__main__":
    main()
