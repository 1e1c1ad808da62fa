# SPDX-License-Identifier: Apache-2.0
"""OpenVINO's benchmark_app with its own arguments, which also prints one line for each repetition, in their order:
nanoseconds. By itself it tells their median and extremes."""
from openvino.tools.benchmark.benchmark import Benchmark
from openvino.tools.benchmark.main import main

infer = Benchmark.sync_inference


class Observed:
    """A request that keeps the latencies it was asked for: benchmark_app sorts its own."""

    def __init__(self, request):
        self._request = request
        self.latencies_ms = []

    def __getattr__(self, name):
        return getattr(self._request, name)

    @property
    def latency(self):
        self.latencies_ms.append(self._request.latency)
        return self.latencies_ms[-1]


def infer_and_print(self, request, *arguments):
    observed = Observed(request)
    told = infer(self, observed, *arguments)
    print(*(round(each * 1e6) for each in observed.latencies_ms), sep="\n")
    return told


Benchmark.sync_inference = infer_and_print

if __name__ == "__main__":
    main()
