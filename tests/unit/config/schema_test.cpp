// SPDX-License-Identifier: Apache-2.0
// The schema and the parser agree on every document below. The schema is evaluated by Python's jsonschema, the
// reference implementation of draft 2020-12 that every distribution packages (python3-jsonschema).
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/process.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr const char* kJudge = R"(
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
schema, documents = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
print(json.dumps([validator.is_valid(document) for document in documents]))
)";

// A good study with one key replaced or added.
json patched(const std::string& patch) {
  json document = json_text::parse(R"({"models": [{"zoo": "resnet18"}], "compilers": ["onnxruntime"]})");
  document.update(json_text::parse(patch));
  return document;
}

std::vector<std::string> patches() {
  std::vector<std::string> all{"{}",
                               R"({"unknown": 1})",
                               R"({"models": []})",
                               R"({"models": {}})",
                               R"({"compilers": []})",
                               R"({"compilers": "onnxruntime"})"};
  const auto add = [&](const std::string& key, const std::vector<std::string>& values) {
    for (const std::string& value : values) all.push_back("{\"" + key + "\": " + value + "}");
  };
  const std::vector<std::string> kAnything{
      "null",       "true",         "0",        "1",       "2.5",         "3.0",        "-1",       "1e99",
      "\"\"",       "\"auto\"",     "\"x\"",    "[]",      "[1]",         "[1, 2]",     "[1, 1]",   "{}",
      "{\"x\": 1}", "1000001",      "\"4 GB\"", "\"4 G\"", "4000000000",  "\"a/b\"",    "\" a\"",   "\"f32\"",
      "\"none\"",   "\"identity\"", "1e-9",     "[0]",     "[\"local\"]", "\"1.30.0\"", "100000000"};
  for (const char* const key : {"name",     "batch_sizes",       "devices",         "pairs",
                                "threads",  "precision",         "processes",       "repetitions",
                                "warm_up",  "min_repetition_ms", "max_transient_s", "stop_when",
                                "arrivals", "tolerances",        "reference",       "reference_version",
                                "timeouts", "memory_limit",      "attempts",        "disturbance",
                                "seed",     "allocator",         "best_options",    "output",
                                "models",   "compilers"}) {
    add(key, kAnything);
  }
  for (const std::string& value : kAnything) {
    add("stop_when", {"{\"half_width_percent\": " + value + "}", "{\"max_s\": " + value + "}"});
    add("arrivals", {"{\"requests\": " + value + "}", "{\"requests_per_s\": " + value + "}"});
    add("tolerances", {"{\"absolute\": " + value + "}", "{\"nothing\": " + value + "}"});
    add("timeouts", {"{\"run_s\": " + value + "}"});
    add("pairs", {"{\"local\": " + value + "}"});
    add("models",
        {"[" + value + "]", "[{\"zoo\": " + value + "}]", "[{\"onnx\": " + value + "}]",
         "[{\"zoo\": \"resnet18\", \"label\": " + value + "}]", "[{\"zoo\": {\"conv_block\": " + value + "}}]",
         "[{\"zoo\": {\"resnet18\": " + value + "}}]", "[{\"zoo\": {\"conv_block\": {\"width\": " + value + "}}}]",
         "[{\"zoo\": {\"resnet\": {\"depths\": " + value + "}}}]",
         "[{\"zoo\": {\"resnet\": {\"depths\": [" + value + "]}}}]",
         "[{\"zoo\": \"resnet18\", \"shapes\": " + value + "}]",
         "[{\"zoo\": \"resnet18\", \"dynamic_batch\": " + value + "}]", "[{\"timm\": " + value + "}]",
         "[{\"timm\": \"a\", \"shapes\": {\"x\": " + value + "}}]",
         "[{\"timm\": \"a\", \"parameters\": " + value + "}]",
         "[{\"timm\": \"a\", \"inputs\": {\"x\": {\"type\": " + value + "}}}]",
         "[{\"timm\": \"a\", \"inputs\": {\"x\": {\"range\": " + value + "}}}]"});
    add("compilers",
        {"[" + value + "]", "[{\"onnxruntime\": " + value + "}]", "[{\"null\": " + value + "}]",
         "[{\"onnxruntime\": {\"version\": " + value + "}}]", "[{\"null\": {\"version\": " + value + "}}]",
         "[{\"onnxruntime\": {\"threads\": " + value + "}}]", "[{\"onnxruntime\": {\"label\": " + value + "}}]",
         "[{\"onnxruntime\": {\"options\": " + value + "}}]",
         "[{\"onnxruntime\": {\"options\": {\"arena\": " + value + "}}}]",
         "[{\"onnxruntime\": {\"options\": {\"spin\": " + value + "}}}]",
         "[{\"onnxruntime\": {\"options\": {\"graph_optimization\": " + value + "}}}]"});
  }
  return all;
}

// Returns whether the problem depends on files, on the meaning of a text, or on other parts of the study. A schema
// cannot find these.
bool is_beyond_a_schema(const StudyProblem& problem) {
  constexpr std::array<const char*, 6> kWords{"no such file", "a folder, expected", "unknown compiler of this study",
                                              "twice",        "is more than",       "there is no reference"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* words) { return problem.message.find(words) != std::string::npos; });
}

TEST(StudySchema, AgreesWithTheParser) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = small_vocabulary();
  json documents = json::array();
  std::vector<bool> accepted;
  std::vector<bool> undecided;
  std::vector<std::string> why;
  for (const std::string& patch : patches()) {
    const json document = patched(patch);
    const auto study = load_study(folder.write("study.yaml", document.dump()), vocabulary);
    const bool is_undecided = !study && std::all_of(study.error().begin(), study.error().end(), is_beyond_a_schema);
    documents.push_back(document);
    accepted.push_back(study.has_value());
    undecided.push_back(is_undecided);
    why.push_back(study ? "accepted" : study.error()[0].text());
  }
  const auto schema_path = folder.write("schema.json", study_schema(vocabulary).dump());
  const auto documents_path = folder.write("documents.json", documents.dump());
  const std::filesystem::path made = std::filesystem::path(NGB_SOURCE_DIR) / "build/dependencies/python/bin/python";
  const std::string python = std::filesystem::exists(made) ? made.string() : "python3";
  const auto judged = process::run({.arguments = {python, "-W", "ignore", "-c", kJudge, schema_path, documents_path}});
  ASSERT_TRUE(judged) << judged.error().text();
  if (judged->exit_code == 77) GTEST_SKIP() << python << " has no jsonschema: scripts/setup tests installs it";
  ASSERT_TRUE(judged->succeeded()) << judged->output;
  const json verdicts = json_text::parse(judged->output);
  ASSERT_EQ(verdicts.size(), accepted.size());
  int valid = 0;
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (undecided[i]) continue;
    EXPECT_EQ(verdicts[i].get<bool>(), accepted[i]) << documents[i].dump() << "\n" << why[i];
    valid += accepted[i] ? 1 : 0;
  }
  EXPECT_GT(valid, 100);
  EXPECT_GT(static_cast<int>(accepted.size()) - valid, 400);
}

TEST(StudySchema, CarriesMeaningsAndDefaultsForEditors) {
  const json schema = study_schema(small_vocabulary());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["properties"]["repetitions"]["default"], 20);
  EXPECT_EQ(schema["properties"]["processes"]["description"], "Fresh worker processes for each cell");
  EXPECT_EQ(schema["properties"]["timeouts"]["properties"]["run_s"]["default"], 600.0);
  EXPECT_EQ(schema["required"], json_text::parse(R"(["models", "compilers"])"));
}

}  // namespace
}  // namespace ngb::config
