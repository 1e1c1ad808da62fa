// SPDX-License-Identifier: Apache-2.0
// What every compiler does when all is well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "case.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

Problem compare(const TinyModel& model, const Computed& computed, double tolerance) {
  const std::vector<Values> expected = model.compute(computed.inputs, exactly);
  if (computed.outputs.size() != expected.size()) {
    return fmt::format("{}: {} outputs, expected {}", model.name, computed.outputs.size(), expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (computed.outputs[i].size() != expected[i].size()) {
      return fmt::format("{}: output {} has {} elements, expected {}", model.name, i, computed.outputs[i].size(),
                         expected[i].size());
    }
    for (std::size_t j = 0; j < expected[i].size(); ++j) {
      const double error = std::fabs(computed.outputs[i][j] - expected[i][j]);
      if (!(error <= tolerance)) {
        return fmt::format("{}: output {}, element {} is {}, expected {}", model.name, i, j, computed.outputs[i][j],
                           expected[i][j]);
      }
    }
  }
  return std::nullopt;
}

double largest_difference(const std::vector<Values>& a, const std::vector<Values>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) largest = std::max(largest, std::fabs(a[i][j] - b[i][j]));
  }
  return largest;
}

double busy_processors(const samples::ProcessResult& result) {
  for (const samples::PhaseUse& use : result.phases) {
    if (use.phase == samples::Phase::timed) {
      return static_cast<double>(use.cpu_ns.value.value_or(0)) / static_cast<double>(use.wall_ns);
    }
  }
  return 0;
}

// A thread that found no processor free while its fellows did all the work shows nothing, so fewer threads than allowed
// are looked at again; more are wrong at once.
constexpr int kAttempts = 8;

Problem use_threads(const CompilerUnderTest& compiler, int threads) {
  int most_used = -1;
  for (int attempt = 0; attempt < kAttempts && most_used < threads; ++attempt) {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(compiler, busy_model(), scratch);
    request.compiler.threads = threads;
    request.protocol.repetitions = 40;
    if (compiler.name == "tvm") {  // a second each, untuned
      request.protocol.repetitions = 3;
      request.protocol.warm_up = 1;
    }
    if (compiler.name == "null") request.compiler.options = {{"run_ns", "3000000"}, {"spin_threads", "true"}};
    const WorkerRun run = run_worker(compiler, request);
    if (run.ending() != "none") return run.message();
    most_used = std::max(most_used, run.result->threads_used.value.value_or(-1));
    const double ratio = busy_processors(*run.result);
    if (ratio > threads * 1.05) return fmt::format("{:.2f} processors were busy with {} threads", ratio, threads);
  }
  if (most_used == threads) return std::nullopt;
  return fmt::format("{} threads used CPU time, {} are allowed", most_used, threads);
}

}  // namespace

TEST_P(Conformance, GoesThroughAllPhasesAndSaysWhatItIs) {
  judge(GetParam(), []() -> Problem {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(GetParam(), add_model(), scratch);
    request.place = GetParam().place();  // with the toolchain's own Python, as users have it
    const WorkerRun run = run_worker(GetParam(), request);
    if (run.ending() != "none" || run.outcome.exit_code != 0) return run.message();
    const samples::ProcessResult& result = *run.result;
    std::string phases;
    for (const auto& use : result.phases) phases += std::string(name(use.phase)) + " ";
    if (phases != "start open compile check warm_up timed ") return "phases: " + phases;
    const auto steady = std::count_if(result.repetitions.begin(), result.repetitions.end(),
                                      [](const auto& repetition) { return !repetition.is_warm_up; });
    if (steady != 5) return fmt::format("{} steady repetitions, expected 5", steady);
    if (run.repetitions != result.repetitions.size()) return "the progress page counts otherwise";
    if (result.stop_reason != "repetitions") return "stop reason: " + result.stop_reason;
    if (!result.facts.contains("version")) return "it does not tell its version";
    const std::string& version = GetParam().version;
    if (!version.empty() && !result.facts.at("version").starts_with(version)) {
      return fmt::format("it says version {}, expected {}", result.facts.at("version"), version);
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, ComputesWhatTheModelSays) {
  judge(GetParam(), []() -> Problem {
    for (const TinyModel& model : is_slow(GetParam()) ? model_of_this_commit() : models_with_known_outputs()) {
      const Result<Computed> computed = compute_outputs(GetParam(), model);
      if (!computed) return model.name + ": " + computed.error().text();
      if (Problem problem = compare(model, *computed, 1e-5)) return problem;
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, ComputesOutputsOfAShapeKnownOnlyAfterARun) {
  judge(GetParam(), []() -> Problem {
    const Result<Computed> computed = compute_outputs(GetParam(), dynamic_output_model());
    if (!computed) return computed.error().text();
    return compare(dynamic_output_model(), *computed, 0);
  });
}

// Sums of 288 and 512 products. In f32 they come out within 1e-4 at worst; the test itself shows that bf16 and tf32
// would be out by far more.
TEST_P(Conformance, ComputesInFullF32) {
  judge(GetParam(), []() -> Problem {
    std::vector<TinyModel> models{precise_matmul_model(), precise_conv_model()};
    if (is_slow(GetParam())) models = {beside(models[0], models[1])};
    for (const TinyModel& model : models) {
      const Result<Computed> computed = compute_outputs(GetParam(), model);
      if (!computed) return model.name + ": " + computed.error().text();
      constexpr double kTolerance = 1e-4;
      const std::vector<Values> expected = model.compute(computed->inputs, exactly);
      const std::vector<Values> in_bf16 = model.compute(computed->inputs, to_bf16);
      const std::vector<Values> in_tf32 = model.compute(computed->inputs, to_tf32);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_GT(largest_difference({expected[i]}, {in_bf16[i]}), 100 * kTolerance);
        EXPECT_GT(largest_difference({expected[i]}, {in_tf32[i]}), 10 * kTolerance);
      }
      if (Problem problem = compare(model, *computed, kTolerance)) return problem;
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, AgreesWithReferenceOutputsAndRefusesOthers) {
  judge(GetParam(), []() -> Problem {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(GetParam(), add_model(), scratch);
    request.task = work::Task::make_references;
    request.reference_path = (scratch.path() / "outputs").string();
    request.reference_name = "itself";
    const WorkerRun made = run_worker(GetParam(), request);
    if (made.ending() != "none") return made.message();
    request.task = work::Task::measure;
    const WorkerRun agreeing = run_worker(GetParam(), request);
    if (agreeing.ending() != "none") return agreeing.message();
    const samples::Check& check = agreeing.result->check.value();
    // The compiler `onnx` says which version of the onnx package computes, whatever PyTorch's is.
    const bool is_named = check.reference == "itself" || check.reference.starts_with(GetParam().name + " ");
    if (!is_named || check.compared_elements != 4 || check.max_absolute_error.value != 0.0) {
      return "the check says otherwise";
    }
    request.protocol.seed = 2;  // other inputs, so other outputs
    const WorkerRun differing = run_worker(GetParam(), request);
    if (differing.ending() != "inaccurate") return differing.message();
    return std::nullopt;
  });
}

TEST_P(Conformance, LoadsInAnotherProcessWhatOneHasCompiledAndGivesTheSameOutputs) {
  if (!GetParam().produces_file()) GTEST_SKIP() << "makes no file that another process can load";
  judge(GetParam(), []() -> Problem {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(GetParam(), precise_conv_model(), scratch);
    request.task = work::Task::make_references;
    request.reference_path = (scratch.path() / "outputs").string();
    request.reference_name = "the process that compiled";
    request.artifact_path = (scratch.path() / "artifact").string();
    const WorkerRun compiling = run_worker(GetParam(), request);
    if (compiling.ending() != "none") return compiling.message();
    if (!std::filesystem::exists(request.artifact_path)) return "it kept no artifact";
    request.task = work::Task::measure;
    request.loads_artifact = true;
    const WorkerRun loading = run_worker(GetParam(), request);
    if (loading.ending() != "none") return loading.message();
    std::string phases;
    for (const auto& use : loading.result->phases) phases += std::string(name(use.phase)) + " ";
    if (phases != "start open load check warm_up timed ") return "phases: " + phases;
    const samples::Check& check = loading.result->check.value();
    if (check.compared_elements == 0 || check.max_absolute_error.value != 0.0) return "its outputs are others";
    if (loading.result->facts.at("version") != compiling.result->facts.at("version")) return "it tells another version";
    return std::nullopt;
  });
}

TEST_P(Conformance, RefusesToLoadATornArtifactOrOneThatIsMissing) {
  if (!GetParam().produces_file()) GTEST_SKIP() << "makes no file that another process can load";
  judge(GetParam(), []() -> Problem {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(GetParam(), add_model(), scratch);
    request.loads_artifact = true;
    for (const bool is_there : {false, true}) {
      request.artifact_path = (scratch.path() / (is_there ? "torn" : "missing")).string();
      if (is_there) scratch.write("torn", "half");
      const WorkerRun loading = run_worker(GetParam(), request);
      if (loading.ending() == "none") return "it loaded what is not there";
      if (loading.result && loading.result->failure->phase != samples::Phase::load) return loading.message();
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, KeepsToOneThread) {
  judge(GetParam(), [] { return use_threads(GetParam(), 1); });
}

TEST_P(Conformance, UsesAsManyThreadsAsItIsAllowed) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor only";
  judge(GetParam(), [] { return use_threads(GetParam(), 2); });
}

std::string name_of(const testing::TestParamInfo<CompilerUnderTest>& info) { return test_name(info.param); }
INSTANTIATE_TEST_SUITE_P(Compilers, Conformance, testing::ValuesIn(compilers_under_test()), name_of);

}  // namespace ngb::conformance
