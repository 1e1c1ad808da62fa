// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/fetching.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "dispatch/link/program.h"

namespace ngb::dispatch {
namespace {

// The program may download gigabytes over a slow line.
constexpr Nanoseconds kFetchPatience = std::chrono::hours(6);

Result<Fetched> answer_of(const Result<ProgramEnd>& end) {
  if (!end) return error_of(end);
  Result<Fetched> fetched = fetched_from_json(end->output);
  if (!fetched && end->output.empty()) {
    return fail("the program that fetches the toolchain ended without an answer: " + end->words);
  }
  return fetched;
}

}  // namespace

Result<Fetched> fetched_from_json(std::string_view text) {
  const nlohmann::json answer = json_text::parse(text);
  if (!answer.is_object()) return fail("the program that fetches the toolchain did not answer with a JSON object");
  try {
    if (answer.contains("error")) {
      const nlohmann::json& error = answer.at("error");
      return tl::unexpected(Error{error.at("what"), error.at("where"), error.at("next")});
    }
    if (answer.contains("folder")) return Fetched{answer.at("folder").get<std::string>(), {}, {}};
    return Fetched{{}, answer.at("requirements"), answer.at("manifest")};
  } catch (const nlohmann::json::exception& exception) {
    return fail(exception.what());
  }
}

asio::awaitable<Result<Fetched>> Fetching::fetch(Loop& loop, const std::vector<std::string>& command) {
  const auto known = rounds_.find(command);
  if (known != rounds_.end()) {
    const std::shared_ptr<Round> round = known->second;
    while (!round->is_over) co_await round->done.wait_regardless(std::chrono::hours(1));
    co_return round->fetched;
  }
  const std::shared_ptr<Round> round = std::make_shared<Round>(loop);
  rounds_[command] = round;
  const Result<ProgramEnd> end = co_await run_program(loop, command, kNoInput, kFetchPatience, true);
  round->fetched = answer_of(end);
  round->is_over = true;
  round->done.ring();
  co_return round->fetched;
}

}  // namespace ngb::dispatch
