// SPDX-License-Identifier: Apache-2.0
#include "dispatch/connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "dispatch/loop.h"
#include "temporary_folder.h"

namespace ngb::dispatch {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> write_three_times_after_its_end(Connection& program, std::string& ended) {
  while (!program.is_gone()) (void)co_await program.receive(1s);
  co_await program.write("one");
  co_await program.write("two");
  co_await program.write("three");
  ended = co_await program.end(1s);
}

TEST(Connection, DoesNotWaitForAProgramThatIsGoneToTakeWhatItIsTold) {
  Loop loop;
  const TemporaryFolder folder;
  const auto program = Connection::start(loop, {"sh", "-c", "exit 3"}, folder / "log");
  ASSERT_TRUE(program) << program.error().text();
  std::string ended;
  asio::co_spawn(loop.io, write_three_times_after_its_end(**program, ended), asio::detached);
  loop.io.run_for(30s);
  EXPECT_EQ(ended, "exit code 3");
}

}  // namespace
}  // namespace ngb::dispatch
