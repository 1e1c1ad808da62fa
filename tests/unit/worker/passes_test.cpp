// SPDX-License-Identifier: Apache-2.0
// Tests passes with a made-up compiler: a step adds its token to the sum of the rows before it. It returns the sum, and
// a cache whose new row is the token.
#include "worker/passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "worker/check.h"

namespace ngb::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kRows = 8;
constexpr int kContext = 3;
constexpr int kSteps = 4;

// The made-up compiler. Its caches are [1, 1, rows, 1].
struct Adder {
  bool returns_rows = true;  // else the whole cache
  bool feeds_back = false;   // by itself
  bool reads_stale_rows = false;
  std::int64_t fails_at = -1;  // run
  std::vector<ngb_tensor> inputs{};
  std::array<float, kRows> past{};  // as it was bound
  std::array<float, kRows> present{};
  float sum = 0;
  std::int64_t id = 0;
  std::int64_t row = 0;
  std::vector<std::int64_t> positions{};
  int binds = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> seen{};  // of a mask: its sum and its length
};
Adder adder{};

float* cache_of_host() { return static_cast<float*>(adder.inputs[2].data); }

ngb_status bind_adder(ngb_session*, const ngb_tensor* inputs, std::uint32_t count, ngb_error*) {
  adder.inputs.assign(inputs, inputs + count);
  std::copy_n(cache_of_host(), kRows, adder.past.begin());
  ++adder.binds;
  return NGB_OK;
}

ngb_status run_adder(ngb_session*, ngb_error*) {
  if (std::ssize(adder.positions) == adder.fails_at) return NGB_DEVICE_LOST;
  const std::int64_t position = *static_cast<const std::int64_t*>(adder.inputs[1].data);
  adder.positions.push_back(position);
  if (adder.inputs.size() > 3) {
    const auto* const mask = static_cast<const std::int64_t*>(adder.inputs[3].data);
    const std::int64_t length = adder.inputs[3].shape[1];
    adder.seen.emplace_back(std::accumulate(mask, mask + length, std::int64_t{0}), length);
  }
  adder.id = *static_cast<const std::int64_t*>(adder.inputs[0].data);
  if (adder.feeds_back) std::copy_n(cache_of_host(), kRows, adder.past.begin());
  const auto end = adder.past.begin() + (adder.reads_stale_rows ? position + 1 : position);
  adder.sum = std::accumulate(adder.past.begin(), end, static_cast<float>(adder.id));
  adder.present = adder.past;
  adder.present.at(static_cast<std::size_t>(position)) = static_cast<float>(adder.id);
  if (adder.feeds_back) cache_of_host()[adder.row++] = static_cast<float>(adder.id);
  return NGB_OK;
}

ngb_status read_adder(ngb_session*, std::uint32_t index, ngb_tensor* output, std::uint32_t* count, ngb_error*) {
  static const std::array<std::int64_t, 1> kSum{1};
  static const std::array<std::int64_t, 4> kWhole{1, 1, kRows, 1};
  static const std::array<std::int64_t, 4> kRow{1, 1, 1, 1};
  *count = 2;
  if (output == nullptr) return NGB_OK;
  if (index == 0) {
    *output = {"sum", NGB_F32, 1, kSum.data(), &adder.sum, sizeof adder.sum};
  } else if (adder.returns_rows) {
    *output = {"present",    NGB_F32, 4, kRow.data(), &adder.present[static_cast<std::size_t>(adder.positions.back())],
               sizeof(float)};
  } else {
    *output = {"present", NGB_F32, 4, kWhole.data(), adder.present.data(), sizeof adder.present};
  }
  return NGB_OK;
}

ngb_status feed_adder(ngb_session*, const ngb_feedback* pairs, std::uint32_t count, std::int64_t row,
                      std::uint64_t* copied_bytes, ngb_error*) {
  if (count == 2) {
    EXPECT_EQ(pairs[1].input, 3U);
    EXPECT_EQ(pairs[1].output, NGB_LENGTHENED);
    EXPECT_EQ(pairs[1].axis, 1);
  }
  EXPECT_EQ(pairs[0].input, 2U);
  EXPECT_EQ(pairs[0].output, 1U);
  adder.row = row;
  *copied_bytes = adder.feeds_back ? 4 : NGB_FED_BY_HOST;
  return NGB_OK;
}

class PassesOfAModel : public testing::Test {
 protected:
  void SetUp() override {
    adder = {};
    model_.inputs = {{"ids", DataType::i64, {1, 1}}, {"at", DataType::i64, {1}}, {"past", DataType::f32, {1, 1, 8, 1}}};
    model_.values = {{.input = "ids", .range = {{1, 9}}}};
    model_.decoding = work::Decoding{
        .new_tokens = kSteps, .context = kContext, .ids = "ids", .counters = {{"at", 0}}, .bytes_per_token = 77};
    compiler_.bind = bind_adder;
    compiler_.run = run_adder;
    compiler_.read = read_adder;
    compiler_.feed_back = feed_adder;
  }
  // Runs passes after a first one whose outputs are kept. Returns how many were completed.
  std::size_t run(std::size_t passes) {
    model_.decoding->parts = {{"past", 1, adder.returns_rows ? 2 : -1}};
    inputs_ = Inputs::make(model_.inputs, 1).value();
    EXPECT_EQ(
        bind_adder(nullptr, inputs_->tensors().data(), static_cast<std::uint32_t>(inputs_->tensors().size()), nullptr),
        NGB_OK);
    passes_ = Passes::make(model_, 1, {&compiler_, nullptr, &error_, &done_}, *inputs_).value();
    passes_->keep_next();
    walls_.assign(passes, -1);
    begins_.assign(passes, -1);
    latencies_.assign(passes * kSteps, -1);
    return passes_->repeat({walls_, begins_}, latencies_, done_, &status_);
  }
  template <class T>
  [[nodiscard]] std::vector<T> kept(std::size_t output) const {
    const OutputView view = passes_->outputs().at(output);
    const T* const data = static_cast<const T*>(view.data);
    return {data, data + view.signature.element_count()};
  }
  [[nodiscard]] double reading(const std::string& quantity) const {
    samples::ProcessResult result;
    passes_->add_to(result);
    for (const samples::Reading& each : result.readings) {
      if (each.quantity == quantity) return each.value.value.value_or(-1);
    }
    return -1;
  }
  work::Model model_{};
  ngb_compiler compiler_{};
  ngb_error error_{};
  samples::RunCount done_{};
  std::optional<Inputs> inputs_{};
  std::optional<Passes> passes_{};
  std::vector<std::int64_t> walls_{};
  std::vector<std::int64_t> begins_{};
  std::vector<std::int64_t> latencies_{};
  ngb_status status_ = NGB_OK;
};

// Every step's sum has all tokens before it, which are the rows of the context and the tokens of the pass.
TEST_F(PassesOfAModel, FeedEachStepWithWhatTheStepsBeforeItHaveReturned) {
  for (const bool returns_rows : {true, false}) {
    for (const bool feeds_back : {false, true}) {
      adder = {.returns_rows = returns_rows, .feeds_back = feeds_back};
      ASSERT_EQ(run(2), 2U);
      EXPECT_THAT(adder.positions, ElementsAre(3, 4, 5, 6, 3, 4, 5, 6));
      const std::vector<float> sums = kept<float>(0);
      const std::vector<float> rows = kept<float>(1);
      ASSERT_EQ(sums.size(), 4U);
      ASSERT_EQ(rows.size(), 4U);
      for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(sums[i] - sums[i - 1], rows[i], 1e-5);
      EXPECT_EQ(passes_->outputs()[0].signature.shape, (std::vector<std::int64_t>{4, 1}));
      EXPECT_EQ(reading("copied_bytes_per_token"), returns_rows || feeds_back ? 4 : 32);
      EXPECT_EQ(adder.binds, feeds_back ? 1 : 9) << "bound by the host before each step that it feeds";
    }
  }
}

TEST_F(PassesOfAModel, HaveTheSameTokensWhateverFeedsThemAndDifferentOnesFromStepToStep) {
  ASSERT_EQ(run(1), 1U);
  const std::vector<float> rows = kept<float>(1);
  EXPECT_GT(std::set<float>(rows.begin(), rows.end()).size(), 1U);
  for (const float id : rows) EXPECT_TRUE(id >= 1 && id <= 9) << id;
  adder = {.returns_rows = false, .feeds_back = true};
  ASSERT_EQ(run(1), 1U);
  EXPECT_EQ(kept<float>(1), rows);
}

TEST_F(PassesOfAModel, ReturnToTheSameStart) {
  ASSERT_EQ(run(1), 1U);
  const std::vector<float> first = kept<float>(0);
  passes_->keep_next();
  ASSERT_EQ(passes_->repeat({walls_, begins_}, {}, done_, &status_), 1U);
  EXPECT_EQ(kept<float>(0), first);
  EXPECT_EQ(done_.repetitions, 2U);
}

// A row that is not written yet is 1000, and what is compared is about 1 to 40.
TEST_F(PassesOfAModel, FindOutACompilerThatReadsRowsWhichNoTokenHasWritten) {
  ASSERT_EQ(run(1), 1U);
  const std::vector<float> right = kept<float>(0);
  const OutputView reference{passes_->outputs()[0].signature, right.data()};
  for (int i = 0; i < 10; ++i) {
    adder = {.feeds_back = i % 2 == 0, .reads_stale_rows = true};
    ASSERT_EQ(run(1), 1U);
    const std::vector<OutputView> outputs = passes_->outputs();
    const Verdict verdict = compare(std::span(outputs).first(1), std::span(&reference, 1), "right", {1e-4, 1e-3});
    ASSERT_TRUE(verdict.difference);
    EXPECT_THAT(*verdict.difference, HasSubstr("sum"));
  }
}

// The context is 3 tokens.
TEST_F(PassesOfAModel, ShowEachStepTheTokensUpToItsOwn) {
  model_.inputs.push_back({"mask", DataType::i64, {1, 8}});
  model_.decoding->mask = "mask";
  ASSERT_EQ(run(1), 1U);
  EXPECT_THAT(adder.seen, ElementsAre(std::pair(4, 8), std::pair(5, 8), std::pair(6, 8), std::pair(7, 8)));
}

TEST_F(PassesOfAModel, MakeAMaskThatGrowsOneLongerAtEachStep) {
  model_.inputs.push_back({"mask", DataType::i64, {1, 4}});
  model_.decoding->mask = "mask";
  model_.decoding->mask_grows = true;
  ASSERT_EQ(run(2), 2U);
  EXPECT_THAT(adder.seen, ElementsAre(std::pair(4, 4), std::pair(5, 5), std::pair(6, 6), std::pair(7, 7),
                                      std::pair(4, 4), std::pair(5, 5), std::pair(6, 6), std::pair(7, 7)));
}

TEST_F(PassesOfAModel, CountTheTokensOfTheStepWhereAnInputDoes) {
  model_.inputs.push_back({"length", DataType::i32, {1}});
  model_.decoding->counters.push_back({"length", 1});
  const Inputs inputs = Inputs::make(model_.inputs, 1).value();
  model_.decoding->parts = {{"past", 1, 2}};
  auto passes = Passes::make(model_, 1, {&compiler_, nullptr, &error_, &done_}, inputs).value();
  ASSERT_EQ(bind_adder(nullptr, inputs.tensors().data(), 3, nullptr), NGB_OK);
  walls_.assign(1, -1);
  begins_.assign(1, -1);
  ASSERT_EQ(passes.repeat({walls_, begins_}, {}, done_, &status_), 1U);
  EXPECT_EQ(*static_cast<const std::int32_t*>(inputs.tensors()[3].data), 7);  // with the last step's token
}

TEST_F(PassesOfAModel, LastAsLongAsTheirStepsTogether) {
  ASSERT_EQ(run(3), 3U);
  for (std::size_t pass = 0; pass < 3; ++pass) {
    const auto first = latencies_.begin() + static_cast<std::ptrdiff_t>(pass * kSteps);
    EXPECT_EQ(std::accumulate(first, first + kSteps, std::int64_t{0}), walls_[pass]);
    EXPECT_GT(walls_[pass], 0);
  }
  EXPECT_EQ(reading("new_tokens"), 4);
  EXPECT_EQ(reading("cache_bytes"), 32);
  EXPECT_EQ(reading("bytes_per_token"), 77);
}

TEST_F(PassesOfAModel, EndWithTheStepThatFails) {
  adder.fails_at = 6;  // the third step of the second pass
  EXPECT_EQ(run(3), 1U);
  EXPECT_EQ(status_, NGB_DEVICE_LOST);
  EXPECT_EQ(walls_[1], -1);
}

TEST_F(PassesOfAModel, RefuseOutputsThatDoNotFitTheirInput) {
  adder.returns_rows = true;
  model_.inputs[2].shape = {1, 1, 8, 1};
  ASSERT_EQ(run(1), 1U);
  model_.decoding->parts = {{"past", 1, -1}};
  passes_ = Passes::make(model_, 1, {&compiler_, nullptr, &error_, &done_}, *inputs_).value();
  EXPECT_EQ(passes_->repeat({walls_, begins_}, {}, done_, &status_), 0U);
  EXPECT_EQ(status_, NGB_INVALID_MODEL);
  EXPECT_THAT(error_.message, HasSubstr("output 1 has 4 bytes and does not fit the input \"past\" of 32"));
}

// A made-up compiler whose model keeps the sum of all tokens that it has read.
struct Keeper {
  std::int64_t sum = 0;
  std::vector<ngb_tensor> inputs{};
  std::vector<std::vector<std::int64_t>> read{};   // the tokens of each run since the last reset
  std::vector<std::vector<std::int64_t>> shown{};  // places, and ones of the mask, of each run
  int resets = 0;
};
Keeper keeper{};

std::vector<std::int64_t> numbers_of(const ngb_tensor& tensor) {
  const auto* const data = static_cast<const std::int64_t*>(tensor.data);
  return {data, data + tensor.size_bytes / sizeof *data};
}

ngb_status run_keeper(ngb_session*, ngb_error*) {
  keeper.read.push_back(numbers_of(keeper.inputs[0]));
  keeper.shown.push_back(numbers_of(keeper.inputs[1]));
  keeper.shown.push_back(numbers_of(keeper.inputs[2]));
  for (const std::int64_t token : keeper.read.back()) keeper.sum += token;
  return NGB_OK;
}

TEST(PassesOfAModelThatKeepsItsCache, BeginEmptyWithTheTokensOfTheContextOutsideOfTheTime) {
  keeper = {};
  work::Model model;
  model.inputs = {{"ids", DataType::i64, {1, 1}}, {"places", DataType::i64, {1, 1}}, {"mask", DataType::i64, {1, 4}}};
  model.values = {{.input = "ids", .range = {{1, 9}}}};
  model.decoding = work::Decoding{.new_tokens = 2,
                                  .context = 3,
                                  .ids = "ids",
                                  .counters = {{"places", 0}},
                                  .mask = "mask",
                                  .mask_grows = true,
                                  .is_stateful = true};
  ngb_compiler compiler{};
  compiler.bind = [](ngb_session*, const ngb_tensor* inputs, std::uint32_t count, ngb_error*) {
    keeper.inputs.assign(inputs, inputs + count);
    return NGB_OK;
  };
  compiler.run = run_keeper;
  compiler.read = [](ngb_session*, std::uint32_t, ngb_tensor* output, std::uint32_t* count, ngb_error*) {
    static const std::array<std::int64_t, 1> kOne{1};
    *count = 1;
    if (output != nullptr) *output = {"sum", NGB_I64, 1, kOne.data(), &keeper.sum, sizeof keeper.sum};
    return NGB_OK;
  };
  ngb_error error{};
  samples::RunCount done{};
  const Inputs inputs = Inputs::make(model.inputs, 1).value();
  EXPECT_EQ(Passes::make(model, 1, {&compiler, nullptr, &error, &done}, inputs).error().what,
            "this compiler cannot empty what a model keeps");
  compiler.reset_state = [](ngb_session*, ngb_error*) {
    keeper.sum = 0;
    keeper.read.clear();
    keeper.shown.clear();
    ++keeper.resets;
    return NGB_OK;
  };
  auto passes = Passes::make(model, 1, {&compiler, nullptr, &error, &done}, inputs).value();
  passes.keep_next();
  std::vector<std::int64_t> walls(2, -1);
  std::vector<std::int64_t> begins(2, -1);
  ngb_status status = NGB_OK;
  ASSERT_EQ(passes.repeat({walls, begins}, {}, done, &status), 2U);
  EXPECT_EQ(keeper.resets, 2);
  EXPECT_EQ(done.inferences, 4U);  // the prompts are none of them
  ASSERT_EQ(keeper.read.size(), 3U);
  ASSERT_EQ(keeper.read[0].size(), 3U);
  using Numbers = std::vector<std::int64_t>;
  EXPECT_THAT(keeper.shown, ElementsAre(Numbers{0, 1, 2}, Numbers{1, 1, 1}, Numbers{3}, Numbers{1, 1, 1, 1}, Numbers{4},
                                        Numbers{1, 1, 1, 1, 1}));
  const std::int64_t prompt = std::accumulate(keeper.read[0].begin(), keeper.read[0].end(), std::int64_t{0});
  const auto* const sums = static_cast<const std::int64_t*>(passes.outputs().front().data);
  EXPECT_EQ(sums[0], prompt + keeper.read[1][0]);
  EXPECT_EQ(sums[1], sums[0] + keeper.read[2][0]);
  samples::ProcessResult result;
  passes.add_to(result);
  EXPECT_EQ(result.facts["feeding_back"], "by the model, which keeps its cache");
  for (const samples::Reading& each : result.readings) EXPECT_NE(each.quantity, "cache_bytes");
}

TEST_F(PassesOfAModel, NeedTheInputsThatTheModelNames) {
  const Inputs inputs = Inputs::make(model_.inputs, 1).value();
  model_.decoding->counters = {{"place", 0}};
  const auto made = Passes::make(model_, 1, {&compiler_, nullptr, &error_, &done_}, inputs);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "there is no input \"place\"");
}

}  // namespace
}  // namespace ngb::worker
