// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "made_up_machine.h"
#include "probe/probe.h"

namespace ngb::probe {
namespace {

using samples::Reading;

class SnapshotOf : public MadeUpMachine {
 protected:
  Known<double> reading(const std::string& quantity) {
    for (const Reading& reading : snapshot(root()).readings) {
      if (reading.quantity == quantity) return reading.value;
    }
    return Known<double>::unknown("not read at all");
  }
};

Known<double> find(const std::vector<Reading>& readings, const std::string& quantity, const std::string& when) {
  for (const Reading& reading : readings) {
    if (reading.quantity == quantity && reading.moment == when) return reading.value;
  }
  return Known<double>::unknown("not there");
}

TEST_F(SnapshotOf, CountsTicksWithGuestTimeOnlyOnce) {
  //                user nice system idle iowait irq softirq steal guest guest_nice
  put("/proc/stat", "cpu  100  1    20     500  30     2   3       44    70    0\ncpu0 …\n");
  const Snapshot taken = snapshot(root());
  EXPECT_EQ(taken.total_ticks.value, 700U);
  EXPECT_EQ(taken.busy_ticks.value, 170U);
  EXPECT_EQ(taken.steal_ticks.value, 44U);
}

TEST_F(SnapshotOf, ReadsPressureAndLoad) {
  put("/proc/pressure/cpu", "some avg10=0.02 avg60=0.25 avg300=0.49 total=10706421\nfull avg10=0.00 total=7\n");
  put("/proc/loadavg", "1.25 0.80 0.50 2/345 6789\n");
  EXPECT_EQ(snapshot(root()).pressure_cpu_some_us.value, 10706421U);
  EXPECT_EQ(reading("load_1min").value, 1.25);
}

TEST_F(SnapshotOf, AveragesTheClockOfTheProcessors) {
  put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
  put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2000000\n");
  EXPECT_EQ(reading("frequency").value, 2.5e9);
}

TEST_F(SnapshotOf, IgnoresANominalClock) {
  put("/proc/cpuinfo", "processor : 0\ncpu MHz : 2596.5\nflags : fpu\n");
  EXPECT_EQ(reading("frequency").value, std::nullopt);
  put("/proc/cpuinfo", "processor : 0\ncpu MHz : 2596.5\nflags : fpu aperfmperf\n");
  EXPECT_EQ(reading("frequency").value, 2596.5e6);
}

TEST_F(SnapshotOf, ReadsTheProcessorsHottestSensorAndNotTheDisks) {
  put("/sys/class/hwmon/hwmon0/name", "nvme\n");
  put("/sys/class/hwmon/hwmon0/temp1_input", "90000\n");
  put("/sys/class/hwmon/hwmon1/name", "k10temp\n");
  put("/sys/class/hwmon/hwmon1/temp1_input", "48500\n");
  put("/sys/class/hwmon/hwmon1/temp2_input", "51250\n");
  EXPECT_EQ(reading("temperature").value, 51.25);
}

TEST_F(SnapshotOf, ReadsTheThermalZoneOfABoard) {
  put("/sys/class/thermal/thermal_zone0/type", "GPU-therm\n");
  put("/sys/class/thermal/thermal_zone0/temp", "70000\n");
  put("/sys/class/thermal/thermal_zone1/type", "CPU-therm\n");
  put("/sys/class/thermal/thermal_zone1/temp", "43500\n");
  EXPECT_EQ(reading("temperature").value, 43.5);
}

TEST_F(SnapshotOf, HasReasonsOnAMachineThatReportsNothing) {
  const Snapshot taken = snapshot(root(), "no_such_library.so");
  EXPECT_EQ(taken.total_ticks.reason, "no /proc/stat on this machine");
  EXPECT_EQ(taken.pressure_cpu_some_us.reason, "no /proc/pressure/cpu on this machine");
  EXPECT_EQ(taken.readings.size(), 4U + 1U);  // of the machine, and why there is none of a GPU
  for (const Reading& reading : taken.readings) EXPECT_FALSE(reading.value.reason.empty()) << reading.quantity;
}

Snapshot made_up(std::uint64_t steal, std::uint64_t busy, std::uint64_t total, std::int64_t taken_ns) {
  Snapshot taken;
  taken.steal_ticks = Known<std::uint64_t>::of(steal);
  taken.busy_ticks = Known<std::uint64_t>::of(busy);
  taken.total_ticks = Known<std::uint64_t>::of(total);
  taken.pressure_cpu_some_us = Known<std::uint64_t>::of(static_cast<std::uint64_t>(taken_ns / 4000));  // a quarter
  taken.energy = {{"package", "intel-rapl:0",
                   Known<std::uint64_t>::of(static_cast<std::uint64_t>(taken_ns / 1000) * 65),
                   Known<std::uint64_t>::of(262'143'328'850)}};  // 65 W
  taken.readings = {{"temperature", "celsius", "", Known<double>::of(40)}};
  taken.taken_ns = taken_ns;
  return taken;
}

TEST(ReadingsBetween, AreSharesOfTheElapsedTime) {
  const auto readings = readings_between(made_up(10, 100, 1000, 0), made_up(15, 180, 1200, 2'000'000'000));
  EXPECT_EQ(find(readings, "steal", "timed").value, 2.5);         // 5 of 200
  EXPECT_EQ(find(readings, "machine_cpu", "timed").value, 40.0);  // 80 of 200
  EXPECT_EQ(find(readings, "pressure_cpu_some", "timed").value, 25.0);
  EXPECT_EQ(find(readings, "package_power", "timed").value, 65.0);
  EXPECT_EQ(find(readings, "temperature", "start").value, 40.0);
  EXPECT_EQ(find(readings, "temperature", "end").value, 40.0);
}

TEST(ReadingsBetween, HaveNoShareOfATimeShorterThanATick) {
  const auto readings = readings_between(made_up(10, 100, 1000, 0), made_up(10, 100, 1000, 3'000'000));
  EXPECT_EQ(find(readings, "steal", "timed").value, std::nullopt);
  EXPECT_EQ(find(readings, "steal", "timed").reason, "shorter than a tick of the kernel's clock");
}

TEST(ReadingsBetween, PassOnWhyACounterIsUnknown) {
  const auto readings = readings_between(Snapshot{.readings = {},
                                                  .steal_ticks = Known<std::uint64_t>::unknown("no /proc/stat"),
                                                  .total_ticks = Known<std::uint64_t>::unknown("no /proc/stat"),
                                                  .busy_ticks = Known<std::uint64_t>::unknown("no /proc/stat"),
                                                  .pressure_cpu_some_us = {},
                                                  .energy = {},
                                                  .taken_ns = 0},
                                         made_up(1, 1, 1, 1));
  EXPECT_EQ(find(readings, "steal", "timed").reason, "no /proc/stat");
}

TEST(ReadingsBetween, HaveTheMeanPowerOfAGpuThatCountsItsEnergy) {
  Snapshot before = made_up(0, 0, 0, 0);
  Snapshot after = made_up(1, 1, 1, 2'000'000'000);
  EXPECT_EQ(find(readings_between(before, after), "gpu_mean_power", "timed").reason, "not there");
  before.readings.push_back({"gpu_energy", "joule", "", Known<double>::of(1000)});
  after.readings.push_back({"gpu_energy", "joule", "", Known<double>::of(1500)});
  EXPECT_EQ(find(readings_between(before, after), "gpu_mean_power", "timed").value, 250.0);  // 500 J in 2 s
  after.readings.back().value = Known<double>::of(3);
  EXPECT_EQ(find(readings_between(before, after), "gpu_mean_power", "timed").reason,
            "the GPU's counter went backwards");
}

}  // namespace
}  // namespace ngb::probe
