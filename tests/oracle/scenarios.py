# SPDX-License-Identifier: Apache-2.0
"""The made-up results of the correctness test that have everything."""

import math
import random

import variants
import visits
from made_up import Model, Process, ResultsFile, Setting, with_dynamic_batch

IDENTITY = Setting("identity", "identity", "2.15.0")
EAGER_CPP = Setting("eager-cpp", "eager-cpp", "2.15.0")
ORT_ALL = Setting("onnxruntime", "onnxruntime level=all", "1.31.1", '{"level":"all"}')
ORT_BASIC = Setting("onnxruntime", "onnxruntime level=basic", "1.31.1", '{"level":"basic"}')
ORT_TWO = Setting("onnxruntime", "onnxruntime in_flight=2", "1.31.1", '{"level":"all"}', in_flight="2")
ORT_PAIR = Setting("onnxruntime", "onnxruntime instances=2", "1.31.1", '{"level":"all"}', instances=2)
IDENTITY_PAIR = Setting("identity", "identity instances=2", "2.15.0", instances=2)
TVM = Setting("tvm", "tvm", "0.27.0", '{"trials":64}')
OPENVINO = Setting("openvino", "openvino", "2026.4.1")
TORCHSCRIPT = Setting("torchscript", "torchscript", "2.15.0")
TENSORRT = Setting("tensorrt", "tensorrt", "10.15", computes_on="cuda:0")
IDENTITY_ON_GPU = Setting("identity", "identity on a GPU", "2.15.0", '{"device":"cuda"}', computes_on="cuda:0")

def blocks():
    """Stacks of blocks: models of a depth and a width."""
    for width in (8, 16):
        for depth in (1, 2, 3):
            yield "conv_block", "width", width, depth
    for depth in (1, 3):
        yield "mha_block", "embed", 64, depth


def models():
    """Every model, at batch 1; and how many samples/s the identity makes of it."""
    for family, name, width, depth in blocks():
        parameters = {"depth": depth, "image_size": 16, name: width}
        yield Model(f"{family} {name}={width} depth={depth}", 1, family, parameters, 900 * width * depth), 4000 / width / depth
    resnet = Model("resnet18", 1, "resnet", {"classes": 1000}, 11_000_000, "ResNets", "convolutional", 1)
    yield resnet, 60
    yield with_dynamic_batch(resnet), 55
    yield Model("resnet50", 1, "resnet", {"classes": 100}, 25_000_000, "ResNets", "convolutional", 2, macs=4_000_000_000), 25
    yield Model("vit", 1, "vit", {"classes": 1000}, 9_000_000, "ViTs", "transformer", 1, 150_528, 20_000, macs=4_200_000_000), 50
    yield Model("convnext", 1, "", {}, None, "ConvNeXts", "hybrid", 1, 1_000, 1_024), 40


def speed_up(setting, model):
    """The true speed-up over the identity: one that differs with everything that a series or a finding asks about."""
    is_attention = model.style == "transformer" or model.family == "mha_block"
    depth, width = model.parameters.get("depth", 1), model.parameters.get("width", 8)
    by_batch = model.batch ** (-0.05 - 0.002 * width)
    if setting in (ORT_ALL, ORT_TWO, ORT_PAIR):
        return (1.4 if is_attention else 2.0) * depth ** (-0.25 if is_attention else -0.05) * by_batch
    if setting is ORT_BASIC:
        return 1.2 * by_batch
    if setting is TVM:
        return (0.7 if is_attention else 1.3) * by_batch
    return 1.04 if setting is EAGER_CPP else 1.0


BUSY_CPUS = {"identity": 1.8, "eager-cpp": 1.75, "onnxruntime": 1.2, "tvm": 1.78}
COMPILE_S = {"identity": 0.2, "eager-cpp": 0.3, "onnxruntime": 1.5, "tvm": 20.0}


class Maker:
    """Makes processes of a known speed: each of five rounds has a disturbance of its own, each process and repetition a
    deviation. The same seed gives the same processes."""

    rounds = 5

    def __init__(self, results):
        self._results = results
        self._random = random.Random(7)
        self._of_rounds = {}

    def cell(self, setting, model, identity_per_s, device="xeon", load="none", change=None, repetitions=6, **more):
        """Adds a cell; `change` alters its list of processes."""
        rounds = self._of_rounds.setdefault((device, model.hash, model.batch, load),
                                            [self._deviation(0.02) for _ in range(self.rounds)])
        by_batch = model.batch**0.8
        speed = identity_per_s * by_batch * speed_up(setting, model) * (0.8 if load != "none" else 1)
        processes = [self._process(setting, model, speed * of_round, repetitions) for of_round in rounds]
        if load != "none":
            for process in processes:
                process.readings += [("load_cpu", "timed", self._random.uniform(90, 99)),
                                     ("load_memory", "timed", self._random.uniform(1e8, 2e8))]
        if change is not None:
            processes = change(processes)
        return self._results.add_cell(setting, model, processes, device, load, **more)

    def _deviation(self, size):
        return math.exp(self._random.gauss(0, size))

    def _process(self, setting, model, speed, repetitions):
        own = speed * self._deviation(0.01)
        times = [1000 * model.batch / own * self._deviation(0.01) for _ in range(repetitions)]
        tuned = {"tuning_seconds": "30.5", "trials": "64"} if setting is TVM else {}
        return Process(
            times, busy_cpus=BUSY_CPUS.get(setting.compiler, 1) * self._deviation(0.01),
            compile_s=COMPILE_S.get(setting.compiler, 5) * self._deviation(0.05), compile_cpu_s=self._random.uniform(1, 9),
            compile_peak_bytes=self._random.randrange(10**8, 2 * 10**8),
            timed_peak_bytes=self._random.randrange(10**8, 2 * 10**8), error=self._random.uniform(1e-7, 1e-5), facts=tuned,
            readings=[("run_queue_wait", "timed", self._random.uniform(0, 0.5)), ("steal", "timed", 0.0),
                      ("frequency", "start", self._random.uniform(2.9e9, 3e9)), ("model_size", "end", 1e6),
                      ("artifact_size", "end", 2e6), ("runtime_size", "end", float(self._random.randrange(10**7, 2 * 10**7)))])


def write_broad(folder, like):
    """Writes results in which every metric, flag, series, kind of finding and claim has something to say."""
    with ResultsFile(folder, like) as results:
        make = Maker(results)
        for model, speed in models():
            for batch in (1, 4):
                at = _at(model, batch)
                for setting in (IDENTITY, EAGER_CPP, ORT_ALL, ORT_BASIC, TVM):
                    is_refused = setting is TVM and model.label == "vit" and batch == 4
                    make.cell(setting, at, speed, change=_refused if is_refused else None)
        _add_special(make)
        _add_variants(make)
        _add_flagged(make)
        _add_laptop(make)
        _add_claimed(make)
        visits.add_to(make, (IDENTITY, ORT_ALL))


def _at(model, batch):
    return Model(**{**model.__dict__, "batch": batch})


def _named(label):
    return next((model, speed) for model, speed in models() if model.label == label)


def _add_special(make):
    """Cells of a GPU, beside a load, in bf16, with many repetitions, and with several inferences or instances at a
    time."""
    resnet, speed = _named("resnet18")
    for setting in (IDENTITY, ORT_ALL):
        make.cell(setting, _at(resnet, 4), speed, load="cpu: 1")
        make.cell(setting, _at(resnet, 8), speed, repetitions=140, change=_metered)  # enough for p99
    for setting in (IDENTITY, OPENVINO, TORCHSCRIPT):
        make.cell(setting, _at(resnet, 16), speed)
    make.cell(ORT_ALL, resnet, 1.5 * speed, precision="bf16")
    make.cell(TENSORRT, resnet, 10 * speed, change=_on_a_gpu)
    make.cell(IDENTITY_ON_GPU, resnet, 4 * speed, change=_on_a_gpu)
    make.cell(ORT_TWO, _at(resnet, 4), speed, change=_two_at_a_time)
    make.cell(ORT_TWO, resnet, speed, change=_grouped)
    make.cell(ORT_PAIR, _at(resnet, 4), speed, change=_two_instances)
    make.cell(IDENTITY_PAIR, _at(resnet, 4), speed, change=_two_instances)
    make.cell(ORT_PAIR, resnet, speed, change=_two_instances)  # whose identity has one instance


def _add_variants(make):
    """Variants of resnet18: with classes, without, and one that agrees too little."""
    resnet, speed = _named("resnet18")
    for label, classes in (("resnet18 int8", True), ("resnet18 pruned", False)):
        variant = Model(label, 4, variant_of="resnet18", exact_hash=resnet.hash)
        make.cell(IDENTITY, variant, speed / 2)
        make.cell(ORT_ALL, variant, 1.7 * speed, change=_agreeing(classes))
    make.cell(TVM, variant, speed, change=lambda processes: [
        Process([], failure="disagrees", index=0, agreement=list(variants.made_up_inputs(random.Random(3))))])
    make.cell(ORT_BASIC, _at(resnet, 16), speed, change=_agreeing(True, True, False))


def _agreeing(classes, labels=False, is_variant=True):
    def change(processes):
        rows = variants.made_up_inputs(random.Random(2), classes, labels)
        processes[0].agreement = [row if is_variant else (None,) * 4 + row[4:] for row in rows]
        return processes
    return change


def _add_flagged(make):
    """A cell for each of the flags that no other cell raises, at batch 32 of a model."""
    model, speed = _named("resnet50")
    for number, change in enumerate(_CHANGES):
        setting = Setting("onnxruntime", f"onnxruntime n={number}", "1.30.0", f'{{"n":{number}}}')
        make.cell(setting, _at(model, 32), speed, change=change, planned=Maker.rounds)
    make.cell(IDENTITY, _at(model, 32), speed)
    make.cell(IDENTITY, _at(model, 64), speed / 10, change=_EMULATED)
    make.cell(ORT_ALL, _at(model, 64), 3 * speed)


def _add_laptop(make):
    """A second device, on which the order of the two compilers and of two models is the other one."""
    resnet, speed = _named("resnet18")
    vit, slower = _named("vit")
    make.cell(IDENTITY, resnet, speed / 2, device="laptop")
    make.cell(ORT_ALL, resnet, speed / 8, device="laptop")
    make.cell(IDENTITY, vit, 2 * slower, device="laptop")
    make.cell(ORT_ALL, vit, 2 * slower, device="laptop")


def _add_claimed(make):
    """What claims compare that nothing else does: kinds of blocks in OpenVINO, two sizes beside a load, batches on a GPU and on
    the slower device."""
    for label in ("conv_block width=8 depth=1", "mha_block embed=64 depth=1"):
        for batch in (1, 4):
            make.cell(OPENVINO, _at(_named(label)[0], batch), _named(label)[1])
    resnet, speed = _named("resnet18")
    large, slower = _named("resnet50")
    for setting in (IDENTITY, ORT_ALL):
        make.cell(setting, _at(large, 4), 0.7 * slower, load="cpu: 1")
        make.cell(setting, _at(resnet, 4), speed / 2, device="laptop")
    make.cell(TENSORRT, _at(resnet, 4), 10 * speed, change=_on_a_gpu)
    make.cell(IDENTITY_ON_GPU, _at(resnet, 4), 4 * speed, change=_on_a_gpu)
    make.cell(ORT_TWO, _at(large, 4), slower, repetitions=140, change=_two_at_a_time)  # enough steps for p99
    make.cell(ORT_BASIC, _at(large, 16), slower, change=_delegating)
    for form, capacity, factor in (("static", 64, 1), ("static", 2048, 0.6), ("delta", 64, 1.3), ("delta", 2048, 1.1)):
        make.cell(ORT_BASIC, Model(f"llama {form} capacity={capacity}", 1, "decoder", {"cache": form, "capacity": capacity}),
                  factor * speed)
    make.cell(ORT_BASIC, Model("llama growing", 1, "decoder", {"cache": "open"}), 1.2 * speed)


def _delegating(processes):
    for process in processes:
        process.facts = {**process.facts, "delegate": "XNNPACK", "delegated": "3", "not_delegated": "ADD 2, MUL 1"}
    return processes


def _refused(processes):
    return [Process([], failure="unsupported_operator", index=0)]


def _on_a_gpu(processes):
    for process in processes:
        process.readings += [("gpu_utilisation", "end", 80 + process.busy_cpus), ("gpu_frequency", "end", 1.0e9),
                             ("gpu_max_frequency", "end", 2.0e9)]
    return processes


def _metered(processes):
    """Every meter of energy, and a timed phase that is long enough for each."""
    for process in processes:
        process.repetitions = 3 * process.repetitions
        process.readings += [("package_power", "timed", 20 + 10 * process.busy_cpus), ("idle_package_power", "start", 12.0),
                             ("gpu_mean_power", "timed", 35 + process.busy_cpus), ("idle_board_power", "start", 5.0)]
        process.readings += [("board_power", "during", 8 + process.busy_cpus + 0.1 * second, second) for second in (1, 2, 3, 5, 9)]
    return processes


def _two_at_a_time(processes):
    for process in processes:
        measured = [[1.9 * time, 2.1 * time] for time in process.repetitions]
        process.latencies_ms = [[1.0] for _ in process.warm_up] + measured
        # As if these were the steps of a model that generates tokens.
        process.facts = {**process.facts, "feeding_back": "by the compiler"}
        process.readings += [("new_tokens", "timed", 2), ("package_power", "timed", 20 + 10 * process.busy_cpus),
                             ("bytes_per_token", "timed", 9.7e6), ("copied_bytes_per_token", "timed", 2048), ("cache_bytes", "timed", 393_216)]
    return processes


def _two_instances(processes):
    """The second instance is slower, and so has one repetition less in the time that both ran."""
    for process in processes:
        process.of_others = [[1.1 * time for time in reversed(process.repetitions[1:])]]
    return processes


def _grouped(processes):
    """Several inferences in a repetition: no latency above the median is known."""
    for process in processes:
        process.repetitions = [(10 * time, 10) for time in process.repetitions]
        process.readings += [("prompt_tokens", "timed", 128)]
    return processes


def _wide(factor):
    def change(processes):
        for process in processes:
            process.repetitions = [time * (factor if place % 2 else 1) for place, time in enumerate(process.repetitions)]
        return processes
    return change


def _reading(quantity, moment, value):
    def change(processes):
        processes[1].readings.append((quantity, moment, value))
        return processes
    return change


def _few(processes):
    processes[2].repetitions = processes[2].repetitions[:4]
    return processes


def _waiting_for_itself(processes):
    """One says so, and the readings of another one do: others used up to 8 % of a thread's time."""
    for process in processes[:2]:
        process.readings = [("run_queue_wait", "timed", 40.0), ("other_cpu", "timed", 4.0)] + process.readings
    processes[0].facts = {"waits_for_itself": "40 %"}
    processes[1].readings.append(("other_cpu", "timed", 31.0))
    return processes


def _growing(processes):
    """Memory grows by 25 MiB from each of eight readings to the next."""
    processes[1].readings.extend(("memory", "during", (100 + 25 * each) * 2.0**20) for each in range(8))
    return processes


def _leaking(processes):
    """Marks of memory: something fills within 200 inferences, and then 2 kB and a bit are left by each, beside noise."""
    for number, process in enumerate(processes):
        draw = random.Random(number)
        process.readings += [
            (quantity, "mark", value, 0.01 * inferences)
            for inferences in range(10, 610, 10)
            for quantity, value in (("inferences", float(inferences)), ("memory", 5e7 + 9e4 * min(inferences, 200)
                                     + (2000 + 7 * number) * inferences + draw.uniform(0, 1e5)))]
    return processes


def _making_sessions(processes):
    """30 sessions beside the measured one: each takes about 20 ms and leaves 1 MB and a bit, beside noise."""
    for number, process in enumerate(processes):
        draw = random.Random(number)
        process.readings += [
            (quantity, "session", value, float(session))
            for session in range(1, 31)
            for quantity, value in (("session", 0.02 + draw.uniform(0, 1e-3)), ("sessions", float(session)),
                                    ("memory", 8e7 + (1e6 + 9000 * number) * session + draw.uniform(0, 1e5)))]
    return processes


def _changing(processes):
    """Later an inference takes 1.6 times as long as in the slowest counted repetition."""
    slowest = max(processes[0].repetitions)
    processes[0].readings.append(("later_inference", "after", 1.6 * slowest / 1e3))
    return processes


def _subnormal(processes):
    """An inference takes half of its time if subnormal numbers are 0."""
    middle = sorted(processes[0].repetitions)[len(processes[0].repetitions) // 2]
    processes[0].readings.append(("later_inference", "after", middle / 1e3))
    processes[0].readings.append(("flushed_inference", "after", middle / 2e3))
    return processes


def _of(**fields):
    """Gives the first two processes these fields."""
    def change(processes):
        for process in processes[:2]:
            for name, value in fields.items():
                setattr(process, name, value)
        return processes
    return change


def _with_attempts(*more):
    """Adds attempts; every process keeps the index of its place."""
    def change(processes):
        for index, process in enumerate(processes):
            process.index = index
        return [*processes, *more]
    return change


def _elsewhere(processes):
    for process in processes:
        process.environment = "another kernel"
    return processes


_EMULATED = _of(facts={"emulated": "QLinearConv 20 of 57 nodes"})
_CHANGES = (
    _few,
    _reading("run_queue_wait", "timed", 92.9),
    _waiting_for_itself,
    _of(facts={"turns": "20, with 4 other processes", "turns_again": "3"}),
    _of(is_steady=False),
    _wide(1.15),
    _wide(1.5),
    _reading("steal", "timed", 3.5),
    _reading("pressure_cpu_some", "timed", 12.0),
    _reading("page_faults", "timed", 20_000.0),
    _reading("frequency", "end", 2.0e9),
    _of(threads_used=7),
    _with_attempts(Process([9.0], index=0, build="another")),
    _with_attempts(Process([9.0], index=0, environment="another kernel")),
    _elsewhere,
    _of(reference="none"),
    _of(finite=10),
    _of(small=900),
    _of(reference_reason="identity 2.15.0 could not make its outputs"),
    _growing,
    _leaking,
    _making_sessions,
    _changing,
    _subnormal,
    _of(output_change="output y differs"),
    _of(compile_s=None),
    _EMULATED,
    lambda processes: processes[:3],
    _with_attempts(Process([], failure="disturbed", index=0)),
    _with_attempts(Process([], failure="crash", index=1)),
    _of(facts={"made_up_ns": "1000000"}),
)
