# SPDX-License-Identifier: Apache-2.0
"""Tunes with MetaSchedule in a persistent folder, which holds its database and a log of what was measured when.

A killed tuning resumes at the end of its log; a finished one is not repeated."""

import hashlib
import json
import os

import measuring
from tuning_log import Log, drop_unfinished_line

MAX_TRIALS_PER_ROUND = 64  # TVM's default


def folder_of(request, target):
    """Return the folder of this tuning's records; its name depends on model, shapes, target, version and settings."""
    import tvm

    digest = hashlib.sha256()
    if request.get("frontend") == "torch":
        digest.update(request["recipe"].encode())
        with open(json.loads(request["recipe"])["module"].get("file", os.devnull), "rb") as file:
            digest.update(file.read())
    else:
        with open(request["model"], "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                digest.update(piece)
    digest.update(json.dumps([request["inputs"], str(target), tvm.__version__, request["threads"], request["trials"],
                              request["early_stop"], request["seed"]], sort_keys=True).encode())
    return os.path.join(request["cache"], "tvm", digest.hexdigest()[:32])


def tune(module, target, folder, request, report):
    """Tune, resume, or find the tuning finished. Returns the folder of the database and facts about the tuning."""
    from tvm.s_tir.meta_schedule import relax_integration

    os.makedirs(folder, exist_ok=True)
    tasks = relax_integration.extract_tasks(module, target)
    log = Log(os.path.join(folder, "trials.jsonl"), [task.weight for task in tasks], request["trials"],
              request["early_stop"])
    with log:  # from now on only this process uses the folder
        for name in ("database_workload.json", "database_tuning_record.json"):
            drop_unfinished_line(os.path.join(folder, name))
        if tasks and not log.is_over():
            search(tasks, target, folder, log, request, report)
        if log.trials and log.trials == log.failed_trials:
            raise TuningError(f"none of tuning's {log.trials} candidates could be built and run; the last: "
                              f"{log.last_error or 'its error was not kept'}")
        log.finish()
    return folder, log.facts()


def trials_per_round(trials, tasks):
    """Return TVM's number of trials per round, or fewer so that every task is tuned."""
    return max(1, min(MAX_TRIALS_PER_ROUND, trials // tasks))


def strategy_for(round_size):
    """Return TVM's evolutionary search, with its population reduced in proportion to smaller rounds. Otherwise what it
    tries without measuring would take most of the time."""
    from tvm.s_tir import meta_schedule as ms

    return ms.search_strategy.EvolutionarySearch(population_size=8 * round_size,
                                                 init_min_unmeasured=min(50, 4 * round_size))


def search(tasks, target, folder, log, request, report):
    from tvm.s_tir import meta_schedule as ms

    measuring.import_intrinsics(target.kind.name)
    threads = request["threads"]
    if not log.knows_untuned():
        report("tuning: measuring the untuned kernels")
        modules = [task.dispatched[0] for task in tasks]
        log.add_untuned(measuring.measure_untuned(modules, target, measuring.make_builder(threads, lambda trials: None)))
    round_size = trials_per_round(request["trials"], len(tasks))
    contexts, weights = ms.relax_integration.extracted_tasks_to_tune_contexts(
        extracted_tasks=tasks, work_dir=folder, seed=request["seed"], num_threads=threads,
        strategy=strategy_for(round_size))
    # TVM tunes each task once in this order, also after a resumption, before it weighs them against each other.
    order = log.least_tried_first()
    watch = make_watch(log, order, report)
    scheduler = ms.TaskScheduler.create("gradient")
    is_full = False

    def before_each_round(trials):
        """Save results before each round and shorten the last one. TVM saves a task's results only at that task's next
        round, so that a kill would lose them, and it would measure a whole round even if fewer trials are left."""
        nonlocal is_full
        for task in range(len(tasks)):
            scheduler.touch_task(task)
        is_full = not log.has_room_for(trials)
        if is_full:
            raise EnoughTrials

    report(log.describe())
    try:
        ms.tune.tune_tasks(
            tasks=[contexts[task] for task in order], task_weights=[weights[task] for task in order], work_dir=folder,
            max_trials_global=request["trials"] - log.trials,
            num_trials_per_iter=round_size,
            builder=measuring.make_builder(threads, before_each_round), runner=measuring.make_runner(),
            task_scheduler=scheduler,
            cost_model=ms.cost_model.XGBModel(num_tuning_cores=threads),
            measure_callbacks=[*ms.MeasureCallback.create("default"), watch])
    except Exception:
        if not (is_full or log.is_over()):
            raise  # else it is EnoughTrials, which TVM wrapped


class TuningError(Exception):
    """No candidate could be measured."""


class EnoughTrials(Exception):
    """Ends a tuning from inside, because the library has no early stopping."""


def make_watch(log, order, report):
    from tvm.ir.utils import derived_object
    from tvm.s_tir.meta_schedule.measure_callback import PyMeasureCallback

    @derived_object
    class Watch(PyMeasureCallback):
        """Logs each round of trials, and ends the tuning if the log says so."""

        def apply(self, _scheduler, task, _candidates, _built, results):
            seconds = [sum(map(float, result.run_secs)) / len(result.run_secs) for result in results
                       if result.run_secs]
            errors = [str(result.error_msg) for result in results if result.error_msg]
            log.add(order[int(task)], len(results), min(seconds, default=None), errors)
            report(log.describe())
            if log.is_over():
                raise EnoughTrials

    return Watch()
