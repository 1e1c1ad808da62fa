#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `ngb run` tell the same time as a bare loop over the same library, or as the library's own benchmark?

    agreement.py BUILD_DIR [COMPILER …] [--model NAME] [--parameters JSON --shape C,H,W] [--batch N …] [--threads N]
                 [--repetitions N] [--rounds N] [--turn-s S]

ResNet-50, or another model of the zoo (the edge runtimes also with other parameters). Each round, every one in a fresh
process on the same processors: a study of one process, the rival twice (A and B: the rival against itself shows what the
machine can resolve), and further rivals once. They take turns, in shuffled order: while one runs, the others are stopped. Two
are compared turn by turn, so that what the machine does meanwhile befalls both: the ratio of their means in the same turn, of
which the median over a round's turns, of which the median over the rounds; with it the lowest and the highest round, the number
of turns, and the ratio of the minima over all repetitions. Below 1, ours is the shorter time. A repetition within which a turn
ended is left out. One round more, before the others, tells how many turns each needs until it begins to measure: as many more
than the quickest it is then given in advance. Without a COMPILER: those whose toolchain is installed.

Another compiler is a row in RIVALS and a function that returns the command. It prints the nanoseconds of each repetition."""

import argparse
import contextlib
import dataclasses
import functools
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import toolchains

WARM_UP, REPETITIONS_IN_A_TURN, SHORTEST_TURN_S = 3, 4, 0.3
HERE = pathlib.Path(__file__).resolve().parent
STUDY = """\
models: [{{{model}}}]
compilers: [{{{compiler}: {{version: {version}}}}}]
batch_sizes: [{batch}]
threads: {threads}
protocol: paper
processes: 1
repetitions: {repetitions}
warm_up: {warm_up}
reference: none
timeouts: {{run_s: 86400}}  # while it is stopped, the clock goes on
disturbance: {{max_wait_percent: 100}}  # the rival is disturbed alike
output: results
"""
IREE_FLAGS = ["--iree-opt-level=O3", "--iree-opt-data-tiling=false"]  # as the adaptor's defaults are
EDGE = ("mnn", "ncnn", "litert", "executorch")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "TVM_NUM_THREADS")  # OpenMP's runtimes read theirs when they are loaded
# The C library keeps its memory. By default it gives large pieces back to the kernel and takes them anew in each inference,
# how often being an accident of what else lies in the heap: 5 or 6 % of a ResNet-50 of batch 8 in PyTorch.
ALLOCATOR = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2 ** 34)}
QUIET = {"ORT_DISABLE_TELEMETRY": "1"}  # as our plugin has it


class DoesNotRun(Exception):
    """Why."""


@dataclasses.dataclass
class Case:
    build: pathlib.Path
    compiler: str
    toolchain: dict  # as `ngb toolchain list --json` has it
    sites: dict      # of all toolchains, by compiler: the newest
    model: pathlib.Path  # NAME-BATCH.onnx
    batch: int
    threads: int
    repetitions: int
    folder: pathlib.Path  # for this process alone
    shape: tuple = (3, 224, 224)  # of an input's sample


def ours(case):
    """Milliseconds of each steady repetition of a study's only process."""
    study = case.folder / "study.yaml"
    model = f"onnx: {case.model}" if case.compiler in EDGE else f"zoo: {case.model.stem.rpartition('-')[0]}"
    study.write_text(STUDY.format(model=model, compiler=case.compiler, version=case.toolchain["version"], batch=case.batch,
                                  threads=case.threads, repetitions=case.repetitions, warm_up=WARM_UP))
    done = subprocess.run([case.build / "bin/ngb", "run", study], cwd=case.folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{case.compiler}: ngb run: exit {done.returncode}\n{done.stdout}{done.stderr}")
    with sqlite3.connect(case.folder / "results/results.db") as results:
        rows = results.execute("SELECT wall_ns / 1e6 / inferences FROM sample WHERE is_warm_up = 0 "
                               "ORDER BY repetition_index").fetchall()
    return [milliseconds for milliseconds, in rows]


def on_our_processors(case, command, site="", **more):
    """Runs the command as a worker is run: the THREADS highest processors, as many threads, nothing compiled before."""
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))[-case.threads:]))
    environment = {**os.environ, **{name: str(case.threads) for name in THREAD_VARIABLES}, "PYTHONPATH": str(site),
                   "NGB_MODULE_SITE": case.sites.get("identity", ""), "TVM_BIND_THREADS": "0",
                   "TORCHINDUCTOR_CACHE_DIR": str(case.folder / "inductor")}
    done = subprocess.run(["taskset", "-c", cpus, *map(str, command)], capture_output=True, text=True,
                          env=environment, cwd=case.folder, **more)
    if done.returncode != 0:
        raise DoesNotRun((done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1])
    return done.stdout


def from_nanoseconds(text):
    return [int(line) / 1e6 for line in text.splitlines() if line.strip().isdigit()]


def built(case, name):
    program = case.build / "bench" / name
    if not program.exists():
        raise DoesNotRun(f"{program} is not built: make release")
    return program


def bare_loop(library):
    def run(case):
        found = next(pathlib.Path(case.toolchain["site"]).glob(library))
        return from_nanoseconds(on_our_processors(
            case, [built(case, "bare_loop"), case.compiler, found, case.model, case.threads, case.repetitions,
                   WARM_UP]))

    return run


def benchmark_app(case):
    """It needs numpy, which OpenVINO's toolchain does without: that of another one will do."""
    numpy = next((site for site in case.sites.values() if (pathlib.Path(site) / "numpy").is_dir()), "")
    return from_nanoseconds(on_our_processors(
        case, [sys.executable, HERE / "idioms/benchmark_app.py", "-m", case.model, "-d", "CPU", "-hint", "none",
               "-nstreams", "1", "-nthreads", case.threads, "-api", "sync", "-infer_precision", "f32", "-niter",
               case.repetitions, "-pin", "NO"], f"{case.toolchain['site']}:{numpy}"))


def in_python(script, *words):
    """A program in idioms/, run by the toolchain's own Python."""
    def run(case):
        return from_nanoseconds(on_our_processors(
            case, [case.toolchain["python"] or sys.executable, HERE / "idioms" / script, *words, case.model, case.threads,
                   case.repetitions], case.toolchain["site"]))

    return run


def made_once(case, suffix, folder, code, *words):
    """What our own files in `folder` of the compiler make of the model: the question is what running it costs."""
    program = case.model.with_suffix(suffix)
    if not program.exists():
        lib, site = case.build / "lib/ngraphbench", case.toolchain["site"]
        on_our_processors(case, [case.toolchain["python"] or sys.executable, "-c", code, case.model, program, *words],
                          f"{lib / 'compilers' / case.compiler / folder}:{lib / 'python'}:{site}")
    return program


def bare_pjrt_loop(case):
    shape = [case.batch, *case.shape]
    code = f"""
import compile, json, sys
request = dict(model=sys.argv[1], inputs=[dict(name="input", dtype="float32", shape={shape})], output=sys.argv[2],
               stablehlo_version="1.8.0")
compile.import_packages()
compile.compile_model(request, print)"""
    program = made_once(case, ".stablehlo", "python", code)
    library = next(pathlib.Path(case.toolchain["site"]).glob("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"))
    return from_nanoseconds(on_our_processors(
        case, [built(case, "bare_pjrt_loop"), "xla", library, program, case.threads, case.repetitions, WARM_UP,
               ",".join(map(str, shape))]))


def iree_benchmark_module(case):
    """One iteration for each of its repetitions: the time of one invocation, outputs dropped."""
    code = f"""
import program, sys
from ngraphbench import onnx_file
model = program.with_shapes(onnx_file.read(sys.argv[1]), [dict(name="input", shape=[{case.batch}, 3, 224, 224])])
program.write(model, sys.argv[2], sys.argv[3:])"""
    program = made_once(case, ".vmfb", "", code, *IREE_FLAGS)
    device = ["--device=local-sync"] if case.threads == 1 else [
        "--device=local-task", f"--task_topology_group_count={case.threads}"]
    told = on_our_processors(
        case, [pathlib.Path(case.toolchain["site"]) / "iree/_runtime_libs/iree-benchmark-module", f"--module={program}",
               "--function=main", *device, f"--input={case.batch}x3x224x224xf32=0.5", "--benchmark_min_time=1x",
               f"--benchmark_repetitions={WARM_UP + case.repetitions}", "--benchmark_format=json"])
    runs = [run for run in json.loads(told)["benchmarks"] if run["run_type"] == "iteration"]
    unit_ms = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
    return [run["real_time"] * unit_ms[run["time_unit"]] for run in runs[WARM_UP:]]


def edge_loop(case):
    shape, code = json.dumps([case.batch, *case.shape]), (HERE / "idioms/edge_convert.py").read_text()
    program = made_once(case, f".{case.compiler}", "python", code, case.compiler, shape, case.threads)
    more = [built(case, "bare_executorch.so")] if case.compiler == "executorch" else []
    return from_nanoseconds(on_our_processors(
        case, [case.toolchain["python"] or sys.executable, HERE / "idioms/edge_loop.py", case.compiler, program, case.threads,
               case.repetitions, shape, *more], case.toolchain["site"]))


def torch_timer(compiler):
    return "identity", {"torch.utils.benchmark": in_python("torch_timer.py", compiler)}


# compiler: its toolchain, and what it is compared with; the first is measured twice
RIVALS = {
    "onnxruntime": ("onnxruntime", {"bare loop": bare_loop("onnxruntime/capi/libonnxruntime.so*")}),
    "openvino": ("openvino", {"bare loop": bare_loop("openvino/libs/libopenvino_c.so*"),
                              "benchmark_app": benchmark_app}),
    "identity": torch_timer("identity"),
    "eager-cpp": torch_timer("eager-cpp"),
    "torchscript": torch_timer("torchscript"),
    "torch-compile": torch_timer("torch-compile"),
    "aotinductor": torch_timer("aotinductor"),
    "tvm": ("tvm", {"time_evaluator": in_python("time_evaluator.py")}),
    "xla": ("xla", {"bare loop": bare_pjrt_loop}),
    "iree": ("iree", {"iree-benchmark-module": iree_benchmark_module}),
    **{compiler: (compiler, {"bare loop": edge_loop}) for compiler in EDGE},
}


def tree_of(root):
    """The process and all that descend from it."""
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:  # it has gone
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def signal_tree(root, number):
    told = set()
    while new := set(tree_of(root)) - told:  # those that were started meanwhile, too
        for process in new:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)
        told |= new


def in_turns(calls, turn_s, in_advance):
    """What each of the calls returns, or the exception that it ends with, and the number of the turn in which it did; by
    name. Each in a process of its own, of which one at a time runs, for a turn; first those to which `in_advance` gives
    turns, by name."""
    def answer(call, connection):
        try:
            connection.send(call())
        except DoesNotRun as reason:
            connection.send(reason)

    context = multiprocessing.get_context("fork")
    processes, connections, told = {}, {}, {}
    try:
        for who, call in calls.items():
            connections[who], end = context.Pipe(duplex=False)
            processes[who] = context.Process(target=answer, args=(call, end))
            processes[who].start()
            end.close()
            signal_tree(processes[who].pid, signal.SIGSTOP)
        for who, turns in in_advance.items():
            signal_tree(processes[who].pid, signal.SIGCONT)
            connections[who].poll(turns * turn_s)
            signal_tree(processes[who].pid, signal.SIGSTOP)
        for number in itertools.count():
            for who in [who for who in calls if who not in told]:
                signal_tree(processes[who].pid, signal.SIGCONT)
                is_alone = len(told) == len(calls) - 1  # it is not stopped any more, and so its turn does not end
                if connections[who].poll(None if is_alone else turn_s):
                    told[who] = connections[who].recv(), number
                    processes[who].join()
                else:
                    signal_tree(processes[who].pid, signal.SIGSTOP)
            if len(told) == len(calls):
                return told
    except EOFError:
        raise SystemExit(1) from None  # one has ended without an answer, and said why
    finally:
        for process in processes.values():
            if process.is_alive():
                signal_tree(process.pid, signal.SIGKILL)


def by_turn(milliseconds, last, turn_s):
    """{number of the turn: the repetitions that began and ended in it}. The last ones are of turn `last`."""
    turns = [[]]
    for one in milliseconds:
        if one < turn_s * 1000:
            turns[-1].append(one)
        else:
            turns.append([])
    return {last - back: turn for back, turn in enumerate(reversed(turns)) if turn}


@dataclasses.dataclass
class Round:
    turns: dict  # by who, of those that ran, as by_turn has them
    end: int     # the turn from which on not all were there

    def all_of(self, who):
        return list(itertools.chain.from_iterable(self.turns[who].values()))

    def ratios(self, a, b):
        """Of a's means to b's, turn by turn."""
        common = [turn for turn in self.turns[a] if turn in self.turns[b] and turn < self.end]
        return [statistics.mean(self.turns[a][turn]) / statistics.mean(self.turns[b][turn]) for turn in common]


def parties(compiler):
    """Who is measured, and by what; ours is the first, the two that are the same program follow."""
    (first, run), *others = RIVALS[compiler][1].items()
    return {"ngb": ours, f"{first} A": run, f"{first} B": run, **dict(others)}


def one_round(case, order, turn_s, in_advance, reasons):
    runs = parties(case.compiler)
    with tempfile.TemporaryDirectory() as folder:
        calls = {}
        for who in order.sample(list(runs), len(runs)):
            own = pathlib.Path(folder) / str(len(calls))
            own.mkdir()
            calls[who] = functools.partial(runs[who], dataclasses.replace(case, folder=own))
        told = in_turns(calls, turn_s, in_advance)
    reasons.update({who: answer for who, (answer, _) in told.items() if isinstance(answer, DoesNotRun)})
    ran = {who: answer for who, answer in told.items() if who not in reasons}
    turns = {who: by_turn(*answer, turn_s) for who, answer in ran.items()}
    if empty := [who for who in turns if not turns[who]]:
        raise SystemExit(f"{case.compiler}: no repetition of {empty[0]} fits in a turn of {turn_s:g} s")
    return Round(turns, min(last for _, last in ran.values()))


def measure(case, rounds, turn_s):
    """The rounds, and by who why what did not run did not."""
    order, reasons = random.Random(1), {}
    longest_ms = 0.0
    for run in RIVALS[case.compiler][1].values():
        with contextlib.suppress(DoesNotRun):  # the first call makes what is made once
            longest_ms = max(longest_ms, *run(dataclasses.replace(case, repetitions=1)))
    turn_s = turn_s or max(SHORTEST_TURN_S, REPETITIONS_IN_A_TURN * longest_ms / 1000)
    rehearsal = one_round(case, order, turn_s, {}, reasons)
    begins = {who: min(turns) for who, turns in rehearsal.turns.items()}
    in_advance = {who: turn - min(begins.values()) for who, turn in begins.items()}
    return [one_round(case, order, turn_s, in_advance, reasons) for _ in range(rounds)], reasons


def print_rows(case, rounds, reasons):
    mine, *rivals = parties(case.compiler)
    for a, b in [(mine, rival) for rival in rivals] + [tuple(rivals[:2])]:
        start = f"| {case.compiler} | {case.batch} | {a} / {b} |"
        missing = [reasons[who] for who in (a, b) if who in reasons]
        if missing:
            print(f"{start} | | | | does not run: {missing[0]} |", flush=True)
            continue
        ratios = [ratios for one in rounds if (ratios := one.ratios(a, b))]
        if not ratios:
            print(f"{start} | | | 0 | more --repetitions, or a longer --turn-s |", flush=True)
            continue
        ours_ms = statistics.median(statistics.mean(one.all_of(mine)) for one in rounds)
        medians = list(map(statistics.median, ratios))
        minima = [min(min(one.all_of(who)) for one in rounds) for who in (a, b)]
        print(f"{start} {ours_ms:.4g} | {statistics.median(medians):.4f} | {min(medians):.3f}–{max(medians):.3f} | "
              f"{sum(map(len, ratios))} | {minima[0] / minima[1]:.4f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("compilers", nargs="*", metavar="COMPILER", choices=[[], *RIVALS])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--parameters", default="{}", help="of the model, for the runtimes for the edge")
    parser.add_argument("--shape", default="3,224,224", help="of a sample of the model's input, if it is another one")
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--turn-s", type=float, help=f"without it, {REPETITIONS_IN_A_TURN} repetitions of a rival")
    arguments = parser.parse_args()
    os.environ.update({**ALLOCATOR, **QUIET})
    build = arguments.build.resolve()
    newest = toolchains.newest(build / "bin/ngb")
    sites = {name: toolchain["site"] for name, toolchain in newest.items()}
    print("| compiler | batch | times | ms | ratio | rounds | turns | minima |\n" + "| --- " * 8 + "|")
    with tempfile.TemporaryDirectory() as name:
        for compiler in arguments.compilers or [each for each, row in RIVALS.items() if row[0] in newest]:
            for batch in arguments.batch:
                model = pathlib.Path(name) / f"{arguments.model}-{batch}.onnx"
                asked = [arguments.model, "--batch", str(batch), "--parameters", arguments.parameters, "-o", model]
                subprocess.run([build / "bin/ngb", "models", "write", *asked], check=True, stdout=subprocess.DEVNULL)
                case = Case(build, compiler, newest[RIVALS[compiler][0]], sites, model, batch, arguments.threads,
                            arguments.repetitions, pathlib.Path(name), tuple(map(int, arguments.shape.split(","))))
                print_rows(case, *measure(case, arguments.rounds, arguments.turn_s))


if __name__ == "__main__":
    main()
