// SPDX-License-Identifier: Apache-2.0
#include "campaign/bisect_folder.h"

#include <set>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

constexpr const char* kBisectFile = "bisect.json";

// Adds the keys in which two objects differ, with `prefix`.
void add_differing_keys(const json& a, const json& b, const std::string& prefix, std::vector<std::string>& found) {
  std::set<std::string> keys;
  for (const json* object : {&a, &b}) {
    for (const auto& item : object->items()) keys.insert(item.key());
  }
  for (const std::string& key : keys) {
    const json left = a.value(key, json());
    const json right = b.value(key, json());
    if (left == right) continue;
    if (prefix.empty() && left.is_object() && right.is_object()) {
      add_differing_keys(left, right, key + ".", found);
    } else {
      found.push_back(prefix + key);
    }
  }
}

}  // namespace

Result<std::optional<BisectFolder>> BisectFolder::find(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kBisectFile;
  const Result<std::string> text = file::read(file);
  if (has_code(text, ErrorCode::not_found)) {
    if (!std::filesystem::exists(folder / "results.db")) return std::nullopt;
    return fail("this folder has the results of a study", folder.string(), "choose another one with --output");
  }
  if (!text) return error_of(text);
  BisectFolder found;
  found.folder_ = folder;
  try {
    const json object = json_text::parse_or_throw(*text);
    found.question_ = object.at("question");
    found.versions_ = object.at("versions").get<std::vector<std::string>>();
    found.stepped_over_ = object.at("stepped_over").get<std::map<std::string, std::string>>();
  } catch (const json::exception& exception) {
    return fail(exception.what(), file.string(), "choose another folder with --output");
  }
  if (found.versions_.size() < 2 || !found.question_.is_object()) {
    return fail("this is not the state of a bisection", file.string(), "choose another folder with --output");
  }
  return found;
}

Result<BisectFolder> BisectFolder::create(const std::filesystem::path& folder, json question,
                                          std::vector<std::string> versions) {
  BisectFolder made;
  made.folder_ = folder;
  made.question_ = std::move(question);
  made.versions_ = std::move(versions);
  if (const Status folder_made = file::make_folder(folder); !folder_made) return error_of(folder_made);
  const std::string study = json_text::dump(made.question_.at("study"), 2) + "\n";
  const Result<std::string> there = file::read(made.study_file());
  if (!has_code(there, ErrorCode::not_found) && there.value_or("") != study) {  // equal: an earlier try was killed here
    return fail("a bisection would replace this file", made.study_file().string(),
                "choose another folder with --output");
  }
  const Status kept = file::write_atomically(made.study_file(), study);
  if (!kept) return error_of(kept);
  if (const Status written = made.write(); !written) return error_of(written);
  return made;
}

std::vector<std::string> BisectFolder::differences(const json& question) const {
  std::vector<std::string> found;
  add_differing_keys(question_, question, "", found);
  return found;
}

std::optional<std::string> BisectFolder::why_stepped_over(const std::string& version) const {
  const auto found = stepped_over_.find(version);
  return found == stepped_over_.end() ? std::nullopt : std::optional(found->second);
}

Status BisectFolder::step_over(const std::string& version, const std::string& why) {
  stepped_over_[version] = why;
  return write();
}

std::filesystem::path BisectFolder::study_file() const { return folder_ / "study.json"; }

std::filesystem::path BisectFolder::results_of(const std::string& version, bool again) const {
  return folder_ / (again ? version + "-again" : version);
}

Status BisectFolder::write() const {
  const json object{{"question", question_}, {"versions", versions_}, {"stepped_over", stepped_over_}};
  return file::write_atomically(folder_ / kBisectFile, json_text::dump(object, 2) + "\n");
}

}  // namespace ngb::campaign
