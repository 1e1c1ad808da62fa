// SPDX-License-Identifier: Apache-2.0
#include "samples/message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ngb::samples {
namespace {

ProcessResult full_result() {
  ProcessResult result;
  result.cell_id = "0123456789abcdef";
  result.process_index = 3;
  result.attempt = 2;
  result.environment_hash = "e";
  result.started_unix_ns = 1'700'000'000'000'000'000;
  result.wall_ns = 5'000'000'000;
  result.phases = {{Phase::compile, 10, Known<std::int64_t>::of(9), Known<std::uint64_t>::unknown("no clear_refs")}};
  result.repetitions = {{2'000'000, 1, true}, {1'000'000, 4, false}};
  result.stop_reason = "repetitions";
  result.check = Check{"identity 2.15.0", 1000, Known<double>::of(0.5e-4), Known<double>::unknown("all zero")};
  result.failure = Failure{FailureKind::crash, Phase::timed, "ended by signal 11", "look at the log", 11, std::nullopt};
  result.threads_used = Known<int>::of(1);
  result.facts = {{"version", "1.31.1"}};
  result.readings = {{"steal", "percent", "timed", Known<double>::of(0.25)}};
  result.log_path = "logs/a.log";
  return result;
}

TEST(Message, AProcessResultSurvivesEncodingInEveryField) {
  const ProcessResult result = full_result();
  const std::string text = encode(AgentMessage(Event{7, result}));
  const auto decoded = decode_agent_message(text);
  ASSERT_TRUE(decoded) << decoded.error().text();
  const Event& event = std::get<Event>(*decoded);
  EXPECT_EQ(event.sequence, 7U);
  EXPECT_EQ(to_json(std::get<ProcessResult>(event.body)), to_json(result));
  EXPECT_EQ(std::get<ProcessResult>(event.body).repetitions[1].inferences, 4U);
  EXPECT_EQ(std::get<ProcessResult>(event.body).failure->signal, 11);
  EXPECT_EQ(std::get<ProcessResult>(event.body).phases[0].peak_rss_bytes.reason, "no clear_refs");
}

TEST(Message, AJobSurvivesEncodingInEveryField) {
  Job job;
  job.run_id = "run";
  job.device = "local";
  job.protocol.fixed_warm_up = 2;
  job.protocol.stop_when = Protocol::Precision{};
  job.protocol.memory_limit_bytes = 1ULL << 33;
  job.reference =
      CompilerWork{"identity", "2.15.0", "/t", "python", "python3", "/t", "f32", 1, {{"a", "1"}}, "no wheel"};
  job.only_references = true;
  job.models = {
      {.id = "m",
       .hash = "hash",
       .label = "resnet18",
       .batch = 4,
       .recipe_json = "{}",
       .files = {{"model/net.py", "/home/net.py", "00ff"}},
       .values = {{.input = "input", .range = {{0, 1}}}, {.input = "ids", .file = "inputs/1/a.npz", .array = "b"}},
       .inputs = {{"input", DataType::f32, {4, 3, 224, 224}}},
       .open_inputs = {{"input", DataType::f32, {-1, 3, 224, 224}}},
       .dynamic_batch = true}};
  job.exporter = CompilerWork{.name = "identity", .version = "2.15.0"};
  job.models[0].reference_path = "references/00ff/outputs.ref";
  job.models[0].no_reference = "no PyTorch";
  job.cells = {{"c", "m", *job.reference}};
  job.groups = {{"m", {{"c", 0}, {"c", 1}}}};
  const auto decoded = decode_client_message(encode(ClientMessage(job)));
  ASSERT_TRUE(decoded) << decoded.error().text();
  EXPECT_EQ(to_json(std::get<Job>(*decoded)), to_json(job));
}

TEST(Message, WhatIsMissingOrOfTheWrongTypeIsNamed) {
  EXPECT_EQ(decode_client_message(R"({"type":"follow"})").error().what,
            "not a valid client message: \"after\" is missing");
  EXPECT_EQ(decode_client_message(R"({"type":"follow","after":"x"})").error().what,
            "not a valid client message: \"after\" has the wrong type (string)");
  EXPECT_EQ(decode_agent_message(R"({"type":"sing"})").error().what,
            "not a valid agent message: unknown type \"sing\"");
  EXPECT_FALSE(decode_agent_message("{"));
  EXPECT_FALSE(decode_agent_message("[]"));
  EXPECT_FALSE(decode_event(R"({"sequence":1,"event":"process","process":{"cell_id":3}})"));
}

TEST(Message, AnIntegerThatIsNoneOrTooLargeIsRefusedAndNotConverted) {
  for (const std::string_view sequence : {"1.5", "333333333333333333334", "-1", "1e300"}) {
    const auto decoded = decode_client_message(fmt::format(R"({{"type":"acknowledge","sequence":{}}})", sequence));
    ASSERT_FALSE(decoded) << sequence;
    EXPECT_NE(decoded.error().text().find("\"sequence\" is not an integer within its range"), std::string::npos);
  }
  const auto completed = decode_client_message(R"({"type":"follow","after":0,"completed":{"a":[0, 1e12]}})");
  EXPECT_FALSE(completed);
}

TEST(Message, AStrayByteInACompilersMessageDoesNotCostTheRecord) {
  ProcessResult result = full_result();
  result.failure->message = "bad \xC3 byte";
  const auto decoded = decode_event(encode(Event{1, result}));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<ProcessResult>(decoded->body).failure->message, "bad \xEF\xBF\xBD byte");
}

TEST(Environment, TheHashIgnoresWhatIsNoPartOfTheIdentity) {
  Environment a;
  a.entries = {{"boot_id", "", Known<std::string>::of("1"), false}, {"cpu", "", Known<std::string>::of("x"), true}};
  Environment b = a;
  b.entries[0].value = Known<std::string>::of("2");
  EXPECT_EQ(a.hash(), b.hash());
  b.entries[1].value = Known<std::string>::of("y");
  EXPECT_NE(a.hash(), b.hash());
}

}  // namespace
}  // namespace ngb::samples
