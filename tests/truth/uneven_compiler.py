# SPDX-License-Identifier: Apache-2.0
"""Measures the compiler `uneven` with the real programs: inferences of given times, which keeps a log of its own."""

import functools
import json
import pathlib
import sys

import made_up_results as made_up

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from ngb_program import link_installation  # noqa: E402

MODEL = {"zoo": {"conv_block": {"width": 8, "depth": 1, "image_size": 16}}}


@functools.cache
def installation():
    """ngb of an installation that has this compiler."""
    folder = made_up.home() / "installation"
    compilers = link_installation(folder, ["null"])
    uneven = made_up.NGB.parents[1] / "truth/uneven"
    if not (uneven / "uneven.so").exists():
        raise AssertionError(f"{uneven} is not built: run cmake --build {uneven.parents[1]} --target uneven")
    (compilers / "uneven").symlink_to(uneven)
    return folder / "bin/ngb"


def entry(label, times_ms, log="", busy_percent=0, **keys):
    """An entry of a study's compilers. `times_ms` are a list, or a list for each process."""
    lists = times_ms if isinstance(times_ms[0], list) else [times_ms]
    text = ";".join(",".join(str(round(1000 * each)) for each in times) for times in lists)
    options = {"times_us": text, "busy_percent": busy_percent} | ({"log": str(log)} if log else {})
    return {"uneven": {"label": label, "options": options, **keys}}


CHANNELS, F32_BYTES = 3, 4  # of an image


def models_of_sizes(image_sizes):
    """A model for each size of an image, by which a table of times tells them apart."""
    return [{"zoo": {"conv_block": {"width": 8, "depth": 1, "image_size": size}}} for size in image_sizes]


def of_table(label, file, times_ms):
    """An entry whose inferences take `times_ms[image size][process]`."""
    file.write_text("".join(f"{F32_BYTES * CHANNELS * size**2} {process} {round(1000 * each)}\n"
                            for size, times in times_ms.items() for process, each in enumerate(times)))
    return {"uneven": {"label": label, "options": {"table": str(file)}}}


def write_study(name, compilers, **keys):
    """Writes a study of these compilers; returns its file. Its results go to the folder of that name."""
    file = made_up.home() / f"{name}.json"
    file.write_text(json.dumps({
        "name": name, "models": [MODEL], "compilers": compilers, "reference": "none", "longer_look_s": 0, "threads": 1,
        "disturbance": {"max_wait_percent": 100}, "output": name, **keys}))
    return file


def run(file):
    """Measures the study; returns its results folder."""
    done = made_up.started("run", file, "--no-report", program=installation())
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return made_up.home() / file.stem
