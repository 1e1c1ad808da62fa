// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

namespace ngb::conformance {
namespace {

struct Limit {
  const char* compiler;
  const char* case_name;
  const char* reason;
};

constexpr const char* kReadsNoModel = "it does not read the model: its outputs are its inputs";
constexpr const char* kHasNoShape = "a PyTorch module has no shape of its own to compare with";

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
    {"identity", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"torch-compile", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"torchscript", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"eager-cpp", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"aotinductor", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"tvm", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "TVM 0.27 has NonZero as a Python function only"},
    {"ncnn", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "ncnn has no NonZero, and outputs of f32 only"},
    {"xla", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "XLA's programs have static shapes"},
    {"litert", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "litert-torch's programs have static shapes"},
    {"litert", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
    {"executorch", "ComputesOutputsOfAShapeKnownOnlyAfterARun", "torch.export's programs have static shapes here"},
    {"executorch", "ReportsAnInputShapeThatIsNotTheModels", kHasNoShape},
};

// Inductor and TVM call a C++ compiler for every model, XLA's plugin starts a Python for it, IREE takes seconds for it;
// and these cases have many models.
constexpr std::pair<std::string_view, std::string_view> kSlow[] = {
    {"torch-compile", "ComputesOutputsOfAShapeKnownOnlyAfterARun"},
    {"torch-compile", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"torch-compile", "TakesEveryValueThatItDescribes"},
    {"torch-compile", "KeepsToOneThread"},
    {"aotinductor", "ComputesOutputsOfAShapeKnownOnlyAfterARun"},
    {"aotinductor", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"aotinductor", "UsesAsManyThreadsAsItIsAllowed"},
    {"aotinductor", "TakesEveryValueThatItDescribes"},
    {"aotinductor", "KeepsToOneThread"},
    {"tvm", "KeepsToOneThread"},
    {"tvm", "TakesEveryValueThatItDescribes"},
    {"tvm", "LeavesNothingBehindInManyRounds"},
    {"tvm", "EndsDamagedModelsInAValue"},
    {"xla", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"xla", "KeepsToOneThread"},
    {"xla", "TakesEveryValueThatItDescribes"},
    {"xla", "LeavesNothingBehindInManyRounds"},
    {"xla", "EndsDamagedModelsInAValue"},
    {"litert", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"litert", "KeepsToOneThread"},
    {"litert", "TakesEveryValueThatItDescribes"},
    {"litert", "LeavesNothingBehindInManyRounds"},
    {"litert", "EndsDamagedModelsInAValue"},
    {"executorch", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"executorch", "KeepsToOneThread"},
    {"executorch", "TakesEveryValueThatItDescribes"},
    {"executorch", "LeavesNothingBehindInManyRounds"},
    {"executorch", "EndsDamagedModelsInAValue"},
    {"iree", "AgreesWithReferenceOutputsAndRefusesOthers"},
    {"iree", "KeepsToOneThread"},
    {"iree", "TakesEveryValueThatItDescribes"},
};
// clang-format on

// What may come out either way.
constexpr Limit kNotAsked[] = {
    {"tvm", "UsesAsManyThreadsAsItIsAllowed",
     "TVM's kernels are serial until they are tuned, its idle threads spin or not"},
    {"tensorrt", "UsesAsManyThreadsAsItIsAllowed", "it computes on the GPU"},
    {"tensorrt-cpp", "UsesAsManyThreadsAsItIsAllowed", "it computes on the GPU"},
    {"xla", "UsesAsManyThreadsAsItIsAllowed", "beside its pool of that many, threads that hand work out do some too"},
    {"onnx", "UsesAsManyThreadsAsItIsAllowed", "NumPy computes most operators on one thread"},
    {"iree", "UsesAsManyThreadsAsItIsAllowed",
     "the thread that waits for the workers takes about 1 % of the time itself"},
};

// What is done many times over is done with the newest of a compiler's versions only.
bool is_for_the_newest(const std::string& case_name) {
  return case_name == "EndsDamagedModelsInAValue" || case_name == "LeavesNothingBehindInManyRounds";
}

bool is_newest(const CompilerUnderTest& compiler) {
  std::string newest;
  for (const CompilerUnderTest& other : compilers_under_test()) {
    if (other.name == compiler.name) newest = other.version;  // oldest first
  }
  return compiler.version == newest;
}

bool takes_too_long(const CompilerUnderTest& under_test, const std::string& case_name) {
  if (std::getenv("NGB_ALL_CASES") != nullptr) return false;
  if (is_for_the_newest(case_name) && !is_newest(under_test)) return true;
  const std::string& compiler = under_test.name;
  return std::find(std::begin(kSlow), std::end(kSlow),
                   std::pair<std::string_view, std::string_view>(compiler, case_name)) != std::end(kSlow);
}

}  // namespace

std::optional<std::string> limit(const std::string& compiler, const std::string& case_name) {
  for (const Limit& row : kLimits) {
    if (compiler == row.compiler && case_name == row.case_name) return row.reason;
  }
  return std::nullopt;
}

bool is_slow(const CompilerUnderTest& compiler) {
  constexpr std::string_view kSlowCompilers[] = {"torch-compile", "aotinductor", "xla",       "iree",
                                                 "onnx",          "litert",      "executorch"};
  return std::getenv("NGB_ALL_CASES") == nullptr &&
         std::find(std::begin(kSlowCompilers), std::end(kSlowCompilers), compiler.name) != std::end(kSlowCompilers);
}

void judge(const CompilerUnderTest& compiler, const std::function<Problem()>& run) {
  if (const std::string missing = compiler.missing(); !missing.empty()) GTEST_SKIP() << missing;
  const std::string full_name = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string case_name = full_name.substr(0, full_name.find('/'));
  if (takes_too_long(compiler, case_name)) GTEST_SKIP() << "takes minutes: NGB_ALL_CASES=1 runs it";
  for (const Limit& row : kNotAsked) {
    if (compiler.name == row.compiler && case_name == row.case_name) GTEST_SKIP() << row.reason;
  }
  const std::optional<std::string> reason = limit(compiler.name, case_name);
  const Problem problem = run();
  if (!reason) {
    EXPECT_FALSE(problem) << *problem;
    return;
  }
  EXPECT_TRUE(problem) << compiler << " is listed as not able to do this (" << *reason << "), and does it";
  std::cout << "listed: " << compiler << ": " << *reason << '\n';
}

}  // namespace ngb::conformance
