// SPDX-License-Identifier: Apache-2.0
#include "plan/estimate.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

// Returns a plan of one cell: 4 GMAC at 40 GMAC/s per thread, 20 million parameters.
Plan one_cell() {
  Plan plan;
  plan.study.protocol.processes = 5;
  plan.study.protocol.repetitions = 20;
  plan.study.protocol.longer_look_s = 0;
  plan.compilers = {{.threads = 1}};
  plan.models = {{{.key = {.batch = 1}, .parameters = 20'000'000}}};
  plan.models[0].macs = 4'000'000'000;
  plan.cells = {{}};
  plan.groups = {{.steps = std::vector<work::Step>(5)}};
  return plan;
}

Estimate estimate_of(const Plan& plan) { return estimate(plan, no_experience()); }

// Between processes of one group: 0.5 + 0.1 s; for a new model of 20 million parameters 0.5 + 20 * 0.05 s more, and 3 s
// for the imports of the identity, which computes the reference outputs.
constexpr double kAgain_s = 0.6;
constexpr double kFirst_s = 0.6 + 1.5 + 3;

TEST(Estimate, FollowsTheFormulaOfItsHeader) {
  // 5.1 + 5 * (1 + 0.2 + 26 * 0.10005)
  EXPECT_NEAR(estimate_of(one_cell()).seconds, 24.1065, 1e-9);
}

TEST(Estimate, TheFirstProcessOfACellGoesOnAfterItsRepetitions) {
  Plan plan = one_cell();
  plan.study.protocol.longer_look_s.reset();
  // A process takes 1.2 + 26 * 0.10005 = 3.8013 s; the look takes 5 % of five, and a quarter of that with the other
  // allocator.
  EXPECT_NEAR(estimate_of(plan).seconds, 24.1065 + 1.25 * 0.25 * 3.8013, 1e-9);
  EXPECT_NEAR(estimate_of(plan).cells[0].look_s, 1.25 * 0.25 * 3.8013, 1e-9);
  // In turns, it repeats 20 * 0.10005 s out of turn, and looks until 3 s after it began to.
  plan.study.protocol.turns = 20;
  EXPECT_NEAR(estimate_of(plan).seconds, 24.1065 + 2.001 + 1.25 * (3 - 2.001), 1e-9);
  plan.study.protocol.longer_look_s = 10;
  EXPECT_NEAR(estimate_of(plan).cells[0].look_s, 2.001 + 1.25 * (10 - 2.001), 1e-9);
  plan.study.protocol.profile = true;
  EXPECT_EQ(estimate_of(plan).cells[0].look_s, 0);
}

TEST(Estimate, HalvesTheArithmeticWithTwoThreads) {
  Plan plan = one_cell();
  plan.compilers[0].threads = 2;
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (1.2 + 26 * 0.05005), 1e-9);
}

TEST(Estimate, ARepetitionLastsAtLeastItsMinimum) {
  Plan plan = one_cell();
  plan.models[0].macs = 0;
  plan.study.protocol.warm_up = 0;
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (1.2 + 50e-6 + 20 * 0.001), 1e-9);
}

TEST(Estimate, AFileCountsAsABillionMacsASample) {
  Plan plan = one_cell();
  plan.models[0] = {{.key = {.batch = 4}}};
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s - 1 + 5 * (1 + 26 * 0.10005), 1e-9);
}

TEST(Estimate, PrecisionModeStopsAtAHundredRepetitionsOrItsTime) {
  Plan plan = one_cell();
  plan.study.protocol.stop_when = work::StopWhen{};
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (1.2 + 106 * 0.10005), 1e-9);
  plan.study.protocol.stop_when->max_ns = 3'000'000'000;
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (1.2 + 6 * 0.10005 + 3), 1e-9);
}

// Returns processes like those of the plan's only cell, measured on this machine. Each takes 0.5 s beside 3 s of
// compiling, 0.1 s an inference and 0.4 s of warm-up.
MeasuredProcess measured(const Plan& plan) {
  return {likeness_of(plan, plan.cells[0], "here"),
          {.start_s = 0.5, .compile_s = 3, .tuning_s = 0, .inference_s = 0.1, .warming_s = 0.4}};
}

Experience after(const std::vector<MeasuredProcess>& processes) {
  Experience experience{.here = "here", .usual = no_experience().usual};
  for (const MeasuredProcess& process : processes) experience.durations.add(process);
  return experience;
}

TEST(Estimate, OfWhatWasMeasuredBeforeIsWhatThatTook) {
  const Plan plan = one_cell();
  Experience experience = after({measured(plan)});
  // 5 * (0.5 + 3 + 0.4 + 20 * 0.1)
  const Estimate first = estimate(plan, experience);
  EXPECT_NEAR(first.seconds, 5 * 5.9 + kAgain_s, 1e-9);
  EXPECT_EQ(first.measured_processes, 1U);
  EXPECT_EQ(first.cells_by_basis[static_cast<std::size_t>(Basis::same)], 1);
  experience.study = "this";
  experience.durations.add(MeasuredStudy{.device = "here", .study = "another", .between_s = 3, .groups = 2});
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * 5.9 + 1.5, 1e-9) << "by the number of groups";
  experience.durations.add(MeasuredStudy{.device = "here", .study = "this", .between_s = 0.25, .groups = 1});
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * 5.9 + 0.25, 1e-9);
}

TEST(Durations, BetweenProcessesTellNewModelsFromKnownOnes) {
  const auto study = [](const char* name, double between_s, double once_s, int groups, int new_groups) {
    return MeasuredStudy{"here", name, "identity", between_s, once_s, groups, new_groups};
  };
  Durations durations;
  EXPECT_DOUBLE_EQ(durations.between_s(study("", 0, 3, 3, 1), 1), 1 + 3 + 0.1 * 3) << "nothing is known";
  durations.add(study("a", 10, 3, 2, 2));
  durations.add(study("b", 1, 0, 2, 0));
  // 0.5 s for each group, and (10 - 2 * 0.5) / 3 times what was to be done once
  EXPECT_DOUBLE_EQ(durations.between_s(study("c", 0, 4, 3, 1), 1), 4 * 3 + 3 * 0.5);
  EXPECT_DOUBLE_EQ(durations.between_s(study("a", 0, 0, 2, 0), 1), 2 * 0.5) << "its models are known now";
  EXPECT_DOUBLE_EQ(durations.between_s(study("a", 0, 3, 2, 2), 1), 10);
}

TEST(Estimate, UsesTheProtocolOfTheStudyAndNotThatOfTheMeasurement) {
  Plan plan = one_cell();
  const Experience experience = after({measured(plan)});
  plan.study.protocol.processes = 2;
  plan.study.protocol.repetitions = 100;
  EXPECT_NEAR(estimate(plan, experience).seconds, 2 * (3.9 + 100 * 0.1) + kAgain_s, 1e-9);
  plan.study.protocol.warm_up = 10;
  EXPECT_NEAR(estimate(plan, experience).seconds, 2 * (3.5 + 110 * 0.1) + kAgain_s, 1e-9);
  plan.study.protocol.min_repetition_ns = 200'000'000;
  EXPECT_NEAR(estimate(plan, experience).seconds, 2 * (3.5 + 110 * 0.2) + kAgain_s, 1e-9);
}

TEST(Estimate, TakesTheMedianOfTheNewestSixteen) {
  const Plan plan = one_cell();
  std::vector<MeasuredProcess> processes(20, measured(plan));
  for (std::size_t i = 0; i < 12; ++i) processes[i].took.start_s = 100;  // 4 of them are too old, 8 of 16 count
  for (std::size_t i = 12; i < 20; ++i) processes[i].took.start_s = 2;
  EXPECT_NEAR(estimate(plan, after(processes)).seconds, 5 * (51 + 3 + 0.4 + 2) + kAgain_s, 1e-9);
  EXPECT_EQ(estimate(plan, after(processes)).measured_processes, 16U);
}

TEST(Estimate, GoesFromTheSameWorkToAnotherVersionThenBatchThenModel) {
  Plan plan = one_cell();
  plan.models[0].key.hash = "aa";
  plan.models[0].family = "resnet";
  const MeasuredProcess same = measured(plan);
  MeasuredProcess version = same;
  version.like.version = "2";
  version.took.start_s = 1;
  MeasuredProcess batch = same;  // four times the work
  batch.like.batch = 4;
  batch.like.macs = 16'000'000'000;
  MeasuredProcess family = same;  // a quarter of the parameters: a quarter of the time to compile, by the table
  family.like.model = "bb";
  family.like.parameters = 5'000'000;
  family.like.macs = 2'000'000'000;
  MeasuredProcess other = same;  // its MACs are nearer, but it is of another family
  other.like.model = "cc";
  other.like.family = "vit";
  other.took.compile_s = 50;
  const auto basis = [&](const std::vector<MeasuredProcess>& processes) {
    const Estimate found = estimate(plan, after(processes));
    for (std::size_t i = 0; i < kBases; ++i) {
      if (found.cells_by_basis[i] != 1) continue;
      const auto which = static_cast<Basis>(i);
      const bool is_known = which == Basis::same || which == Basis::other_version;
      return std::pair(which, found.seconds - (is_known ? kAgain_s : kFirst_s));
    }
    return std::pair(Basis::table, -1.0);
  };
  const auto expect = [&](const std::vector<MeasuredProcess>& processes, Basis wanted, double process_s) {
    const auto [found, seconds] = basis(processes);
    EXPECT_EQ(found, wanted);
    EXPECT_NEAR(seconds, 5 * process_s, 1e-9);
  };
  expect({same, version, batch, family, other}, Basis::same, 0.5 + 3 + 0.4 + 2);
  expect({version, batch, family, other}, Basis::other_version, 1 + 3 + 0.4 + 2);
  // An inference is scaled as 50 us + MACs / 40e9, also the one of the output check.
  constexpr double kLess = 0.10005 / 0.40005;
  constexpr double kMore = 0.10005 / 0.05005;
  expect({batch, family, other}, Basis::other_batch, 0.4 + 0.1 * kLess + 3 + (0.4 + 2) * kLess);
  expect({family, other}, Basis::other_model, 0.4 + 0.1 * kMore + 12 + (0.4 + 2) * kMore);
  expect({other}, Basis::other_model, 0.5 + 50 + 0.4 + 2);
  for (const auto change : {+[](Likeness& like) { like.threads = 2; }, +[](Likeness& like) { like.precision = "f16"; },
                            +[](Likeness& like) { like.options = "[]x"; }, +[](Likeness& like) { like.device = "far"; },
                            +[](Likeness& like) { like.compiler = "tvm"; }}) {
    MeasuredProcess unlike = same;
    change(unlike.like);
    EXPECT_EQ(basis({unlike}).first, Basis::table);
  }
}

TEST(Estimate, OnAGpuItIsTheGpuThatCountsAndNotTheThreads) {
  Plan plan = one_cell();
  plan.compilers[0] = {.name = "identity", .options = {{"device", R"("cuda")"}}, .threads = 8};
  // 2 s to start, 0.05 + 20 * 0.006 s to compile, 4 GMAC at 1 TMAC/s
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (2 + 0.17 + 26 * 0.00405), 1e-9);
  plan.compilers[0].options = {{"device", R"("cpu")"}};
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (0.2 + 0.17 + 26 * (50e-6 + 4.0 / 45 / 8)), 1e-9);
}

TEST(Estimate, ACompilerForGpusOnlyNeedsNoOptionToBeOnOne) {
  const auto is_on_gpu = [](const work::Compiler& compiler) {  // where more threads do not help
    Plan plan = one_cell();
    plan.compilers[0] = compiler;
    plan.compilers[0].threads = 1;
    const double with_one_s = estimate_of(plan).seconds;
    plan.compilers[0].threads = 8;
    return estimate_of(plan).seconds == with_one_s;
  };
  EXPECT_TRUE(is_on_gpu({.name = "tensorrt"}));
  EXPECT_TRUE(is_on_gpu({.name = "onnxruntime", .options = {{"provider", R"("tensorrt")"}}}));
  EXPECT_TRUE(is_on_gpu({.name = "onnxruntime", .options = {{"provider", R"("webgpu")"}}}));
  EXPECT_FALSE(is_on_gpu({.name = "onnxruntime", .options = {{"provider", R"("cpu")"}}}));
  EXPECT_FALSE(is_on_gpu({.name = "openvino"}));
}

TEST(Estimate, TuningIsDoneOnceAndKept) {
  Plan plan = one_cell();
  plan.compilers[0] = {.name = "tvm", .options = {{"trials", "100"}}, .threads = 1};
  // 5 * (3 + 5 + 0.25 * 20 + 26 * 0.10005) + 100 trials
  EXPECT_NEAR(estimate_of(plan).seconds, kFirst_s + 5 * (13 + 26 * 0.10005) + 300, 1e-9);
  MeasuredProcess tuned = measured(plan);
  tuned.took.tuning_s = 250;
  EXPECT_NEAR(estimate(plan, after({tuned})).seconds, 5 * 5.9 + kAgain_s, 1e-9);
  tuned.like.model = "another";
  EXPECT_NEAR(estimate(plan, after({tuned})).seconds, 5 * 5.9 + kFirst_s + 300, 1e-9);
}

TEST(Estimate, SharesCompilationsAsTheStudySays) {
  Plan plan = one_cell();
  plan.compilers[0].name = "iree";
  constexpr double kIree_s = kAgain_s + 2;  // with its imports
  MeasuredProcess process = measured(plan);
  Experience experience = after({process});
  experience.file_makers = {"iree"};
  plan.study.protocol.compile = work::Compilation::automatic;  // 3 s of compiling, 2.4 s of measuring
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * 2.9 + 3 + 4 * 0.3 + kIree_s, 1e-9)
      << "loading: a tenth, by the table";
  process.took.compile_s.reset();
  process.took.load_s = 0.2;
  experience.durations.add(process);
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * 2.9 + 3 + 4 * 0.2 + kIree_s, 1e-9);
  plan.study.protocol.repetitions = 30;
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * (3.9 + 3) + kIree_s, 1e-9) << "measuring takes longer";
  plan.study.protocol.compile = work::Compilation::once;
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * 3.9 + 3 + 4 * 0.2 + kIree_s, 1e-9);
  experience.file_makers.clear();
  EXPECT_NEAR(estimate(plan, experience).seconds, 5 * (3.9 + 3) + kIree_s, 1e-9);
}

TEST(Estimate, IsThatOfTheSlowestDeviceBecauseTheyWorkAtTheSameTime) {
  Plan plan = one_cell();
  plan.study.devices = {{.name = "local", .kind = "local"}, {.name = "far", .kind = "ssh"}};
  plan.cells = {{.device = "local"}, {.device = "far"}};
  EXPECT_EQ(name_in_durations(plan, "local", "host"), "host");
  EXPECT_EQ(name_in_durations(plan, "far", "host"), "far");
  plan.groups = {{.device = "local"}, {.device = "far"}};
  Experience experience = no_experience();
  MeasuredProcess far = measured(plan);
  far.like.device = "far";
  far.took.start_s = 10;
  experience.durations.add(far);
  EXPECT_NEAR(estimate(plan, experience).seconds, kAgain_s + 5 * (10 + 3 + 0.4 + 2), 1e-9);
}

TEST(EstimateText, SaysWhatItRestsOnAndWhatSharingWouldSave) {
  Plan plan = one_cell();
  plan.compilers[0].name = "iree";
  MeasuredProcess process = measured(plan);
  process.took.compile_s = 60;
  process.took.warming_s = 0.5;  // 5 * 63 + 2.6 s; with auto 63 + 4 * (3 + 6) + 2.6
  Experience experience = after({process});
  experience.file_makers = {"iree"};
  EXPECT_EQ(
      estimate_text(plan, experience),
      "1 cell, 5 processes: about 5 min 18 s\n"
      "  from 1 process measured here before: 1 cell as measured before\n"
      "  beside other programs it takes longer: a disturbed process is tried 3 times, after waits of up to 10.0 s\n"
      "  about 1 min 42 s with compile: auto, which compiles dear models once\n");
  EXPECT_EQ(estimate_json(plan, experience)["estimate_basis"],
            json_text::parse(R"({"measured_processes": 1, "cells": {"same": 1, "other_version": 0,
                                      "other_batch": 0, "other_model": 0, "table": 0}})"));
  EXPECT_EQ(
      estimate_text(one_cell(), no_experience()),
      "1 cell, 5 processes: about 24.1 s\n"
      "  from a table of usual times: nothing like it was measured here yet\n"
      "  beside other programs it takes longer: a disturbed process is tried 3 times, after waits of up to 10.0 s\n");
  Plan patient = one_cell();
  patient.study.limits.disturbance.max_wait_ratio = 1;
  EXPECT_THAT(estimate_text(patient, {}), testing::Not(testing::HasSubstr("disturbed"))) << "no process is";
}

}  // namespace
}  // namespace ngb::plan
