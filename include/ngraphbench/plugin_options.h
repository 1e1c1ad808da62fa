// SPDX-License-Identifier: Apache-2.0
// Gives a plugin what it is told. The worker has checked the options against compiler.json.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ngraphbench/compiler.h"

namespace ngb::plugin {

class Options {
 public:
  // Contains every option of compiler.json: the given value or the default.
  explicit Options(const ngb_settings& settings) {
    for (std::uint32_t i = 0; i < settings.option_count; ++i)
      values_[settings.options[i].name] = settings.options[i].value;
  }

  [[nodiscard]] const std::string& text(const std::string& name) const { return values_.at(name); }
  [[nodiscard]] bool flag(const std::string& name) const { return values_.at(name) == "true"; }
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return std::stoll(values_.at(name)); }

 private:
  std::map<std::string, std::string> values_;
};

// The settings that every plugin gets.
struct Settings {
  explicit Settings(const ngb_settings& given)
      : toolchain_dir(given.toolchain_dir == nullptr ? "" : given.toolchain_dir),
        cache_dir(given.cache_dir == nullptr ? "" : given.cache_dir),
        precision(given.precision == nullptr ? "" : given.precision),
        threads(given.threads),
        in_flight(given.in_flight),
        is_profiled(given.is_profiled != 0),
        has_compiled_file(given.has_compiled_file != 0),
        has_many_shapes(given.has_many_shapes != 0) {}

  std::string toolchain_dir;
  std::string cache_dir;
  std::string precision;  // "f32"
  int threads;
  int in_flight;  // 0: the compiler chooses
  bool is_profiled;
  bool has_compiled_file;  // which is opened as it is; nothing is compiled
  bool has_many_shapes;    // `bind` is timed, and runs no inference
};

}  // namespace ngb::plugin
