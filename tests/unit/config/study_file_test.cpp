// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

using nlohmann::json;
using testing::ElementsAre;

constexpr std::string_view kEverything = R"(
name: everything
models:
  - zoo: resnet18
compilers:
  - identity
  - onnxruntime
batch_sizes: [1, 8]
devices: [local]
pairs: {local: [onnxruntime]}
threads: 2
precision: bf16
processes: 3
repetitions: 7
warm_up: 4
min_repetition_ms: 0.5
max_transient_s: 10
stop_when: {half_width_percent: 2, min_repetitions: 5, max_repetitions: 50, max_s: 20}
tolerances: {absolute: 1e-5, relative: 0}
reference: openvino
timeouts: {compile_s: 60, run_s: 30.5}
memory_limit: 4 GB
attempts: 1
disturbance: {max_wait_percent: 12.5, attempts: 4, wait_s: 2}
seed: 42
allocator: steady
best_options: true
output: /tmp/somewhere/../there
)";

TEST(StudyFile, GivesEveryKeyItsValue) {
  const Study study = good(kEverything);
  EXPECT_EQ(study.name, "everything");
  EXPECT_THAT(study.batch_sizes, ElementsAre(1, 8));
  ASSERT_EQ(study.devices.size(), 1U);
  EXPECT_THAT(study.devices[0].compilers, ElementsAre("onnxruntime"));
  EXPECT_EQ(study.compilers[1].threads, 2);
  EXPECT_EQ(study.precision, "bf16");
  EXPECT_EQ(study.protocol.processes, 3);
  EXPECT_EQ(study.protocol.repetitions, 7);
  EXPECT_EQ(study.protocol.warm_up, 4);
  EXPECT_EQ(study.protocol.min_repetition_ns, 500'000);
  EXPECT_EQ(study.protocol.max_transient_ns, 10'000'000'000);
  ASSERT_TRUE(study.protocol.stop_when.has_value());
  EXPECT_EQ(study.protocol.stop_when->half_width_ratio, 0.02);
  EXPECT_EQ(study.protocol.stop_when->min_repetitions, 5);
  EXPECT_EQ(study.protocol.stop_when->max_repetitions, 50);
  EXPECT_EQ(study.protocol.stop_when->max_ns, 20'000'000'000);
  EXPECT_EQ(study.protocol.tolerances.absolute, 1e-5);
  EXPECT_EQ(study.protocol.tolerances.relative, 0);
  EXPECT_EQ(study.reference, "openvino");
  EXPECT_EQ(study.reference_version, "2026.4.1");
  EXPECT_EQ(study.limits.timeouts.compile_ns, 60'000'000'000);
  EXPECT_EQ(study.limits.timeouts.run_ns, 30'500'000'000);
  EXPECT_EQ(study.limits.memory_bytes, 4'000'000'000U);
  EXPECT_EQ(study.limits.attempts, 1);
  EXPECT_EQ(study.limits.disturbance.max_wait_ratio, 0.125);
  EXPECT_EQ(study.limits.disturbance.attempts, 4);
  EXPECT_EQ(study.limits.disturbance.wait_ns, 2'000'000'000);
  EXPECT_EQ(study.protocol.seed, 42U);
  EXPECT_EQ(study.allocator, "steady");
  EXPECT_TRUE(study.best_options);
  EXPECT_EQ(study.output, "/tmp/there");
}

TEST(StudyFile, FillsInTheDefaultsOfTheMeasurementProtocol) {
  const Study study = good(kSmallest);
  EXPECT_EQ(study.name, "study");  // from the file's name
  EXPECT_THAT(study.batch_sizes, ElementsAre(1));
  EXPECT_EQ(study.protocol.processes, 5);
  EXPECT_EQ(study.protocol.repetitions, 20);
  EXPECT_EQ(study.protocol.warm_up, std::nullopt);
  EXPECT_EQ(study.protocol.min_repetition_ns, 1'000'000);
  EXPECT_EQ(study.protocol.max_transient_ns, 30'000'000'000);
  EXPECT_FALSE(study.protocol.stop_when.has_value());
  EXPECT_EQ(study.precision, "f32");
  EXPECT_FALSE(study.protocol.tolerances.absolute);
  EXPECT_FALSE(study.protocol.tolerances.relative);
  EXPECT_EQ(study.reference, "identity");
  EXPECT_EQ(study.reference_version, "2.15.0");
  EXPECT_FALSE(study.limits.memory_bytes.has_value());
  EXPECT_EQ(study.limits.attempts, 2);
  EXPECT_EQ(study.limits.disturbance.max_wait_ratio, 0.05);
  EXPECT_EQ(study.limits.disturbance.attempts, 3);
  EXPECT_EQ(study.limits.disturbance.wait_ns, 10'000'000'000);
  EXPECT_EQ(study.protocol.seed, 1U);
  EXPECT_EQ(study.allocator, "steady");
  EXPECT_FALSE(study.best_options);
  EXPECT_EQ(study.output, std::filesystem::current_path() / "results" / "study");
  EXPECT_THAT(study.given, ElementsAre("models", "compilers"));
}

TEST(StudyFile, LeavesTheAllocatorOfThePapersProtocolAsItIs) {
  const std::string paper = "models: [{zoo: resnet18}]\ncompilers: [openvino]\nprotocol: paper\n";
  EXPECT_EQ(good(paper).allocator, "default");
  EXPECT_EQ(good(paper + "allocator: steady\n").allocator, "steady");
}

TEST(StudyFile, FillsInTheDefaultsOfStopWhen) {
  const Study study = good_with("stop_when: {max_s: 5}");
  ASSERT_TRUE(study.protocol.stop_when.has_value());
  EXPECT_EQ(study.protocol.stop_when->half_width_ratio, 0.01);
  EXPECT_EQ(study.protocol.stop_when->min_repetitions, 10);
  EXPECT_EQ(study.protocol.stop_when->max_repetitions, 1000);
  EXPECT_EQ(study.protocol.stop_when->max_ns, 5'000'000'000);
}

TEST(StudyFile, AcceptsNullForKeysWithoutAValueByDefault) {
  const Study study = good_with("stop_when: null\nmemory_limit: ~\nwarm_up: auto");
  EXPECT_FALSE(study.protocol.stop_when.has_value());
  EXPECT_FALSE(study.limits.memory_bytes.has_value());
  EXPECT_FALSE(study.protocol.warm_up.has_value());
}

TEST(StudyFile, AcceptsASingleBatchSizeWithoutAList) {
  EXPECT_THAT(good_with("batch_sizes: 8").batch_sizes, ElementsAre(8));
}

TEST(StudyFile, ReadsMemoryInBytesAndInPowersOf1000And1024) {
  EXPECT_EQ(good_with("memory_limit: 2000000").limits.memory_bytes, 2'000'000U);
  EXPECT_EQ(good_with("memory_limit: 1.5GB").limits.memory_bytes, 1'500'000'000U);
  EXPECT_EQ(good_with("memory_limit: 2 GiB").limits.memory_bytes, 2'147'483'648U);
  EXPECT_EQ(good_with("memory_limit: \"512 MiB\"").limits.memory_bytes, 536'870'912U);
}

TEST(StudyFile, UsesTheVersionOfTheStudysOwnCompilerForTheReference) {
  EXPECT_EQ(good("models: [{zoo: resnet18}]\ncompilers: [{identity: {version: 2.14.0}}]").reference_version, "2.14.0");
  EXPECT_EQ(good_with("reference_version: 2.13.1").reference_version, "2.13.1");
  EXPECT_EQ(good_with("reference: none").reference_version, "");
}

TEST(StudyFile, AcceptsAsBaselineALabelANameOrANameWithItsVersion) {
  EXPECT_EQ(good(kSmallest).baseline, "identity");
  const std::string two =
      "models: [{zoo: resnet18}]\n"
      "compilers: [{onnxruntime: {version: [1.30.0, 1.31.1]}}, {openvino: {label: mine}}]\nbaseline: ";
  for (const char* word : {"identity", "onnxruntime", "onnxruntime@1.30.0", "onnxruntime 1.31.1", "mine", "openvino"}) {
    EXPECT_EQ(good(two + word).baseline, word);
  }
}

TEST(StudyFile, FollowsAnchorsAndMergeKeys) {
  const Study study = good(R"(
models:
  - zoo: {conv_block: &base {width: 96, depth: 2}}
  - zoo: {conv_block: {<<: *base, depth: 4}}
compilers: [onnxruntime]
)");
  ASSERT_EQ(study.models.size(), 2U);
  EXPECT_THAT(study.models[1].parameters, ElementsAre(std::pair("depth", "4"), std::pair("width", "96")));
}

TEST(StudyFile, AsJsonIsAStudyFileThatGivesTheSameStudy) {
  const Study first = good(R"(
models:
  - zoo: {conv_block: {width: [64, 96], depth: 2}}
  - zoo: {resnet: {depths: [1, 1, 1, 1]}}
    label: short
compilers: ["null", onnxruntime, {onnxruntime: {version: 1.30.0, threads: 2, options: {arena: false}}}]
pairs: {local: ["null", onnxruntime]}
stop_when: {max_s: 5}
)");
  const TemporaryFolder folder;
  const auto second = load_study(folder.write("study.yaml", to_json(first).dump()), small_vocabulary());
  ASSERT_TRUE(second) << second.error()[0].text();
  EXPECT_EQ(to_json(*second), to_json(first));
}

TEST(StudyFile, AsJsonShowsEveryDefault) {
  const json shown = to_json(good(kSmallest));
  EXPECT_EQ(shown["models"], json_text::parse(R"([{"label": "resnet18", "zoo": {"resnet18": {}}}])"));
  EXPECT_EQ(shown["compilers"],
            json_text::parse(R"([{"onnxruntime": {"label": "onnxruntime", "options": {}, "threads": 1,
                                                                 "version": "1.31.1"}}])"));
  EXPECT_EQ(shown["pairs"], json_text::parse(R"({"local": ["onnxruntime"]})"));
  EXPECT_EQ(shown["batch_sizes"], json_text::parse("[1]"));
  EXPECT_EQ(shown["warm_up"], "auto");
  EXPECT_EQ(shown["tolerances"], json_text::parse(R"({"absolute": null, "relative": null})"));
  EXPECT_EQ(shown["timeouts"], json_text::parse(R"({"compile_s": 3600.0, "run_s": 600.0})"));
  EXPECT_EQ(shown["memory_limit"], nullptr);
  EXPECT_EQ(shown["reference_version"], "2.15.0");
}

TEST(StudyFile, SettingsSayWhichOnesAreDefaults) {
  const std::vector<KeyValue> all =
      key_values(good_with("processes: 5\ntolerances: {relative: 0.01}\nmemory_limit: 4 GB"));
  const auto find = [&](const std::string& key) {
    return *std::find_if(all.begin(), all.end(), [&](const KeyValue& setting) { return setting.key == key; });
  };
  EXPECT_FALSE(find("processes").is_default);
  EXPECT_EQ(find("processes").value, "5");
  EXPECT_TRUE(find("repetitions").is_default);
  EXPECT_TRUE(find("tolerances.absolute").is_default);
  EXPECT_THAT(find("tolerances.absolute").value, testing::StartsWith("0.0001; in a file of f16"));
  EXPECT_FALSE(find("tolerances.relative").is_default);
  EXPECT_EQ(find("memory_limit").value, "4 GB");
  EXPECT_EQ(find("stop_when").value, "off");
}

}  // namespace
}  // namespace ngb::config
