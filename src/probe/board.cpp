// SPDX-License-Identifier: Apache-2.0
#include "probe/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "base/text.h"

namespace ngb::probe {
namespace {

using samples::EnvironmentEntry;
using samples::Reading;

constexpr std::string_view kMonitors = "/sys/class/hwmon";
constexpr std::string_view kDevfreq = "/sys/class/devfreq";

// Returns the label in lower case, with _ for everything that is no letter or digit.
std::string plain_label(const std::string& label) {
  std::string plain;
  for (const char each : label) {
    const auto byte = static_cast<unsigned char>(each);
    plain += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return plain;
}

// A channel of a power monitor: bus voltage and current of one supply.
struct Channel {
  std::string label{};  // as the board's device tree names it: "VDD_IN"
  Known<double> volts{};
  Known<double> amperes{};

  [[nodiscard]] Known<double> watts() const {
    if (!volts.value) return volts;
    if (!amperes.value) return amperes;
    return Known<double>::of(*volts.value * *amperes.value);
  }
};

// Reads thousandths: millivolts or milliamperes.
Known<double> thousandths(const Tree& tree, const std::string& path) {
  const Known<std::string> raw = tree.text(path);
  if (!raw.value) return Known<double>::unknown(raw.reason);
  const auto value = parse_real(*raw.value);
  return value ? Known<double>::of(*value / 1000)
               : Known<double>::unknown(fmt::format("{} holds no number: {}", path, *raw.value));
}

// The driver's channels 1 to 3 are supplies. Its in4 to in7 are shunt voltages, and its curr4 is a sum
// (Documentation/hwmon/ina3221.rst).
std::vector<Channel> channels(const Tree& tree) {
  std::vector<Channel> found;
  for (const std::string& chip : tree.names(kMonitors, "hwmon")) {
    const std::string folder = fmt::format("{}/{}", kMonitors, chip);
    if (tree.text(folder + "/name").value != "ina3221") continue;
    for (const int number : {1, 2, 3}) {
      const Known<std::string> label = tree.text(fmt::format("{}/in{}_label", folder, number));
      const bool is_off = tree.text(fmt::format("{}/in{}_enable", folder, number)).value == "0";
      if (!label.value || label.value->empty() || *label.value == "NC" || is_off) continue;
      found.push_back({*label.value, thousandths(tree, fmt::format("{}/in{}_input", folder, number)),
                       thousandths(tree, fmt::format("{}/curr{}_input", folder, number))});
    }
  }
  return found;
}

// Returns the folder of the GPU in devfreq: 17000000.gpu, 17000000.gv11b, fb000000.gpu, 13000000.mali, …
std::optional<std::string> gpu_folder(const Tree& tree) {
  constexpr std::array<std::string_view, 6> kEndings{".gpu", ".ga10b", ".gv11b", ".gp10b", ".mali", "-gpu"};
  for (const std::string& name : tree.names(kDevfreq, "")) {
    const bool is_gpu =
        std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
    if (is_gpu) return fmt::format("{}/{}", kDevfreq, name);
  }
  return std::nullopt;
}

// Tegra's driver shows thousandths beside the device. Other drivers show "37@300000000Hz" or "37" in devfreq.
Known<double> gpu_load_percent(const Tree& tree, const std::string& folder) {
  const std::string of_tegra = folder + "/device/load";
  if (const Known<std::string> load = tree.text(of_tegra); load.value) {
    const auto value = parse_real(*load.value);
    return value ? Known<double>::of(*value / 10) : Known<double>::unknown(of_tegra + " holds no number");
  }
  const Known<std::string> load = tree.text(folder + "/load");
  if (!load.value) return Known<double>::unknown("the GPU's driver shows no load in " + folder);
  const auto value = parse_real(text::trim(load.value->substr(0, load.value->find_first_of("@%"))));
  return value ? Known<double>::of(*value) : Known<double>::unknown(folder + "/load holds no number");
}

Known<double> hertz(const Tree& tree, const std::string& path) {
  const Known<std::uint64_t> value = tree.number(path);
  return value.value ? Known<double>::of(static_cast<double>(*value.value)) : Known<double>::unknown(value.reason);
}

// Returns "0 (15W)": the mode that nvpmodel set last, with its name from nvpmodel's configuration.
std::optional<Known<std::string>> power_mode(const Tree& tree) {
  constexpr std::string_view kConfiguration = "/etc/nvpmodel.conf";
  constexpr std::string_view kStatus = "/var/lib/nvpmodel/status";
  if (!tree.has(kConfiguration) && !tree.has(kStatus)) return std::nullopt;
  const Known<std::string> status = tree.text(kStatus);
  if (!status.value) return status;
  constexpr std::string_view kMark = "pmode:";
  const std::size_t at = status.value->find(kMark);
  const std::size_t begin = at == std::string::npos ? at : at + kMark.size();
  const auto number =
      begin == std::string::npos
          ? std::nullopt
          : parse_unsigned(status.value->substr(begin, status.value->find_first_not_of("0123456789", begin) - begin));
  if (!number) return Known<std::string>::unknown(fmt::format("{} names no mode", kStatus));
  const Known<std::string> configuration = tree.text(kConfiguration);
  if (!configuration.value) return Known<std::string>::of(fmt::format("{}", *number));
  for (const std::string& line : text::split(*configuration.value, '\n')) {
    if (line.find("POWER_MODEL") == std::string::npos || line.find('#') < line.find("POWER_MODEL")) continue;
    std::optional<std::uint64_t> id;
    std::string name;
    for (const std::string& word : words(line)) {
      if (word.starts_with("ID=")) id = parse_unsigned(std::string_view(word).substr(3));
      if (word.starts_with("NAME=")) name = word.substr(5);
    }
    if (id == number && !name.empty()) return Known<std::string>::of(fmt::format("{} ({})", *number, name));
  }
  return Known<std::string>::of(fmt::format("{}", *number));
}

// Returns "36.4.3" for "# R36 (release), REVISION: 4.3, GCID: …".
std::optional<Known<std::string>> jetson_linux(const Tree& tree) {
  constexpr std::string_view kRelease = "/etc/nv_tegra_release";
  if (!tree.has(kRelease)) return std::nullopt;
  const Known<std::string> release = tree.text(kRelease);
  if (!release.value) return release;
  constexpr std::string_view kRevision = "REVISION: ";
  const std::size_t major = release.value->find("# R");
  const std::size_t revision = release.value->find(kRevision);
  if (major == std::string::npos || revision == std::string::npos) {
    return Known<std::string>::unknown(fmt::format("{} names no release", kRelease));
  }
  const auto digits = [&](std::size_t begin) {
    return release.value->substr(begin, release.value->find_first_not_of("0123456789.", begin) - begin);
  };
  return Known<std::string>::of(digits(major + 3) + "." + digits(revision + kRevision.size()));
}

// Returns the lowest clock that the processors may choose; jetson_clocks raises it to the highest.
std::optional<std::uint64_t> cpu_min_hz(const Tree& tree) {
  std::optional<std::uint64_t> lowest;
  for (const std::string& cpu : tree.names(kCpus, "cpu")) {
    const Known<std::uint64_t> khz = tree.number(fmt::format("{}/{}/cpufreq/scaling_min_freq", kCpus, cpu));
    if (khz.value) lowest = std::min(lowest.value_or(*khz.value * 1000), *khz.value * 1000);
  }
  return lowest;
}

Known<std::string> as_text(const Known<std::uint64_t>& number) {
  return number.value ? Known<std::string>::of(fmt::format("{}", *number.value))
                      : Known<std::string>::unknown(number.reason);
}

}  // namespace

std::vector<Reading> board_readings(const Tree& tree) {
  std::vector<Reading> readings;
  for (const Channel& channel : channels(tree)) {
    const std::string label = plain_label(channel.label);
    readings.push_back({"voltage_" + label, "volt", "", channel.volts});
    readings.push_back({"current_" + label, "ampere", "", channel.amperes});
    readings.push_back({"power_" + label, "watt", "", channel.watts()});
  }
  if (const auto folder = gpu_folder(tree)) {
    readings.push_back({"gpu_utilisation", "percent", "", gpu_load_percent(tree, *folder)});
    readings.push_back({"gpu_frequency", "hz", "", hertz(tree, *folder + "/cur_freq")});
    readings.push_back({"gpu_max_frequency", "hz", "", hertz(tree, *folder + "/max_freq")});
  }
  return readings;
}

Known<double> board_power_watts(const Tree& tree) {
  const std::vector<Channel> all = channels(tree);
  for (const Channel& channel : all) {
    if (channel.label.ends_with("_IN")) return channel.watts();
  }
  return Known<double>::unknown(all.empty() ? "no power meter in /sys"
                                            : "the board measures the power of parts only: power_LABEL");
}

std::vector<EnvironmentEntry> board_entries(const Tree& tree) {
  std::vector<EnvironmentEntry> entries;
  const auto mode = power_mode(tree);
  const auto release = jetson_linux(tree);
  const auto folder = gpu_folder(tree);
  if (mode) entries.push_back({"power_mode", "", *mode, true});
  if (release) entries.push_back({"l4t", "", *release, true});
  if (folder) {
    entries.push_back({"gpu_governor", "", tree.text(*folder + "/governor"), true});
    entries.push_back({"gpu_max_frequency", "hz", as_text(tree.number(*folder + "/max_freq")), true});
    entries.push_back({"gpu_min_frequency", "hz", as_text(tree.number(*folder + "/min_freq")), true});
  }
  const auto lowest = cpu_min_hz(tree);
  if ((mode || release) && lowest) {
    entries.push_back({"cpu_min_frequency", "hz", Known<std::string>::of(fmt::format("{}", *lowest)), true});
  }
  return entries;
}

std::string board_gpu(const Tree& tree) {
  const auto folder = gpu_folder(tree);
  if (!folder) return {};
  const Known<std::string> compatible = tree.text(*folder + "/device/of_node/compatible");
  const std::string first = compatible.value ? compatible.value->substr(0, compatible.value->find('\0')) : "";
  return first.empty() ? folder->substr(kDevfreq.size() + 1) : first;
}

}  // namespace ngb::probe
