// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/study_compilers.h"
#include "plan/plan.h"

namespace ngb::campaign {

using Contents = std::map<std::string, std::set<std::string>>;  // hashes by name: "resnet18, batch 1"

Contents models_of(const plan::Plan& plan);
// Returns the names that both have, but with different hashes.
std::vector<std::string> names_of_changed(const Contents& before, const Contents& now);

// Returns an error that names what differs if the plan's results folder has results of another content: a model (with
// its weights, inputs and code) or a toolchain of this machine that has changed under its name. A command with one
// question must not answer it from two different contents. The reference is not compared here: it is part of the
// protocol, which the results compare themselves.
Status check_same_contents(const plan::Plan& plan, const Compilers& compilers);

}  // namespace ngb::campaign
