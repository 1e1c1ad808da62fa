// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::null_compiler {
namespace {

constexpr int kExitCode = 7;
constexpr int kRunOfTimedFault = 10;

long number_from(const char* variable, long otherwise) {
  const char* text = ::getenv(variable);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

// Ends the process with its exit handlers, as a library does that believes to own it.
[[noreturn]] void leave() { std::exit(kExitCode); }  // NOLINT(concurrency-mt-unsafe): the point is the harm

// Prints a megabyte, half of it to each stream.
void chatter() {
  constexpr int kLines = (1 << 20) / 64 / 2;
  for (int line = 1; line <= kLines; ++line) {
    for (std::FILE* stream : {stdout, stderr}) {
      std::fprintf(stream, "null: line %6d of what nobody has asked for, 64 bytes each..\n", line);
    }
  }
  std::fflush(stdout);
}

void leak_threads() {
  constexpr int kIdle = 6;
  constexpr int kBusy = 2;
  for (int i = 0; i < kIdle; ++i) std::thread([] { ::pause(); }).detach();
  for (int i = 0; i < kBusy; ++i) {
    std::thread([] {
      for (volatile bool is_on = true; is_on;) {
      }
    }).detach();
  }
}

// Starts a child for which nobody waits, and which leaves process group and session.
void leave_a_child() {
  if (::fork() != 0) return;
  ::setsid();
  ::signal(SIGTERM, SIG_IGN);
  for (;;) ::pause();
}

[[noreturn]] void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  ::_exit(kExitCode);
}

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// Allocates forever, until the process is ended.
[[noreturn]] void eat_memory() {
  constexpr std::size_t kBite = 64U << 20U;
  for (;;) {
    void* bite = ::malloc(kBite);
    if (bite == nullptr) throw std::bad_alloc();
    std::memset(bite, 1, kBite);
    asm volatile("" : : "r"(bite) : "memory");
  }
}

}  // namespace

Faults::Faults(const Settings& settings) : fault_(settings.fault), phase_(settings.fault_phase) {
  const long process = number_from("NGB_PROCESS_INDEX", 0);
  const long attempt = number_from("NGB_ATTEMPT", 1);
  is_armed_ = fault_ != "none" && (settings.fault_process < 0 || settings.fault_process == process) &&
              (settings.fault_attempt == 0 || settings.fault_attempt == attempt);
  outputs_are_wrong_ = is_armed_ && fault_ == "wrong_output";
}

void Faults::strike(const std::string& phase) {
  if (!is_armed_ || phase != phase_) return;
  if (fault_ == "crash") crash();
  if (fault_ == "abort") std::abort();
  if (fault_ == "hang") hang();
  if (fault_ == "exit") leave();
  if (fault_ == "chatter") chatter();
  if (fault_ == "leak_threads") leak_threads();
  if (fault_ == "fork") leave_a_child();
  if (fault_ == "interrupt") ::raise(SIGINT);
  if (fault_ == "change_output") outputs_are_wrong_ = true;
  if (fault_ == "eat_memory") eat_memory();
  if (fault_ == "error") throw plugin::Failure(NGB_INTERNAL, "null was told to fail", "set fault to none");
}

void Faults::count_run() {
  const int run = ++runs_;
  if (run == 1) strike("check");
  if (run == kRunOfTimedFault) strike("timed");
}

}  // namespace ngb::null_compiler
