// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "zoo/recipe.h"

namespace ngb::zoo {

// A model's recipe, or a failure of the test.
inline Recipe made(const std::string& name, const nlohmann::json& parameters = nlohmann::json::object(),
                   std::uint64_t seed = 1) {
  const Result<Recipe> recipe = resolve(name, parameters, seed);
  EXPECT_TRUE(recipe) << recipe.error().text();
  return recipe.value_or(Recipe{});
}

}  // namespace ngb::zoo
