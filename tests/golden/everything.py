# SPDX-License-Identifier: Apache-2.0
"""Results made up so that their cells differ in every property that a cell can have."""

from made_up import Model, Process, ResultsFile, Setting

BLOCK = Model("conv_block width=8 depth=2", 1, "conv_block", {"depth": 2, "image_size": 16, "width": 8}, 1800)
DEEPER = Model("conv_block width=8 depth=4", 1, "conv_block", {"depth": 4, "image_size": 16, "width": 8}, 3600)
CODEC = Model("codec.onnx", 4, "", {}, None, "Codecs", "hybrid", 1, 150_528, 20_000)
FASTER = Model("faster.onnx", 4, "", {}, None, "Codecs", "hybrid", 2, 150_528, 30_000)

IDENTITY = Setting("identity", "identity", "2.15.0")
PLAIN = Setting("onnxruntime", "plain", "1.31.1")
# Each differs from PLAIN in one property.
OTHERS = (
    Setting("onnxruntime", "onnxruntime 1.30.0", "1.30.0"),
    Setting("onnxruntime", "basic", "1.31.1", '{"graph_optimization":"basic"}'),
    Setting("onnxruntime", "handed on", "1.31.1", settings='{"session.disable_prepacking":1}'),
    Setting("onnxruntime", "two at a time", "1.31.1", in_flight="2"),
    Setting("onnxruntime", "as many as it likes", "1.31.1", in_flight="auto"),
    Setting("onnxruntime", "a pair", "1.31.1", instances=2),
    Setting("onnxruntime", "four threads", "1.31.1", threads=4),
    Setting("onnxruntime", "all threads", "1.31.1", threads=None, threads_asked="all"),
    Setting("onnxruntime", "onnxruntime gpu", "1.31.1", '{"provider":"cuda"}', computes_on="cuda:0"),
)
TOGETHER = Setting("openvino", "openvino", "2026.4.1", '{"cpu_pinning":true,"performance_hint":"none"}', in_flight="2",
                   instances=2, settings='{"CPU_DENORMALS_OPTIMIZATION":true,"MODEL":"x"}', threads=None,
                   threads_asked="physical")
RATES = {"identity": 10.0, "onnxruntime": 5.0, "openvino": 4.0}


def processes(setting, model, factor=1.0):
    """Three processes of four repetitions, each a bit slower than the one before."""
    time = factor * RATES[setting.compiler] * model.batch * model.parameters.get("depth", 2) / 2
    made = []
    for index in range(3):
        times = [time * (1 + 0.01 * index + 0.002 * each) for each in range(4)]
        made.append(Process(times, of_others=[times] * (setting.instances - 1), compile_s=1.0 + index,
                            latencies_ms=[[0.5]] + [[0.9 * each, 1.1 * each] for each in times]
                            if setting.in_flight != "1" else [],
                            readings=[("board_power", "during", 8.0 + index)]))
    return made


def failed(count=1):
    return [Process([], failure="unsupported_operator", index=index) for index in range(count)]


def write(folder, like):
    """Writes the results; `like` is a results folder of the newest schema."""
    with ResultsFile(folder, like) as results:
        add = lambda setting, model, factor=1.0, **more: results.add_cell(  # noqa: E731
            setting, model, processes(setting, model, factor), **more)
        for model in (BLOCK, DEEPER):
            add(IDENTITY, model)
            add(PLAIN, model)
        for place, setting in enumerate(OTHERS):
            add(setting, BLOCK, 1 + 0.1 * (place - 3))
        results.add_cell(TOGETHER, DEEPER, failed())
        add(TOGETHER, BLOCK)
        for setting in (IDENTITY, PLAIN):
            add(setting, BLOCK, 1.5, load="cpu: 1")
            add(setting, BLOCK, 2.0, device="laptop")
            add(setting, CODEC)
        add(PLAIN, BLOCK, 0.6, precision="bf16")
        add(TOGETHER, FASTER)
