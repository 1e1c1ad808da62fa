// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/sections.h"

namespace ngb::config {
namespace {

std::vector<std::string> device_names(const std::vector<DeviceEntry>& devices) {
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const DeviceEntry& device : devices) names.push_back(device.name);
  return names;
}

// Returns the words that an entry of pairs may contain: labels and names, each once.
std::vector<std::string> compiler_words(const std::vector<work::Compiler>& compilers) {
  std::vector<std::string> words;
  for (const work::Compiler& compiler : compilers) {
    for (const std::string& word : {compiler.label, compiler.name}) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  return words;
}

class CompilerWordsReader {
 public:
  CompilerWordsReader(const std::vector<work::Compiler>& compilers, Problems& problems)
      : compilers_(compilers), words_(compiler_words(compilers)), problems_(problems) {}

  std::vector<std::string> read(const DocumentNode& list, const std::string& path) {
    if (!is_filled_list(list, path, "a list of the study's compilers", problems_)) return {};
    std::set<std::string> chosen;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      read_word(*list.items[i], fmt::format("{}[{}]", path, i), chosen);
    }
    std::vector<std::string> labels;
    for (const work::Compiler& compiler : compilers_) {
      if (chosen.contains(compiler.label)) labels.push_back(compiler.label);
    }
    return labels;
  }

 private:
  void read_word(const DocumentNode& node, const std::string& path, std::set<std::string>& chosen) {
    if (node.is_sequence() || node.is_map() || node.text.empty()) {
      problems_.add(node, path, "expected a compiler of the study, found " + found(node));
      return;
    }
    if (std::find(words_.begin(), words_.end(), node.text) == words_.end()) {
      problems_.add(node, path, unknown_word(node.text, "compiler of this study", words_));
      return;
    }
    const bool is_label = std::any_of(compilers_.begin(), compilers_.end(),
                                      [&](const work::Compiler& compiler) { return compiler.label == node.text; });
    bool is_new = false;
    for (const work::Compiler& compiler : compilers_) {
      const bool is_meant = is_label ? compiler.label == node.text : compiler.name == node.text;
      if (is_meant) is_new = chosen.insert(compiler.label).second || is_new;
    }
    if (!is_new) problems_.add_repeated(node, path, shown(node.text));
  }

  const std::vector<work::Compiler>& compilers_;
  std::vector<std::string> words_;
  Problems& problems_;
};

}  // namespace

std::vector<std::string> read_compiler_words(const DocumentNode& list, const std::string& path,
                                             const std::vector<work::Compiler>& compilers, Problems& problems) {
  return CompilerWordsReader(compilers, problems).read(list, path);
}

void read_pairs(const DocumentNode& node, const std::vector<work::Compiler>& compilers,
                std::vector<DeviceEntry>& devices, Problems& problems) {
  for (const Field& field : fields_or_problem(node, "pairs", "device: [compiler, …]", problems)) {
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const DeviceEntry& known) { return known.name == field.name; });
    if (device == devices.end()) {
      problems.add(*field.key, "pairs", unknown_word(field.name, "device of this study", device_names(devices)));
      continue;
    }
    device->compilers = read_compiler_words(*field.value, join_path("pairs", field.name), compilers, problems);
  }
}

}  // namespace ngb::config
