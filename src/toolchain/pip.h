// SPDX-License-Identifier: Apache-2.0
// Asks pip, as a program, about itself and about versions, and explains why it failed. The user's own configuration of
// pip chooses index, proxy and certificates and is never changed. wheels.h has what pip chooses and installs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "toolchain/python.h"

namespace ngb::toolchain {

// Fails if Python has no pip, or one older than 22.2 (which has no --report).
Status check_pip(const Python& python);

// Returns every version of the package that pip's configured index has as a wheel for this machine and Python, newest
// first, pre-releases included. Fails with the code `unreachable` if one of the index's pages cannot be read, and with
// `not_found` if no version is found.
Result<std::vector<std::string>> pip_versions(const Python& python, const std::string& package);

// Parses the output of `pip index versions -vv`, as pip_versions returns it.
Result<std::vector<std::string>> parse_versions(std::string_view output, const std::string& package);

// Returns what went wrong and what to do, from pip's output: no such version (the error lists the nearest ones), no
// network, disk full, no wheel for this machine, or else pip's last error. `device` describes the device for which
// wheels were chosen; "" is this machine. The code is `unreachable` without a network or an answering index,
// `not_found` if there is no such version, `disk_full`, or `other`.
Error explain_pip_failure(std::string_view output, std::string_view device = "");

}  // namespace ngb::toolchain
