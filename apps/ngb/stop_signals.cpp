// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/stop_signals.h"

#include <signal.h>

#include <atomic>

namespace ngb::app {
namespace {

std::atomic<bool> g_stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void request_stop(int /*signal*/) { g_stop_requested = true; }

// The present handler is read and not exchanged: a signal that arrived while SIG_IGN stood in its place would be lost.
void handle_signals_by(void (*handler)(int)) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present{};
    if (::sigaction(number, nullptr, &present) != 0 || present.sa_handler == SIG_IGN) continue;
    ::signal(number, handler);
  }
}

}  // namespace

void catch_signals() { handle_signals_by(request_stop); }

void restore_signals() { handle_signals_by(SIG_DFL); }

bool is_stop_requested() { return g_stop_requested.load(); }

}  // namespace ngb::app
