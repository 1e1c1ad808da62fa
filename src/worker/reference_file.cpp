// SPDX-License-Identifier: Apache-2.0
#include "worker/reference_file.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/mapped_file.h"

namespace ngb::worker {

namespace {

constexpr std::string_view kMagic = "NGBREF05";
constexpr std::size_t kHeaderBytes = kMagic.size() + 4;

std::array<char, 4> little_endian(std::uint32_t value) {
  return {static_cast<char>(value & 0xFFU), static_cast<char>((value >> 8U) & 0xFFU),
          static_cast<char>((value >> 16U) & 0xFFU), static_cast<char>((value >> 24U) & 0xFFU)};
}

std::uint32_t from_little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Returns the signature and the size of its data in bytes, or nothing if write_reference did not write the row.
std::optional<std::pair<TensorSignature, std::uint64_t>> parse_row(const nlohmann::json& row) {
  if (!row.is_object() || !row.contains("name") || !row["name"].is_string() || !row.contains("type") ||
      !row["type"].is_string() || !row.contains("shape") || !row["shape"].is_array() || !row.contains("is_sensitive") ||
      !row["is_sensitive"].is_boolean()) {
    return std::nullopt;
  }
  const Result<DataType> type = parse_data_type(row["type"].get<std::string>());
  if (!type) return std::nullopt;
  TensorSignature signature{row["name"].get<std::string>(), *type, {}};
  std::uint64_t bytes = size_bytes(*type);
  for (const nlohmann::json& extent : row["shape"]) {
    if (!extent.is_number_unsigned()) return std::nullopt;
    const auto wide = extent.get<std::uint64_t>();
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    if (wide != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / 2 / wide) return std::nullopt;
    bytes *= wide;
    signature.shape.push_back(static_cast<std::int64_t>(wide));
  }
  return std::pair{std::move(signature), bytes};
}

std::string_view bytes_of(const OutputView& output) {
  return {static_cast<const char*>(output.data), output.signature.element_count() * size_bytes(output.signature.type)};
}

}  // namespace

Result<Reference> Reference::open(const std::filesystem::path& path) {
  const auto damaged = [&path](std::string_view how) {
    return fail(fmt::format("not a whole file of reference outputs: {}", how), path.string(),
                "delete it; it will be made again");
  };
  const Result<MappedFile> mapping = map_file(path);
  if (!mapping) return error_of(mapping);
  std::string_view rest = mapping->bytes;
  if (rest.size() < kHeaderBytes || !rest.starts_with(kMagic)) return damaged("it does not begin with NGBREF05");
  const std::uint32_t json_bytes = from_little_endian(rest.data() + kMagic.size());
  rest.remove_prefix(kHeaderBytes);
  if (json_bytes > rest.size()) return damaged("it ends within its description");
  const nlohmann::json header = json_text::parse(rest.substr(0, json_bytes));
  rest.remove_prefix(json_bytes);
  const auto has = [&header](const char* name) { return header.contains(name) && header[name].is_string(); };
  if (!header.is_object() || !has("reference") || !has("key") || !has("confirmed_by") || !has("doubt_kind") ||
      !has("doubt") || !has("sha256") || !header.contains("outputs") || !header["outputs"].is_array()) {
    return damaged("its description is not readable");
  }
  const std::string_view data = rest;
  Reference reference;
  reference.mapping_ = mapping->memory;
  const auto text = [&header](const char* name) { return header[name].get<std::string>(); };
  reference.facts_ = {text("reference"), text("key"), text("confirmed_by"), text("doubt_kind"), text("doubt"), {}};
  for (const nlohmann::json& row : header["outputs"]) {
    const auto parsed = parse_row(row);
    if (!parsed) return damaged("its description is not readable");
    if (parsed->second > rest.size()) return damaged(fmt::format("output \"{}\" is cut short", parsed->first.name));
    reference.outputs_.push_back({parsed->first, rest.data()});
    reference.facts_.is_sensitive.push_back(row["is_sensitive"].get<bool>());
    rest.remove_prefix(parsed->second);
  }
  if (!rest.empty()) return damaged(fmt::format("{} bytes too many", rest.size()));
  if (header["sha256"] != hash::sha256(data)) return damaged("its outputs are not those that were written");
  return reference;
}

Status write_reference(const std::filesystem::path& path, const ReferenceFacts& facts,
                       std::span<const OutputView> outputs) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorSignature& signature = outputs[i].signature;
    rows.push_back({{"name", signature.name},
                    {"type", std::string(name(signature.type))},
                    {"shape", signature.shape},
                    {"is_sensitive", i < facts.is_sensitive.size() && facts.is_sensitive[i]}});
  }
  hash::Sha256 data;
  for (const OutputView& output : outputs) data.add(bytes_of(output));
  const std::string json = json_text::dump(nlohmann::json{{"reference", facts.made_by},
                                                          {"key", facts.key},
                                                          {"confirmed_by", facts.confirmed_by},
                                                          {"doubt_kind", facts.doubt_kind},
                                                          {"doubt", facts.doubt},
                                                          {"sha256", data.finish()},
                                                          {"outputs", std::move(rows)}});
  const std::array<char, 4> length = little_endian(static_cast<std::uint32_t>(json.size()));
  std::string content(kMagic);
  content.append(length.data(), length.size());
  content += json;
  for (const OutputView& output : outputs) content += bytes_of(output);
  return file::write_atomically(path, content);
}

}  // namespace ngb::worker
