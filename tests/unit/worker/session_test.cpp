// SPDX-License-Identifier: Apache-2.0
// Tests the worker with a plugin that returns invalid values.
#include "worker/plugin_session.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ngraphbench/tables.h"
#include "worker/plugin.h"

namespace ngb::worker {
namespace {

using samples::FailureKind;

// A plugin whose behaviour the test sets.
ngb_tensor told_output{};
ngb_status told_status = NGB_OK;
const char* told_message = "";
int closed = 0;
int identity = 0;

ngb_status say(ngb_error* error) {
  std::strncpy(error->message, told_message, sizeof error->message - 1);
  return told_status;
}

ngb_compiler plugin() {
  ngb_compiler table{};
  table.abi = NGB_ABI;
  table.struct_size = sizeof table;
  table.describe = [] { return "{}"; };
  table.open = [](const ngb_settings*, ngb_session** session, ngb_error* error) {
    *session = reinterpret_cast<ngb_session*>(&identity);
    return say(error);
  };
  table.run = [](ngb_session*, ngb_error* error) { return say(error); };
  table.read = [](ngb_session*, std::uint32_t, ngb_tensor* output, std::uint32_t* count, ngb_error*) {
    *count = 1;
    if (output != nullptr) *output = told_output;
    return NGB_OK;
  };
  table.inspect = [](ngb_session*, std::uint32_t index, const char** key, const char** value) -> std::int32_t {
    *key = "version\xff";
    *value = nullptr;
    return index == 0 ? 1 : 0;
  };
  table.close = [](ngb_session*) { ++closed; };
  return table;
}

class SessionOfAPlugin : public testing::Test {
 protected:
  void SetUp() override {
    told_output = {"y", NGB_F32, 1, &extent_, &value_, sizeof value_};
    told_status = NGB_OK;
    told_message = "";
    closed = 0;
  }
  [[nodiscard]] std::string complaint_about_output() {
    Session session(table_);
    EXPECT_TRUE(session.open({}));
    const auto outputs = session.outputs();
    return outputs ? "" : outputs.error().message;
  }
  ngb_compiler table_ = plugin();
  std::int64_t extent_ = 1;
  float value_ = 3;
};

TEST_F(SessionOfAPlugin, TranslatesEveryStatus) {
  EXPECT_EQ(failure_kind(NGB_INVALID_OPTION), FailureKind::invalid_option);
  EXPECT_EQ(failure_kind(NGB_INVALID_MODEL), FailureKind::invalid_model);
  EXPECT_EQ(failure_kind(NGB_UNSUPPORTED_OPERATOR), FailureKind::unsupported_operator);
  EXPECT_EQ(failure_kind(NGB_TOOLCHAIN_MISSING), FailureKind::toolchain_missing);
  EXPECT_EQ(failure_kind(NGB_IMPORT_ERROR), FailureKind::import_error);
  EXPECT_EQ(failure_kind(NGB_OUT_OF_MEMORY), FailureKind::out_of_memory);
  EXPECT_EQ(failure_kind(NGB_FALLBACK), FailureKind::fallback);
  EXPECT_EQ(failure_kind(NGB_DEVICE_LOST), FailureKind::device_lost);
  EXPECT_EQ(failure_kind(NGB_NO_DEVICE), FailureKind::no_device);
  EXPECT_EQ(failure_kind(NGB_INTERNAL), FailureKind::internal);
  EXPECT_EQ(failure_kind(NGB_COMPILER_FAILED), FailureKind::compiler_failed);
  EXPECT_EQ(failure_kind(NGB_NO_PROFILE), FailureKind::no_profile);
  EXPECT_EQ(failure_kind(static_cast<ngb_status>(15)), FailureKind::internal);
  for (const table::StatusRow& row : table::kStatuses) EXPECT_EQ(samples::name(failure_kind(row.status)), row.word);
}

TEST_F(SessionOfAPlugin, IsAlwaysClosed) {
  {
    Session session(table_);
  }
  EXPECT_EQ(closed, 0);  // never opened
  {
    Session session(table_);
    told_status = NGB_INTERNAL;
    EXPECT_FALSE(session.open({}));
  }
  EXPECT_EQ(closed, 1);
}

TEST_F(SessionOfAPlugin, ReceivesAnInterpreterAFolderAndAListener) {
  table_.open = [](const ngb_settings* settings, ngb_session** session, ngb_error*) {
    *session = reinterpret_cast<ngb_session*>(&identity);
    settings->report(settings->report_context, (std::string(settings->python) + " " + settings->cache_dir).c_str());
    return NGB_OK;
  };
  const work::Place place{.python = "python3"};
  samples::ProgressPage page;
  Session session(table_);
  EXPECT_TRUE(session.open({}, place, "/cache", &page));
  EXPECT_EQ(samples::read_remark(page), "python3 /cache");
}

TEST_F(SessionOfAPlugin, RunsOnTheDeviceOfTheOptionElseOnTheFirstDescribedOne) {
  static std::string device;
  table_.open = [](const ngb_settings* settings, ngb_session** session, ngb_error*) {
    *session = reinterpret_cast<ngb_session*>(&identity);
    device = settings->device;
    return NGB_OK;
  };
  const auto opened_on = [&](const work::Compiler& compiler) {
    Session session(table_);
    EXPECT_TRUE(session.open(compiler, {}));
    return device;
  };
  EXPECT_EQ(opened_on({}), "cpu");  // the description names none
  table_.describe = [] {
    return R"({"devices": ["cuda", "cpu"],
               "options": [{"name": "device", "type": "string", "values": ["cuda", "cpu"], "default": "cuda"}]})";
  };
  EXPECT_EQ(opened_on({}), "cuda");
  work::Compiler compiler;
  compiler.options = {{"device", "\"cpu\""}};
  EXPECT_EQ(opened_on(compiler), "cpu");
  compiler.options = {{"device", "cpu"}};
  EXPECT_EQ(opened_on(compiler), "cpu");
}

TEST(ProgressPage, TruncatesARemarkThatDoesNotFit) {
  samples::ProgressPage page;
  samples::write_remark(page, std::string(500, 'x'));
  EXPECT_EQ(samples::read_remark(page), std::string(192, 'x'));
  samples::write_remark(page, "short");
  EXPECT_EQ(samples::read_remark(page), "short");
}

TEST_F(SessionOfAPlugin, HasAMessageEvenIfThePluginGivesNone) {
  told_status = NGB_DEVICE_LOST;
  Session session(table_);
  const auto opened = session.open({});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, FailureKind::device_lost);
  EXPECT_FALSE(opened.error().message.empty());
}

TEST_F(SessionOfAPlugin, MakesTextsValid) {
  told_status = NGB_INTERNAL;
  told_message = "bad \xc3 byte";
  Session session(table_);
  EXPECT_EQ(session.open({}).error().message, "bad \xef\xbf\xbd byte");
  EXPECT_EQ(session.facts().count("version\xef\xbf\xbd"), 1U);
}

TEST_F(SessionOfAPlugin, ReadsOutputs) {
  Session session(table_);
  ASSERT_TRUE(session.open({}));
  const auto outputs = session.outputs();
  ASSERT_TRUE(outputs);
  EXPECT_EQ(outputs->at(0).signature, (TensorSignature{"y", DataType::f32, {1}}));
}

TEST_F(SessionOfAPlugin, RefusesImpossibleOutputs) {
  EXPECT_EQ(complaint_about_output(), "");
  told_output.size_bytes = 8;
  EXPECT_NE(complaint_about_output(), "");
  told_output.size_bytes = 4;
  told_output.data = nullptr;
  EXPECT_NE(complaint_about_output(), "");
  told_output.data = &value_;
  told_output.dtype = static_cast<ngb_dtype>(15);
  EXPECT_NE(complaint_about_output(), "");
  told_output.dtype = NGB_F32;
  extent_ = -1;
  EXPECT_NE(complaint_about_output(), "");
  told_output.shape = nullptr;
  EXPECT_NE(complaint_about_output(), "");
}

TEST(Plugin, FailsToOpenAFileThatIsNoPluginAndNamesIt) {
  const auto table = open_plugin("/dev/null");
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().where, "/dev/null");
  EXPECT_FALSE(open_plugin("/nonexistent/plugin.so"));
}

}  // namespace
}  // namespace ngb::worker
