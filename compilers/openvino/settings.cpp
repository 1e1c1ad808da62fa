// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <algorithm>
#include <cctype>

#include "../plugin_options.h"
#include "compiler_json.h"

namespace ngb::openvino {
namespace {

std::string in_capitals(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
  return word;
}

}  // namespace

const char* description() { return kCompilerJson; }

Settings read_settings(const ngb_settings& given) {
  const plugin::Options options(kCompilerJson, given);
  Settings settings;
  settings.toolchain_dir = given.toolchain_dir;
  settings.threads = given.threads;
  settings.device = in_capitals(options.text("device"));
  settings.precision = given.precision;
  settings.performance_hint = options.text("performance_hint");
  settings.has_cpu_pinning = options.flag("cpu_pinning");
  settings.in_flight = given.in_flight;
  settings.is_profiled = given.is_profiled != 0;
  settings.properties = plugin::library_settings(given);
  return settings;
}

}  // namespace ngb::openvino
