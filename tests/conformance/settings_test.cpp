// SPDX-License-Identifier: Apache-2.0
// Settings reach the compiler's own library, and what it does not know ends with its own words.
#include <algorithm>
#include <ostream>

#include "case.h"
#include "worker_process.h"

#include <gtest/gtest.h>

namespace ngb::conformance {
namespace {

struct Example {
  const char* compiler;
  work::Options known;
  work::Options unknown;
  const char* words;  // of the library, about the unknown one
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.compiler; }

std::vector<Example> examples() {
  return {
      {"null", {{"none.a", "1"}}, {{"a", "1"}}, "null knows no such setting"},
      {"onnxruntime",
       {{"session.disable_prepacking", "\"1\""}},
       {{"session.disable_repacking", "\"1\""}},
       "has no such session configuration entry"},
      {"openvino", {{"CPU_DENORMALS_OPTIMIZATION", "true"}}, {{"NO_SUCH_PROPERTY", "1"}}, "NO_SUCH_PROPERTY"},
      {"iree", {{"iree-llvmcpu-loop-unrolling", "false"}}, {{"iree-nonsense", "1"}}, "option not found: iree-nonsense"},
      {"ncnn", {{"use_winograd_convolution", "false"}}, {{"nonsense", "1"}}, "ncnn's Option has no such field"},
      {"xla", {{"xla_cpu_enable_fast_min_max", "true"}}, {{"xla_nonsense", "true"}}, "No such compile option"},
      {"tvm", {{"tirx.disable_vectorize", "true"}}, {{"tir.nonsense", "1"}}, "Invalid config option 'tir.nonsense'"},
      {"torch-compile", {{"epilogue_fusion", "false"}}, {{"nonsense", "1"}}, "config.nonsense does not exist"},
      {"aotinductor", {{"epilogue_fusion", "false"}}, {{"nonsense", "1"}}, "config.nonsense does not exist"},
  };
}

WorkerRun run_with_settings(const CompilerUnderTest& compiler, const work::Options& settings) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, conv_model(), scratch);
  request.compiler.settings = settings;
  return run_worker(compiler, request);
}

// Of each compiler, the newest version that is installed.
CompilerUnderTest newest(const std::string& name) {
  CompilerUnderTest found;
  for (const CompilerUnderTest& each : compilers_under_test()) {
    if (each.name == name) found = each;
  }
  return found;
}

class LibrarySettings : public testing::TestWithParam<Example> {
 protected:
  void SetUp() override {
    compiler_ = newest(GetParam().compiler);
    if (const std::string missing = compiler_.missing(); !missing.empty()) GTEST_SKIP() << missing;
    if (is_slow(compiler_)) GTEST_SKIP() << "takes long; NGB_ALL_CASES=1 runs it";
  }
  CompilerUnderTest compiler_;
};

TEST_P(LibrarySettings, ThatTheLibraryKnowsAreAccepted) {
  const WorkerRun run = run_with_settings(compiler_, GetParam().known);
  EXPECT_EQ(run.ending(), "none") << run.message();
}

TEST_P(LibrarySettings, ThatTheLibraryDoesNotKnowEndWithItsOwnWords) {
  const WorkerRun run = run_with_settings(compiler_, GetParam().unknown);
  EXPECT_EQ(run.ending(), "invalid_option") << run.message();
  EXPECT_NE(run.message().find(GetParam().words), std::string::npos) << run.message();
}

INSTANTIATE_TEST_SUITE_P(Compilers, LibrarySettings, testing::ValuesIn(examples()), [](const auto& example) {
  std::string name = example.param.compiler;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(OpenVinoSettings, AreReadBackFromTheCompiledModel) {
  const CompilerUnderTest compiler = newest("openvino");
  if (const std::string missing = compiler.missing(); !missing.empty()) GTEST_SKIP() << missing;
  const WorkerRun run = run_with_settings(compiler, {{"CPU_DENORMALS_OPTIMIZATION", "\"YES\""}});
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_EQ(run.result->facts.at("CPU_DENORMALS_OPTIMIZATION"), "YES");
}

}  // namespace
}  // namespace ngb::conformance
