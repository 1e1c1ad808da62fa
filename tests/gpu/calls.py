# SPDX-License-Identifier: Apache-2.0
"""Divides a proof into calls of a machine that is lent for a time, where each call carries one folder of pieces. The
times are those of a machine with one H100, 16 processors and a slow disk."""
import dataclasses
import typing

START_S = 45.0           # the machine's start, and the first facts
CALL_S = 25.0            # carrying a folder there, unpacking it, carrying the results back
LONGEST_CALL_S = 540.0   # a command may run for ten minutes
ADOPT_S = {"identity": 15.0, "onnxruntime": 2.0, "tensorrt": 2.0, "tvm": 13.0}
_SPARE, _FIXED_S = 1.05, 15  # a call's limit is its steps' times and that much more, and what every call does
_KEPT_BACK = 0.02        # of the budget, for what nobody expects


@dataclasses.dataclass
class Call:
    folder: str
    steps: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @property
    def limit_s(self) -> int:
        return round(self.seconds * _SPARE) + _FIXED_S


def plan(steps, entries, budget_s) -> typing.Tuple[list, list]:
    """Place each step, in its order, into the first call that has its archives and time for it. `entries` are those of the
    manifest. Returns the calls, without those that would carry for nothing, and the steps for which there is no time. A call's
    limit, which is more than its steps are expected to take, is within the budget."""
    needed = {"ngb"}.union(*(step.archives for step in steps))
    entries = [entry for entry in entries if entry["name"] in needed]
    calls = [Call(name) for name in sorted({piece[0] for entry in entries for piece in entry["pieces"]})]
    folders = [call.folder for call in calls]
    whole_at = {entry["name"]: folders.index(entry["pieces"][-1][0]) for entry in entries}
    adopted, left_out, used = set(), [], 0
    for step in steps:
        at = max((whole_at[name] for name in step.archives), default=0)
        seconds = step.seconds + sum(ADOPT_S[name] for name in step.toolchains if name not in adopted)
        places = [index for index in range(at, len(calls)) if calls[index].seconds + seconds <= LONGEST_CALL_S]
        if not places or _total(calls, max(used, places[0] + 1), seconds) > budget_s * (1 - _KEPT_BACK):
            left_out.append(step)
            continue
        calls[places[0]].steps.append(step)
        calls[places[0]].seconds += seconds
        used, adopted = max(used, places[0] + 1), adopted | set(step.toolchains)
    return calls[:used], left_out


def total_s(calls) -> float:
    return _total(calls, len(calls), 0)


def _total(calls, count, more) -> float:
    return START_S + sum(CALL_S + call.limit_s for call in calls[:count]) + more * _SPARE


def text(calls, left_out, budget_s, folder) -> str:
    """Return what to type for each call, and what is left out."""
    lines = []
    for number, call in enumerate(calls, 1):
        names = ",".join(step.name for step in call.steps) or "none"
        lines += [f"call {number}, at most {call.limit_s} s: carry {folder}/manifest.json and {folder}/{call.folder}",
                  f"  scripts/gpu-proof --carried {folder} -o FOLDER --pack RESULTS.tar.gz --limit {call.limit_s} --steps {names}"]
    lines.append(f"in all at most {total_s(calls):.0f} of {budget_s:.0f} s, with {START_S:.0f} s for the machine's start and "
                 f"{CALL_S:.0f} s for each transfer")
    if left_out:
        lines.append("no time for: " + ", ".join(f"{step.name} ({step.seconds:.0f} s)" for step in left_out))
    return "\n".join(lines)
