// SPDX-License-Identifier: Apache-2.0
// Receives trees of files on a device: content first (files/<sha256>, kept if the delivery is interrupted), then the
// tree in one step. Nothing is written outside the device's folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/file_list.h"
#include "base/hash.h"
#include "base/result.h"
#include "samples/delivery_messages.h"

namespace ngb::reception {

// Is called every few seconds while the lock is held by another process ("process 12"). Returns false to stop waiting.
using OnWait = std::function<bool(const std::string& holder)>;

// Returns the lock that every delivery to this device holds, waiting for other deliveries to end. Returns an error if
// that takes too long or if `on_wait` returns false.
Result<FileDescriptor> lock_deliveries(const std::filesystem::path& device_folder, const OnWait& on_wait);

// Returns whether another process waits for the lock that we hold.
bool is_delivery_awaited(const std::filesystem::path& device_folder);

class Receiving {
 public:
  // Begins to receive a tree; `want` then lists the content that is missing here. Waits for other deliveries to this
  // device. Returns the errors of lock_deliveries, or an error if the disk would be too full or the folder cannot be
  // written.
  static Result<Receiving> begin(const std::filesystem::path& device_folder, samples::Tree tree,
                                 const OnWait& on_wait = {});

  [[nodiscard]] const samples::Want& want() const { return want_; }
  [[nodiscard]] bool is_complete() const { return next_ == want_.pieces.size(); }
  // Receives bytes of the wanted pieces, in their order. Returns how many of `bytes` belonged to them. Returns an error
  // if the disk is full, or if a file's content does not match its hash; that content is deleted, and a new delivery
  // sends it again.
  Result<std::size_t> receive(std::string_view bytes);
  // Puts the complete tree into its place. Precondition: is_complete().
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
  std::size_t next_ = 0;  // index of the current piece
  FileDescriptor partial_{};
  std::uint64_t missing_bytes_ = 0;  // of the current piece
  hash::Sha256 hash_{};              // over the current piece's bytes so far, of this delivery and earlier ones
};

// Returns whether the tree is as its list says (base/file_list.h). A tree without a list (of an earlier version,
// adopted, or unpacked by hand) counts as whole.
bool is_tree_whole(const std::filesystem::path& folder, file_list::Check check);

}  // namespace ngb::reception
