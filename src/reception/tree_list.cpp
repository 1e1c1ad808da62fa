// SPDX-License-Identifier: Apache-2.0
#include "reception/tree_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::reception {

Status write_tree_list(const std::filesystem::path& folder, const std::vector<samples::TreeFile>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const samples::TreeFile& file : files) list.push_back({file.path, file.size_bytes, file.sha256});
  return file::write_atomically(folder / kTreeListFile, json_text::dump(list) + "\n");
}

std::vector<samples::TreeFile> files_in(const std::filesystem::path& folder) {
  std::vector<samples::TreeFile> files;
  std::error_code code;
  std::filesystem::recursive_directory_iterator entry(folder, code);
  for (const std::filesystem::recursive_directory_iterator end; !code && entry != end; entry.increment(code)) {
    std::error_code ignored;
    if (entry->path().filename() == "__pycache__") {
      entry.disable_recursion_pending();
    } else if (entry->symlink_status(ignored).type() == std::filesystem::file_type::regular) {
      files.push_back({entry->path().lexically_relative(folder).string(), "", entry->file_size(ignored), false});
    }
  }
  return files;
}

bool is_tree_whole(const std::filesystem::path& folder, TreeCheck check) {
  std::error_code code;
  if (!std::filesystem::exists(folder / kTreeListFile, code)) return true;
  const nlohmann::json list = json_text::parse(file::read(folder / kTreeListFile).value_or(""));
  if (!list.is_array()) return false;
  return std::all_of(list.begin(), list.end(), [&](const nlohmann::json& each) {
    const bool is_entry = each.is_array() && each.size() == 3 && each[0].is_string() && each[1].is_number_unsigned() &&
                          each[2].is_string() && samples::is_path_within(each[0].get_ref<const std::string&>());
    if (!is_entry) return false;
    const std::filesystem::path path = folder / each[0].get_ref<const std::string&>();
    const std::uintmax_t size_bytes = std::filesystem::file_size(path, code);
    if (code || size_bytes != each[1].get<std::uint64_t>()) return false;
    const std::string& sha256 = each[2].get_ref<const std::string&>();
    return check == TreeCheck::sizes || sha256.empty() || hash::sha256_of_file(path).value_or("") == sha256;
  });
}

}  // namespace ngb::reception
