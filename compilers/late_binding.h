// SPDX-License-Identifier: Apache-2.0
// Finds a compiler's library in a toolchain's folder and opens it at run time, so that one plugin serves many versions.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "elf_file.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {

// Returns the file in <toolchain>/<folder> whose name begins with `prefix` ("libonnxruntime.so"), the last by name of
// several. Throws Failure(NGB_TOOLCHAIN_MISSING).
inline std::filesystem::path find_library(const std::string& toolchain, const std::string& folder,
                                          std::string_view prefix, const std::string& compiler) {
  const std::string advice = "install it: ngb toolchain install " + compiler;
  if (toolchain.empty())
    throw Failure(NGB_TOOLCHAIN_MISSING, compiler + " needs a toolchain, and none is given", advice);
  const std::filesystem::path where = std::filesystem::path(toolchain) / folder;
  std::vector<std::filesystem::path> found;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(where, code), end; !code && entry != end; entry.increment(code)) {
    if (entry->path().filename().string().starts_with(prefix)) found.push_back(entry->path());
  }
  if (found.empty()) {
    throw Failure(NGB_TOOLCHAIN_MISSING, "no " + std::string(prefix) + " in " + where.string(), advice);
  }
  return *std::max_element(found.begin(), found.end());
}

// Returns "1.5.1" of executorch-1.5.1.dist-info in the toolchain, or "" if it has no such package.
inline std::string version_of(const std::string& toolchain, const std::string& package) {
  constexpr std::string_view kEnd = ".dist-info";
  std::error_code code;
  for (std::filesystem::directory_iterator entry(toolchain, code), end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(package + "-") || !name.ends_with(kEnd)) continue;
    return name.substr(package.size() + 1, name.size() - package.size() - 1 - kEnd.size());
  }
  return "";
}

class Library {
 public:
  // Opens the library. It is never unloaded, because such libraries leave threads and thread-local destructors behind;
  // opening it again costs nothing. Use RTLD_GLOBAL if other libraries search its functions in the whole process.
  // Throws Failure(NGB_IMPORT_ERROR).
  explicit Library(std::filesystem::path path, int visibility = RTLD_LOCAL)
      : path_(std::move(path)), handle_(open(path_, visibility)) {}

  // Returns the function `name`. Throws Failure(NGB_IMPORT_ERROR).
  template <class Function>
  Function function(const char* name) const {
    void* symbol = ::dlsym(handle_, name);
    if (symbol == nullptr) {
      throw Failure(NGB_IMPORT_ERROR, path_.string() + " has no function " + name,
                    "this version of the library is too old or too new for the plugin; install a tested one");
    }
    return reinterpret_cast<Function>(symbol);
  }

  // Returns the function `name`, or null if this version of the library does not have it.
  template <class Function>
  [[nodiscard]] Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static void* open(const std::filesystem::path& path, int visibility) {
    if (void* loaded = ::dlopen(path.c_str(), RTLD_NOW | visibility | RTLD_NOLOAD)) return loaded;
    if (const std::string defect = defect_of(path); !defect.empty()) {
      throw Failure(NGB_IMPORT_ERROR, "the library " + path.string() + " does not load: " + defect);
    }
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | visibility | RTLD_NODELETE);
    if (handle == nullptr) {
      throw Failure(NGB_IMPORT_ERROR, std::string("the library does not load: ") + ::dlerror());
    }
    return handle;
  }

  std::filesystem::path path_;
  void* handle_;
};

}  // namespace ngb::plugin
