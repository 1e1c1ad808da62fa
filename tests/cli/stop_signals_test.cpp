// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace ngb::app {
namespace {

// Returns whether a child ends that catches its signals again and again and gets a SIGTERM after this time.
bool ends_by_a_signal_while_it_catches_signals(std::chrono::microseconds after) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // kills it if the signal is lost
    catch_signals();
    (void)!::write(ends[1], "c", 1);
    while (!is_stop_requested()) catch_signals();
    ::_exit(0);
  }
  char caught = 0;
  EXPECT_EQ(::read(ends[0], &caught, 1), 1);
  std::this_thread::sleep_for(after);  // lets the child run, also where both share a processor
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(StopSignals, LoseNoneThatArrivesWhileTheyAreBeingCaught) {
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    ASSERT_TRUE(ends_by_a_signal_while_it_catches_signals(std::chrono::microseconds(i))) << "try " << i;
  }
}

TEST(StopSignals, StayIgnoredIfTheyWereIgnoredBefore) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  catch_signals();
  ::raise(SIGHUP);
  EXPECT_FALSE(is_stop_requested());
  restore_signals();
  EXPECT_EQ(::signal(SIGHUP, before), SIG_IGN);
}

}  // namespace
}  // namespace ngb::app
