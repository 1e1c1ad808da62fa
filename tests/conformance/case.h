// SPDX-License-Identifier: Apache-2.0
// A case of the suite: a sentence that is true of every compiler, or listed with the reason why not.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "compiler_under_test.h"

namespace ngb::conformance {

// What is wrong; nothing when all is well.
using Problem = std::optional<std::string>;

// The reason why this compiler cannot do this case, from the list in case.cpp; nothing when it has to.
std::optional<std::string> limit(const std::string& compiler, const std::string& case_name);

// Whether each model takes this compiler so long that CI looks at one of them only; not if NGB_ALL_CASES is set.
bool is_slow(const CompilerUnderTest& compiler);

// Runs the case and judges it: a problem fails the test unless it is listed, and a listed one that is no problem fails
// it too. Skips where the compiler is not installed, and, unless NGB_ALL_CASES is set, what takes too long for it.
void judge(const CompilerUnderTest& compiler, const std::function<Problem()>& run);

class Conformance : public testing::TestWithParam<CompilerUnderTest> {};

}  // namespace ngb::conformance
