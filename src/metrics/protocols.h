// SPDX-License-Identifier: Apache-2.0
// Decides whether results were measured under protocols whose numbers mean the same.
#pragma once

#include <map>
#include <string>

namespace ngb::metrics {

// Returns the entries of two environments or protocols that differ: "governor: powersave and performance"; "" if none
// does.
std::string differing_entries(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b);

// Returns the keys in which two protocols (store::Store::protocol) differ, as above; "" if their numbers mean the same,
// or if one of them is empty. The number of processes may differ, and by what the answer is given.
std::string unlike_protocols(std::map<std::string, std::string> a, std::map<std::string, std::string> b);

}  // namespace ngb::metrics
