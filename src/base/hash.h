// SPDX-License-Identifier: Apache-2.0
// SHA-256, as lower-case hexadecimal text of 64 characters.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::hash {

// Sha256 hashes bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  ~Sha256();

  void add(std::string_view bytes);
  // Returns the hash. It is called once, after the last add().
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view bytes);
Result<std::string> sha256_of_file(const std::filesystem::path& path);
// Copies a file to `to`, where nothing may be, and returns the SHA-256 of the bytes in the copy, whoever changes the
// file meanwhile.
Result<std::string> copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ngb::hash
