// SPDX-License-Identifier: Apache-2.0
#include "samples/job.h"

#include <nlohmann/json.hpp>

#include "samples/json_fields.h"

namespace ngb::samples {

using fields::get;
using fields::get_optional;
using nlohmann::json;

namespace {

json file_json(const UserFile& file) { return {{"name", file.name}, {"path", file.path}, {"sha256", file.sha256}}; }

UserFile file(const json& object) {
  return {get<std::string>(object, "name"), get<std::string>(object, "path"), get<std::string>(object, "sha256")};
}

json values_json(const InputValues& values) {
  json object{{"input", values.input}, {"file", values.file}, {"array", values.array}};
  if (values.range) object["range"] = *values.range;
  return object;
}

InputValues values(const json& object) {
  return {get<std::string>(object, "input"), get_optional<std::pair<double, double>>(object, "range"),
          get<std::string>(object, "file"), get<std::string>(object, "array")};
}

json model_json(const ModelWork& model) {
  return {{"id", model.id},
          {"hash", model.hash},
          {"label", model.label},
          {"batch", model.batch},
          {"recipe_json", model.recipe_json},
          {"reference_path", model.reference_path},
          {"no_reference", model.no_reference},
          {"files", fields::array_of(model.files, file_json)},
          {"values", fields::array_of(model.values, values_json)},
          {"inputs", to_json(model.inputs)},
          {"open_inputs", to_json(model.open_inputs)},
          {"dynamic_batch", model.dynamic_batch}};
}

ModelWork model(const json& object) {
  ModelWork work;
  work.id = get<std::string>(object, "id");
  work.hash = get<std::string>(object, "hash");
  work.label = get<std::string>(object, "label");
  work.batch = get<int>(object, "batch");
  work.recipe_json = get<std::string>(object, "recipe_json");
  work.reference_path = get_optional<std::string>(object, "reference_path").value_or("");
  work.no_reference = get_optional<std::string>(object, "no_reference").value_or("");
  if (object.contains("files")) work.files = fields::vector_of(object, "files", file);
  if (object.contains("values")) work.values = fields::vector_of(object, "values", values);
  work.inputs = fields::vector_of(object, "inputs", tensor_from_json);
  if (object.contains("open_inputs")) work.open_inputs = fields::vector_of(object, "open_inputs", tensor_from_json);
  work.dynamic_batch = get_optional<bool>(object, "dynamic_batch").value_or(false);
  return work;
}

CompilerWork compiler(const json& object) {
  CompilerWork work;
  work.name = get<std::string>(object, "name");
  work.version = get<std::string>(object, "version");
  work.toolchain_dir = get<std::string>(object, "toolchain_dir");
  work.host = get<std::string>(object, "host");
  work.python = get<std::string>(object, "python");
  work.python_path = get<std::string>(object, "python_path");
  work.precision = get<std::string>(object, "precision");
  work.threads = get<int>(object, "threads");
  work.options = get<std::vector<std::pair<std::string, std::string>>>(object, "options");
  work.why_missing = fields::get_optional<std::string>(object, "why_missing").value_or("");
  return work;
}

json cell_json(const CellWork& cell) {
  return {{"id", cell.id}, {"model_id", cell.model_id}, {"compiler", to_json(cell.compiler)}};
}

CellWork cell(const json& object) {
  return {get<std::string>(object, "id"), get<std::string>(object, "model_id"),
          compiler(fields::child(object, "compiler"))};
}

json group_json(const Group& group) {
  json steps = json::array();
  for (const Step& step : group.steps) steps.push_back({step.cell_id, step.process_index});
  return {{"model_id", group.model_id}, {"steps", std::move(steps)}};
}

Group group(const json& object) {
  Group work;
  work.model_id = get<std::string>(object, "model_id");
  for (const auto& [cell_id, process_index] : get<std::vector<std::pair<std::string, int>>>(object, "steps")) {
    work.steps.push_back({cell_id, process_index});
  }
  return work;
}

json precision_json(const Protocol::Precision& precision) {
  return {{"half_width_ratio", precision.half_width_ratio},
          {"min_repetitions", precision.min_repetitions},
          {"max_repetitions", precision.max_repetitions},
          {"max_ns", precision.max_ns}};
}

Protocol protocol(const json& object) {
  Protocol protocol;
  protocol.processes = get<int>(object, "processes");
  protocol.repetitions = get<int>(object, "repetitions");
  protocol.fixed_warm_up = get_optional<int>(object, "fixed_warm_up");
  protocol.min_repetition_ns = get<std::int64_t>(object, "min_repetition_ns");
  protocol.max_transient_ns = get<std::int64_t>(object, "max_transient_ns");
  if (const json& stop = fields::child(object, "stop_when"); !stop.is_null()) {
    protocol.stop_when = Protocol::Precision{get<double>(stop, "half_width_ratio"), get<int>(stop, "min_repetitions"),
                                             get<int>(stop, "max_repetitions"), get<std::int64_t>(stop, "max_ns")};
  }
  protocol.absolute_tolerance = get<double>(object, "absolute_tolerance");
  protocol.relative_tolerance = get<double>(object, "relative_tolerance");
  protocol.seed = get<std::uint64_t>(object, "seed");
  protocol.compile_timeout_ns = get<std::int64_t>(object, "compile_timeout_ns");
  protocol.run_timeout_ns = get<std::int64_t>(object, "run_timeout_ns");
  protocol.memory_limit_bytes = get_optional<std::uint64_t>(object, "memory_limit_bytes");
  protocol.attempts = get<int>(object, "attempts");
  return protocol;
}

json limits_json(const Limits& limits) {
  return {{"memory_bytes", fields::to_json(limits.memory_bytes)},
          {"free_disk_bytes", limits.free_disk_bytes},
          {"time_ns", fields::to_json(limits.time_ns)}};
}

Limits limits(const json& object) {
  return {get_optional<std::uint64_t>(object, "memory_bytes"), get<std::uint64_t>(object, "free_disk_bytes"),
          get_optional<std::int64_t>(object, "time_ns")};
}

}  // namespace

json to_json(const TensorSignature& tensor) {
  return {{"name", tensor.name}, {"type", name(tensor.type)}, {"shape", tensor.shape}};
}

json to_json(const std::vector<TensorSignature>& tensors) {
  return fields::array_of(tensors, [](const TensorSignature& tensor) { return to_json(tensor); });
}

TensorSignature tensor_from_json(const json& object) {
  return {get<std::string>(object, "name"), fields::value_of(parse_data_type(get<std::string>(object, "type"))),
          get<std::vector<std::int64_t>>(object, "shape")};
}

json to_json(const Protocol& protocol) {
  return {{"processes", protocol.processes},
          {"repetitions", protocol.repetitions},
          {"fixed_warm_up", fields::to_json(protocol.fixed_warm_up)},
          {"min_repetition_ns", protocol.min_repetition_ns},
          {"max_transient_ns", protocol.max_transient_ns},
          {"stop_when", protocol.stop_when ? precision_json(*protocol.stop_when) : json(nullptr)},
          {"absolute_tolerance", protocol.absolute_tolerance},
          {"relative_tolerance", protocol.relative_tolerance},
          {"seed", protocol.seed},
          {"compile_timeout_ns", protocol.compile_timeout_ns},
          {"run_timeout_ns", protocol.run_timeout_ns},
          {"memory_limit_bytes", fields::to_json(protocol.memory_limit_bytes)},
          {"attempts", protocol.attempts}};
}

json to_json(const CompilerWork& compiler) {
  return {{"name", compiler.name},
          {"version", compiler.version},
          {"toolchain_dir", compiler.toolchain_dir},
          {"host", compiler.host},
          {"python", compiler.python},
          {"python_path", compiler.python_path},
          {"precision", compiler.precision},
          {"threads", compiler.threads},
          {"options", compiler.options},
          {"why_missing", compiler.why_missing}};
}

json to_json(const Job& job) {
  return {{"run_id", job.run_id},
          {"device", job.device},
          {"protocol", to_json(job.protocol)},
          {"limits", limits_json(job.limits)},
          {"environment", job.environment},
          {"reference", job.reference ? to_json(*job.reference) : json(nullptr)},
          {"exporter", job.exporter ? to_json(*job.exporter) : json(nullptr)},
          {"reference_cache", job.reference_cache},
          {"only_references", job.only_references},
          {"models", fields::array_of(job.models, model_json)},
          {"cells", fields::array_of(job.cells, cell_json)},
          {"groups", fields::array_of(job.groups, group_json)}};
}

Result<Job> job_from_json(const json& object) {
  return fields::parse("job", [&] {
    Job job;
    job.run_id = get<std::string>(object, "run_id");
    job.device = get<std::string>(object, "device");
    job.protocol = protocol(fields::child(object, "protocol"));
    job.limits = limits(fields::child(object, "limits"));
    job.environment = get<std::vector<std::pair<std::string, std::string>>>(object, "environment");
    if (const json& reference = fields::child(object, "reference"); !reference.is_null()) {
      job.reference = compiler(reference);
    }
    if (const json& exporter = fields::child(object, "exporter"); !exporter.is_null()) {
      job.exporter = compiler(exporter);
    }
    job.reference_cache = get<std::string>(object, "reference_cache");
    job.only_references = get_optional<bool>(object, "only_references").value_or(false);
    job.models = fields::vector_of(object, "models", model);
    job.cells = fields::vector_of(object, "cells", cell);
    job.groups = fields::vector_of(object, "groups", group);
    return job;
  });
}

json to_json(const WorkerRequest& request) {
  return {{"task", request.task == WorkerRequest::Task::measure ? "measure" : "make_reference"},
          {"cell_id", request.cell_id},
          {"process_index", request.process_index},
          {"attempt", request.attempt},
          {"plugin_path", request.plugin_path},
          {"model_path", request.model_path},
          {"model", model_json(request.model)},
          {"compiler", to_json(request.compiler)},
          {"protocol", to_json(request.protocol)},
          {"reference_path", request.reference_path},
          {"reference_name", request.reference_name},
          {"reference_key", request.reference_key},
          {"cache_dir", request.cache_dir}};
}

Result<WorkerRequest> worker_request_from_json(const json& object) {
  return fields::parse("worker request", [&] {
    WorkerRequest request;
    const auto task = get<std::string>(object, "task");
    if (task != "measure" && task != "make_reference") throw fields::FieldError("unknown task \"" + task + "\"");
    request.task = task == "measure" ? WorkerRequest::Task::measure : WorkerRequest::Task::make_reference;
    request.cell_id = get<std::string>(object, "cell_id");
    request.process_index = get<int>(object, "process_index");
    request.attempt = get<int>(object, "attempt");
    request.plugin_path = get<std::string>(object, "plugin_path");
    request.model_path = get<std::string>(object, "model_path");
    request.model = model(fields::child(object, "model"));
    request.compiler = compiler(fields::child(object, "compiler"));
    request.protocol = protocol(fields::child(object, "protocol"));
    request.reference_path = get<std::string>(object, "reference_path");
    request.reference_name = get<std::string>(object, "reference_name");
    request.reference_key = get_optional<std::string>(object, "reference_key").value_or("");
    request.cache_dir = get<std::string>(object, "cache_dir");
    return request;
  });
}

}  // namespace ngb::samples
