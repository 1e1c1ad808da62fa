// SPDX-License-Identifier: Apache-2.0
#include "compile_options.h"

#include <cstdint>

#include "base/onnx_wire.h"

namespace ngb::xla {
namespace {

using wire::field_of;
using wire::integer_field;

// OptionOverrideProto: string_field = 1, bool_field = 2, int_field = 3, double_field = 4.
std::string override_of(const nlohmann::json& value) {
  if (value.is_boolean()) return integer_field(2, value.get<bool>() ? 1 : 0);
  if (value.is_number_integer()) return integer_field(3, static_cast<std::uint64_t>(value.get<std::int64_t>()));
  if (value.is_number()) return wire::number_field(4, value.get<double>());
  return field_of(1, value.get<std::string>());
}

}  // namespace

// CompileOptionsProto: executable_build_options = 3 {num_replicas = 4, num_partitions = 5}, env_option_overrides = 7, a
// map whose entries have the fields key = 1 and value = 2.
std::string compile_options(const nlohmann::json& flags) {
  std::string options = field_of(3, integer_field(4, 1) + integer_field(5, 1));
  for (const auto& [name, value] : flags.items()) {
    options += field_of(7, field_of(1, name) + field_of(2, override_of(value)));
  }
  return options;
}

}  // namespace ngb::xla
