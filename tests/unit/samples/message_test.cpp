// SPDX-License-Identifier: Apache-2.0
#include "samples/message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "samples/codec.h"
#include "samples/frame.h"
#include "work/job_parts.h"
#include "work/json_bounds.h"

namespace ngb::samples {
namespace {

ProcessResult full_result() {
  ProcessResult result;
  result.cell_id = "0123456789abcdef";
  result.process_index = 3;
  result.attempt = 2;
  result.environment_hash = "e";
  result.made_with = {"manifest", "worker", "package", "plugin", "exporter", "files", "model", "key", "reference"};
  result.started_unix_ns = 1'700'000'000'000'000'000;
  result.wall_ns = 5'000'000'000;
  result.phases = {{Phase::compile, 10, Known<std::int64_t>::of(9), Known<std::uint64_t>::unknown("no clear_refs")}};
  result.repetitions = {{2'000'000, 1, true}, {1'000'000, 4, false, 7, 1}};
  result.latencies_ns = {{}, {900'000, 1'100'000}};
  result.stop_reason = "repetitions";
  result.check = Check{"identity 2.15.0", 1000, Known<double>::of(0.5e-4), Known<double>::unknown("all zero")};
  result.check->finite_elements = 7;
  result.failure = Failure{FailureKind::crash, Phase::timed, "ended by signal 11", "look at the log", 11, std::nullopt};
  result.threads_used = Known<int>::of(1);
  result.facts = {{"version", "1.31.1"}};
  result.readings = {{"steal", "percent", "timed", Known<double>::of(0.25)}};
  result.log_path = "logs/a.log";
  return result;
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(JsonBounds, CountValuesContainersKeysAndDepthOutsideOfStrings) {
  constexpr work::JsonBounds kFew{4, 2, 2, 2};
  EXPECT_TRUE(work::check_bounds(R"({"a":1,"b":[2]})", kFew));
  EXPECT_TRUE(work::check_bounds(R"({"a,[{\"":"]:{{{{,,,,"})", kFew));
  EXPECT_FALSE(work::check_bounds("[1,2,3,4]", kFew)) << "values";
  EXPECT_FALSE(work::check_bounds("[[],[]]", kFew)) << "containers";
  EXPECT_FALSE(work::check_bounds(R"({"a":{"b":{"c":1}}})", kFew)) << "depth";
  EXPECT_TRUE(work::check_bounds("[1,", kFew)) << "the parser refuses it later";
}

TEST(JsonBounds, AcceptTheLongestProcess) {
  EXPECT_TRUE(work::check_bounds("[" + repeated("[1000,1,false],", 2'200'000) + "0]", kFromDevice));
}

TEST(Message, WithMillionsOfEmptyObjectsIsRefusedBeforeItIsParsed) {
  const auto refused = decode_agent_message(R"({"type":"hello","x":[)" + repeated("{},", 4'000'001) + "0]}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "not a valid agent message: holds more values than any message has");
  const auto deep = decode_agent_message(std::string(100'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().what, "not a valid agent message: too deeply nested");
}

TEST(LargestRecord, GrowsWithTheRepetitionsOfTheStudy) {
  work::Protocol protocol;
  EXPECT_LT(largest_record_bytes(protocol), 13U << 20U);
  EXPECT_LT(largest_record_bytes(protocol, 2), 25U << 20U);
  EXPECT_GT(largest_record_bytes(protocol, 2), largest_record_bytes(protocol) + (7U << 20U));
  protocol.repetitions = 1'000'000;
  EXPECT_EQ(largest_record_bytes(protocol), kMaxFrameBytes);
}

TEST(LargestRecord, HoldsAllProcessesOfARoundInTurns) {
  work::Protocol protocol;
  EXPECT_EQ(largest_record_bytes(protocol, 1, 3), largest_record_bytes(protocol));
  protocol.turns = 2;
  EXPECT_EQ(largest_record_bytes(protocol, 1, 3), 3 * largest_record_bytes(protocol));
  EXPECT_EQ(largest_record_bytes(protocol, 1, 0), largest_record_bytes(protocol)) << "a job for reference outputs";
}

TEST(LargestRecord, GrowsWithTheRequestsOfTheStudy) {
  work::Protocol protocol;
  protocol.arrivals = work::Arrivals{.requests_per_s = 1e6, .requests = 400'000};
  EXPECT_GT(largest_record_bytes(protocol), 14'806'352U);  // what such a process of a conv_block was
  protocol.arrivals->requests = 1'000'000;
  EXPECT_GT(largest_record_bytes(protocol), 37'000'000U);
}

TEST(Message, AProcessResultSurvivesEncodingInEveryField) {
  const ProcessResult result = full_result();
  const std::string text = encode(AgentMessage(Event{7, result}));
  const auto decoded = decode_agent_message(text);
  ASSERT_TRUE(decoded) << decoded.error().text();
  const Event& event = std::get<Event>(*decoded);
  EXPECT_EQ(event.sequence, 7U);
  EXPECT_EQ(work::write_json(std::get<ProcessResult>(event.body)), work::write_json(result));
  EXPECT_EQ(std::get<ProcessResult>(event.body).repetitions[1].inferences, 4U);
  EXPECT_EQ(std::get<ProcessResult>(event.body).failure->signal, 11);
  EXPECT_EQ(std::get<ProcessResult>(event.body).phases[0].peak_rss_bytes.reason, "no clear_refs");
}

TEST(Message, ARecordOfSeveralEventsSurvivesEncoding) {
  const std::vector<Event> events{{7, full_result()}, {8, Finished{}}};
  const auto message = decode_agent_message(encode(events));
  ASSERT_TRUE(message) << message.error().text();
  EXPECT_EQ(encode(std::get<Events>(*message).events), encode(events));
  const auto record = decode_record(encode(events));
  ASSERT_TRUE(record) << record.error().text();
  EXPECT_EQ(encode(*record), encode(events));
}

TEST(Message, AJobSurvivesEncodingInEveryField) {
  work::Job job;
  job.run_id = "run";
  job.device = "local";
  job.protocol.warm_up = 2;
  job.protocol.stop_when = work::StopWhen{};
  job.limits.memory_bytes = 1ULL << 33;
  job.task = work::Task::make_references;
  job.accepts_new_build = true;
  job.compilers = {{"identity", "2.15.0", {{"a", "1"}}, {{"b", "\"c\""}}, 4, "all", std::nullopt, 3, "bf16", "mine"}};
  job.places = {{"identity", "2.15.0", "python", "/t", "python3", "/t", "manifest", "no wheel"}};
  job.reference = job.exporter = job.compilers[0];
  job.models = {{{.key = {"hash", 4}, .label = "resnet18", .family = "resnet", .parameters = 7},
                 work::Module{"{}"},
                 "",
                 {{"input", DataType::f32, {4, 3, 224, 224}}},
                 {{"input", DataType::f32, {-1, 3, 224, 224}}},
                 {{"model/net.py", "/home/net.py", "00ff"}},
                 {{.input = "input", .range = {{0, 1}}}, {.input = "ids", .file = "inputs/1/a.npz", .array = "b"}},
                 "",
                 "labels/1/y.npy",
                 true}};
  job.models[0].exact = {job.models[0]};
  job.given_references = {{0, "references/00ff/outputs.ref", "key", "no PyTorch"}};
  job.cells = {{"c", "", 0, 0}};
  job.groups = {{"", 0, {{0, 0}, {0, 1}}}};
  const auto decoded = decode_client_message(encode(ClientMessage(job)));
  ASSERT_TRUE(decoded) << decoded.error().text();
  const auto& read = std::get<work::Job>(*decoded);
  EXPECT_EQ(work::write_json(read), work::write_json(job));
  EXPECT_EQ(read.compilers, job.compilers);
  EXPECT_EQ(read.places, job.places);
  EXPECT_EQ(read.models[0].files, job.models[0].files);
  EXPECT_EQ(read.models[0].values, job.models[0].values);
  EXPECT_EQ(work::json_of(read.models[0].source), "{}");
  EXPECT_EQ(read.groups[0].steps[1].process_index, 1);
}

// The models, cells and groups of a job arrive whole, and no message is larger than allowed.
TEST(Message, AJobOfAnySizeIsSentInParts) {
  work::Job job;
  job.run_id = "run";
  for (int model = 0; model < 40; ++model) {
    job.models.push_back({{.key = {fmt::format("m{}", model)}}, work::Recipe{std::string(100'000, 'x')}});
  }
  job.groups = {{"", 0, {}}, {"", 1, {{0, 0}}}};
  for (int cell = 0; cell < 200'000; ++cell) {
    job.cells.push_back({fmt::format("{}", cell), "", cell % 2, 0});
    job.groups[0].steps.push_back({cell, 0});
  }
  work::JobParts parts(job, kMaxFrameBytes);
  std::optional<work::Job> whole;
  int count = 0;
  for (auto message = parts.next();; message = parts.next(), ++count) {
    ASSERT_TRUE(message);
    if (!message->has_value()) break;
    const std::string text = std::visit([](auto& each) { return encode(ClientMessage(each)); }, **message);
    EXPECT_LT(text.size(), 2 * work::kPartBytes);
    auto decoded = decode_client_message(text);
    ASSERT_TRUE(decoded) << decoded.error().text();
    if (!whole) {
      whole = std::get<work::Job>(*decoded);
    } else {
      ASSERT_TRUE(whole->continues);
      append(*whole, std::get<work::JobPart>(*std::move(decoded)));
    }
  }
  EXPECT_GT(count, 5);
  EXPECT_EQ(work::write_json(*whole), work::write_json(job));
}

TEST(Message, AModelThatIsTooLargeForAMessageIsNamed) {
  work::Job job;
  job.models.push_back({{.label = "large"}, work::Recipe{std::string(kMaxFrameBytes, 'x')}});
  work::JobParts parts(job, kMaxFrameBytes);
  ASSERT_TRUE(parts.next());
  const auto refused = parts.next();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("model large cannot be sent"), std::string::npos);
}

TEST(Message, CompletedProcessesAreSentInParts) {
  std::map<std::string, std::vector<int>> processes;
  for (int cell = 0; cell < 100'000; ++cell) processes[fmt::format("{:016x}", cell)] = {0, 1};
  std::map<std::string, std::vector<int>> whole;
  const std::vector<Completed> parts = completed_parts({{{.worker_sha256 = "w"}, "e", processes}});
  EXPECT_GT(parts.size(), 1U);
  for (const Completed& part : parts) {
    EXPECT_LT(encode(ClientMessage(part)).size(), 2 * work::kPartBytes);
    EXPECT_EQ(part.made_with.worker_sha256, "w");
    whole.insert(part.processes.begin(), part.processes.end());
  }
  EXPECT_EQ(whole, processes);
}

TEST(Message, AFieldThatIsMissingOrOfTheWrongTypeIsNamed) {
  EXPECT_EQ(decode_client_message(R"({"type":"follow"})").error().what,
            "not a valid client message: \"after\" is missing");
  EXPECT_EQ(decode_client_message(R"({"type":"follow","after":"x"})").error().what,
            "not a valid client message: \"after\" has the wrong type (string)");
  EXPECT_EQ(decode_agent_message(R"({"type":"sing"})").error().what,
            "not a valid agent message: unknown type \"sing\"");
  EXPECT_FALSE(decode_agent_message("{"));
  EXPECT_FALSE(decode_agent_message("[]"));
  EXPECT_FALSE(decode_record(R"({"sequence":1,"body":{"type":"process","cell_id":3}})"));
}

TEST(Message, ANumberThatIsNotAnIntegerInRangeIsRefusedAndNotConverted) {
  for (const std::string_view sequence : {"1.5", "333333333333333333334", "-1", "1e300"}) {
    const auto decoded = decode_client_message(fmt::format(R"({{"type":"acknowledge","sequence":{}}})", sequence));
    ASSERT_FALSE(decoded) << sequence;
    EXPECT_NE(decoded.error().text().find("\"sequence\" is not an integer within its range"), std::string::npos);
  }
  const auto completed =
      decode_client_message(R"({"type":"completed","made_with":)" + work::write_json(Provenance{}).dump() +
                            R"(,"environment_hash":"","processes":{"a":[0, 1e12]}})");
  EXPECT_FALSE(completed);
}

TEST(Message, AnInvalidByteInACompilersMessageDoesNotLoseTheRecord) {
  ProcessResult result = full_result();
  result.failure->message = "bad \xC3 byte";
  const auto decoded = decode_record(encode(Event{1, result}));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<ProcessResult>(decoded->front().body).failure->message, "bad \xEF\xBF\xBD byte");
}

TEST(Message, CompletedProcessesSurviveEncodingInEveryField) {
  const Completed sent{{.manifest_sha256 = "m", .worker_sha256 = "w", .model_sha256 = "f"}, "e", {{"a", {0, 2}}}};
  const auto decoded = decode_client_message(encode(ClientMessage(sent)));
  ASSERT_TRUE(decoded) << decoded.error().text();
  const auto& read = std::get<Completed>(*decoded);
  EXPECT_EQ(work::write_json(read.made_with), work::write_json(sent.made_with));
  EXPECT_EQ(read.environment_hash, "e");
  EXPECT_EQ(read.processes, sent.processes);
}

TEST(Provenance, ItsBuildDoesNotDependOnTheModel) {
  const Provenance one{.manifest_sha256 = "m", .worker_sha256 = "w", .model_sha256 = "1", .reference_sha256 = "1"};
  Provenance other = one;
  other.model_sha256 = other.files_sha256 = other.reference_key = other.reference_sha256 = "2";
  EXPECT_EQ(other.build(), one.build());
  other.plugin_sha256 = "p";
  EXPECT_NE(other.build(), one.build());
  EXPECT_EQ(Provenance{}.build(), "") << "nothing is known";
}

TEST(Environment, TheHashIgnoresEntriesThatAreNotPartOfTheIdentity) {
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
