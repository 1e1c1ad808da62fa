// SPDX-License-Identifier: Apache-2.0
// Makes the C table of a native plugin from its description, the text of compiler.json, and a class with the members
//   Session(const ngb_settings&, const Options&);  compile(const ngb_model&);  bind(const ngb_tensor*, uint32_t);
//   [load(const ngb_model&);]  [begin_to_read();]  output_count();  ngb_tensor read(uint32_t);  const Facts& facts()
//   const; [slots() const;  start(uint32_t, ngb_completed, void* context, ngb_error*);  finish(uint32_t);]
//   [begin_profile();  const KernelTable& end_profile(uint32_t inferences);]
//   [uint64_t feed_back(std::span<const ngb_feedback>, int64_t row);]
//   T run();  void fail(T);
// which may throw. `run` is the timed region: it returns the library's own status, 0 or null on success, and `fail`
// throws what another status stands for. A `run` that returns nothing throws itself.
#pragma once

#include <span>
#include <type_traits>

#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::plugin {

template <class Session>
Session& session_of(ngb_session* session) {
  return *reinterpret_cast<Session*>(session);
}

template <class Session>
ngb_status run_session(ngb_session* handle, ngb_error* error) {
  Session& session = session_of<Session>(handle);
  using Failed = decltype(session.run());
  if constexpr (std::is_void_v<Failed>) {
    return guarded(error, [&] { session.run(); });
  } else {
    const Failed failed = session.run();
    if (failed == Failed{}) [[likely]]
      return NGB_OK;
    return guarded(error, [&] { session.fail(failed); });
  }
}

// `begin_to_read` is called before the first output of a run is read.
template <class Session>
void read_output(Session& session, std::uint32_t index, ngb_tensor* output, std::uint32_t& count) {
  if constexpr (requires { session.begin_to_read(); }) {
    if (output == nullptr || index == 0) session.begin_to_read();
  }
  count = static_cast<std::uint32_t>(session.output_count());
  if (output == nullptr) return;
  if (index >= count) throw Failure(NGB_INTERNAL, "there is no output " + std::to_string(index));
  *output = session.read(index);
}

template <class Session, const char* kDescription>
ngb_compiler native_plugin() {
  ngb_compiler table{};
  table.abi = NGB_ABI;
  table.struct_size = sizeof(ngb_compiler);
  table.describe = [] { return kDescription; };
  table.open = [](const ngb_settings* settings, ngb_session** session, ngb_error* error) {
    return guarded(
        error, [&] { *session = reinterpret_cast<ngb_session*>(new Session(whole(settings), Options(*settings))); });
  };
  table.compile = [](ngb_session* session, const ngb_model* model, ngb_error* error) {
    return guarded(error, [&] { session_of<Session>(session).compile(whole(model)); });
  };
  if constexpr (requires(Session& session, const ngb_model& model) { session.load(model); }) {
    table.load = [](ngb_session* session, const ngb_model* model, ngb_error* error) {
      return guarded(error, [&] { session_of<Session>(session).load(whole(model)); });
    };
  }
  table.bind = [](ngb_session* session, const ngb_tensor* inputs, uint32_t count, ngb_error* error) {
    return guarded(error, [&] { session_of<Session>(session).bind(inputs, count); });
  };
  table.run = run_session<Session>;
  table.read = [](ngb_session* session, uint32_t index, ngb_tensor* output, uint32_t* count, ngb_error* error) {
    return guarded(error, [&] { read_output(session_of<Session>(session), index, output, *count); });
  };
  table.inspect = [](ngb_session* session, uint32_t index, const char** key, const char** value) -> int32_t {
    const Facts& facts = session_of<Session>(session).facts();
    if (index >= facts.size()) return 0;
    *key = facts[index].first.c_str();
    *value = facts[index].second.c_str();
    return 1;
  };
  if constexpr (requires(Session& session) { session.slots(); }) {
    table.slots = [](ngb_session* session) { return session_of<Session>(session).slots(); };
    table.start = [](ngb_session* session, uint32_t slot, ngb_completed completed, void* context, ngb_error* error) {
      return guarded(error, [&] { session_of<Session>(session).start(slot, completed, context, error); });
    };
    table.finish = [](ngb_session* session, uint32_t slot, ngb_error* error) {
      return guarded(error, [&] { session_of<Session>(session).finish(slot); });
    };
  }
  if constexpr (requires(Session& session) { session.begin_profile(); }) {
    table.begin_profile = [](ngb_session* session, ngb_error* error) {
      return guarded(error, [&] { session_of<Session>(session).begin_profile(); });
    };
    table.end_profile = [](ngb_session* session, uint32_t inferences, const ngb_kernel** kernels, uint32_t* count,
                           ngb_error* error) {
      return guarded(error, [&] {
        const KernelTable& told = session_of<Session>(session).end_profile(inferences);
        *kernels = told.data();
        *count = told.size();
      });
    };
  }
  if constexpr (requires(Session& session) { session.feed_back({}, 0); }) {
    table.feed_back = [](ngb_session* session, const ngb_feedback* pairs, uint32_t count, int64_t row,
                         uint64_t* copied_bytes, ngb_error* error) {
      return guarded(error,
                     [&] { *copied_bytes = session_of<Session>(session).feed_back(std::span(pairs, count), row); });
    };
  }
  if constexpr (requires(Session& session) { session.reset_state(); }) {
    table.reset_state = [](ngb_session* session, ngb_error* error) {
      return guarded(error, [&] { session_of<Session>(session).reset_state(); });
    };
  }
  table.close = [](ngb_session* session) { delete reinterpret_cast<Session*>(session); };
  return table;
}

}  // namespace ngb::plugin
