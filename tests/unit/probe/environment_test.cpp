// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <stdlib.h>

#include <algorithm>
#include <map>

#include "made_up_machine.h"
#include "probe/cgroup.h"
#include "probe/probe.h"

namespace ngb::probe {
namespace {

using samples::EnvironmentEntry;

constexpr std::string_view kTwoThreads =
    "processor\t: 0\nmodel name\t: AMD EPYC 9654\nmicrocode\t: 0xa101148\nflags\t\t: fpu fma avx2 hypervisor\n\n"
    "processor\t: 1\nmodel name\t: AMD EPYC 9654\nmicrocode\t: 0xa101148\nflags\t\t: fpu fma avx2 hypervisor\n\n";

class Environment : public MadeUpMachine {
 protected:
  EnvironmentEntry entry(const std::string& name) {
    const samples::Environment all = environment({}, root());
    const auto found =
        std::find_if(all.entries.begin(), all.entries.end(), [&](const auto& e) { return e.name == name; });
    EXPECT_NE(found, all.entries.end()) << name;
    return found == all.entries.end() ? EnvironmentEntry{} : *found;
  }
  std::string value(const std::string& name) {
    const EnvironmentEntry found = entry(name);
    return found.value.value.value_or("unknown: " + found.value.reason);
  }
  // Docker's view of cgroup v2: a namespace of its own.
  void put_cgroup2(std::string_view group) {
    put("/proc/self/cgroup", "0::" + std::string(group) + "\n");
    put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  }
};

TEST_F(Environment, NamesTheProcessorOfX86) {
  put("/proc/cpuinfo", kTwoThreads);
  EXPECT_EQ(value("cpu_model"), "AMD EPYC 9654");
  EXPECT_EQ(value("cpu_microcode"), "0xa101148");
  EXPECT_EQ(value("cpu_threads"), "2");
  EXPECT_EQ(value("cpu_features"), "avx2 fma");
  EXPECT_EQ(value("hypervisor"), "yes");
}

TEST_F(Environment, NamesTheProcessorOfAarch64ByItsParts) {
  put("/proc/cpuinfo",
      "processor\t: 0\nBogoMIPS\t: 62.50\nFeatures\t: fp asimd asimddp bf16\nCPU implementer\t: 0x41\nCPU part\t: "
      "0xd42\n");
  EXPECT_EQ(value("cpu_model"), "implementer 0x41 part 0xd42");
  EXPECT_EQ(value("cpu_features"), "asimd asimddp bf16");
  EXPECT_EQ(value("hypervisor"), "unknown: only x86 reports it in /proc/cpuinfo");
}

TEST_F(Environment, CountsTwoThreadsOfOneCoreAsOneCore) {
  put("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
  put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
  EXPECT_EQ(value("cpu_cores"), "1");
}

TEST_F(Environment, ShowsGovernorFrequencyTurboAndSmt) {
  put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  put("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
  put("/sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "2400000\n");
  put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  put("/sys/devices/system/cpu/smt/control", "on\n");
  put("/sys/devices/system/cpu/smt/active", "1\n");
  EXPECT_EQ(value("cpu_governor"), "performance,powersave");
  EXPECT_EQ(value("cpu_max_frequency"), "3700000000");
  EXPECT_EQ(entry("cpu_max_frequency").unit, "hz");
  EXPECT_EQ(value("cpu_turbo"), "off");
  EXPECT_EQ(value("cpu_smt"), "on");
}

TEST_F(Environment, HasReasonsInsteadOfZerosOnAMachineThatReportsNothing) {
  for (const EnvironmentEntry& entry : environment({}, root()).entries) {
    if (entry.name == "agent_version" || entry.name.starts_with("variable_")) continue;
    EXPECT_FALSE(entry.value.value.has_value()) << entry.name << " = " << entry.value.value.value_or("");
    EXPECT_FALSE(entry.value.reason.empty()) << entry.name;
  }
}

TEST_F(Environment, IsSortedByName) {
  const samples::Environment all = environment({}, root());
  EXPECT_TRUE(std::is_sorted(all.entries.begin(), all.entries.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_F(Environment, HashesTheSameAfterARestartOfTheMachine) {
  put("/proc/cpuinfo", kTwoThreads);
  put("/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
  const std::string before = environment({}, root()).hash();
  put("/proc/sys/kernel/random/boot_id", "66666666-7777-8888-9999-000000000000\n");
  EXPECT_EQ(environment({}, root()).hash(), before);
  put("/proc/sys/kernel/osrelease", "6.1.0-99\n");
  EXPECT_NE(environment({}, root()).hash(), before);
}

TEST_F(Environment, RecordsTheVariablesWithWhichWorkersAreStarted) {
  const std::map<std::string, std::string> shell{{"CUDA_VISIBLE_DEVICES", "1"},    // workers get it
                                                 {"LD_LIBRARY_PATH", "/shell"},    // the study gives another
                                                 {"ONEDNN_MAX_CPU_ISA", "SSE41"},  // they do not get it
                                                 {"NGB_TEST_HARMLESS", "1"}};      // it changes nothing
  for (const auto& [name, text] : shell) ::setenv(name.c_str(), text.c_str(), 1);
  std::map<std::string, std::string> recorded;
  for (const EnvironmentEntry& entry :
       environment({{"LD_LIBRARY_PATH", "/study"}, {"OMP_PROC_BIND", "close"}}, root()).entries) {
    if (!entry.name.starts_with("variable_")) continue;
    EXPECT_TRUE(entry.is_identity) << entry.name;
    EXPECT_TRUE(recorded.emplace(entry.name, entry.value.value.value_or("")).second) << entry.name << " twice";
  }
  for (const auto& [name, text] : shell) ::unsetenv(name.c_str());
  EXPECT_EQ(recorded.at("variable_CUDA_VISIBLE_DEVICES"), "1");
  EXPECT_EQ(recorded.at("variable_LD_LIBRARY_PATH"), "/study");
  EXPECT_EQ(recorded.at("variable_OMP_PROC_BIND"), "close");
  EXPECT_FALSE(recorded.contains("variable_ONEDNN_MAX_CPU_ISA"));
  EXPECT_FALSE(recorded.contains("variable_NGB_TEST_HARMLESS"));
}

TEST_F(Environment, OfAnotherSlurmNodeIsAnotherOneEvenIfAllElseIsEqual) {
  put("/proc/cpuinfo", kTwoThreads);
  ::unsetenv("SLURMD_NODENAME");
  const samples::Environment elsewhere = environment({}, root());
  ::setenv("SLURMD_NODENAME", "n1", 1);
  EXPECT_EQ(value("slurm_node"), "n1");
  const std::string first = environment({}, root()).hash();
  ::setenv("SLURMD_NODENAME", "n2", 1);
  EXPECT_NE(environment({}, root()).hash(), first);
  ::unsetenv("SLURMD_NODENAME");
  EXPECT_EQ(environment({}, root()).hash(), elsewhere.hash());
  EXPECT_TRUE(std::none_of(elsewhere.entries.begin(), elsewhere.entries.end(),
                           [](const auto& e) { return e.name == "slurm_node"; }));
}

TEST_F(Environment, OfAPodSaysWhetherItsProcessorsAreItsOwn) {
  const std::size_t usable = allowed_cpus().size();
  std::string cpuinfo;
  for (std::size_t i = 0; i < usable + 2; ++i)
    cpuinfo += "processor\t: " + std::to_string(i) + "\nphysical id\t: 0\n\n";
  put("/proc/cpuinfo", cpuinfo);
  put_cgroup2("/pod");
  const auto with_quota = [&](const std::string& quota_us) {
    put("/sys/fs/cgroup/pod/cpu.max", quota_us + " 100000\n");
    return value("kubernetes_processors");
  };
  ::setenv("NGB_KUBERNETES_NODE", "edge1", 1);
  EXPECT_EQ(with_quota(std::to_string(usable * 100000)), "exclusive");
  EXPECT_EQ(with_quota("max"), "exclusive");
  EXPECT_EQ(with_quota(std::to_string(usable * 100000 - 50000)), "shared");
  put("/proc/cpuinfo", kTwoThreads);  // it may use all of its node, so nothing keeps others off them
  if (usable >= 2) {
    EXPECT_EQ(with_quota("max"), "shared");
  }
  ::unsetenv("NGB_KUBERNETES_NODE");
}

// Entries of the first class must be equal for results to be pooled; those of the second are told and no more.
TEST_F(Environment, ToldEntriesAreNotPartOfItsHash) {
  std::vector<std::string> told;
  for (const EnvironmentEntry& entry : environment({}, root()).entries) {
    if (!entry.is_identity) told.push_back(entry.name);
  }
  EXPECT_EQ(told, (std::vector<std::string>{"agent_build", "boot_id"}));
}

TEST_F(Environment, ReadsTheMachinesGlibcFromItsFile) {
  put("/lib64/libc.so.6", std::string("\x7f"
                                      "ELF\0\0GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36.\n",
                                      70));
  EXPECT_EQ(value("glibc"), "2.36");
}

TEST_F(Environment, UsesTheTightestLimitOfACgroup2AndItsParents) {
  put_cgroup2("/a/b");
  put("/sys/fs/cgroup/a/memory.max", "2147483648\n");
  put("/sys/fs/cgroup/a/b/memory.max", "max\n");
  put("/sys/fs/cgroup/a/cpu.max", "400000 100000\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(value("cgroup_memory_limit"), "2147483648");
  EXPECT_EQ(value("cgroup_cpu_limit"), "1.5");
}

TEST_F(Environment, AQuotaBelowTheProcessorsIsTheNumberOfThreads) {
  const std::vector<int> four{0, 900'001, 900'002, 900'003};  // of processors without a description, each is a core
  const auto usable = [&] { return usable_processors(four, root()); };
  put_cgroup2("/a");
  EXPECT_EQ(usable().all, 4);
  EXPECT_EQ(usable().physical, 4);
  put("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(usable().all, 2);
  EXPECT_EQ(usable().physical, 2);
  put("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  EXPECT_EQ(usable().all, 1);
  put("/sys/fs/cgroup/a/cpu.max", "800000 100000\n");
  EXPECT_EQ(usable().all, 4);
}

TEST_F(Environment, DistinguishesNoLimitFromUnknown) {
  put_cgroup2("/");
  EXPECT_EQ(value("cgroup_memory_limit"), "none");
  put("/proc/self/mountinfo", "");
  EXPECT_EQ(value("cgroup_memory_limit"), "unknown: no control group with the memory controller is mounted");
}

TEST_F(Environment, ReadsCgroup1IfTheControllerIsMountedThere) {
  put("/proc/self/cgroup", "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n");
  put("/proc/self/mountinfo",
      "40 30 0:33 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
      "41 30 0:34 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(value("cgroup_memory_limit"), "1073741824");
  EXPECT_EQ(value("cgroup_cpu_limit"), "0.5");
}

TEST_F(Environment, KnowsTheUnlimitedValuesOfCgroup1) {
  put("/proc/self/cgroup", "4:memory:/\n2:cpu:/\n");
  put("/proc/self/mountinfo",
      "40 30 0:33 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
      "41 30 0:34 / /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(value("cgroup_memory_limit"), "none");
  EXPECT_EQ(value("cgroup_cpu_limit"), "none");
}

TEST_F(Environment, MemoryIsTheLimitIfThatIsLowerThanTheInstalledMemory) {
  put("/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n");
  EXPECT_EQ(memory_total_bytes(root()).value, 16384U * 1024U);
  put_cgroup2("/a");
  put("/sys/fs/cgroup/a/memory.max", "1048576\n");
  EXPECT_EQ(memory_total_bytes(root()).value, 1048576U);
}

TEST(AllowedCpus, AreThoseOfTheSchedulersAffinity) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const std::vector<int> cpus = allowed_cpus();
  EXPECT_EQ(cpus.size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t only_last;
  CPU_ZERO(&only_last);
  CPU_SET(static_cast<std::size_t>(cpus.back()), &only_last);
  ASSERT_EQ(::sched_setaffinity(0, sizeof only_last, &only_last), 0);
  EXPECT_EQ(allowed_cpus(), std::vector<int>{cpus.back()});
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(ThisMachine, ReportsItsKernelMemoryAndAffinity) {
  for (const EnvironmentEntry& entry : environment().entries) {
    const bool is_on_every_linux = entry.name == "kernel" || entry.name == "memory_total" || entry.name == "affinity" ||
                                   entry.name == "cpu_threads" || entry.name == "agent_build";
    EXPECT_TRUE(entry.value.value.has_value() || !is_on_every_linux) << entry.name << ": " << entry.value.reason;
  }
}

}  // namespace
}  // namespace ngb::probe
