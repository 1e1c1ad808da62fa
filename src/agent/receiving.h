// SPDX-License-Identifier: Apache-2.0
// Trees of files as they come to a device: content first (files/<sha256>, kept over interruptions), then the tree in
// one step. Nothing is written outside the device's folder.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/result.h"
#include "samples/delivery.h"

namespace ngb::agent {

class Receiving {
 public:
  // Makes what of the tree's content is not there the thing to wait for. Another delivery to this device is waited for.
  // Errors: the disk would be too full; the folder cannot be written.
  static Result<Receiving> begin(const std::filesystem::path& device_folder, samples::Tree tree);

  [[nodiscard]] const samples::Want& want() const { return want_; }
  [[nodiscard]] bool is_complete() const { return next_ == want_.pieces.size(); }
  // Takes bytes of the pieces wanted, in their order; returns how many of `bytes` were still of them. Errors: the
  // content of a file is not what its hash says (it is forgotten, a new delivery brings it again); the disk is full.
  Result<std::size_t> take(std::string_view bytes);
  // Everything has come: the tree is there from now on, whole.
  Status install();

 private:
  Receiving(std::filesystem::path device_folder, samples::Tree tree, FileDescriptor lock);
  [[nodiscard]] std::filesystem::path content_path(const samples::TreeFile& file) const;
  [[nodiscard]] const samples::TreeFile& current() const;
  Status open_piece();
  Status hash_what_is_there(std::uint64_t size_bytes);
  Status close_piece();

  std::filesystem::path folder_;
  samples::Tree tree_;
  FileDescriptor lock_;
  samples::Want want_{};
  std::size_t next_ = 0;  // piece
  FileDescriptor partial_{};
  std::uint64_t missing_bytes_ = 0;  // of that piece
  hash::Sha256 hash_{};              // of what has come of it, now or before
};

}  // namespace ngb::agent
