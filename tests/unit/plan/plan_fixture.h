// SPDX-License-Identifier: Apache-2.0
// Makes studies as the parser returns them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/estimate.h"
#include "plan/plan.h"
#include "toolchain/catalog.h"

namespace ngb::plan {

inline config::ModelEntry recipe(std::string label, std::string family, config::Parameters parameters = {}) {
  return {.label = std::move(label), .family = std::move(family), .parameters = std::move(parameters)};
}

inline config::Study small_study() {
  config::Study study;
  study.name = "small";
  study.path = "/studies/small.yaml";
  study.output = "/results/small";
  study.models = {recipe("conv_block", "conv_block")};
  study.compilers = {{.name = "identity", .version = "2.15.0", .label = "identity"},
                     {.name = "onnxruntime", .version = "1.31.1", .label = "onnxruntime"},
                     {.name = "null", .label = "null"}};
  study.batch_sizes = {1, 8};
  study.devices = {{.name = "local", .kind = "local", .compilers = {"identity", "onnxruntime", "null"}}};
  return study;
}

// Returns the Plan; the test fails with the error if there is none.
inline Plan expanded(const config::Study& study) {
  auto plan = expand(study);
  if (plan) return *std::move(plan);
  ADD_FAILURE() << plan.error().text();
  return {};
}

// Returns what is known where nothing was measured: what the compilers of this tree say of their times.
inline const Experience& no_experience() {
  static const Experience kNone = [] {
    Experience experience;
    const auto catalog = toolchain::read_catalog(NGB_SOURCE_DIR);
    EXPECT_TRUE(catalog) << catalog.error().text();
    for (const toolchain::CompilerDescription& each : *catalog) {
      experience.usual[each.name] = {each.usual_times, each.usual_times_tuned, each.is_for_gpus()};
    }
    return experience;
  }();
  return kNone;
}

inline std::vector<std::string> ids(const Plan& plan) {
  std::vector<std::string> out;
  for (const work::Cell& cell : plan.cells) out.push_back(cell.id);
  return out;
}

}  // namespace ngb::plan
