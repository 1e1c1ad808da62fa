// SPDX-License-Identifier: Apache-2.0
// A compiler for tests only: the plugin of ONNX Runtime, whose inferences are followed by a busy wait of a share of
// their own time. It finds that plugin beside its own folder.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "slowed_description.h"

// The host knows a session only by its address; this one holds the wrapped plugin's.
struct ngb_session {
  ngb_session* wrapped = nullptr;
  double delay_ratio = 0;
};

namespace {

using Clock = std::chrono::steady_clock;

// Returns the table of ONNX Runtime's plugin; null if it does not load.
const ngb_compiler* wrapped_table() {
  static const ngb_compiler* const table = []() -> const ngb_compiler* {
    Dl_info self{};
    if (::dladdr(reinterpret_cast<const void*>(&wrapped_table), &self) == 0) return nullptr;
    const std::filesystem::path compilers = std::filesystem::path(self.dli_fname).parent_path().parent_path();
    void* const library = ::dlopen((compilers / "onnxruntime" / "onnxruntime.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto entry = reinterpret_cast<ngb_entry>(::dlsym(library, NGB_ENTRY_SYMBOL));
    return entry == nullptr ? nullptr : entry();
  }();
  return table;
}

const char* describe() { return kDescription; }

ngb_status open(const ngb_settings* settings, ngb_session** session, ngb_error* error) {
  if (wrapped_table() == nullptr) {
    std::strncpy(error->message, "the plugin of onnxruntime is not beside this one", sizeof error->message - 1);
    return NGB_IMPORT_ERROR;
  }
  auto made = std::make_unique<ngb_session>();
  std::vector<ngb_option> options;  // those of the wrapped plugin
  for (std::uint32_t i = 0; i < settings->option_count; ++i) {
    const ngb_option& option = settings->options[i];
    if (std::strcmp(option.name, "delay_percent") == 0) {
      made->delay_ratio = std::strtod(option.value, nullptr) / 100;
    } else {
      options.push_back(option);
    }
  }
  ngb_settings passed = *settings;
  passed.options = options.data();
  passed.option_count = static_cast<std::uint32_t>(options.size());
  const ngb_status status = wrapped_table()->open(&passed, &made->wrapped, error);
  if (status == NGB_OK) *session = made.release();
  return status;
}

ngb_status compile(ngb_session* session, const ngb_model* model, ngb_error* error) {
  return wrapped_table()->compile(session->wrapped, model, error);
}

ngb_status bind(ngb_session* session, const ngb_tensor* inputs, std::uint32_t count, ngb_error* error) {
  return wrapped_table()->bind(session->wrapped, inputs, count, error);
}

ngb_status run(ngb_session* session, ngb_error* error) {
  const Clock::time_point begin = Clock::now();
  const ngb_status status = wrapped_table()->run(session->wrapped, error);
  const Clock::time_point now = Clock::now();
  const auto delay = std::chrono::duration_cast<Clock::duration>((now - begin) * session->delay_ratio);
  while (Clock::now() < now + delay) {
  }
  return status;
}

ngb_status read(ngb_session* session, std::uint32_t index, ngb_tensor* output, std::uint32_t* count, ngb_error* error) {
  return wrapped_table()->read(session->wrapped, index, output, count, error);
}

std::int32_t inspect(ngb_session* session, std::uint32_t index, const char** key, const char** value) {
  return wrapped_table()->inspect(session->wrapped, index, key, value);
}

void close(ngb_session* session) {
  if (session == nullptr) return;
  wrapped_table()->close(session->wrapped);
  delete session;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = [] {
    ngb_compiler made{};  // what it does not wrap is NULL
    made.abi = NGB_ABI;
    made.struct_size = sizeof made;
    made.describe = describe;
    made.open = open;
    made.compile = compile;
    made.bind = bind;
    made.run = run;
    made.read = read;
    made.inspect = inspect;
    made.close = close;
    return made;
  }();
  return &table;
}
