// SPDX-License-Identifier: Apache-2.0
// The table of model families. A new family is one file and one row.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::zoo {

class Graph;

struct FamilyParameter {
  std::string name{};
  std::string type{};  // "int" | "float" | "bool" | "string" | "int_list"
  nlohmann::json default_value{};
  double minimum = 0;
  double maximum = 0;  // bound of every number in the parameter
  std::string meaning{};
  std::vector<std::string> values{};  // the words that a string may have
  std::size_t length = 0;             // of a list; 0: any length
};

struct Variant {
  std::string name{};  // "resnet18", timm's name
  nlohmann::json parameters{};
};

struct Family {
  std::string name{};
  std::string meaning{};
  std::vector<FamilyParameter> parameters{};
  std::vector<Variant> variants{};
  // Adds inputs, layers and outputs to the graph. Fails if the combination of parameters is impossible.
  Status (*build)(const nlohmann::json& parameters, int batch, Graph& graph) = nullptr;
};

std::span<const Family> families();

}  // namespace ngb::zoo
