// SPDX-License-Identifier: Apache-2.0
// Pages of docs name tests: "Suite.Name" is a unit test, "file_test.test_name" one of the programs, "fuzz.name" a
// fuzzer.
#pragma once

#include <string>
#include <vector>

namespace ngb::rooms {

// Returns all names of tests in the text, each as often as it occurs: what is of this form between two backticks.
std::vector<std::string> tests_named_in(const std::string& text);

// Returns whether the sources have a test of this name.
bool is_test(const std::string& name);

}  // namespace ngb::rooms
