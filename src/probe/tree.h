// SPDX-License-Identifier: Apache-2.0
// Reading the small files of /proc and /sys, under a root that stands for "/".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/known.h"

namespace ngb::probe {

// A decimal number with nothing behind it.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);
std::optional<double> parse_real(std::string_view text);
// "0-3,8" -> 0 1 2 3 8; what is not a number is left out.
std::vector<int> parse_cpu_list(std::string_view text);
// The words of a line, separated by any number of blanks.
std::vector<std::string> words(std::string_view line);

class Tree {
 public:
  explicit Tree(std::string root);

  // Content without the white space around it. The reason names the file: "no /proc/loadavg on this machine".
  [[nodiscard]] samples::Known<std::string> text(std::string_view path) const;
  [[nodiscard]] samples::Known<std::uint64_t> number(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const;
  // Names in a folder, sorted; those that start with `prefix`. Empty when there is no such folder.
  [[nodiscard]] std::vector<std::string> names(std::string_view folder, std::string_view prefix) const;
  // Where `path` really is.
  [[nodiscard]] std::string real(std::string_view path) const;

 private:
  std::string root_;  // without a slash at the end
};

}  // namespace ngb::probe
