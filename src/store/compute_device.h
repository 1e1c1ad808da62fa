// SPDX-License-Identifier: Apache-2.0
// Decides on which kind of processor a cell's inference ran.
#pragma once

#include <set>
#include <string>

#include "base/known.h"
#include "work/options.h"

namespace ngb::store {

// Returns "cpu", "gpu" or "npu". `reported` holds the values of the fact `device` of the cell's processes: "CPU",
// "cuda", "cuda:0", "GPU.1", … If it is empty, the cell's option `device` or `provider` decides. The value is unknown
// if the processes report several kinds or a word that means none of the three, or if neither facts nor options name
// one; options that have their defaults are not in `options`.
Known<std::string> compute_device_of(const std::set<std::string>& reported, const work::Options& options);

}  // namespace ngb::store
