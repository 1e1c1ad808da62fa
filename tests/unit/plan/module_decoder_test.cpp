// SPDX-License-Identifier: Apache-2.0
// Tests what a study's keys make of a PyTorch module that decodes. The module's file is never run.
#include "plan/module_decoder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/make_model.h"
#include "plan_fixture.h"
#include "temporary_folder.h"

namespace ngb::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ModuleDecoders : public testing::Test {
 protected:
  // Two layers of three key heads of 8, and 50 words.
  Result<work::Model> model(config::DecoderEntry how) {
    config::ModelEntry entry{
        .label = "net", .file = folder_.write("net.py", "def build():\n  pass\n"), .factory = "build"};
    entry.dimensions = dimensions_;
    entry.decoder = std::move(how);
    PythonFiles python_files;
    return make_model(entry, 2, 1, python_files);
  }
  std::string refusal(config::DecoderEntry how) {
    const auto made = model(std::move(how));
    return made ? "" : made.error().text();
  }
  static std::vector<std::int64_t> shape(const std::vector<TensorSignature>& inputs, const std::string& name) {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& each) { return each.name == name; });
    return found == inputs.end() ? std::vector<std::int64_t>() : found->shape;
  }
  static std::string decoder_of(const work::Model& made) {
    return nlohmann::json::parse(work::json_of(made.source)).at("module").at("decoder").dump();
  }

  TemporaryFolder folder_{};
  std::vector<std::pair<std::string, std::int64_t>> dimensions_{
      {"head_size", 8}, {"key_heads", 3}, {"layers", 2}, {"vocabulary", 50}};
};

TEST_F(ModuleDecoders, OfAGrowingCacheHaveTheContextsRowsAndAnOpenLength) {
  const auto made = model({.context = 20, .cache = config::kFormOfFile, .new_tokens = 6});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->inputs.size(), 2 + 4);
  EXPECT_THAT(shape(made->inputs, "input_ids"), ElementsAre(2, 1));
  EXPECT_THAT(shape(made->inputs, "past_key_values.1.value"), ElementsAre(2, 3, 20, 8));
  EXPECT_THAT(shape(made->open_inputs, "past_key_values.1.value"), ElementsAre(2, 3, kOpenExtent, 8));
  EXPECT_EQ(made->decoding->cache, "growing");
  EXPECT_TRUE(made->decoding->grows());
  EXPECT_EQ(made->decoding->parts[3].input, "past_key_values.1.value");
  EXPECT_EQ(made->decoding->parts[3].output, 4) << "after logits and three parts";
  EXPECT_EQ(work::values_of(made->values, "input_ids")->range, std::pair(0.0, 49.0));
  EXPECT_EQ(work::values_of(made->values, "position_ids")->range, std::pair(20.0, 25.0));
  EXPECT_EQ(decoder_of(*made),
            R"({"form":"growing","head_size":8,"key_heads":3,"layers":2,"tokens":26,"vocabulary":50})");
}

TEST_F(ModuleDecoders, OfAStaticCacheHaveRowsOfItsCapacity) {
  const auto made = model({.context = 20, .cache = "static", .new_tokens = 6});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_THAT(shape(made->inputs, "past_key_values.0.key"), ElementsAre(2, 3, 64, 8));
  EXPECT_TRUE(made->open_inputs.empty());
  EXPECT_FALSE(made->decoding->grows());
}

TEST_F(ModuleDecoders, ReadAPromptWithoutACache) {
  const auto made = model({.is_prefill = true, .context = 20});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->inputs.size(), 2U);
  EXPECT_THAT(shape(made->inputs, "position_ids"), ElementsAre(2, 20));
  EXPECT_EQ(made->prompt_tokens, 20);
  EXPECT_FALSE(made->decoding);
}

TEST_F(ModuleDecoders, AreRefusedWithWhatIsMissing) {
  EXPECT_THAT(refusal({.context = 20, .cache = "delta"}), HasSubstr("has no delta cache"));
  EXPECT_THAT(refusal({.context = 20, .capacity = 64, .cache = "growing"}),
              HasSubstr("a growing cache has no capacity"));
  EXPECT_THAT(refusal({.context = 40, .capacity = 64, .cache = "static"}),
              HasSubstr("a cache of 64 rows has no room for a context of 40 and 32 new tokens"));
  dimensions_.pop_back();
  EXPECT_THAT(refusal({.context = 20, .cache = "growing"}), HasSubstr("vocabulary is missing"));
  dimensions_.emplace_back("words", 50);
  EXPECT_THAT(refusal({.context = 20, .cache = "growing"}), HasSubstr("no dimension words"));
}

}  // namespace
}  // namespace ngb::plan
