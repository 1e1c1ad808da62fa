// SPDX-License-Identifier: Apache-2.0
// Tree reads the small files of /proc and /sys below a root that replaces "/".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::probe {

// kCpus holds a folder for each processor, and what applies to all of them.
inline constexpr std::string_view kCpus = "/sys/devices/system/cpu";

// Parses a decimal number that fills the whole text.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);
std::optional<double> parse_real(std::string_view text);
// Returns the words of a line, which blanks separate.
std::vector<std::string> words(std::string_view line);

class Tree {
 public:
  explicit Tree(std::string root);

  // Returns the content without surrounding white space. A reason names the file: "no /proc/loadavg on this machine".
  [[nodiscard]] Known<std::string> text(std::string_view path) const;
  [[nodiscard]] Known<std::uint64_t> number(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const;
  // Returns the names in a folder that start with `prefix`, sorted. The list is empty if the folder does not exist.
  [[nodiscard]] std::vector<std::string> names(std::string_view folder, std::string_view prefix) const;
  // Returns where `path` is on this machine, that is below the root.
  [[nodiscard]] std::string real(std::string_view path) const;

 private:
  std::string root_;  // without a slash at the end
};

// Reads the lines of /proc/stat that count the time of processors, in ticks of the kernel's clock (proc(5)).
struct Ticks {
  std::uint64_t total = 0;
  std::uint64_t busy = 0;   // all but idle and iowait
  std::uint64_t steal = 0;  // part of busy: the host ran something else
};

// Parses a line such as "cpu3 1 2 3 …"; its first word is not examined. User time includes guest time.
Known<Ticks> parse_ticks(std::string_view line);

// Returns the length of a tick.
std::int64_t tick_ns();

}  // namespace ngb::probe
