// SPDX-License-Identifier: Apache-2.0
#include "agent/reference.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file.h"
#include "base/hash.h"

namespace ngb::agent {
namespace {

constexpr std::string_view kMagic = "NGBREF02";

}  // namespace

std::string reference_key(const samples::ModelWork& model, std::uint64_t seed, const samples::CompilerWork& reference) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const TensorSignature& input : model.inputs) inputs.push_back({input.name, name(input.type), input.shape});
  return hash::sha256(nlohmann::json{
      {"format", kMagic},
      {"model", model.hash},
      {"batch", model.batch},
      {"inputs", inputs},
      {"seed", seed},
      {"compiler", reference.name},
      {"version", reference.version},
      {"precision", reference.precision},
      {"options",
       reference.options}}.dump());
}

std::string reference_name(const samples::CompilerWork& reference) {
  return reference.version.empty() ? reference.name : reference.name + " " + reference.version;
}

bool is_reference_file(const std::filesystem::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char begin[kMagic.size()];
  return fd.is_open() && ::read(fd.get(), begin, sizeof begin) == sizeof begin &&
         std::string_view(begin, sizeof begin) == kMagic;
}

Status adopt_reference(const std::filesystem::path& written, const std::filesystem::path& path) {
  if (!is_reference_file(written)) return fail("not a file of reference outputs", written.string());
  const FileDescriptor fd(::open(written.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.is_open() || ::fdatasync(fd.get()) != 0 || ::rename(written.c_str(), path.c_str()) != 0) {
    return tl::unexpected(file::from_errno("write", path, errno));
  }
  return Done{};
}

}  // namespace ngb::agent
