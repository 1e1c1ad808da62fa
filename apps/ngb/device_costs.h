// SPDX-License-Identifier: Apache-2.0
// What an hour of a device costs: as the studies of the results say, or the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/ngb/command.h"
#include "store/merge.h"

namespace ngb::app {

using CostPerHour = std::map<std::string, double>;  // by the device's name

void add_cost_option(CLI::App& command, std::vector<std::string>& costs);

// Parses the values of --cost: DEVICE=PRICE. Returns an error that names the first one of another form.
Result<CostPerHour> parse_costs(const std::vector<std::string>& given);

// Returns an error if a cost was given for a device that is not among `devices`.
Status check_costs(const CostPerHour& given, const std::vector<std::string>& devices);

// Returns `given` together with the `cost_per_hour` that the last study of each results file gives its devices, which
// are called by their new names. A study without readable devices has none. Returns an error if a file cannot be read.
Result<CostPerHour> with_recorded_costs(CostPerHour given, const std::vector<store::Source>& sources);

}  // namespace ngb::app
