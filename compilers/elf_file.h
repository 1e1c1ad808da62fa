// SPDX-License-Identifier: Apache-2.0
// Detects truncated shared objects. The dynamic loader maps them, and dies of SIGBUS at the missing part.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace ngb::plugin {

// Returns what is wrong with the file, or an empty text if every part that the loader maps exists.
inline std::string defect_of(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  std::ifstream file(path, std::ios::binary);
  if (code || !file) return "it is not readable";
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(static_cast<const void*>(header.e_ident), ELFMAG, SELFMAG) != 0) {
    return "it is not a shared object";
  }
  std::vector<ElfW(Phdr)> parts(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  if (!file.read(reinterpret_cast<char*>(parts.data()),
                 static_cast<std::streamsize>(parts.size() * sizeof(ElfW(Phdr))))) {
    return "it ends within its headers";
  }
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) {
      return "it has " + std::to_string(size) + " bytes and should have " +
             std::to_string(part.p_offset + part.p_filesz) + " or more";
    }
  }
  return {};
}

}  // namespace ngb::plugin
