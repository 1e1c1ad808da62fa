// SPDX-License-Identifier: Apache-2.0
#include "compile_options.h"

#include <cstdint>
#include <cstring>

namespace ngb::xla {
namespace {

// Wire types of a protocol buffer.
constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kBytes = 2;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}

std::string tag(int field, int wire_type) { return varint(static_cast<std::uint64_t>(field << 3 | wire_type)); }

std::string bytes_field(int field, const std::string& content) {
  return tag(field, kBytes) + varint(content.size()) + content;
}

std::string varint_field(int field, std::uint64_t value) { return tag(field, kVarint) + varint(value); }

// OptionOverrideProto: string_field = 1, bool_field = 2, int_field = 3, double_field = 4.
std::string override_of(const nlohmann::json& value) {
  if (value.is_boolean()) return varint_field(2, value.get<bool>() ? 1 : 0);
  if (value.is_number_integer()) return varint_field(3, static_cast<std::uint64_t>(value.get<std::int64_t>()));
  if (value.is_number()) {
    const auto number = value.get<double>();
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);  // little-endian, as every machine that XLA's plugin exists for
    return tag(4, kFixed64) + bytes;
  }
  return bytes_field(1, value.get<std::string>());
}

}  // namespace

// CompileOptionsProto: executable_build_options = 3 {num_replicas = 4, num_partitions = 5}, env_option_overrides = 7, a
// map whose entries have the fields key = 1 and value = 2.
std::string compile_options(const nlohmann::json& flags) {
  std::string options = bytes_field(3, varint_field(4, 1) + varint_field(5, 1));
  for (const auto& [name, value] : flags.items()) {
    options += bytes_field(7, bytes_field(1, name) + bytes_field(2, override_of(value)));
  }
  return options;
}

}  // namespace ngb::xla
