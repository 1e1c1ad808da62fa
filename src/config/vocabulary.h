// SPDX-License-Identifier: Apache-2.0
// The words a study may use, given to the parser as data: which compilers and model families exist, with their options
// and parameters. Comes from the compilers' own descriptions and the zoo's table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/device.h"

namespace ngb::config {

struct Parameter {
  std::string name{};
  std::string type{};                 // "bool" | "int" | "float" | "string" | "int_list"
  std::vector<std::string> values{};  // the allowed words of a string, plain or as JSON text; empty: any
  std::string minimum{};              // of a number, or of each number of a list; "" for none
  std::string maximum{};
  std::string default_value{};  // JSON text; "" when there is none
  std::string meaning{};
};

struct CompilerWords {
  std::string name{};
  std::string default_version{};  // "" for a compiler without versions
  std::vector<Parameter> options{};
};

struct FamilyWords {
  std::string name{};  // "resnet"; a variant is a family without parameters: "resnet18"
  std::vector<Parameter> parameters{};
};

struct Vocabulary {
  std::vector<CompilerWords> compilers{};
  std::vector<FamilyWords> models{};
  std::vector<DeviceEntry> devices{};  // those that the user has described once for all studies
};

}  // namespace ngb::config
