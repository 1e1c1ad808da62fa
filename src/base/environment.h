// SPDX-License-Identifier: Apache-2.0
// The variables of this program, and what other programs get of them. No other file reads, sets or hands on variables
// (docs/decisions/0037-one-place-for-each-dangerous-thing.md). `set` may be called while there is one thread only.
#pragma once

#include <map>
#include <string>

namespace ngb::environment {

using Variables = std::map<std::string, std::string>;

// Returns the value of a variable of this program; "" if it is not set.
std::string variable(const char* name);
// Sets a variable of this program.
void set(const char* name, const std::string& value);

// What another program gets of this program's variables.
enum class Share {
  clean,    // names that change neither an answer nor a speed, and those that are recorded
  network,  // these, and what leads to a network: proxies, certificates, package indexes, what gives access to them
  all       // everything: for our agents, and for programs of the user such as ssh and kubectl
};

// Returns these variables, and those that keep libraries silent: no telemetry, updates, colors or cache of pip.
Variables handed_on(Share share);

// Returns the variables of Share::clean that may change what is measured. They are recorded with the environment of a
// measurement, whose hash they are part of.
Variables recorded();

}  // namespace ngb::environment
