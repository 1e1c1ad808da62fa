// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/stays.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace ngb::dispatch {

Stays::Stays(std::string run, std::filesystem::path file) : run_(std::move(run)), file_(std::move(file)) {
  std::istringstream content(file_.empty() ? "" : file::read(file_).value_or(""));
  for (std::string line; std::getline(content, line);) machines_.push_back(line);
}

Status Stays::arrive(const std::string& machine) {
  if (!machines_.empty() && machines_.back() == machine) return Done{};
  machines_.push_back(machine);
  return write();
}

void Stays::forget(const std::string& machine) {
  // The entry is emptied and kept, because the position of each later stay is part of its folder's name.
  std::replace(machines_.begin(), machines_.end(), machine, std::string());
  if (std::all_of(machines_.begin(), machines_.end(), [](const std::string& each) { return each.empty(); })) {
    machines_.clear();
  }
  (void)write();
}

std::vector<std::string> Stays::machines() const {
  std::vector<std::string> all;
  for (const std::string& each : machines_) {
    if (!each.empty() && std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

std::string Stays::folder() const { return folder_of(machines_.empty() ? 0 : machines_.size() - 1); }

std::vector<std::string> Stays::folders_on(const std::string& machine) const {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    if (machines_[i] == machine) folders.push_back(folder_of(i));
  }
  return folders;
}

std::string Stays::folder_of(std::size_t stay) const {
  return stay == 0 ? "runs/" + run_ : fmt::format("runs/{}-{}", run_, stay + 1);
}

Status Stays::write() {
  if (file_.empty()) return Done{};
  if (Status made = file::make_folder(file_.parent_path()); !made) return made;
  return file::write_atomically(file_, machines_.empty() ? "" : text::join(machines_, "\n") + "\n");
}

}  // namespace ngb::dispatch
