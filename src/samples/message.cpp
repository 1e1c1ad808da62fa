// SPDX-License-Identifier: Apache-2.0
#include "samples/message.h"

#include <nlohmann/json.hpp>

#include "samples/json_fields.h"

namespace ngb::samples {

using fields::get;
using nlohmann::json;

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

json body(const Hello& hello) { return {{"type", "hello"}, {"protocol", hello.protocol}, {"version", hello.version}}; }

Hello hello(const json& object) { return {get<int>(object, "protocol"), get<std::string>(object, "version")}; }

// None in a journal that was written before.
std::vector<TensorSignature> tensors(const json& object, const char* key) {
  return object.contains(key) ? fields::vector_of(object, key, tensor_from_json) : std::vector<TensorSignature>{};
}

json body(const Event& event) {
  json object = std::visit(Overloaded{[](const ProcessResult& result) -> json {
                                        return {{"event", "process"}, {"process", to_json(result)}};
                                      },
                                      [](const ModelWritten& model) -> json {
                                        return {{"event", "model"},
                                                {"model_id", model.model_id},
                                                {"file_sha256", model.file_sha256},
                                                {"file_bytes", model.file_bytes},
                                                {"wall_ns", model.wall_ns},
                                                {"inputs", to_json(model.inputs)},
                                                {"open_inputs", to_json(model.open_inputs)}};
                                      },
                                      [](const Environment& environment) -> json {
                                        return {{"event", "environment"}, {"environment", to_json(environment)}};
                                      },
                                      [](const Finished&) -> json { return {{"event", "finished"}}; }},
                           event.body);
  object["type"] = "event";
  object["sequence"] = event.sequence;
  return object;
}

Event event(const json& object) {
  Event event;
  event.sequence = get<std::uint64_t>(object, "sequence");
  const auto kind = get<std::string>(object, "event");
  if (kind == "process") {
    event.body = fields::value_of(process_result_from_json(fields::child(object, "process")));
  } else if (kind == "model") {
    event.body = ModelWritten{get<std::string>(object, "model_id"),
                              get<std::string>(object, "file_sha256"),
                              get<std::uint64_t>(object, "file_bytes"),
                              get<std::int64_t>(object, "wall_ns"),
                              tensors(object, "inputs"),
                              tensors(object, "open_inputs")};
  } else if (kind == "environment") {
    event.body = fields::value_of(environment_from_json(fields::child(object, "environment")));
  } else if (kind == "finished") {
    event.body = Finished{};
  } else {
    throw fields::FieldError("unknown event \"" + kind + "\"");
  }
  return event;
}

json body(const Progress& progress) {
  return {
      {"type", "progress"},          {"cell_id", progress.cell_id},   {"process_index", progress.process_index},
      {"attempt", progress.attempt}, {"phase", name(progress.phase)}, {"repetitions_done", progress.repetitions_done},
      {"doing", progress.doing},     {"remark", progress.remark}};
}

Progress progress(const json& object) {
  return {get<std::string>(object, "cell_id"),
          get<int>(object, "process_index"),
          get<int>(object, "attempt"),
          fields::value_of(parse_phase(get<std::string>(object, "phase"))),
          get<std::uint64_t>(object, "repetitions_done"),
          get<std::string>(object, "doing"),
          get<std::string>(object, "remark")};
}

json body(const Error& error) {
  return {{"type", "error"}, {"what", error.what}, {"where", error.where}, {"next", error.next}};
}

Error error(const json& object) {
  return {get<std::string>(object, "what"), get<std::string>(object, "where"), get<std::string>(object, "next")};
}

json body(const Job& job) { return {{"type", "job"}, {"job", to_json(job)}}; }
json body(const Follow& follow) {
  return {{"type", "follow"}, {"after", follow.after}, {"completed", follow.completed}};
}
json body(const Acknowledge& acknowledge) { return {{"type", "acknowledge"}, {"sequence", acknowledge.sequence}}; }
json body(const Stop&) { return {{"type", "stop"}}; }

// What delivery.h defines has its own form; only the type is added.
json typed(const char* type, json object) {
  object["type"] = type;
  return object;
}
json body(const Arrival& arrival) { return typed("arrival", to_json(arrival)); }
json body(const Ask& ask) { return typed("ask", to_json(ask)); }
json body(const Lacking& lacking) { return typed("lacking", to_json(lacking)); }
json body(const Tree& tree) { return typed("tree", to_json(tree)); }
json body(const Want& want) { return typed("want", to_json(want)); }
json body(const Installed& installed) { return typed("installed", to_json(installed)); }
json body(const Attach& attach) { return typed("attach", to_json(attach)); }
json body(const Describe&) { return {{"type", "describe"}}; }
json body(const Description& description) { return typed("description", to_json(description)); }
json body(const Inspect& inspect) { return typed("inspect", to_json(inspect)); }
json body(const Inspection& inspection) { return typed("inspection", to_json(inspection)); }
json body(const Adopt& adopt) { return typed("adopt", to_json(adopt)); }
json body(const InstallThere& install) { return typed("install", to_json(install)); }
json body(const Remove& remove) { return typed("remove", to_json(remove)); }
json body(const Removed& removed) { return typed("removed", to_json(removed)); }

// A stray byte in some compiler's message must not cost the record: it becomes U+FFFD.
std::string dump(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string encode(const ClientMessage& message) {
  return std::visit([](const auto& alternative) { return dump(body(alternative)); }, message);
}

std::string encode(const AgentMessage& message) {
  return std::visit([](const auto& alternative) { return dump(body(alternative)); }, message);
}

std::string encode(const Event& event) { return dump(body(event)); }

Result<ClientMessage> decode_client_message(std::string_view text) {
  return fields::parse_text("client message", text, [](const json& object) -> ClientMessage {
    const auto type = get<std::string>(object, "type");
    if (type == "hello") return hello(object);
    if (type == "job") return fields::value_of(job_from_json(fields::child(object, "job")));
    if (type == "follow") {
      return Follow{get<std::uint64_t>(object, "after"),
                    get<std::map<std::string, std::vector<int>>>(object, "completed")};
    }
    if (type == "acknowledge") return Acknowledge{get<std::uint64_t>(object, "sequence")};
    if (type == "stop") return Stop{};
    if (type == "ask") return fields::value_of(ask_from_json(object));
    if (type == "tree") return fields::value_of(tree_from_json(object));
    if (type == "attach") return fields::value_of(attach_from_json(object));
    if (type == "describe") return Describe{};
    if (type == "inspect") return fields::value_of(inspect_from_json(object));
    if (type == "adopt") return fields::value_of(adopt_from_json(object));
    if (type == "install") return fields::value_of(install_there_from_json(object));
    if (type == "remove") return fields::value_of(remove_from_json(object));
    throw fields::FieldError("unknown type \"" + type + "\"");
  });
}

Result<AgentMessage> decode_agent_message(std::string_view text) {
  return fields::parse_text("agent message", text, [](const json& object) -> AgentMessage {
    const auto type = get<std::string>(object, "type");
    if (type == "hello") return hello(object);
    if (type == "event") return event(object);
    if (type == "progress") return progress(object);
    if (type == "error") return error(object);
    if (type == "arrival") return fields::value_of(arrival_from_json(object));
    if (type == "lacking") return fields::value_of(lacking_from_json(object));
    if (type == "want") return fields::value_of(want_from_json(object));
    if (type == "installed") return fields::value_of(installed_from_json(object));
    if (type == "description") return fields::value_of(description_from_json(object));
    if (type == "inspection") return fields::value_of(inspection_from_json(object));
    if (type == "removed") return fields::value_of(removed_from_json(object));
    throw fields::FieldError("unknown type \"" + type + "\"");
  });
}

Result<Event> decode_event(std::string_view text) {
  return fields::parse_text("journal record", text, [](const json& object) { return event(object); });
}

}  // namespace ngb::samples
