// SPDX-License-Identifier: Apache-2.0
// The functions of the formats of `ngb bisect`; bisection_NAME.cpp defines each.
#pragma once

#include <string>

#include "report/bisection.h"

namespace ngb::report {

std::string bisection_text(const Bisected& bisected, const BisectionOptions& options);
std::string bisection_json(const Bisected& bisected, const BisectionOptions& options);

}  // namespace ngb::report
