// SPDX-License-Identifier: Apache-2.0
// A session's profiles. A second program of the same file tells when it calls a kernel or a delegate. These calls are
// those of the file, in order; parts of a delegate follow it if it tells them.
#include <algorithm>
#include <utility>

#include "session.h"

namespace ngb::executorch {
namespace {

bool is_call(const Event& event) {
  return !event.is_in_delegate && (event.name == "OPERATOR_CALL" || event.name == "DELEGATE_CALL");
}

plugin::Failure not_alike() {
  return {NGB_NO_PROFILE, "ExecuTorch does not call the same kernels in each inference of this model",
          "leave executorch out of the profile"};
}

}  // namespace

void Session::begin_profile() {
  if (!profiled_) throw plugin::Failure(NGB_NO_PROFILE, "ExecuTorch's second program is loaded with the first");
  std::string why;
  if (!profiled_->set_inputs(inputs_, why)) {
    throw plugin::Failure(NGB_INTERNAL, "ExecuTorch refuses an input: " + why);
  }
  running_ = profiled_.get();
  if (const std::uint32_t error = run(); error != 0) fail(error);  // which allocates what later ones use again
  static_cast<void>(profiled_->take_events());
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  std::vector<Kernel> all;
  std::size_t calls = 0;
  std::size_t whole = 0;  // place of the last call of a delegate, whose time is its own, without its parts
  for (const Event& event : profiled_->take_events()) {
    const auto ns = static_cast<double>(event.ns);
    if (is_call(event)) {
      if (calls_.empty()) throw not_alike();
      const std::string& name = calls_[calls++ % calls_.size()];
      whole = all.size();
      all.push_back({.name = name, .kind = event.name == "DELEGATE_CALL" ? "delegate" : "kernel", .ns = ns});
    } else if (event.is_in_delegate) {
      all.push_back({.name = event.name, .kind = "part of a delegate", .ns = ns});
      all[whole].ns = std::max(0.0, all[whole].ns - ns);
    }
  }
  running_ = plain_.get();
  const std::size_t count = all.size() / inferences;
  if (count == 0 || all.size() % inferences != 0) throw not_alike();
  std::vector<Kernel> kernels(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = count; i < all.size(); ++i) {
    if (all[i].name != kernels[i % count].name) throw not_alike();
    kernels[i % count].ns += all[i].ns;
  }
  for (Kernel& kernel : kernels) kernel.ns /= static_cast<double>(inferences);
  kernels_ = KernelTable(std::move(kernels));
  return kernels_;
}

}  // namespace ngb::executorch
