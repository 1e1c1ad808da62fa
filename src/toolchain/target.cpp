// SPDX-License-Identifier: Apache-2.0
#include "toolchain/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

// The oldest glibc for which wheels exist: manylinux2014 means 2.17. On x86_64, manylinux1 means 2.5.
constexpr int kOldestGlibc = 17;
constexpr int kOldestGlibcOfX86 = 5;

struct MajorMinor {
  int major = 0;
  int minor = 0;
};

std::optional<MajorMinor> major_minor(std::string_view version) {
  const std::vector<std::string> parts = text::split(version, '.');
  if (parts.size() < 2) return std::nullopt;
  MajorMinor numbers;
  for (const auto& [part, number] : {std::pair{&parts[0], &numbers.major}, {&parts[1], &numbers.minor}}) {
    const auto [end, code] = std::from_chars(part->data(), part->data() + part->size(), *number);
    if (code != std::errc{} || end == part->data() || *number < 0) return std::nullopt;
  }
  return numbers;
}

// Returns "311".
std::string python_digits(const Target& target) {
  const MajorMinor python = major_minor(target.python).value_or(MajorMinor{});
  return fmt::format("{}{}", python.major, python.minor);
}

// Returns "3.11".
std::string python_minor(const Target& target) {
  const MajorMinor python = major_minor(target.python).value_or(MajorMinor{});
  return fmt::format("{}.{}", python.major, python.minor);
}

}  // namespace

Result<Target> make_target(std::string_view machine, std::string_view glibc, std::string_view python, bool has_gpu) {
  const bool is_word = !machine.empty() && std::all_of(machine.begin(), machine.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  if (!is_word) return fail(fmt::format("\"{}\" is not a kind of machine", machine), "", "such as aarch64");
  const std::optional<MajorMinor> library = major_minor(glibc);
  if (!library || library->major != 2) {
    return fail(fmt::format("\"{}\" is not a version of glibc", glibc), "", "such as 2.36");
  }
  if (!major_minor(python)) return fail(fmt::format("\"{}\" is not a version of Python", python), "", "such as 3.11");
  if (release_numbers(python) < std::vector<int>{3, 9}) {
    return fail(fmt::format("Python {} is too old", python), "", "install Python 3.9 or newer there");
  }
  return Target{std::string(machine), fmt::format("2.{}", library->minor), std::string(python), has_gpu};
}

std::string folder_name(const Target& target) {
  return fmt::format("{}-cp{}-glibc{}{}", target.machine, python_digits(target), target.glibc,
                     target.has_gpu ? "-gpu" : "");
}

std::string name_for_people(const Target& target) {
  return fmt::format("{} with glibc {} and Python {}", target.machine, target.glibc, python_minor(target));
}

std::vector<std::string> platform_tags(const Target& target) {
  const int newest = major_minor(target.glibc).value_or(MajorMinor{}).minor;
  const int oldest = target.machine == "x86_64" ? kOldestGlibcOfX86 : kOldestGlibc;
  std::vector<std::string> tags;
  for (int minor = newest; minor >= oldest; --minor) {
    tags.push_back(fmt::format("manylinux_2_{}_{}", minor, target.machine));
    if (minor == 17) tags.push_back("manylinux2014_" + target.machine);
    if (minor == 12) tags.push_back("manylinux2010_" + target.machine);
    if (minor == 5) tags.push_back("manylinux1_" + target.machine);
  }
  tags.push_back("linux_" + target.machine);
  return tags;
}

MarkerVariables marker_variables(const Target& target) {
  return {{"os_name", "posix"},
          {"sys_platform", "linux"},
          {"platform_machine", target.machine},
          {"platform_python_implementation", "CPython"},
          {"platform_release", ""},
          {"platform_system", "Linux"},
          {"platform_version", ""},
          {"python_full_version", target.python},
          {"python_version", python_minor(target)},
          {"implementation_name", "cpython"},
          {"implementation_version", target.python}};
}

std::vector<std::string> pip_options(const Target& target) {
  std::vector<std::string> options{"--python-version",          python_minor(target), "--implementation", "cp", "--abi",
                                   "cp" + python_digits(target)};
  for (const std::string& tag : platform_tags(target)) options.insert(options.end(), {"--platform", tag});
  return options;
}

}  // namespace ngb::toolchain
