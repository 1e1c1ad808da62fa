#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records as text what a user sees of a run at 80, 100 and 140 columns: a file, a study, Ctrl-C and the same command again, a
busy machine.

    screens.py NGB FOLDER [--columns 80,100] [--only file,study,stopped,busy]

FOLDER/NAME-COLUMNS.txt has a line for each that stays, with the second at which it came, and for each that was redrawn (~), at most
one a second. What is printed here is what a user should not see: lines that wrap within a word, and how long a line stood still."""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import terminal

STUDY = """\
name: {name}
models:
  - zoo: {{conv_block: {{width: 64, depth: 2, image_size: 56}}}}
  - zoo: {{mha_block: {{embed: 128, depth: 2}}}}
compilers: [identity, onnxruntime, openvino]
batch_sizes: [1, 4]
threads: 1
processes: 3
"""


@contextlib.contextmanager
def busy(processors):
    """Programs that compute, begun by a shell, as a build is."""
    loops = [subprocess.Popen(["sh", "-c", f"{sys.executable} -c 'while True: pass'; true"], start_new_session=True)
             for _ in range(processors)]
    try:
        yield
    finally:
        for loop in loops:
            os.killpg(loop.pid, 9)
            loop.wait()


def recorded(shown):
    """The lines of a recording: of redrawn ones the first in each second."""
    text, last_s = [], None
    for line in shown.lines:
        if line.is_redrawn and last_s == int(line.at_s):
            continue
        if line.is_redrawn:
            last_s = int(line.at_s)
        text.append(f"{line.at_s:6.1f} {'~' if line.is_redrawn else '|'} {line.text}")
    return text


def stood_still_s(shown):
    """The longest time in which a redrawn line did not change, and that line."""
    longest_s, which, since_s, text = 0, "", None, None
    for line in shown.lines:
        if text is not None and line.at_s - since_s > longest_s:
            longest_s, which = line.at_s - since_s, text
        if not line.is_redrawn:
            text = None
        elif line.text != text:
            since_s, text = line.at_s, line.text
    return longest_s, which


def record(folder, name, columns, command, shown):
    words = " ".join(map(str, command[1:]))
    path = folder / f"{name}-{columns}.txt"
    path.write_text("\n".join([f"$ ngb {words}", *recorded(shown), f"exit {shown.code} after {shown.took_s:.1f} s"]) + "\n")
    wide = [line.text for line in shown.lines if len(line.text) > columns]
    still_s, which = stood_still_s(shown)
    print(f"{path.name}: exit {shown.code} after {shown.took_s:.1f} s; {len(wide)} lines wrap; stood still for {still_s:.1f} s", flush=True)
    for text in wide[:5]:
        print(f"    wraps: {text}")
    if still_s > 2:
        print(f"    stood: {which}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--columns", default="80,100,140")
    parser.add_argument("--only", default="file,study,stopped,busy")
    arguments = parser.parse_args()
    ngb, wanted = arguments.ngb.resolve(), arguments.only.split(",")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for columns in map(int, arguments.columns.split(",")):
        with tempfile.TemporaryDirectory(prefix="ngb-screens-") as temporary:
            here = pathlib.Path(temporary)
            environment = {**os.environ, "NGB_CACHE": str(here / "cache")}

            def show(name, *words, interrupt_s=None):
                command = [ngb, *words]
                shown = terminal.run(command, columns, interrupt_s=interrupt_s, cwd=here, env=environment)
                record(arguments.folder, name, columns, command, shown)

            (here / "study.yaml").write_text(STUDY.format(name="study"))
            (here / "stopped.yaml").write_text(STUDY.format(name="stopped"))
            if "file" in wanted:
                subprocess.run([ngb, "models", "write", "mobilenetv3_large_100", "-o", "my_model.onnx"], check=True, cwd=here, env=environment, stdout=2)
                show("file", "run", "my_model.onnx", "--compilers", "identity,onnxruntime,openvino")
            if "study" in wanted:
                show("plan", "plan", "study.yaml")
                show("study", "run", "study.yaml")
            if "stopped" in wanted:
                show("stopped", "run", "stopped.yaml", interrupt_s=8)
                show("resumed", "run", "stopped.yaml")
            if "busy" in wanted:
                with busy(os.cpu_count()):
                    show("busy", "run", "study.yaml", "-o", "results/busy", interrupt_s=75)


if __name__ == "__main__":
    main()
