// SPDX-License-Identifier: Apache-2.0
// ngb-agent: serves one client on stdin and stdout (serve), receives a client on a device (receive), or is the agent of
// a run there, which outlives its clients (reside, or hold in a batch job).
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "agent/agent.h"
#include "agent/workers/burner.h"
#include "apps/revision/revision.h"
#include "base/process.h"
#include "reception/hold.h"
#include "reception/reception.h"

namespace {

constexpr int kWrongUsage = 2;
constexpr const char* kUsage =
    "Usage: ngb-agent serve --work DIR --worker PATH --lib DIR [--machine DIR]\n"
    "       ngb-agent receive --folder DIR [--silence S]\n"
    "       ngb-agent reside --work DIR --worker PATH --lib DIR --folder DIR\n"
    "       ngb-agent hold --folder DIR --holder PATH\n"
    "       ngb-agent load JSON PROCESSORS\n"
    "\n"
    "Runs the processes of a job for its client (ngb).\n"
    "  serve          serves one client on standard input and output, and ends with it\n"
    "  receive        receives a client's deliveries, starts the agent of its run and connects the client to it\n"
    "  reside         runs as the agent of a run, which continues while no client is connected\n"
    "  hold           does the same as a batch job, which waits until a client writes the holder file\n"
    "  load           is the load of a cell; agents start it\n"
    "  --work DIR     journal, lock, logs and model files; one agent at a time\n"
    "  --worker PATH  the ngb-worker program\n"
    "  --lib DIR      lib/ngraphbench: compilers/ and python/\n"
    "  --machine DIR  holds the lock of this machine, on which one run at a time is measured\n"
    "  --folder DIR   everything that NGraphBench keeps on this device; one run at a time is measured\n"
    "  --holder PATH  the file in which a client writes which agent to start\n"
    "  --silence S    a delivery whose client was silent for S seconds ends if another client waits (20)\n"
    "  --version      prints the version\n"
    "  --help         prints this help\n";

int complain(const char* problem, const char* word) {
  std::fprintf(stderr, "ngb-agent: %s %s\n%s", problem, word, kUsage);
  return kWrongUsage;
}

int run(int count, char** words) {
  const std::string_view task = count > 1 ? words[1] : "";
  const ngb::Revision revision = ngb::app::this_revision();
  if (task == "--version")
    return std::printf("ngb-agent %s\n", describe(revision).c_str()) > 0 ? 0 : ngb::agent::kCannotGoOn;
  if (task == "--help") return std::fputs(kUsage, stdout) >= 0 ? 0 : ngb::agent::kCannotGoOn;
  if (task == "load") {
    constexpr int kWords = 4;
    return count == kWords ? ngb::agent::carry_out(words[2], words[3]) : complain("missing", "the load's words");
  }
  if (task != "serve" && task != "receive" && task != "reside" && task != "hold") {
    return complain("unknown task", count > 1 ? words[1] : "");
  }
  ngb::agent::Options options;
  std::filesystem::path holder;
  std::filesystem::path silence = "20";
  options.revision = revision;
  for (int i = 2; i < count; ++i) {
    const std::string_view word = words[i];
    std::filesystem::path* const target = word == "--work"      ? &options.work_folder
                                          : word == "--worker"  ? &options.worker
                                          : word == "--lib"     ? &options.lib
                                          : word == "--folder"  ? &options.device_folder
                                          : word == "--machine" ? &options.machine_folder
                                          : word == "--holder"  ? &holder
                                          : word == "--silence" ? &silence
                                                                : nullptr;
    if (target == nullptr) return complain("unknown option", words[i]);
    if (++i == count) return complain("no value for", words[i - 1]);
    *target = words[i];
  }
  if (task != "serve" && options.device_folder.empty()) return complain("missing", "--folder");
  if (task == "receive") {
    const std::string& text = silence.native();
    int seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size())
      return complain("not a number of seconds:", text.c_str());
    return ngb::reception::receive_client({options.device_folder, ngb::process::self(), std::chrono::seconds(seconds)});
  }
  if (task == "hold") {
    return holder.empty() ? complain("missing", "--holder") : ngb::reception::hold(std::move(options), holder);
  }
  if (options.work_folder.empty()) return complain("missing", "--work");
  if (options.worker.empty()) return complain("missing", "--worker");
  if (options.lib.empty()) return complain("missing", "--lib");
  return task == "serve" ? ngb::agent::serve(options) : ngb::agent::reside(options);
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ngb-agent: %s\n", error.what());
    return ngb::agent::kCannotGoOn;
  }
}
