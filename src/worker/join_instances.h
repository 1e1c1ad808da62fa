// SPDX-License-Identifier: Apache-2.0
// Makes one result of those of several instances that ran at once. Pure.
#pragma once

#include <vector>

#include "samples/process_result.h"

namespace ngb::worker {

// Which of the steady repetitions of several instances count.
enum class Counted {
  while_all_run,  // those within the time in which every instance ran steady ones, so that T is what all do together
  all,            // each, because it answered requests of a queue that all serve; an instance may have to wait for them
};

// Joins the results of instances 0, 1, … of one process, none of which failed. There is at least one.
//   phases      those before the warm-up are the first instance's, which prepares alone; warm-up and timed phase last
//               from the first begin to the last end, with the processor time and the peak memory of all
//   repetitions of all, instance by instance; with Counted::while_all_run, only those count that lie within the time in
//               which every instance ran steady ones: from the latest begin of a first one to the earliest end of a
//               last one
//   check       the largest errors of all
//   threads     the most that one used
//   readings    the first instance's, but of run_queue_wait, core_steal, throttled and other_cpu over the timed phase
//               the highest, and of page_faults the sum
//   facts       the first instance's, and as `affinity` the processors of each: "1 | 0"
samples::ProcessResult join_instances(std::vector<samples::ProcessResult> results,
                                      Counted counted = Counted::while_all_run);

}  // namespace ngb::worker
