// SPDX-License-Identifier: Apache-2.0
// The functions of the formats of `ngb compare` and `ngb gate`; compare_NAME.cpp defines each.
#pragma once

#include <string>

#include "report/compare.h"

namespace ngb::report {

std::string compare_text(const Compared& compared, const CompareOptions& options);
std::string compare_json(const Compared& compared, const CompareOptions& options);
std::string compare_csv(const Compared& compared, const CompareOptions& options);
std::string compare_markdown(const Compared& compared, const CompareOptions& options);
std::string compare_github(const Compared& compared, const CompareOptions& options);
std::string annotate_github(const Compared& compared);

}  // namespace ngb::report
