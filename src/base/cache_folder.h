// SPDX-License-Identifier: Apache-2.0
// The one kind of cache: what ngb has made and can make again, in a folder that only its user may change. What is kept
// is used only if it is, byte for byte, what was kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/scratch_folder.h"

namespace ngb {

class CacheFolder {
 public:
  CacheFolder() = default;  // none: nothing is found in it, and to keep something is an error
  // `path` is made absolute; "" is none.
  explicit CacheFolder(const std::filesystem::path& path);

  [[nodiscard]] bool is_none() const { return path_.empty(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Returns whether only this user may change what is in it, and may put another folder in its place: neither a group
  // nor others may write in it, in folders of up to two levels below it (if they may enter it), nor in a folder above
  // it, unless that is sticky or the group has no other user. A missing folder counts as this user's, who will make it.
  [[nodiscard]] bool is_only_ours() const;

  // Makes a folder in it, and it itself if it is missing, for this user alone. Returns the folder's path.
  [[nodiscard]] Result<std::filesystem::path> make(const std::filesystem::path& name) const;
  // Returns a new folder for what will be kept under the name; it is removed with the returned object.
  [[nodiscard]] Result<ScratchFolder> make_scratch(const std::filesystem::path& name) const;

  // Return what was kept under the name: the path of a folder, or a text. Return nothing if there is none, or if a file
  // is missing or is not what was kept; then it is to be made anew.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::filesystem::path& name) const;
  [[nodiscard]] std::optional<std::string> find_text(const std::filesystem::path& name) const;

  // Keep the folder `made`, which is on the same file system, or the text under the name. A text replaces what is
  // there, a folder only one that is damaged. It is on disk when this returns.
  [[nodiscard]] Status keep(const std::filesystem::path& made, const std::filesystem::path& name) const;
  [[nodiscard]] Status keep_text(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_{};
};

}  // namespace ngb
