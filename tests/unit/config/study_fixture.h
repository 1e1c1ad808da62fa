// SPDX-License-Identifier: Apache-2.0
// Makes a small vocabulary by hand, and reads studies from text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/study.h"
#include "temporary_folder.h"

namespace ngb::config {

inline Vocabulary small_vocabulary() {
  const Parameter level{.name = "graph_optimization",
                        .type = "string",
                        .values = {"disabled", "basic", "all"},
                        .default_value = "\"all\"",
                        .meaning = "How far graphs are rewritten"};
  const Parameter arena{.name = "arena", .type = "bool", .default_value = "true", .meaning = "Keep memory"};
  const Parameter spin{
      .name = "spin", .type = "int", .minimum = "0", .maximum = "100", .default_value = "0", .meaning = "Busy wait"};
  const Parameter width{
      .name = "width", .type = "int", .minimum = "1", .maximum = "4096", .default_value = "64", .meaning = "Channels"};
  const Parameter image_size{.name = "image_size",
                             .type = "int",
                             .minimum = "1",
                             .maximum = "1024",
                             .default_value = "244",
                             .meaning = "Height and width"};
  const Parameter depth{
      .name = "depth", .type = "int", .minimum = "1", .maximum = "6", .default_value = "1", .meaning = "Blocks"};
  const Parameter depths{.name = "depths",
                         .type = "int_list",
                         .minimum = "1",
                         .maximum = "100",
                         .default_value = "[2,2,2,2]",
                         .meaning = "Blocks in each stage"};
  const SettingWords entries{.meaning = "Entries of the session's configuration",
                             .reserved = {{"session.*_threads", "threads"},
                                          {"use-arena", "options.arena"},
                                          {"cache", "fixed: every process compiles cold"}}};
  return {
      .compilers = {{"identity", "2.15.0", {}, {}},
                    {"null", "", {}, {}},
                    {"onnxruntime", "1.31.1", {level, arena, spin}, entries, true},
                    {"openvino", "2026.4.1", {}, {}}},
      .models = {{"conv_block", {width, depth, image_size}}, {"resnet", {depths}}, {"resnet18", {}}, {"resnet50", {}}}};
}

inline tl::expected<Study, std::vector<StudyProblem>> parse(std::string_view text,
                                                            const Vocabulary& vocabulary = small_vocabulary()) {
  const TemporaryFolder folder;
  return load_study(folder.write("study.yaml", text), vocabulary);
}

// Returns the Study; the test fails with every problem if there is none.
inline Study good(std::string_view text) {
  auto study = parse(text);
  if (study) return *std::move(study);
  for (const StudyProblem& problem : study.error()) ADD_FAILURE() << problem.text();
  return {};
}

// Returns every problem as "line:column: key: message".
inline std::vector<std::string> problems(std::string_view text, const Vocabulary& vocabulary = small_vocabulary()) {
  const auto study = parse(text, vocabulary);
  std::vector<std::string> lines;
  if (study) return lines;
  for (StudyProblem problem : study.error()) {
    problem.file = "";
    lines.push_back(problem.text().substr(problem.line > 0 ? 1 : 2));
  }
  return lines;
}

inline constexpr std::string_view kSmallest = "models: [{zoo: resnet18}]\ncompilers: [onnxruntime]\n";

// These read the smallest study with one more line, which is its line 3.
inline std::vector<std::string> problems_with(std::string_view line) {
  return problems(std::string(kSmallest) + std::string(line));
}
inline Study good_with(std::string_view line) { return good(std::string(kSmallest) + std::string(line)); }

}  // namespace ngb::config
