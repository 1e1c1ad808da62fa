// SPDX-License-Identifier: Apache-2.0
// Jobs for the real worker with a compiler that does nothing, or fails as its options say.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "agent_client.h"

namespace ngb::agent::test {

using Options = std::vector<std::pair<std::string, std::string>>;

inline const Programs kReal{NGB_BUILD_DIR "/bin/ngb-worker", NGB_BUILD_DIR "/lib/ngraphbench"};

inline void add_null_cell(work::Job& job, const std::string& id, const Options& options) {
  add_cell(job, id);
  work::Compiler& compiler = job.compilers.back();
  compiler.name = "null";
  compiler.version.clear();
  compiler.options = options;
  job.places.back() = {.compiler = "null", .host = "native"};
}

// Returns a job with a convolution of a few kilobytes and three repetitions without warm-up.
inline work::Job null_job(int processes, const Options& options = {}) {
  work::Job job = small_job(processes);
  job.models[0].source = work::Recipe{
      R"({"family":"conv_block","parameters":{"depth":1,"image_size":8,"kernel_size":3,"stem":false,"width":4},)"
      R"("revision":3,"seed":1})"};
  job.models[0].inputs = {{"input", DataType::f32, {1, 3, 8, 8}}};
  job.protocol.repetitions = 10;
  job.protocol.warm_up = 1;
  job.protocol.min_repetition_ns = 1;  // one inference each
  add_null_cell(job, "a", options);
  return job;
}

inline WholeRun run_null(work::Job job) {
  const TemporaryFolder folder;
  WholeRun run = run_job(folder.path(), job, 0, kReal);
  EXPECT_TRUE(ends_finished(run.events));
  EXPECT_EQ(run.outcome.exit_code, 0);
  return run;
}

}  // namespace ngb::agent::test
