// SPDX-License-Identifier: Apache-2.0
// The files of boards: those of a Jetson Orin Nano with JetPack 6, and others' as their drivers' documentation says.
#include "probe/board.h"

#include <algorithm>

#include "made_up_machine.h"
#include "probe/probe.h"

namespace ngb::probe {
namespace {

class BoardOf : public MadeUpMachine {
 protected:
  void put_orin_nano() {
    const std::string monitor = "/sys/class/hwmon/hwmon1/";
    put(monitor + "name", "ina3221\n");
    put_channel(monitor, "1", {"VDD_IN", "5072", "1184"});
    put_channel(monitor, "2", {"VDD_CPU_GPU_CV", "5064", "200"});
    put_channel(monitor, "3", {"VDD_SOC", "5064", "312"});
    put(monitor + "in4_input", "5920\n");  // a shunt voltage
    put(monitor + "in7_label", "sum of shunt voltages\n");
    put(monitor + "in7_input", "8480\n");
    put(monitor + "curr4_input", "1696\n");
    const std::string gpu = "/sys/class/devfreq/17000000.gpu/";
    put(gpu + "governor", "nvhost_podgov\n");
    put(gpu + "cur_freq", "306000000\n");
    put(gpu + "min_freq", "306000000\n");
    put(gpu + "max_freq", "624750000\n");
    put(gpu + "device/load", "437\n");
    put(gpu + "device/of_node/compatible", std::string("nvidia,ga10b\0", 13));
    put("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64\n");
    put("/etc/nvpmodel.conf",
        "# < POWER_MODEL ID=0 NAME=old >\n< POWER_MODEL ID=0 NAME=15W >\nCPU_ONLINE CORE_0 1\n"
        "< POWER_MODEL ID=1 NAME=7W >\n< PM_CONFIG DEFAULT=0 >\n");
    put("/var/lib/nvpmodel/status", "pmode:0001\n");
    put("/proc/device-tree/model", std::string("NVIDIA Jetson Orin Nano Developer Kit\0", 38));
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "729600\n");
    put("/sys/devices/system/cpu/cpu4/cpufreq/scaling_min_freq", "1510400\n");
  }
  struct Supply {
    const char* label;
    const char* millivolts;
    const char* milliamperes;
  };
  void put_channel(const std::string& folder, const std::string& number, const Supply& supply) {
    put(folder + "in" + number + "_label", supply.label);
    put(folder + "in" + number + "_enable", "1\n");
    put(folder + "in" + number + "_input", supply.millivolts);
    put(folder + "curr" + number + "_input", supply.milliamperes);
  }
  Known<double> reading(const std::string& quantity) {
    for (const samples::Reading& each : snapshot(root(), "no NVML").readings) {
      if (each.quantity == quantity) return each.value;
    }
    return Known<double>::unknown("not read at all");
  }
  Known<std::string> entry(const std::string& name) {
    for (const samples::EnvironmentEntry& each : environment({}, root()).entries) {
      if (each.name == name) return each.value;
    }
    return Known<std::string>::unknown("no such entry");
  }
};

TEST_F(BoardOf, ReadsEachSupplyOfAJetsonAndNoShuntVoltage) {
  put_orin_nano();
  EXPECT_DOUBLE_EQ(reading("voltage_vdd_in").value.value(), 5.072);
  EXPECT_DOUBLE_EQ(reading("current_vdd_in").value.value(), 1.184);
  EXPECT_NEAR(reading("power_vdd_in").value.value(), 6.005248, 1e-9);
  EXPECT_NEAR(reading("power_vdd_cpu_gpu_cv").value.value(), 1.0128, 1e-9);
  EXPECT_NEAR(reading("power_vdd_soc").value.value(), 1.579968, 1e-9);
  EXPECT_EQ(reading("voltage_sum_of_shunt_voltages").reason, "not read at all");
}

TEST_F(BoardOf, TakesTheSupplyAtTheBoardsInputAsItsPower) {
  put_orin_nano();
  EXPECT_NEAR(reading("power").value.value(), 6.005248, 1e-9);
}

TEST_F(BoardOf, KnowsNoPowerOfTheBoardWhereOnlyPartsAreMeasured) {
  put("/sys/class/hwmon/hwmon0/name", "ina3221\n");
  put_channel("/sys/class/hwmon/hwmon0/", "1", {"VDD_GPU_SOC", "19000", "250"});
  put_channel("/sys/class/hwmon/hwmon0/", "2", {"NC", "0", "0"});
  EXPECT_EQ(reading("power").reason, "the board measures the power of parts only: power_LABEL");
  EXPECT_NEAR(reading("power_vdd_gpu_soc").value.value(), 4.75, 1e-9);
  EXPECT_EQ(reading("power_nc").reason, "not read at all");
}

TEST_F(BoardOf, LeavesOutASupplyThatIsSwitchedOffAndSaysWhyOneIsUnknown) {
  put_orin_nano();
  put("/sys/class/hwmon/hwmon1/in2_enable", "0\n");
  put("/sys/class/hwmon/hwmon1/curr3_input", "busy\n");
  EXPECT_EQ(reading("power_vdd_cpu_gpu_cv").reason, "not read at all");
  EXPECT_EQ(reading("power_vdd_soc").reason, "/sys/class/hwmon/hwmon1/curr3_input holds no number: busy");
}

TEST_F(BoardOf, ReadsTheLoadOfAJetsonsGpuInTenthsOfAPercent) {
  put_orin_nano();
  EXPECT_DOUBLE_EQ(reading("gpu_utilisation").value.value(), 43.7);
  EXPECT_EQ(reading("gpu_frequency").value, 306e6);
  EXPECT_EQ(reading("gpu_max_frequency").value, 624.75e6);
}

TEST_F(BoardOf, ReadsTheLoadOfAGpuThatNamesItsClockToo) {
  put("/sys/class/devfreq/fb000000.gpu/load", "37@300000000Hz\n");
  put("/sys/class/devfreq/fb000000.gpu/cur_freq", "300000000\n");
  put("/sys/class/devfreq/dmc/load", "80@528000000Hz\n");  // the memory's controller
  EXPECT_EQ(reading("gpu_utilisation").value, 37);
  EXPECT_EQ(reading("gpu_max_frequency").reason, "no /sys/class/devfreq/fb000000.gpu/max_freq on this machine");
}

TEST_F(BoardOf, DescribesItsPowerModeAndClocksAsPartOfItsEnvironment) {
  put_orin_nano();
  EXPECT_EQ(entry("machine").value, "NVIDIA Jetson Orin Nano Developer Kit");
  EXPECT_EQ(entry("power_mode").value, "1 (7W)");
  EXPECT_EQ(entry("l4t").value, "36.4.3");
  EXPECT_EQ(entry("gpu").value, "nvidia,ga10b");
  EXPECT_EQ(entry("gpu_governor").value, "nvhost_podgov");
  EXPECT_EQ(entry("gpu_max_frequency").value, "624750000");
  EXPECT_EQ(entry("gpu_min_frequency").value, "306000000");
  EXPECT_EQ(entry("cpu_min_frequency").value, "729600000");
}

TEST_F(BoardOf, SaysWhyItsPowerModeIsUnknown) {
  put("/etc/nvpmodel.conf", "< POWER_MODEL ID=0 NAME=15W >\n");
  EXPECT_EQ(entry("power_mode").reason, "no /var/lib/nvpmodel/status on this machine");
  put("/var/lib/nvpmodel/status", "fmode:cool\n");
  EXPECT_EQ(entry("power_mode").reason, "/var/lib/nvpmodel/status names no mode");
  put("/var/lib/nvpmodel/status", "pmode:0008\n");
  EXPECT_EQ(entry("power_mode").value, "8");
}

TEST_F(BoardOf, HasNoSuchEntriesOnAnotherMachine) {
  put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "800000\n");
  for (const char* const name : {"power_mode", "l4t", "gpu_governor", "cpu_min_frequency"}) {
    EXPECT_EQ(entry(name).reason, "no such entry") << name;
  }
  EXPECT_TRUE(board_readings(Tree(root())).empty());
}

}  // namespace
}  // namespace ngb::probe
