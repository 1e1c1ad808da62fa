// SPDX-License-Identifier: Apache-2.0
#include "config/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <system_error>

#include "base/file.h"
#include "config/document.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/problems.h"
#include "config/sections.h"
#include "config/turns.h"

namespace ngb::config {
namespace {

constexpr std::uint64_t kMaxCells = 1'000'000;
constexpr std::uint64_t kMaxProcesses = 1'000'000;

class StudyReader {
 public:
  StudyReader(const std::filesystem::path& path, const Vocabulary& vocabulary, Problems& problems, Author author)
      : vocabulary_(vocabulary), problems_(problems), author_(author) {
    study_.path = path;
    study_.processors = vocabulary.processors;
    study_.name = path.stem().string();
  }

  Study read(const DocumentNode& root) {
    read_keys(root, study_keys(), "");
    read_lists(root);
    settle_reference();
    settle_exporter();
    settle_other_references();
    check_baseline();
    check_stop_when();
    read_goal([this](const std::string& key) { return given(key); }, study_, author_, problems_);
    check_rounds();
    settle_turns();
    settle_allocator();
    check_profile();
    check_threads();
    check_size(root);
    settle_output();
    return std::move(study_);
  }

 private:
  void read_keys(const DocumentNode& map, std::span<const Key> keys, const std::string& path) {
    for (const Field& field : fields(map, path, problems_)) {
      const Key* const key = find_key(keys, field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_key(field.name, names(keys)));
        continue;
      }
      const std::string key_path = join_path(path, field.name);
      nodes_[key_path] = field.value;
      study_.given.push_back(key_path);
      if (key->type == ValueType::section) {
        read_section(*key, *field.value, key_path);
      } else if (key->type != ValueType::structured) {
        const auto value = read_value(*key, *field.value, key_path, problems_);
        if (value) key->set(study_, *value);
      }
    }
  }

  void read_section(const Key& key, const DocumentNode& node, const std::string& path) {
    if (node.is_null() && key.accepts_null) return;
    if (!node.is_map()) {
      problems_.add(node, path, fmt::format("expected {}, found {}", expected(key), found(node)));
      return;
    }
    if (key.set) key.set(study_, nlohmann::json::object());
    read_keys(node, key.keys, path);
  }

  void read_lists(const DocumentNode& root) {
    for (const char* const required : {"models", "compilers"}) {
      if (!nodes_.contains(required))
        problems_.add(root, required, "the key is missing; a study must list models and compilers");
    }
    const std::size_t before = problems_.count();
    if (const DocumentNode* const node = given("compilers")) {
      const work::Compiler usual{
          .threads = study_.threads, .threads_asked = study_.threads_asked, .precision = study_.precision};
      CompilerEntries entries =
          read_compilers(*node, usual, {study_.instances, study_.processors_asked}, vocabulary_, problems_);
      study_.compilers = std::move(entries.compilers);
      given_in_entry_ = std::move(entries.given);
      for (std::size_t i = 0; i < study_.compilers.size(); ++i) {
        if (given_in_entry_[i]->contains("threads")) study_.own_threads.insert(study_.compilers[i].label);
        if (given_in_entry_[i]->contains("precision")) study_.own_precision.insert(study_.compilers[i].label);
      }
    }
    are_all_known_ = nodes_.contains("compilers") && problems_.count() == before;
    const std::vector<work::Compiler> known = are_all_known_ ? study_.compilers : with_whole_vocabulary();
    if (const DocumentNode* const node = given("models")) {
      study_.models = read_models(*node, study_.path.parent_path(), vocabulary_, known, problems_);
    }
    const DocumentNode* const devices = given("devices");
    study_.devices =
        devices != nullptr ? read_devices(*devices, vocabulary_.devices, problems_) : std::vector{local_device()};
    for (DeviceEntry& device : study_.devices) {
      for (const work::Compiler& compiler : study_.compilers) device.compilers.push_back(compiler.label);
    }
    if (const DocumentNode* const node = given("loads")) study_.loads = read_loads(*node, problems_);
    if (const DocumentNode* const node = given("pairs")) {
      read_pairs(*node, known, study_.devices, problems_);
    }
  }

  // Returns the study's compilers and all others. `pairs` and models may name a compiler whose entry could not be read;
  // the problem of that entry is enough.
  [[nodiscard]] std::vector<work::Compiler> with_whole_vocabulary() const {
    std::vector<work::Compiler> all = study_.compilers;
    for (const CompilerWords& words : vocabulary_.compilers) all.push_back({.name = words.name, .label = words.name});
    return all;
  }

  void settle_reference() {
    if (study_.reference == "none") {
      if (!study_.reference_version.empty()) {
        problems_.add(*nodes_.at("reference_version"), "reference_version", "there is no reference; remove this key");
      }
      return;
    }
    const auto words = std::find_if(vocabulary_.compilers.begin(), vocabulary_.compilers.end(),
                                    [&](const CompilerWords& known) { return known.name == study_.reference; });
    if (words == vocabulary_.compilers.end()) {
      std::vector<std::string> known{"none"};
      for (const CompilerWords& compiler : vocabulary_.compilers) known.push_back(compiler.name);
      const std::string message = unknown_word(study_.reference, "compiler", known);
      if (const DocumentNode* const node = given("reference")) {
        problems_.add(*node, "reference", message);
      } else {
        problems_.add("reference", message);
      }
      return;
    }
    if (!study_.reference_version.empty()) {
      if (words->default_version.empty()) {
        problems_.add(*nodes_.at("reference_version"), "reference_version",
                      fmt::format("{} has no versions; remove this key", words->name));
      }
      return;
    }
    study_.reference_version = default_version(study_.reference);
  }

  void settle_other_references() {
    if (study_.reference == "none") return;
    std::map<int, work::Compiler> others;
    for (const CompilerWords& known : vocabulary_.compilers) {
      if (known.judging_place == 0 || known.name == study_.reference) continue;
      const bool is_same_version = known.toolchain == study_.reference;
      others[known.judging_place] = {.name = known.name,
                                     .version = is_same_version ? study_.reference_version : known.default_version,
                                     .options = known.judging_options};
    }
    for (auto& [place, other] : others) study_.other_references.push_back(std::move(other));
  }

  void settle_exporter() {
    study_.exporter_version = study_.reference == kExporter ? study_.reference_version : default_version(kExporter);
  }

  // The identity is always accepted: a study without it has no baseline, and its results may be joined by those of
  // another study.
  void check_baseline() {
    const DocumentNode* const node = given("baseline");
    if (node == nullptr || !are_all_known_) return;
    std::vector<std::string> known{Study{}.baseline};
    for (const work::Compiler& compiler : study_.compilers) {
      known.push_back(compiler.label);
      known.push_back(compiler.name);
      if (!compiler.version.empty()) known.push_back(compiler.name + "@" + compiler.version);
    }
    if (std::find(known.begin(), known.end(), study_.baseline) != known.end()) return;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    problems_.add(*node, "baseline", unknown_word(study_.baseline, "compiler of this study", known));
  }

  // Returns the version of the study's first compiler of this name; if there is none, the vocabulary's default version.
  [[nodiscard]] std::string default_version(const std::string& compiler) const {
    const auto own = std::find_if(study_.compilers.begin(), study_.compilers.end(),
                                  [&](const work::Compiler& entry) { return entry.name == compiler; });
    if (own != study_.compilers.end()) return own->version;
    const auto words = std::find_if(vocabulary_.compilers.begin(), vocabulary_.compilers.end(),
                                    [&](const CompilerWords& known) { return known.name == compiler; });
    return words == vocabulary_.compilers.end() ? std::string() : words->default_version;
  }

  void check_stop_when() {
    if (!study_.protocol.stop_when ||
        study_.protocol.stop_when->min_repetitions <= study_.protocol.stop_when->max_repetitions)
      return;
    const DocumentNode* const least = given("stop_when.min_repetitions");
    const DocumentNode* const most = given("stop_when.max_repetitions");
    problems_.add(most != nullptr ? *most : *least,
                  most != nullptr ? "stop_when.max_repetitions" : "stop_when.min_repetitions",
                  fmt::format("min_repetitions {} is more than max_repetitions {}",
                              study_.protocol.stop_when->min_repetitions, study_.protocol.stop_when->max_repetitions));
  }

  void check_rounds() {
    const auto& rounds = study_.protocol.rounds;
    if (!rounds || rounds->min <= rounds->max) return;
    const DocumentNode* const most = given("rounds.max");
    problems_.add(most != nullptr ? *most : *given("rounds.min"), most != nullptr ? "rounds.max" : "rounds.min",
                  fmt::format("min {} is more than max {}", rounds->min, rounds->max));
  }

  // Processes take turns wherever they can, unless the study says otherwise.
  void settle_turns() {
    if (leaves_turns_open(study_)) study_.protocol.turns = kUsualTurns;
    const bool must_yield = author_ == Author::command && !what_excludes_turns(study_).empty();
    if (must_yield) study_.protocol.turns = 1;
    const DocumentNode* const turns = given("turns");
    if (study_.protocol.turns == 1 || turns == nullptr) return;
    if (study_.protocol_name == "paper") {
      problems_.add(*turns, "turns", "the paper's processes run one after the other; remove turns or protocol");
    }
    for (const std::string& message : what_excludes_turns(study_)) problems_.add(*turns, "turns", message);
  }

  // The paper's processes had the C library's defaults.
  void settle_allocator() {
    if (given("allocator") == nullptr && study_.protocol_name != "paper") study_.allocator = "steady";
  }

  void check_profile() {
    const DocumentNode* const profile = given("profile");
    if (!study_.protocol.profile || profile == nullptr) return;
    for (const std::string& message : what_excludes_profiles(study_)) problems_.add(*profile, "profile", message);
  }

  // This machine's processors are known before anything is measured. A device elsewhere counts its own.
  void check_threads() {
    if (!study_.processors) return;
    std::set<std::string> reported;
    for (const DeviceEntry& device : study_.devices) {
      if (!is_here(device)) continue;
      for (std::size_t i = 0; i < study_.compilers.size(); ++i) {
        const std::optional<std::string> message = too_many_threads(study_, device, study_.compilers[i]);
        if (!message) continue;
        const GivenValue at = place_of_processors(device, i);
        if (!reported.insert(at.path).second) continue;
        if (at.node != nullptr) {
          problems_.add(*at.node, at.path, *message);
        } else {
          problems_.add(at.path, *message);
        }
      }
    }
  }

  // Returns where the study says which processors a compiler has on the device, else how many it needs: by its
  // instances if there are several, else by its threads.
  [[nodiscard]] GivenValue place_of_processors(const DeviceEntry& device, std::size_t compiler) const {
    const work::Compiler& its = study_.compilers[compiler];
    const bool is_own = its.processors != work::kChosenProcessors;
    const std::string key = is_own ? "processors" : its.instances > 1 ? "instances" : "threads";
    if (const auto own = given_in_entry_[compiler]->find(key); own != given_in_entry_[compiler]->end())
      return own->second;
    const std::string path = key == "threads" && !device.threads.empty() ? "devices" : key;
    const auto node = nodes_.find(path);
    return {node == nodes_.end() ? nullptr : node->second, path};
  }

  void check_size(const DocumentNode& root) {
    std::uint64_t pairs = 0;
    for (const DeviceEntry& device : study_.devices) pairs += device.compilers.size();
    const std::uint64_t cells = pairs * study_.models.size() * study_.batch_sizes.size() * study_.loads.size();
    const std::uint64_t processes = cells * static_cast<std::uint64_t>(work::planned_processes(study_.protocol));
    if (cells > kMaxCells) {
      problems_.add(root, "", fmt::format("{} cells are more than {}; split the study", cells, kMaxCells));
    } else if (processes > kMaxProcesses) {
      problems_.add(root, "", fmt::format("{} processes are more than {}; split the study", processes, kMaxProcesses));
    }
  }

  void settle_output() {
    if (!nodes_.contains("output")) study_.output = std::filesystem::path("results") / study_.name;
    if (study_.output.empty()) return;  // already reported as a problem of the key
    std::error_code failed;
    const std::filesystem::path absolute = std::filesystem::absolute(study_.output, failed);
    if (failed) {
      problems_.add("output", "the working folder no longer exists; change to another folder");
    } else {
      study_.output = absolute.lexically_normal();
    }
  }

  [[nodiscard]] const DocumentNode* given(const std::string& key_path) const {
    const auto node = nodes_.find(key_path);
    return node == nodes_.end() ? nullptr : node->second.get();
  }

  const Vocabulary& vocabulary_;
  Problems& problems_;
  const Author author_;
  Study study_;
  std::map<std::string, NodePointer> nodes_;
  std::vector<std::shared_ptr<const GivenKeys>> given_in_entry_;  // of each compiler: the keys in its entry
  bool are_all_known_ = false;                                    // every entry of compilers was read without a problem
};

StudyProblem whole_file(const std::filesystem::path& path, std::string message) {
  return {.file = path.string(), .message = std::move(message)};
}

Result<std::string> read_text(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) return fail("no such file");
  if (std::filesystem::is_directory(status)) return fail("a folder, expected a study file");
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, failed) > kMaxDocumentBytes) {
    return fail(fmt::format("larger than {} bytes; is this a study file?", kMaxDocumentBytes));
  }
  return file::read(path, kMaxDocumentBytes);
}

}  // namespace

tl::expected<Study, std::vector<StudyProblem>> load_study(const std::filesystem::path& path,
                                                          const Vocabulary& vocabulary) {
  const auto text = read_text(path);
  if (!text) return tl::unexpected(std::vector{whole_file(path, text.error().what)});
  return read_study(*text, path, vocabulary);
}

tl::expected<Study, std::vector<StudyProblem>> read_study(const std::string& text, const std::filesystem::path& path,
                                                          const Vocabulary& vocabulary, Author author) {
  const auto document = parse_document(text);
  if (!document) {
    const DocumentProblem& problem = document.error();
    return tl::unexpected(std::vector{StudyProblem{path.string(), problem.line, problem.column, "", problem.message}});
  }
  if (*document == nullptr || ((*document)->is_null() && (*document)->text.empty())) {
    return tl::unexpected(std::vector{whole_file(path, "the file is empty; a study must list models and compilers")});
  }
  Problems problems(path.string());
  const DocumentNode& root = **document;
  if (!root.is_map()) {
    problems.add(root, "", fmt::format("expected keys such as models and compilers, found {}", found(root)));
    return tl::unexpected(problems.take());
  }
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored).lexically_normal();
  Study study = StudyReader(ignored ? path : absolute, vocabulary, problems, author).read(root);
  if (!problems.empty()) return tl::unexpected(problems.take());
  return study;
}

}  // namespace ngb::config
