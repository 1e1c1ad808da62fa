// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/file.h"
#include "base/json_text.h"
#include "samples/codec.h"
#include "samples/frame.h"
#include "worker/resources.h"
#include "worker/worker.h"

namespace ngb::worker {
namespace {

constexpr int kCannotServe = 3;

Result<work::WorkerRequest> read_request() {
  samples::FrameReader reader;
  char chunk[1 << 16];
  for (;;) {
    Result<std::optional<std::string>> payload = reader.next();
    if (!payload) return error_of(payload);
    if (*payload) {
      const nlohmann::json message = json_text::parse(**payload);
      if (message.is_discarded()) return fail("the request is not JSON", "worker");
      return work::parse_json<work::WorkerRequest>(message, "worker request");
    }
    const ssize_t count = ::read(samples::kRequestFd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read the request", "worker", errno));
    if (count == 0) {
      return fail("no request on descriptor 3", "worker", "workers are started by ngb-agent, not by hand");
    }
    reader.feed({chunk, static_cast<std::size_t>(count)});
  }
}

samples::ProgressPage* map_page() {
  void* memory =
      ::mmap(nullptr, samples::kProgressPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, samples::kProgressFd, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<samples::ProgressPage*>(memory);
}

void tell_compiler_which_process_this_is(const work::WorkerRequest& request) {
  environment::set("NGB_PROCESS_INDEX", fmt::format("{}", request.process_index));
  environment::set("NGB_ATTEMPT", fmt::format("{}", request.attempt));
  if (!request.module_site.empty()) environment::set("NGB_MODULE_SITE", request.module_site);
}

samples::ProcessResult not_started(const work::WorkerRequest& request, const Error& error,
                                   samples::FailureKind kind = samples::FailureKind::import_error) {
  samples::ProcessResult result;
  result.cell_id = request.cell_id;
  result.process_index = request.process_index;
  result.attempt = request.attempt;
  result.threads_used = Known<int>::unknown("nothing was timed");
  result.failure = samples::Failure{};
  result.failure->kind = kind;
  result.failure->message = error.where.empty() ? error.what : error.where + ": " + error.what;
  result.failure->advice = error.next;
  return result;
}

samples::ProcessResult carry_out(const work::WorkerRequest& request, FindCompilerTable find, void* context,
                                 const Instance& instance) {
  samples::ProgressPage* page = instance.is_first() ? map_page() : nullptr;
  const PhaseMeter start(samples::Phase::start, page);
  const Result<const ngb_compiler*> compiler = find(request, context);
  const samples::PhaseUse start_use = start.end();
  const bool measures = request.task == work::Task::measure;
  samples::ProcessResult result = !compiler  ? not_started(request, compiler.error())
                                  : measures ? measure(request, **compiler, page, instance)
                                             : make_reference(request, **compiler, page);
  result.phases.insert(result.phases.begin(), start_use);
  // Where people read, only the first line is shown. The log has the others.
  if (result.failure && result.failure->message != result.failure->first_line())
    std::fputs((result.failure->message + "\n").c_str(), stderr);
  return result;
}

int report(const Error& error) {
  std::fputs((error.text() + "\n").c_str(), stderr);
  return kCannotServe;
}

int send(const samples::ProcessResult& result) {
  const std::string payload = json_text::dump(work::write_json(result));
  if (payload.size() > samples::kMaxFrameBytes) return report({"the result is too large to be sent", "worker", {}});
  const Status written = file::write_all(samples::kResultFd, samples::frame(payload), "result");
  return written ? 0 : report(written.error());
}

int serve_instances(const work::WorkerRequest& request, FindCompilerTable find, void* context, Fork fork) {
  const Result<Instances> instances = Instances::start(request.compiler.instances, fork);
  if (!instances) return send(not_started(request, instances.error(), samples::FailureKind::internal));
  if (instances->mine()) {
    const Status delivered = instances->deliver(carry_out(request, find, context, *instances->mine()));
    return delivered ? 0 : report(delivered.error());
  }
  Instances::Outcome outcome = instances->wait(request.protocol.arrivals ? Counted::all : Counted::while_all_run);
  if (!outcome.result) return end_like(outcome.wait_status);
  outcome.result->cell_id = request.cell_id;
  outcome.result->process_index = request.process_index;
  outcome.result->attempt = request.attempt;
  return send(*outcome.result);
}

}  // namespace

int serve(FindCompilerTable find, void* context, Fork fork) {
  ::signal(SIGINT, SIG_IGN);
  const Result<work::WorkerRequest> request = read_request();
  if (!request) return report(request.error());
  tell_compiler_which_process_this_is(*request);
  const bool has_instances = request->task == work::Task::measure && request->compiler.instances > 1;
  return has_instances ? serve_instances(*request, find, context, fork)
                       : send(carry_out(*request, find, context, Instance()));
}

}  // namespace ngb::worker
