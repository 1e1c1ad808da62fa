// SPDX-License-Identifier: Apache-2.0
#include "write_model.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/json_text.h"
#include "zoo/recipe.h"

namespace ngb {
namespace {

constexpr std::string_view kUsage = "ngb-worker write-model --recipe JSON|- --batch N|dynamic --threads N -o FILE";

using Arguments = std::map<std::string, std::string, std::less<>>;

Result<Arguments> pair_up(const std::vector<std::string_view>& words) {
  Arguments pairs{{"--recipe", ""}, {"--batch", ""}, {"--threads", "1"}, {"-o", ""}};
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto known = pairs.find(words[i]);
    if (known == pairs.end() || i + 1 == words.size()) {
      return fail(fmt::format("wrong argument \"{}\"", words[i]), "write-model", std::string(kUsage));
    }
    known->second = words[i + 1];
  }
  for (const auto& [name, value] : pairs) {
    if (value.empty()) return fail(fmt::format("{} is missing", name), "write-model", std::string(kUsage));
  }
  // "-" reads the recipe from standard input, because it may be longer than an argument can be.
  if (std::string& recipe = pairs.at("--recipe"); recipe == "-") {
    recipe.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  return pairs;
}

// The batch size of a model whose batch size is decided when it is run.
constexpr std::string_view kDynamic = "dynamic";

Result<int> positive(const Arguments& arguments, std::string_view name) {
  const std::string& text = arguments.find(name)->second;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    return fail(fmt::format("{} is \"{}\", expected a number from 1", name, text), "write-model", std::string(kUsage));
  }
  return value;
}

}  // namespace

Result<std::string> write_model(const std::vector<std::string_view>& words) {
  const Result<Arguments> arguments = pair_up(words);
  if (!arguments) return error_of(arguments);
  const bool is_dynamic = arguments->at("--batch") == kDynamic;
  const Result<int> batch = is_dynamic ? Result<int>(1) : positive(*arguments, "--batch");
  if (!batch) return error_of(batch);
  const Result<int> threads = positive(*arguments, "--threads");
  if (!threads) return error_of(threads);
  const Result<zoo::Recipe> recipe = zoo::parse_canonical_json(arguments->at("--recipe"));
  if (!recipe) return error_of(recipe);
  const std::filesystem::path path = arguments->at("-o");
  const Status written = zoo::write_onnx(*recipe, is_dynamic ? zoo::BatchSize() : *batch, path, *threads,
                                         zoo::kLargestMeasuredMessageBytes);
  if (!written) return error_of(written);
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(path, code);
  if (code) return fail("the file that was just written is gone: " + code.message(), path.string());
  return json_text::dump(nlohmann::json{{"file_bytes", bytes}});
}

}  // namespace ngb
