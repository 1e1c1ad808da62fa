// SPDX-License-Identifier: Apache-2.0
#include "reception/device_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "reception/belongings.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {
namespace {

constexpr std::uint64_t kMaxMarkBytes = 4096;
constexpr const char* kOwnFolder = "give the device a folder of its own (folder: in the study or in devices.yaml)";

std::string mark_text() { return std::string(samples::kMarkText) + "\n"; }

bool is_marked(const std::filesystem::path& folder) {
  return file::read(folder / samples::kMarkFile, kMaxMarkBytes).value_or("").starts_with(samples::kMarkText);
}

// Returns an error if the folder contains something that is not of our form.
Status check_content(const std::filesystem::path& folder) {
  const FolderContent content = content_of(folder);
  if (content.others.empty()) return Done{};
  const std::string name = text::to_utf8(content.others.front().lexically_relative(folder).string());
  return fail(fmt::format("the device's folder is not empty and not NGraphBench's: it holds {}", name), folder.string(),
              kOwnFolder);
}

// Refuses links in the place of our folders: files written through one would be outside the folder.
Status check_links(const std::filesystem::path& folder) {
  for (const std::filesystem::path& other : content_of(folder).others) {
    std::error_code code;
    const std::string name = other.filename().string();
    const bool is_shelf = other.parent_path() == folder &&
                          std::find(samples::kDeviceShelves.begin(), samples::kDeviceShelves.end(), name) !=
                              samples::kDeviceShelves.end();
    if (is_shelf && std::filesystem::is_symlink(other, code)) {
      return fail("is a link; NGraphBench keeps its files in the device's folder itself", other.string(),
                  "remove the link, or give the device another folder");
    }
  }
  return Done{};
}

}  // namespace

Status check_owner(const std::filesystem::path& folder, bool or_the_system) {
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return tl::unexpected(file::from_errno("read", folder, errno));
  if (status.st_uid != ::geteuid() && !(or_the_system && status.st_uid == 0)) {
    return fail(fmt::format("belongs to another user (uid {}), who could put programs there", status.st_uid),
                folder.string(), kOwnFolder);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail("is writable by other users, who could put programs there", folder.string(),
                "check its content, then run chmod go-w on it there; or give the device a folder of its own");
  }
  return Done{};
}

Result<std::filesystem::path> claim_device_folder(const std::filesystem::path& folder) {
  if (Status made = file::make_folder(folder); !made) return error_of(made);
  std::error_code code;
  std::filesystem::path canonical = std::filesystem::canonical(folder, code);
  if (code) return tl::unexpected(file::from_errno("read", folder, code.value()));
  if (Status owned = check_owner(canonical, false); !owned) return error_of(owned);
  if (!is_marked(canonical)) {
    if (Status ours = check_content(canonical); !ours) return error_of(ours);
    const Status marked = file::write_atomically(canonical / samples::kMarkFile, mark_text());
    if (!marked) return error_of(marked);
  }
  if (Status inside = check_links(canonical); !inside) return error_of(inside);
  const std::filesystem::path toolchains = canonical / "toolchains";
  if (std::filesystem::exists(toolchains, code)) {
    if (Status owned = check_owner(toolchains, true); !owned) return error_of(owned);
  }
  return canonical;
}

void give_up_device_folder(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().filename() != samples::kMarkFile) return;
  }
  if (code || !is_marked(folder)) return;
  std::filesystem::remove(folder / samples::kMarkFile, code);
  std::filesystem::remove(folder, code);
  // Another client may have created something at this moment.
  if (code == std::errc::directory_not_empty) {
    (void)file::write_atomically(folder / samples::kMarkFile, mark_text());
  }
}

}  // namespace ngb::reception
