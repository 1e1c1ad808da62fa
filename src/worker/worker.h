// SPDX-License-Identifier: Apache-2.0
// What one worker process does, whoever hosts it: a native plugin in ngb-worker, a Python adaptor in its toolchain's
// Python. One compiler, one cell, one process.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "ngraphbench/compiler.h"
#include "samples/job.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"

namespace ngb::worker {

// open -> compile -> check -> warm-up -> timed, or up to the failure, which is in the result. `page` may be null.
// Pins the process to processors, one for each thread asked for, before the compiler is opened.
// Fills in everything but wall_ns, started_unix_ns, environment_hash and log_path, which are the agent's.
samples::ProcessResult measure(const samples::WorkerRequest& request, const ngb_compiler& compiler,
                               samples::ProgressPage* page);

// open -> compile -> one inference; writes the outputs to request.reference_path.
samples::ProcessResult make_reference(const samples::WorkerRequest& request, const ngb_compiler& compiler,
                                      samples::ProgressPage* page);

// The whole life of a worker: reads the request from kRequestFd, does it, writes the result to kResultFd. Ignores
// SIGINT (whether a process goes on is the agent's to decide) and sets NGB_PROCESS_INDEX and NGB_ATTEMPT for the
// compiler. `find` is called once the request is known; its time is the start phase. Returns the process's exit code: 0
// when a result was written, of whatever kind; 3 when there is no readable request or the result cannot be handed over.
using FindCompilerTable = Result<const ngb_compiler*> (*)(const samples::WorkerRequest& request, void* context);
int serve(FindCompilerTable find, void* context);

}  // namespace ngb::worker
