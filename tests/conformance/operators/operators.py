# SPDX-License-Identifier: Apache-2.0
"""Runs the onnx package's node tests through every installed compiler and writes docs/operators.md (scripts/operators
starts this)."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

import report
import running

_SOURCE = pathlib.Path(__file__).resolve().parents[3]


def main() -> int:
    arguments = _arguments()
    for name in ("build", "toolchains", "folder", "output"):
        setattr(arguments, name, pathlib.Path(getattr(arguments, name)).absolute())
    lib, folder = arguments.build / "lib/ngraphbench", arguments.folder
    versions = json.loads((_SOURCE / "versions.json").read_text())
    compilers = [each for each in running.installed(lib, arguments.toolchains, versions)
                 if not arguments.compilers or each.name in arguments.compilers.split(",")]
    if not compilers:
        print(f"operators: no compiler of {lib} has a toolchain in {arguments.toolchains}; ngb toolchain install",
              file=sys.stderr)
        return 2
    outcomes_file = folder / "results.json"
    results = json.loads(outcomes_file.read_text()) if outcomes_file.exists() else {"compilers": {}}
    known = {*results["compilers"], *(each.name for each in compilers)}
    if arguments.keep and "onnxruntime" not in known:  # a column counts of what onnxruntime runs how much another one does
        print("operators: --keep needs onnxruntime's outcomes in the folder: add it to --compilers", file=sys.stderr)
        return 2
    cases = _write_cases(arguments, versions)
    os.chdir(folder)  # a worker that crashes leaves its artifact in the current folder
    results.update(cases=cases, is_all=arguments.all, onnx=versions["wheels"]["onnx"],
                   options=" --all" if arguments.all else "")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        chosen = [case for case in cases
                  if not arguments.operators or case["operator"] in arguments.operators.split(",")]
        started = {pool.submit(_run, each, chosen, arguments): each for each in compilers}
        for done in concurrent.futures.as_completed(started):
            compiler, outcomes = started[done], done.result()
            before = results["compilers"].get(compiler.name, {"outcomes": {}})["outcomes"]
            results["compilers"][compiler.name] = {"version": compiler.version, "outcomes": {**before, **outcomes}}
            outcomes_file.write_text(json.dumps(results, indent=1))
    kept = report.read(arguments.output.read_text(encoding="utf-8")) if arguments.keep else {}
    arguments.output.write_text(report.write(results, kept), encoding="utf-8")
    print(f"{arguments.output} (outcomes in {outcomes_file})")
    return 0


def _arguments():
    parser = argparse.ArgumentParser(prog="scripts/operators", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every node test, not two of each operator")
    parser.add_argument("--compilers", help="only those, separated by commas; outcomes of others are kept")
    parser.add_argument("--operators", help="only those, separated by commas; outcomes of others are kept")
    parser.add_argument("--keep", action="store_true",
                        help="compilers that the folder has no outcomes of stay as they are on the page")
    parser.add_argument("--jobs", type=int, default=1, help="compilers that run at the same time")
    parser.add_argument("--build", type=pathlib.Path, default=_SOURCE / "build/dev")
    data = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
    parser.add_argument("--toolchains", type=pathlib.Path,
                        default=os.environ.get("NGB_TOOLCHAINS") or data / "ngraphbench/toolchains")
    parser.add_argument("--folder", type=pathlib.Path, default=_SOURCE / "build/operators",
                        help="cases and outcomes; build/operators")
    parser.add_argument("--output", type=pathlib.Path, default=_SOURCE / "docs/operators.md")
    return parser.parse_args()


def _write_cases(arguments, versions) -> list:
    """Write the cases with the package onnx of the identity's toolchain."""
    home = arguments.toolchains / "identity" / versions["toolchains"]["identity"]["default"]
    manifest = json.loads((home / "manifest.json").read_text())
    command = [manifest["python"], str(pathlib.Path(__file__).with_name("cases.py")), str(arguments.folder)]
    subprocess.run(command + ["--all"] * arguments.all, check=True,
                   env={"PYTHONPATH": str(home / manifest.get("site", "site")), "PYTHONDONTWRITEBYTECODE": "1"})
    return json.loads((arguments.folder / "cases.json").read_text())


def _run(compiler, cases, arguments) -> dict:
    outcomes = {}
    with running.Runner(compiler, arguments.build / "lib/ngraphbench", arguments.build / "bin/ngb-worker",
                        arguments.folder / "ready") as runner:
        for count, case in enumerate(cases, 1):
            outcomes[case["name"]] = runner.run(case, arguments.folder)
            if count % 100 == 0 or count == len(cases):
                right = sum(kind == "right" for kind, _ in outcomes.values())
                print(f"{compiler.name}: {count} of {len(cases)}, {right} right", flush=True)
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
