// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "dispatch/delivery/tree_delivery.h"
#include "dispatch/link/event_loop.h"
#include "fake_device.h"
#include "temporary_folder.h"

namespace ngb::dispatch {
namespace {

using namespace std::chrono_literals;
using test::FakeDevice;

asio::awaitable<void> write_three_times_after_its_end(Connection& program, std::string& ended) {
  while (!program.is_gone()) (void)co_await program.receive(1s);
  co_await program.write("one");
  co_await program.write("two");
  co_await program.write("three");
  ended = co_await program.end(1s);
}

TEST(Connection, DoesNotWaitWhenItWritesToAProgramThatIsGone) {
  Loop loop;
  const TemporaryFolder folder;
  const auto program = Connection::start(loop, {"sh", "-c", "exit 3"}, folder / "log");
  ASSERT_TRUE(program) << program.error().text();
  std::string ended;
  asio::co_spawn(loop.io, write_three_times_after_its_end(**program, ended), asio::detached);
  loop.io.run_for(30s);
  EXPECT_EQ(ended, "exit code 3");
}

TEST(ProgramLog, LeavesTheQueryOfAUrlOutOfTheLastWordsAndNotOutOfTheFile) {
  const TemporaryFolder folder;
  Result<ProgramLog> log = ProgramLog::open(folder / "log");
  ASSERT_TRUE(log) << log.error().text();
  const std::string said =
      "why? Post \"https://10.0.0.1:10250/exec/p?command=sh&input=1\": no route; see http://x?a or http://y";
  log->add(said);
  EXPECT_EQ(log->last_words(), "why? Post \"https://10.0.0.1:10250/exec/p\": no route; see http://x or http://y");
  EXPECT_EQ(file::read(folder / "log"), said);
}

asio::awaitable<void> sleep_for_an_hour(FakeDevice& device) { co_await device.wait(1h); }

struct Outcome {
  std::string ended = "not yet";
  Nanoseconds after{};
};
asio::awaitable<void> write_a_lot(Connection& device, Outcome& outcome) {
  const std::string bytes(4U << 20U, 'x');
  co_await device.write(bytes);
  outcome.after = device.clock().now();
  outcome.ended = co_await device.end(1s);
}

TEST(Connection, IsLostWhenItsDeviceReadsNothingForTwentySeconds) {
  FakeClock clock;
  Loop loop(clock);
  const TemporaryFolder folder;
  const auto device = test::connect(loop, sleep_for_an_hour, folder / "log");
  ASSERT_TRUE(device) << device.error().text();
  Outcome outcome;
  asio::co_spawn(loop.io, write_a_lot(**device, outcome), asio::detached);
  test::run(loop, clock);
  EXPECT_THAT(outcome.ended, testing::StartsWith("it read nothing of what it was sent for 20"));
  EXPECT_EQ(outcome.after, 20s);
}

TEST(Connection, IsNotLostWhenItsDeviceIsOnlySlow) {
  FakeClock clock;
  Loop loop(clock);
  const TemporaryFolder folder;
  std::size_t taken = 0;
  const auto slow = [&](FakeDevice& device) -> asio::awaitable<void> {
    for (int i = 0; i < 8; ++i) {
      co_await device.wait(19s);
      taken += (co_await device.read(512U << 10U)).size();
    }
  };
  const auto device = test::connect(loop, slow, folder / "log");
  ASSERT_TRUE(device) << device.error().text();
  Outcome outcome;
  asio::co_spawn(loop.io, write_a_lot(**device, outcome), asio::detached);
  test::run(loop, clock);
  EXPECT_EQ(outcome.ended, "");
  EXPECT_EQ(taken, 4U << 20U);
}

asio::awaitable<void> deliver_and_stop(Loop& loop, Connection& device, const LocalTree& tree, Status& delivered,
                                       Nanoseconds& after) {
  const OnBytesLeft stop_when_asked = [&loop](std::uint64_t) { asio::post(loop.io, [&loop] { loop.stop(); }); };
  delivered = co_await deliver(device, tree, 0, stop_when_asked);
  after = loop.clock.now();
  co_await device.end(3s);
}

TEST(Connection, StopsWithinASecondIfTheDeviceStopsReadingDuringADelivery) {
  FakeClock clock;
  Loop loop(clock);
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("large", std::string(8U << 20U, 'x'));
  const LocalTree tree{{"bundles/large", {{"large", std::string(64, '0'), 8U << 20U, false}}}, {file}};
  const auto ask_and_sleep = [](FakeDevice& device) -> asio::awaitable<void> {
    device.send(samples::Want{{{0, 0}}});
    co_await sleep_for_an_hour(device);
  };
  const auto device = test::connect(loop, ask_and_sleep, folder / "log");
  ASSERT_TRUE(device) << device.error().text();
  Status delivered;
  Nanoseconds after{};
  asio::co_spawn(loop.io, deliver_and_stop(loop, **device, tree, delivered, after), asio::detached);
  test::run(loop, clock);
  EXPECT_TRUE(has_code(delivered, ErrorCode::lost)) << (delivered ? "delivered" : delivered.error().text());
  EXPECT_EQ(after, 1s);
}

TEST(Connection, RefusesAFirstFrameThatIsLargerThanAnyGreeting) {
  Loop loop;
  const TemporaryFolder folder;
  const auto device = Connection::start(loop, {"printf", "\\000\\000\\040\\000abcd"}, folder / "log");
  ASSERT_TRUE(device) << device.error().text();
  std::string refused;
  asio::co_spawn(
      loop.io,
      [](Connection& it, std::string& why) -> asio::awaitable<void> {
        while (why.empty() && !it.is_gone()) {
          const auto message = co_await it.receive(1s);
          if (!message) why = message.error().what;
        }
        const auto last = it.take();
        if (!last) why = last.error().what;
        (void)co_await it.end(1s);
      }(**device, refused),
      asio::detached);
  loop.io.run_for(30s);
  EXPECT_THAT(refused, testing::HasSubstr("a frame claims 2097152 bytes, more than the 1048576 allowed"));
}

}  // namespace
}  // namespace ngb::dispatch
