# SPDX-License-Identifier: Apache-2.0
"""Logs what tuning measured, one line per round of trials, so that a killed tuning can resume."""

import json
import os
import time

CURVE_POINTS = 200


class Log:
    """Counts trials and follows the best estimate of the model's latency: the sum over its tasks of weight times the
    fastest measured run, or that of the untuned kernel while there is none. Locks its file for one process."""

    def __init__(self, path, weights, max_trials, early_stop, clock=time.monotonic):
        self.path, self.weights, self.max_trials, self.early_stop = path, weights, max_trials, early_stop
        self.trials = 0
        self.failed_trials = 0  # those that could not be built or run
        self.last_error = None
        self.best_s = None
        self.seconds = 0.0  # spent tuning, over all processes of this tuning
        self.sessions = 0
        self.is_finished = False
        self.curve = []  # (trials, best estimate in seconds) at each improvement
        self._untuned = None  # seconds of each task's untuned kernel
        self._fastest = [None] * len(weights)
        self._trials_of = [0] * len(weights)
        self._all_tried_at = None  # number of trials when every task had been tuned once
        self._clock = clock
        self._file = None

    def __enter__(self):
        import fcntl

        self._file = open(self.path, "a+", encoding="utf-8")
        fcntl.flock(self._file, fcntl.LOCK_EX)
        drop_unfinished_line(self.path)
        self._file.seek(0)
        for line in self._file:
            self._take(json.loads(line))
        if not self.is_over():
            self._write({"session": self.sessions + 1})
        self._trials_before, self._started, self._seconds_before = self.trials, self._clock(), self.seconds
        return self

    def __exit__(self, *_):
        self._file.close()

    def knows_untuned(self):
        return self._untuned is not None

    def add_untuned(self, seconds):
        """Add the curve's first point. A task's value is None if its kernel could not run."""
        self._write({"untuned_s": seconds, "seconds": self._spent()})

    def add(self, task, trials, fastest_s, errors=()):
        """Add a round of trials of one task. `fastest_s` is None if none could run; `errors` are the failed ones'."""
        if errors:
            self.last_error = errors[-1].strip()
        self._write({"task": task, "trials": trials, "failed": len(errors), "fastest_s": fastest_s,
                     "seconds": self._spent()})

    def finish(self):
        if not self.is_finished:
            self._write({"finished": True, "seconds": self._spent()})

    def is_over(self):
        if self.is_finished or self.trials >= self.max_trials:
            return True
        if not self.early_stop or self._all_tried_at is None:
            return False
        improved_at = self.curve[-1][0] if self.curve else 0
        return self.trials - max(improved_at, self._all_tried_at) >= self.early_stop

    def has_room_for(self, trials):
        return self.trials + trials <= self.max_trials

    def least_tried_first(self):
        """Return the tasks' numbers, the least tried first."""
        return sorted(range(len(self.weights)), key=lambda task: self._trials_of[task])

    def describe(self):
        """Return the user's progress line: tuning 64 of 1500, best 12.3 ms, 14 min left."""
        text = f"tuning {self.trials} of {self.max_trials}"
        if self.best_s is not None:
            text += f", best {self.best_s * 1e3:.4g} ms"
        done, seconds = self.trials - self._trials_before, self.seconds - self._seconds_before
        if done:
            text += f", {duration(seconds / done * max(0, self.max_trials - self.trials))} left"
        return text

    def facts(self):
        """Return facts for the results, as text."""
        return {"trials": str(self.trials),
                "failed_trials": str(self.failed_trials),
                "tuning_seconds": f"{self.seconds:.1f}",
                "tuning_seconds_here": f"{self.seconds - self._seconds_before:.1f}",
                "tuning_sessions": str(self.sessions),
                "tuning_tasks": str(len(self.weights)),
                "tuning_curve": json.dumps({"trials": [trials for trials, _ in thinned(self.curve)],
                                            "best_ms": [float(f"{best * 1e3:.5g}") for _, best in thinned(self.curve)]})}

    def _spent(self):
        return round(self._seconds_before + self._clock() - self._started, 3)

    def _write(self, entry):
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        self._take(entry)

    def _take(self, entry):
        self.seconds = entry.get("seconds", self.seconds)
        self.sessions = entry.get("session", self.sessions)
        self.is_finished = entry.get("finished", self.is_finished)
        if "untuned_s" in entry:
            self._untuned = entry["untuned_s"]
            self._estimate()
        if "task" not in entry:
            return
        self.trials += entry["trials"]
        self.failed_trials += entry["failed"]
        task, fastest_s = entry["task"], entry["fastest_s"]
        self._trials_of[task] += entry["trials"]
        if self._all_tried_at is None and all(self._trials_of):
            self._all_tried_at = self.trials
        if fastest_s is not None and (self._fastest[task] is None or fastest_s < self._fastest[task]):
            self._fastest[task] = fastest_s
        self._estimate()

    def _estimate(self):
        seconds = [untuned if fastest is None else fastest for fastest, untuned in
                   zip(self._fastest, self._untuned or [None] * len(self.weights))]
        if None in seconds:
            return
        estimate = sum(weight * each for weight, each in zip(self.weights, seconds))
        if self.best_s is None or estimate < self.best_s:
            self.best_s = estimate
            self.curve.append((self.trials, estimate))


def drop_unfinished_line(path):
    """Remove a last line that a kill left unfinished. The file may be missing."""
    if not os.path.exists(path):
        return
    with open(path, "rb") as file:
        size = sum(len(line) for line in file if line.endswith(b"\n"))
    os.truncate(path, size)


def thinned(curve):
    """Return at most CURVE_POINTS of the curve, including the first and the last."""
    if len(curve) <= CURVE_POINTS:
        return curve
    step = (len(curve) - 1) / (CURVE_POINTS - 1)
    return [curve[round(i * step)] for i in range(CURVE_POINTS)]


def duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
