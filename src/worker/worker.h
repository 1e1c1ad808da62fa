// SPDX-License-Identifier: Apache-2.0
// Runs one worker process (one compiler, one cell, one process) for both hosts: a native plugin in ngb-worker, and a
// Python adaptor in its toolchain's Python.
#pragma once

#include <sys/types.h>

#include "base/clock.h"
#include "base/result.h"
#include "ngraphbench/compiler.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"
#include "work/job.h"
#include "worker/instances.h"

namespace ngb::worker {

// Runs open, compile (or load), check, warm-up and timed, or stops at a failure, which the result holds. `page` may be
// null. `instance` keeps it in step with the others of its worker. Before the compiler is opened, it pins the process
// to as many processors as the cell has threads. Fills in everything except wall_ns, started_unix_ns, environment_hash
// and log_path, which the agent sets.
samples::ProcessResult measure(const work::WorkerRequest& request, const ngb_compiler& compiler,
                               samples::ProgressPage* page, const Instance& instance = {});

// Runs open, compile and one inference, then writes the outputs to request.reference_path.
samples::ProcessResult make_reference(const work::WorkerRequest& request, const ngb_compiler& compiler,
                                      samples::ProgressPage* page);

// Runs a worker's whole life: reads the request from kRequestFd, executes it and writes the result to kResultFd.
// Ignores SIGINT, because the agent decides whether a process continues, and sets NGB_PROCESS_INDEX, NGB_ATTEMPT and,
// for a PyTorch module, NGB_MODULE_SITE (WorkerRequest::module_site) for the compiler. `find` is called once the
// request is known; its time is the start phase. Returns the exit code: 0 if a result was written, whether of a success
// or a failure; 3 if the request cannot be read or the result cannot be sent.
// `fork` forks this process, which has one thread then, for a request of several instances: the function returns in
// each of them.
using FindCompilerTable = Result<const ngb_compiler*> (*)(const work::WorkerRequest& request, void* context);
using Fork = pid_t (*)();
int serve(FindCompilerTable find, void* context, Fork fork);

}  // namespace ngb::worker
