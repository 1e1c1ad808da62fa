#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether programs to take home get the numbers of their cells: compilers × models × threads, and changed options.

    take_home.py NGB FOLDER [--models NAME …] [--compilers NAME …] [--threads N …] [--form program|cpp --prefix FOLDER …] [--changes]

Measures one study per number of threads, exports each of its cells, verifies it (five processes of each side in turns) and
prints one row of a Markdown table per cell; cells whose verdict FOLDER already holds are only printed. Programs in C++ are
built first. With --changes, the programs of onnxruntime, openvino and torchscript are verified after one option of each was
changed, and the row says what `ngb export --verify` named. Idle, about a minute a cell."""

import argparse
import json
import pathlib
import shutil
import subprocess

MODELS = ("resnet18", "mobilenetv3_large_100", "{conv_block: {width: 64, depth: 1, image_size: 56}}")
COMPILERS = ("identity", "torchscript", "eager-cpp", "torch-compile", "aotinductor", "onnxruntime", "openvino", "iree", "mnn",
             "ncnn", "litert", "executorch", "tvm", "xla")
STUDY = """\
name: take_home
models: [{models}]
compilers: [{compilers}]
batch_sizes: 1
threads: {threads}
processes: 1
repetitions: 5
disturbance: {{attempts: 1, wait_s: 0, max_wait_percent: 100}}
output: {output}
"""
# (compiler, what is changed, the text of run.py, its replacement)
CHANGES = (
    ("onnxruntime", "optimisations basic for all", "ORT_ENABLE_ALL", "ORT_ENABLE_BASIC"),
    ("onnxruntime", "two threads for one", "intra_op_num_threads = 1", "intra_op_num_threads = 2"),
    ("openvino", "bf16 for f32", "\"INFERENCE_PRECISION_HINT\": 'f32'", "\"INFERENCE_PRECISION_HINT\": 'bf16'"),
    ("torchscript", "no optimize_for_inference", "optimize_for_inference", None),
)


def call(ngb, *arguments):
    return subprocess.run([ngb, *map(str, arguments)], capture_output=True, text=True)


def cells_of(arguments, threads):
    """The measured cells of the study with so many threads, which is run if it is not there."""
    folder = arguments.folder / f"threads_{threads}"
    study = folder.with_suffix(".yaml")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    study.write_text(STUDY.format(models=", ".join(f"zoo: {model}".join("{}") for model in arguments.models),
                                  compilers=", ".join(arguments.compilers), threads=threads, output=folder))
    done = call(arguments.ngb, "run", study, "--no-report", "-q")
    if done.returncode not in (0, 3):
        raise SystemExit(done.stdout + done.stderr)
    return folder, json.loads(call(arguments.ngb, "show", folder, "--json").stdout)["cells"]


def built(folder, prefixes):
    """The last line of what failed, or nothing. `prefixes` are the folders of the libraries."""
    configure = ["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_PREFIX_PATH=" + ";".join(prefixes)]
    for command in (configure, ["cmake", "--build", "build"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            return (done.stdout + done.stderr).strip().splitlines()[-1]
    return None


def verdict_of(arguments, folder):
    """(ratio with interval, verdict, reasons) of an exported folder, verified if it was not."""
    stored = json.loads((folder / "cell.json").read_text())
    if "verified" not in stored:
        done = call(arguments.ngb, "export", "--verify", folder, "--processes", arguments.processes)
        if done.returncode not in (0, 4, 5):
            return "", "failed: " + done.stderr.strip().splitlines()[-1], []
        stored = json.loads((folder / "cell.json").read_text())
    told = stored["verified"]
    low, high = told.get("interval", (float("nan"),) * 2)
    return f"{told['ratio']:.3f} [{low:.3f}, {high:.3f}]", told["words"], told["reasons"]


def exported(arguments, results, cell, name):
    """(the folder, nothing), or (nothing, why the cell is not exported)."""
    folder = arguments.folder / name
    if not folder.exists():
        done = call(arguments.ngb, "export", results, cell["cell_id"], "-o", folder, "--form", arguments.form)
        if done.returncode != 0:
            return None, done.stderr.strip().splitlines()[0]
        if arguments.form == "cpp" and (failed := built(folder, arguments.prefix)):
            return None, "not built: " + failed
    return folder, None


def print_row(*entries):
    print("| " + " | ".join(map(str, entries)) + " |", flush=True)


def print_table(arguments):
    print_row("compiler", "model", "threads", "ratio", "verdict", "what differs")
    print_row(*["---"] * 6)
    for threads in arguments.threads:
        results, cells = cells_of(arguments, threads)
        for cell in (each for each in cells if each["compiler"] not in arguments.skip):
            name = f"{arguments.form}_{cell['compiler']}_{cell['model'].split()[0]}_{threads}"
            folder, refusal = exported(arguments, results, cell, name)
            ratio, words, reasons = verdict_of(arguments, folder) if folder else ("", refusal, [])
            print_row(cell["compiler"], cell["model"], threads, ratio, words, "; ".join(reasons))


def print_changes(arguments):
    print_row("compiler", "model", "changed", "ratio", "verdict", "what differs")
    print_row(*["---"] * 6)
    results, cells = cells_of(arguments, 1)
    for compiler, what, old, new in CHANGES:
        for cell in (each for each in cells if each["compiler"] == compiler):
            folder, refusal = exported(arguments, results, cell, f"program_{compiler}_{cell['model'].split()[0]}_1")
            if not folder:
                print_row(compiler, cell["model"], what, "", refusal, "")
                continue
            changed = arguments.folder / f"changed_{what.replace(' ', '_')}_{cell['model'].split()[0]}"
            if not changed.exists():
                shutil.copytree(folder, changed)
                program = (changed / "run.py").read_text()
                if old not in program:
                    raise SystemExit(f"{changed}/run.py has no {old}")
                lines = program.splitlines(keepends=True)
                edited = [line.replace(old, new) if new else line for line in lines if new or old not in line]
                (changed / "run.py").write_text("".join(edited))
                stored = json.loads((changed / "cell.json").read_text())
                stored.pop("verified", None)
                (changed / "cell.json").write_text(json.dumps(stored))
            ratio, words, reasons = verdict_of(arguments, changed)
            print_row(compiler, cell["model"], what, ratio, words, "; ".join(reasons))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--compilers", nargs="+", default=COMPILERS)
    parser.add_argument("--skip", nargs="+", default=(), help="compilers that are measured and not verified")
    parser.add_argument("--threads", nargs="+", type=int, default=(1, 2))
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--form", choices=("program", "cpp"), default="program")
    parser.add_argument("--prefix", nargs="+", default=[], help="folders of the libraries' releases, for programs in C++")
    parser.add_argument("--changes", action="store_true")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    (print_changes if arguments.changes else print_table)(arguments)


if __name__ == "__main__":
    main()
