// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <iostream>

namespace ngb::conformance {
namespace {

struct Limit {
  const char* compiler;
  const char* case_name;
  const char* reason;
};

constexpr const char* kReadsNoModel = "it does not read the model: its outputs are its inputs";

// clang-format off
constexpr Limit kLimits[] = {
    {"null", "ComputesWhatTheModelSays", kReadsNoModel},
    {"null", "ComputesOutputsOfAShapeKnownOnlyAfterARun", kReadsNoModel},
    {"null", "ComputesInFullF32", kReadsNoModel},
    {"null", "ReportsAModelThatIsNotOnnx", kReadsNoModel},
    {"null", "ReportsATruncatedModel", kReadsNoModel},
    {"null", "ReportsAnUnknownOperator", kReadsNoModel},
    {"null", "ReportsAnInputThatIsNotTheModels", kReadsNoModel},
    {"null", "ReportsAnInputShapeThatIsNotTheModels", kReadsNoModel},
    {"null", "ReportsAMissingToolchain", "it needs none"},
    {"null", "ReportsABrokenLibrary", "it has none"},
    {"identity", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "onnx2torch 1.5.15 gives NonZero's output transposed"},
    {"tvm", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "TVM 0.27 has NonZero as a Python function only"},
    {"tvm", "UsesAsManyThreadsAsItIsAllowed", "TVM's kernels are serial until they are tuned"},
    {"identity", "ReportsAnInputShapeThatIsNotTheModels", "an eager module has no shape of its own to compare with"},
};
// clang-format on

}  // namespace

std::optional<std::string> limit(const std::string& compiler, const std::string& case_name) {
  for (const Limit& row : kLimits) {
    if (compiler == row.compiler && case_name == row.case_name) return row.reason;
  }
  return std::nullopt;
}

void judge(const CompilerUnderTest& compiler, const std::function<Problem()>& run) {
  if (const std::string missing = compiler.missing(); !missing.empty()) GTEST_SKIP() << missing;
  const std::string full_name = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::optional<std::string> reason = limit(compiler.name, full_name.substr(0, full_name.find('/')));
  const Problem problem = run();
  if (!reason) {
    EXPECT_FALSE(problem) << *problem;
    return;
  }
  EXPECT_TRUE(problem) << compiler << " is listed as not able to do this (" << *reason << "), and does it";
  std::cout << "listed: " << compiler << ": " << *reason << '\n';
}

}  // namespace ngb::conformance
