// SPDX-License-Identifier: Apache-2.0
// A session's profiles. A second virtual machine of the same program calls us before and after everything that it
// calls.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "base/json_text.h"
#include "session.h"

namespace ngb::tvm {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Returns a text in any of the forms in which an argument may be.
std::string_view text_in(const TVMFFIAny& any) {
  const TVMFFIByteArray* bytes = nullptr;
  switch (any.type_index) {
    case kTVMFFIRawStr:
      return any.v_c_str;
    case kTVMFFISmallStr:
      return {any.v_bytes, any.small_str_len};
    case kTVMFFIByteArrayPtr:
      bytes = static_cast<const TVMFFIByteArray*>(any.v_ptr);
      break;
    case kTVMFFIStr:
      bytes = TVMFFIBytesGetByteArrayPtr(any.v_obj);
      break;
    default:
      return {};
  }
  return {bytes->data, bytes->size};
}

// A kernel of the program's text, which the compiling process has written beside the program.
struct Planned {
  std::string name;
  std::vector<std::string> nodes;
  std::string found_by;
};

std::vector<Planned> read_plan(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::vector<Planned> plan;
  const nlohmann::json rows = json_text::parse(text.str());
  if (!rows.is_array()) return plan;
  for (const nlohmann::json& row : rows) {
    plan.push_back({row.at("kernel").get<std::string>(), row.at("nodes").get<std::vector<std::string>>(),
                    row.at("found_by").get<std::string>()});
  }
  return plan;
}

// Returns whether a function is the machine's own, which allocates and checks.
bool is_builtin(std::string_view name) { return name.starts_with("vm."); }

}  // namespace

// Called by the virtual machine with (function, its name, whether it is about to be called, its result, arguments…).
int Session::note_call(void* calls, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result) {
  auto& noted = *static_cast<Calls*>(calls);
  if (count > 2 && arguments[2].v_int64 != 0) {
    noted.depth++;
    noted.begin_ns = noted.depth == 1 ? now_ns() : noted.begin_ns;
  } else if (count > 2 && --noted.depth == 0) {
    const std::int64_t ns = now_ns() - noted.begin_ns;
    const std::string_view name = text_in(arguments[1]);
    if (!is_builtin(name)) noted.all.push_back({std::string(name), ns});
  }
  result->type_index = kTVMFFIInt;  // 0: it goes on
  result->v_int64 = 0;
  return 0;
}

// An older version of TVM, whose machine cannot be watched, is not profiled.
void Session::try_to_load_profiled(const Value& module, const std::string& artifact) {
  try {
    load_profiled(module, artifact);
  } catch (const plugin::Failure& failure) {
    profiled_.reset();
    no_machine_because_ = failure.what();
  }
}

void Session::load_profiled(const Value& module, const std::string& artifact) {
  profiled_.emplace(Profiled{runtime_.call(runtime_.function_of(module, "vm_load_executable"), {}, "load the model"),
                             Value(functions_)});
  std::vector<TVMFFIAny> cpu{argument(std::int64_t{kDLCPU}), argument(std::int64_t{0}), argument(kPooledAllocator)};
  runtime_.call(runtime_.function_of(profiled_->machine, "vm_initialization"), cpu, "start its virtual machine");
  profiled_->main = runtime_.function_of(profiled_->machine, "main");
  Value instrument(functions_);
  TVMFFIObjectHandle handle = nullptr;
  if (functions_.create(&calls_, note_call, nullptr, &handle) != 0) throw runtime_.failure("make a function");
  instrument.put()->type_index = kTVMFFIFunction;
  instrument.put()->v_obj = static_cast<TVMFFIObject*>(handle);
  std::array<TVMFFIAny, 1> given{instrument.lend()};
  runtime_.call(runtime_.function_of(profiled_->machine, "set_instrument"), given, "watch its virtual machine");
  plan_path_ = artifact + "/kernels.json";
}

void Session::begin_profile() {
  if (gpu_ != nullptr) {
    throw plugin::Failure(NGB_NO_PROFILE, "on a GPU, TVM's virtual machine could only tell when kernels are launched",
                          "profile tvm on the CPU");
  }
  if (!profiled_)
    throw plugin::Failure(NGB_NO_PROFILE, "TVM's second virtual machine is made when a session is opened");
  running_ = profiled_->main.object();
  if (const int status = run(); status != 0) fail(status);  // which allocates what later ones use again
  calls_ = {};
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  running_ = main_.object();
  const std::vector<Call>& all = calls_.all;
  const std::size_t count = all.size() / inferences;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() % inferences == 0 && all[i].name == all[i % count].name) continue;
    throw plugin::Failure(NGB_NO_PROFILE, "TVM does not call the same kernels in each inference of this model");
  }
  std::vector<Kernel> kernels;
  for (std::size_t place = 0; place < count; ++place) {
    double sum_ns = 0;
    for (std::size_t i = place; i < all.size(); i += count) sum_ns += static_cast<double>(all[i].ns);
    kernels.push_back({.name = all[place].name, .ns = sum_ns / static_cast<double>(inferences)});
  }
  name_nodes(kernels);
  kernels_ = KernelTable(std::move(kernels));
  return kernels_;
}

// The program calls its kernels in the order of its text, but for those that became functions of the machine's own,
// such as a reshape. If it does not, no nodes are reported.
void Session::name_nodes(std::vector<Kernel>& kernels) const {
  std::set<std::string> called;
  for (const Kernel& kernel : kernels) called.insert(kernel.name);
  std::vector<Planned> plan = read_plan(plan_path_);
  std::erase_if(plan, [&](const Planned& row) { return !called.contains(row.name); });
  const bool is_in_order = std::equal(kernels.begin(), kernels.end(), plan.begin(), plan.end(),
                                      [](const Kernel& kernel, const Planned& row) { return kernel.name == row.name; });
  if (!is_in_order) return;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    kernels[i].nodes = plan[i].nodes;
    kernels[i].found_by = plan[i].found_by;
  }
}

}  // namespace ngb::tvm
