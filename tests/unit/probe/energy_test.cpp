// SPDX-License-Identifier: Apache-2.0
#include "probe/energy.h"

#include <gtest/gtest.h>

#include "made_up_machine.h"

namespace ngb::probe {
namespace {

using samples::Reading;

// A laptop's zones, as Linux 6 has them: psys is a zone beside the package, its parts are below it.
class EnergyOf : public MadeUpMachine {
 protected:
  void put_zone(const std::string& zone, const std::string& name, std::uint64_t uj) {
    const std::string folder = "/sys/class/powercap/" + zone;
    put(folder + "/name", name + "\n");
    put(folder + "/energy_uj", std::to_string(uj) + "\n");
    put(folder + "/max_energy_range_uj", "262143328850\n");
  }
  void put_laptop(std::uint64_t package_uj, std::uint64_t dram_uj, std::uint64_t psys_uj) {
    put_zone("intel-rapl:0", "package-0", package_uj);
    put_zone("intel-rapl:0:0", "core", package_uj / 2);
    put_zone("intel-rapl:0:1", "uncore", package_uj / 4);
    put_zone("intel-rapl:0:2", "dram", dram_uj);
    put_zone("intel-rapl:1", "psys", psys_uj);
    put_zone("intel-rapl-mmio:0", "package-0", package_uj);  // the same package again, by another way
  }
  std::vector<EnergyCounter> counters() { return energy_counters(Tree(root())); }
};

Known<double> power(const std::vector<Reading>& readings, const std::string& quantity) {
  for (const Reading& reading : readings) {
    if (reading.quantity == quantity) return reading.value;
  }
  return Known<double>::unknown("not there");
}

// In 2 s: 30 J of the package, 4 J of the memory, 50 J of the platform.
TEST_F(EnergyOf, KeepsDomainsThatContainEachOtherApart) {
  put_laptop(1'000'000, 100'000, 5'000'000);
  const auto before = counters();
  put_laptop(31'000'000, 4'100'000, 55'000'000);
  const auto readings = powers_between(before, counters(), 2e6);
  EXPECT_EQ(readings.size(), 3U);
  EXPECT_EQ(power(readings, "package_power").value, 15.0);
  EXPECT_EQ(power(readings, "dram_power").value, 2.0);
  EXPECT_EQ(power(readings, "platform_power").value, 25.0);
}

TEST_F(EnergyOf, AddsThePackagesOfSeveralSockets) {
  put_zone("intel-rapl:0", "package-0", 1000);
  put_zone("intel-rapl:1", "package-1", 500);
  const auto before = counters();
  put_zone("intel-rapl:0", "package-0", 2'001'000);
  put_zone("intel-rapl:1", "package-1", 1'000'500);
  EXPECT_EQ(power(powers_between(before, counters(), 1e6), "package_power").value, 3.0);
}

// 143,328,850 uJ before the end of its range and 56,671,150 uJ after it: 200 J in 4 s.
TEST_F(EnergyOf, FollowsACounterThatBeginsAgain) {
  put_zone("intel-rapl:0", "package-0", 262'000'000'000);
  const auto before = counters();
  put_zone("intel-rapl:0", "package-0", 56'671'150);
  EXPECT_EQ(power(powers_between(before, counters(), 4e6), "package_power").value, 50.0);
}

// At 500 W a range of 262 kJ lasts 524 s.
TEST_F(EnergyOf, IsUnknownIfTheCounterMayHaveBegunAgainTwice) {
  put_zone("intel-rapl:0", "package-0", 1000);
  const auto before = counters();
  put_zone("intel-rapl:0", "package-0", 9000);
  EXPECT_TRUE(power(powers_between(before, counters(), 520e6), "package_power").value);
  EXPECT_EQ(power(powers_between(before, counters(), 530e6), "package_power").reason,
            "the counter may have wrapped around more than once");
}

TEST_F(EnergyOf, SaysWhyItIsUnknown) {
  EXPECT_EQ(power(powers_between(counters(), counters(), 1e6), "package_power").reason,
            "no energy counter of the processor in /sys/class/powercap");
  put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");  // energy_uj is not there, as if it could not be read
  const Known<double> unread = power(powers_between(counters(), counters(), 1e6), "package_power");
  EXPECT_EQ(unread.reason, "no /sys/class/powercap/intel-rapl:0/energy_uj on this machine");
  EXPECT_TRUE(idle_powers(std::chrono::milliseconds(20), root()).empty());
}

TEST_F(EnergyOf, AnIdleMachineIsReadWithTheSameMeters) {
  put_zone("intel-rapl:0", "package-0", 1000);  // the counter does not move: 0 W
  const auto readings = idle_powers(std::chrono::milliseconds(20), root());
  ASSERT_EQ(readings.size(), 1U);
  EXPECT_EQ(readings[0].quantity, "idle_package_power");
  EXPECT_EQ(readings[0].moment, "start");
  EXPECT_EQ(readings[0].value.value, 0.0);
}

}  // namespace
}  // namespace ngb::probe
