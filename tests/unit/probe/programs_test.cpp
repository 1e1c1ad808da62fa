// SPDX-License-Identifier: Apache-2.0
#include "probe/programs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "made_up_machine.h"

namespace ngb::probe {
namespace {

class Programs : public MadeUpMachine {
 protected:
  // Field 14 is user time, 15 system time, 16 and 17 those of ended children, 22 the start.
  void put_program(int pid, const std::string& name, int user, int system, int children, int start, int parent = 1) {
    put(fmt::format("/proc/{}/stat", pid),
        fmt::format("{} ({}) S {} 1 1 0 -1 4194304 175 0 0 0 {} {} {} 0 20 0 1 0 {} 99\n", pid, name, parent, user,
                    system, children, start));
  }
};

std::vector<std::string> words_of(const std::vector<samples::Neighbour>& neighbours) {
  std::vector<std::string> words;
  for (const auto& each : neighbours) words.push_back(fmt::format("{} {} {}", each.name, each.pid, each.cpu_ns));
  return words;
}

TEST_F(Programs, AreOrderedByTheTimeThatTheyUsedMeanwhile) {
  put_program(10, "ninja", 5, 5, 100, 1);
  put_program(11, "a (strange) name", 1000, 0, 0, 2);
  put_program(12, "sleeper", 70, 0, 0, 3);
  const auto before = programs(root());
  put_program(10, "ninja", 6, 5, 140, 1);               // 1 tick, and 40 by children that came and ended
  put_program(11, "a (strange) name", 1100, 20, 0, 2);  // 120
  put_program(13, "new", 7, 0, 0, 900);
  put("/proc/uptime", "1 2\n");
  EXPECT_THAT(words_of(busiest_between(before, programs(root()), {}, 2)),
              testing::ElementsAre("a (strange) name 11 1200000000", "children of ninja 10 400000000"));
  EXPECT_THAT(words_of(busiest_between(before, programs(root()), {11}, 9)),
              testing::ElementsAre("children of ninja 10 400000000", "new 13 70000000", "ninja 10 10000000"));
}

TEST_F(Programs, WithANumberThatAnEarlierOneHadCountFromTheirStart) {
  put_program(10, "old", 500, 0, 0, 1);
  const auto before = programs(root());
  put_program(10, "new", 3, 0, 0, 800);
  EXPECT_THAT(words_of(busiest_between(before, programs(root()), {}, 9)), testing::ElementsAre("new 10 30000000"));
}

TEST_F(Programs, ThatEndedAreNamedInThePlaceOfTheParentThatWaitedForThem) {
  put_program(10, "ninja", 5, 0, 0, 1);
  put_program(11, "c++", 2, 0, 0, 2, 10);
  put_program(12, "cc1plus", 900, 0, 0, 3, 11);
  const auto before = programs(root());
  for (const char* ended : {"11", "12"}) std::filesystem::remove_all(std::filesystem::path(root()) / "proc" / ended);
  put_program(10, "ninja", 6, 0, 950, 1);  // of the 950, 902 were used before
  EXPECT_THAT(words_of(busiest_between(before, programs(root()), {}, 9)),
              testing::ElementsAre("cc1plus 12 480000000", "ninja 10 10000000"));
}

// A real shell, whose child works.
class Shell {
 public:
  explicit Shell(const char* script) : pid_(::fork()) {
    ::setpgid(pid_, 0);  // its children end with it
    if (pid_ != 0) return;
    ::execl("/bin/sh", "sh", "-c", script, nullptr);
    ::_exit(127);
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;
  ~Shell() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

// Returns the first of the names that is among the busiest since `before`, once one is; "" if none is within two
// minutes.
std::string first_busy(const std::map<pid_t, Program>& before, const std::set<std::string>& names) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < give_up) {
    for (const auto& each : busiest_between(before, programs(), {}, 100)) {
      if (names.contains(each.name)) return each.name;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return "";
}

TEST(RealPrograms, AreNamedAndNotTheShellThatRunsThem) {
  const auto before = programs();
  const Shell shell("head -c 100G /dev/zero | cksum > /dev/null; true");
  EXPECT_EQ(first_busy(before, {"cksum", "sh", "children of sh"}), "cksum");
}

TEST(RealPrograms, ThatHaveEndedAreToldFromTheShellThatWaitedForThem) {
  const auto before = programs();
  const Shell shell("head -c 300M /dev/zero | cksum > /dev/null; sleep 60; true");
  EXPECT_EQ(first_busy(before, {"children of sh"}), "children of sh");
}

}  // namespace
}  // namespace ngb::probe
