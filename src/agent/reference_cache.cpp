// SPDX-License-Identifier: Apache-2.0
#include "agent/reference_cache.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "agent/bytes_at.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "work/codec.h"

namespace ngb::agent {
namespace {

constexpr std::string_view kMagic = "NGBREF05";  // as worker/reference_file.h writes it
constexpr std::size_t kMaxDescriptionBytes = 64U << 20U;
constexpr std::size_t kCopyBytes = 1U << 20U;

}  // namespace

std::string reference_key(const work::Model& model, const work::Protocol& protocol, const work::Compiler& reference,
                          const samples::Provenance& made_with, bool is_for_agreement) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const TensorSignature& input : model.inputs) inputs.push_back({input.name, name(input.type), input.shape});
  nlohmann::json outputs = nlohmann::json::array();  // with which those that are made are compared
  for (const TensorSignature& output : model.outputs) outputs.push_back({output.name, output.shape});
  nlohmann::json all{{"format", kMagic},
                     {"model", model.key.hash},
                     {"batch", model.key.batch},
                     {"inputs", inputs},
                     {"outputs", outputs},
                     {"seed", protocol.seed},
                     {"tolerances", work::write_json(protocol.tolerances)},
                     {"compiler", reference.name},
                     {"version", reference.version},
                     {"build", made_with.build()},
                     {"precision", reference.precision},
                     {"options", reference.options}};
  if (is_for_agreement) all["agreement_inputs"] = protocol.agreement_inputs;
  return hash::sha256(json_text::dump(all));
}

std::string reference_name(const work::Compiler& reference) {
  std::string name = reference.version.empty() ? reference.name : reference.name + " " + reference.version;
  for (const auto& [option, value] : reference.options) {
    const nlohmann::json parsed = json_text::parse(value);
    name += fmt::format("{}{}: {}", name.find('(') == std::string::npos ? " (" : ", ", option,
                        parsed.is_string() ? parsed.get<std::string>() : value);
  }
  return reference.options.empty() ? name : name + ")";
}

Result<ReferenceFile> check_reference_file(const std::filesystem::path& path) {
  const auto damaged = [&path](const char* how) {
    return fail(fmt::format("not a whole file of reference outputs: {}", how), path.string());
  };
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("read", path, errno));
  std::uint64_t at = 0;
  const auto next = [&](std::size_t count) {
    Result<std::string> bytes = bytes_at(fd.get(), at, count, path.string());
    if (bytes) at += bytes->size();
    return bytes;
  };
  const Result<std::string> begin = next(kMagic.size() + 4);
  if (!begin) return error_of(begin);
  if (!begin->starts_with(kMagic)) return damaged("it does not begin with NGBREF05");
  if (begin->size() < kMagic.size() + 4) return damaged("it ends within its description");
  std::uint32_t json_bytes = 0;
  for (std::size_t i = 4; i-- > 0;) {
    json_bytes = (json_bytes << 8U) | static_cast<unsigned char>((*begin)[kMagic.size() + i]);
  }
  if (json_bytes > kMaxDescriptionBytes) return damaged("its description is not readable");
  const Result<std::string> text = next(json_bytes);
  if (!text) return error_of(text);
  const nlohmann::json kept = json_text::parse(*text);
  ReferenceFile found;
  for (const auto& [name, field] :
       {std::pair{"sha256", &ReferenceFile::sha256}, std::pair{"reference", &ReferenceFile::made_by},
        std::pair{"confirmed_by", &ReferenceFile::confirmed_by}, std::pair{"doubt_kind", &ReferenceFile::doubt_kind},
        std::pair{"doubt", &ReferenceFile::doubt}}) {
    if (!kept.is_object() || !kept.contains(name) || !kept[name].is_string()) {
      return damaged("its description is not readable");
    }
    found.*field = kept[name].get<std::string>();
  }
  hash::Sha256 data;
  for (;;) {
    const Result<std::string> chunk = next(kCopyBytes);
    if (!chunk) return error_of(chunk);
    if (chunk->empty()) break;
    data.add(*chunk);
  }
  if (found.sha256 != data.finish()) return damaged("its outputs are not those that were written");
  return found;
}

Result<ReferenceFile> CheckedReferences::look(const std::filesystem::path& path) {
  const std::optional<Fingerprint> now = fingerprint(path);
  const auto known = whole_.find(path);
  if (now && known != whole_.end() && known->second.first == *now) return known->second.second;
  Result<ReferenceFile> found = check_reference_file(path);
  if (found && now) whole_[path] = {*now, *found};
  return found;
}

Status adopt_reference(const std::filesystem::path& written, const std::filesystem::path& path) {
  if (const Result<ReferenceFile> whole = check_reference_file(written); !whole) return error_of(whole);
  return file::put_in_place(written, path);
}

}  // namespace ngb::agent
