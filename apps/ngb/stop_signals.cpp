// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/stop_signals.h"

#include <atomic>
#include <csignal>

namespace ngb::app {
namespace {

std::atomic<bool> g_stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void request_stop(int /*signal*/) { g_stop_requested = true; }

}  // namespace

void catch_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(number, SIG_IGN) != SIG_IGN) std::signal(number, request_stop);
  }
}

void restore_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(number, SIG_IGN) != SIG_IGN) std::signal(number, SIG_DFL);
  }
}

bool is_stop_requested() { return g_stop_requested.load(); }

}  // namespace ngb::app
