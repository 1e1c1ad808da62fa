// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ngb::environment {
namespace {

// "LC_*" is every name that begins with LC_, "*_proxy" every name that ends so.
constexpr auto kHarmless = std::to_array<std::string_view>({"HOME", "PATH", "LANG", "LANGUAGE", "LC_*", "TZ", "USER",
                                                            "LOGNAME", "SHELL", "TERM", "TMPDIR", "XDG_*", "NGB_*",
                                                            "PYENV_*",         // which Python a shim of pyenv starts
                                                            "*SAN_OPTIONS"});  // read by sanitized builds only

// Where libraries are, which GPUs may be used, which C++ compiler is called, where weights are, how an emulator runs.
constexpr auto kRecorded = std::to_array<std::string_view>(
    {"LD_LIBRARY_PATH", "CUDA_*", "NVIDIA_*", "CC", "CXX", "HF_HOME", "HF_HUB_CACHE", "TORCH_HOME", "QEMU_*"});

constexpr auto kNetwork = std::to_array<std::string_view>({"*_proxy", "*_PROXY", "PIP_*", "SSL_CERT_*", "*_CA_BUNDLE",
                                                           "NETRC", "HF_*", "KEYRING_*", "DBUS_SESSION_BUS_ADDRESS",
                                                           "AWS_*", "AZURE_*", "GOOGLE_*", "CLOUDSDK_*"});

// ONNX Runtime would report each process, and keep a database in the user's home. Where pip installs, and whether it
// may, is not what the user has set for other uses of pip: a 0 counts more than pip's own file, and pip ignores what is
// empty.
constexpr auto kSilent = std::to_array<std::string_view>(
    {"ORT_DISABLE_TELEMETRY=1", "HF_HUB_DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1", "NO_COLOR=1",
     "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1", "PIP_USER=0", "PIP_REQUIRE_VIRTUALENV=0",
     "PIP_PREFIX=", "PIP_TARGET=", "PIP_ROOT="});

template <class Names>
bool has(const Names& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [name](std::string_view each) {
    if (each.starts_with('*')) return name.ends_with(each.substr(1));
    return each.ends_with('*') ? name.starts_with(each.substr(0, each.size() - 1)) : name == each;
  });
}

void put(std::string_view entry, Variables& variables) {
  const std::size_t equals = entry.find('=');
  if (equals != std::string_view::npos) variables[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
}

template <class Chosen>
Variables variables_that(const Chosen& is_chosen) {
  Variables found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (is_chosen(text.substr(0, text.find('=')))) put(text, found);
  }
  return found;
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = ::getenv(name);
  return value == nullptr ? "" : value;
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

Variables handed_on(Share share) {
  Variables variables = variables_that([share](std::string_view name) {
    const bool is_clean = has(kHarmless, name) || has(kRecorded, name);
    return share == Share::all || is_clean || (share == Share::network && has(kNetwork, name));
  });
  for (const std::string_view entry : kSilent) put(entry, variables);
  // pip asks rustc for its version, for which rustup would write into the home.
  if (share == Share::network) variables["RUSTUP_HOME"] = "/dev/null";
  return variables;
}

Variables recorded() {
  return variables_that([](std::string_view name) { return has(kRecorded, name); });
}

}  // namespace ngb::environment
