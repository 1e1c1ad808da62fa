// SPDX-License-Identifier: Apache-2.0
// ngb-agent --work DIR --worker PATH --lib DIR: serves one client on stdin and stdout.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>

#include "agent/agent.h"

namespace {

constexpr int kWrongUsage = 2;
constexpr int kCannotGoOn = 3;
constexpr const char* kUsage =
    "Usage: ngb-agent --work DIR --worker PATH --lib DIR\n"
    "\n"
    "Runs the processes of a job, and speaks with its client (ngb) on standard input and output.\n"
    "  --work DIR     journal, lock, logs and model files; one agent at a time\n"
    "  --worker PATH  the ngb-worker program\n"
    "  --lib DIR      lib/ngraphbench: compilers/ and python/\n"
    "  --version      prints the version\n"
    "  --help         prints this\n";

int complain(const char* problem, const char* word) {
  std::fprintf(stderr, "ngb-agent: %s %s\n%s", problem, word, kUsage);
  return kWrongUsage;
}

int run(int count, char** words) {
  ngb::agent::Options options;
  options.version = NGB_VERSION;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--version") return std::printf("ngb-agent %s\n", NGB_VERSION) > 0 ? 0 : kCannotGoOn;
    if (word == "--help") return std::fputs(kUsage, stdout) >= 0 ? 0 : kCannotGoOn;
    std::filesystem::path* const target = word == "--work"     ? &options.work_folder
                                          : word == "--worker" ? &options.worker
                                          : word == "--lib"    ? &options.lib
                                                               : nullptr;
    if (target == nullptr) return complain("unknown option", words[i]);
    if (++i == count) return complain("no value for", words[i - 1]);
    *target = words[i];
  }
  if (options.work_folder.empty()) return complain("missing", "--work");
  if (options.worker.empty()) return complain("missing", "--worker");
  if (options.lib.empty()) return complain("missing", "--lib");
  return ngb::agent::serve(options);
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ngb-agent: %s\n", error.what());
    return kCannotGoOn;
  }
}
