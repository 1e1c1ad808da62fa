// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/device_costs.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "config/study.h"
#include "store/store.h"

namespace ngb::app {
namespace {

constexpr double kHighestPrice = 1e9;

std::optional<double> price_of(const std::string& text) {
  double price = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, price);
  const bool is_price = problem == std::errc{} && stop == end && price >= 0 && price <= kHighestPrice;
  return is_price ? std::optional(price) : std::nullopt;
}

}  // namespace

void add_cost_option(CLI::App& command, std::vector<std::string>& costs) {
  command
      .add_option("--cost", costs,
                  "DEVICE=PRICE per hour, in any currency (default: cost_per_hour of the study's devices)")
      ->allow_extra_args(false);
}

Result<CostPerHour> parse_costs(const std::vector<std::string>& given) {
  CostPerHour costs;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const auto price = equals == std::string::npos ? std::nullopt : price_of(each.substr(equals + 1));
    if (!price) return fail("expected DEVICE=PRICE", "--cost " + each, "for example --cost xeon=0.35, per hour");
    costs[each.substr(0, equals)] = *price;
  }
  return costs;
}

Status check_costs(const CostPerHour& given, const std::vector<std::string>& devices) {
  for (const auto& [device, price] : given) {
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) continue;
    return fail("no chosen result is of this device", "--cost " + device,
                "expected one of: " + text::join(devices, ", "));
  }
  return Done{};
}

Result<CostPerHour> with_recorded_costs(CostPerHour given, const std::vector<store::Source>& sources) {
  for (const store::Source& source : sources) {
    auto store = store::Store::open(source.file, store::Mode::read_only);
    if (!store) return error_of(store);
    const auto runs = store->runs();
    if (!runs) return error_of(runs);
    CostPerHour recorded;
    for (const store::RunState& run : *runs) {
      const auto devices = config::devices_of_study(run.study_json);
      if (!devices) continue;
      for (const config::DeviceEntry& device : *devices) {
        const auto renamed = source.device_names.find(device.name);
        const std::string& name = renamed == source.device_names.end() ? device.name : renamed->second;
        if (device.cost_per_hour) recorded[name] = *device.cost_per_hour;
      }
    }
    given.merge(std::move(recorded));
  }
  return given;
}

}  // namespace ngb::app
