// SPDX-License-Identifier: Apache-2.0
// The table of model families. A new family is one file and one row.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
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
  int size = 0;         // rank of its size in its group, from 1, the smallest
  std::string group{};  // "": the family's
};

struct Family {
  std::string name{};
  std::string meaning{};
  std::vector<FamilyParameter> parameters{};
  std::vector<Variant> variants{};
  std::string group{};  // what its models belong to: the paper's family in Table IV, such as "ResNets"
  std::string style{};  // "convolutional", "transformer" or "hybrid", as in Table IV; "": none of these
  // Adds inputs, layers and outputs to the graph. Fails if the combination of parameters is impossible.
  Status (*build)(const nlohmann::json& parameters, int batch, Graph& graph) = nullptr;
};

std::span<const Family> families();

// The group of models that a model belongs to, and its size within that; empty if the zoo does not say.
struct ModelGroup {
  std::string group{};
  std::string style{};
  std::optional<int> size{};  // of variants only: a model with parameters of its own has no rank
};
// Returns it for a family or a variant; nothing is known of other names.
ModelGroup model_group_of(const std::string& name);

// Checks the parameters of a family: names, types, ranges.
struct NamedFamily {
  const Family* family = nullptr;
  const Variant* variant = nullptr;  // null for the family itself
};

// Finds a family or variant. Fails if the name is unknown, and suggests the nearest.
Result<NamedFamily> find_family(const std::string& name);

// Returns the family's defaults, overridden by the variant's and then by the `given` parameters, with sorted keys.
// Fails if `given` is not an object, a parameter is unknown (the error suggests the nearest) or has a wrong type, a
// number is out of range, or a word is not among the allowed ones.
Result<nlohmann::json> complete(const NamedFamily& named, const nlohmann::json& given);

}  // namespace ngb::zoo
