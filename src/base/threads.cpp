// SPDX-License-Identifier: Apache-2.0
#include "base/threads.h"

#include <system_error>
#include <utility>
#include <vector>

namespace ngb {
namespace {

std::exception_ptr thrown_by(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

Thread::Thread(std::function<void()> work)
    : thrown_(std::make_unique<std::exception_ptr>()),
      thread_([work = std::move(work), thrown = thrown_.get()] { *thrown = thrown_by(work); }) {}

void Thread::join() {
  thread_.join();
  if (*thrown_) std::rethrow_exception(*thrown_);
}

void run_side_by_side(std::size_t count, const std::function<void(std::size_t index)>& work) {
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&](std::size_t index) { thrown[index] = thrown_by([&] { work(index); }); };
  {
    std::vector<std::jthread> others;
    others.reserve(count);
    std::size_t next = 1;
    try {
      for (; next < count; ++next) others.emplace_back(run, next);
    } catch (const std::system_error&) {  // the caller's thread runs those that are left
    }
    if (count > 0) run(0);
    for (; next < count; ++next) run(next);
  }
  for (const std::exception_ptr& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
}

}  // namespace ngb
