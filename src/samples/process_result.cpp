// SPDX-License-Identifier: Apache-2.0
#include "samples/process_result.h"

#include <nlohmann/json.hpp>

#include "samples/json_fields.h"

namespace ngb::samples {

using fields::get;
using fields::get_known;
using fields::get_optional;
using nlohmann::json;

namespace {

json phase_use_json(const PhaseUse& use) {
  return {{"phase", name(use.phase)},
          {"wall_ns", use.wall_ns},
          {"cpu_ns", fields::to_json(use.cpu_ns)},
          {"peak_rss_bytes", fields::to_json(use.peak_rss_bytes)}};
}

PhaseUse phase_use(const json& object) {
  return {fields::value_of(parse_phase(get<std::string>(object, "phase"))), get<std::int64_t>(object, "wall_ns"),
          get_known<std::int64_t>(object, "cpu_ns"), get_known<std::uint64_t>(object, "peak_rss_bytes")};
}

json check_json(const Check& check) {
  return {{"reference", check.reference},
          {"compared_elements", check.compared_elements},
          {"max_absolute_error", fields::to_json(check.max_absolute_error)},
          {"max_relative_error", fields::to_json(check.max_relative_error)}};
}

Check check(const json& object) {
  return {get<std::string>(object, "reference"), get<std::uint64_t>(object, "compared_elements"),
          get_known<double>(object, "max_absolute_error"), get_known<double>(object, "max_relative_error")};
}

json failure_json(const Failure& failure) {
  return {{"kind", name(failure.kind)},
          {"phase", name(failure.phase)},
          {"message", failure.message},
          {"advice", failure.advice},
          {"signal", fields::to_json(failure.signal)},
          {"exit_code", fields::to_json(failure.exit_code)}};
}

Failure failure(const json& object) {
  return {fields::value_of(parse_failure_kind(get<std::string>(object, "kind"))),
          fields::value_of(parse_phase(get<std::string>(object, "phase"))),
          get<std::string>(object, "message"),
          get<std::string>(object, "advice"),
          get_optional<int>(object, "signal"),
          get_optional<int>(object, "exit_code")};
}

json reading_json(const Reading& reading) {
  return {{"quantity", reading.quantity},
          {"unit", reading.unit},
          {"when", reading.when},
          {"value", fields::to_json(reading.value)}};
}

Reading reading(const json& object) {
  return {get<std::string>(object, "quantity"), get<std::string>(object, "unit"), get<std::string>(object, "when"),
          get_known<double>(object, "value")};
}

// A repetition is [wall_ns, inferences, is_warm_up]: there are many.
json repetition_json(const Repetition& repetition) {
  return json::array({repetition.wall_ns, repetition.inferences, repetition.is_warm_up});
}

Repetition repetition(const json& triple) {
  if (!triple.is_array() || triple.size() != 3) throw fields::FieldError("a repetition is not an array of 3");
  return {fields::as<std::int64_t>(triple[0], "repetitions"), fields::as<std::uint32_t>(triple[1], "repetitions"),
          triple[2].get<bool>()};
}

}  // namespace

json to_json(const ProcessResult& result) {
  return {{"cell_id", result.cell_id},
          {"process_index", result.process_index},
          {"attempt", result.attempt},
          {"environment_hash", result.environment_hash},
          {"started_unix_ns", result.started_unix_ns},
          {"wall_ns", result.wall_ns},
          {"phases", fields::array_of(result.phases, phase_use_json)},
          {"repetitions", fields::array_of(result.repetitions, repetition_json)},
          {"stop_reason", result.stop_reason},
          {"is_steady", result.is_steady},
          {"check", result.check ? check_json(*result.check) : json(nullptr)},
          {"failure", result.failure ? failure_json(*result.failure) : json(nullptr)},
          {"threads_used", fields::to_json(result.threads_used)},
          {"facts", result.facts},
          {"readings", fields::array_of(result.readings, reading_json)},
          {"log_path", result.log_path}};
}

Result<ProcessResult> process_result_from_json(const json& object) {
  return fields::parse("process result", [&] {
    ProcessResult result;
    result.cell_id = get<std::string>(object, "cell_id");
    result.process_index = get<int>(object, "process_index");
    result.attempt = get<int>(object, "attempt");
    result.environment_hash = get<std::string>(object, "environment_hash");
    result.started_unix_ns = get<std::int64_t>(object, "started_unix_ns");
    result.wall_ns = get<std::int64_t>(object, "wall_ns");
    result.phases = fields::vector_of(object, "phases", phase_use);
    result.repetitions = fields::vector_of(object, "repetitions", repetition);
    result.stop_reason = get<std::string>(object, "stop_reason");
    result.is_steady = get<bool>(object, "is_steady");
    if (!fields::child(object, "check").is_null()) result.check = check(object["check"]);
    if (!fields::child(object, "failure").is_null()) result.failure = failure(object["failure"]);
    result.threads_used = get_known<int>(object, "threads_used");
    result.facts = get<std::map<std::string, std::string>>(object, "facts");
    result.readings = fields::vector_of(object, "readings", reading);
    result.log_path = get<std::string>(object, "log_path");
    return result;
  });
}

}  // namespace ngb::samples
