// SPDX-License-Identifier: Apache-2.0
#include "campaign/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "campaign/durations_file.h"
#include "campaign/elsewhere.h"
#include "campaign/kept_calibrations.h"
#include "campaign/recorder.h"
#include "campaign/same_contents.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "dispatch/make_job.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

// Returns whether a device may have the toolchain. A device elsewhere checks its own.
bool may_have_toolchain(const config::Study& study, const Compilers& compilers, const std::string& device,
                        const std::string& compiler, const std::string& version) {
  const bool is_here = std::any_of(study.devices.begin(), study.devices.end(),
                                   [&](const auto& entry) { return entry.name == device && config::is_here(entry); });
  return !is_here || !compilers.is_missing(compiler, version);
}

struct Run {
  std::string id;
  plan::Plan plan;  // what is left to do
  CacheFolder cache;
  bool only_fetch = false;
  bool accepts_new_build = false;
  bool is_short_of_time = false;  // so that what is decided soonest comes first
};

bool has_cells(const plan::Plan& plan, const std::string& device) {
  return std::any_of(plan.cells.begin(), plan.cells.end(),
                     [&](const work::Cell& cell) { return cell.device == device; });
}

// Returns the devices on which nothing of the run is left to measure or to remove, such as those without cells.
Result<std::set<std::string>> finished_devices(store::Store& store, const Run& run) {
  const auto runs = store.runs();
  if (!runs) return error_of(runs);
  const auto states = store.cell_states();
  if (!states) return error_of(states);
  std::set<std::string> finished;
  for (const store::RunState& each : *runs) {
    if (each.run_id != run.id) continue;
    for (const store::DeviceState& device : each.devices) {
      if (device.is_finished && !device.may_be_there) finished.insert(device.device);
    }
  }
  std::set<std::string> complete;
  for (const store::CellState& cell : *states) {
    if (cell.progress == store::CellState::Progress::complete) complete.insert(cell.cell_id);
  }
  for (const work::Cell& cell : run.plan.cells) {
    if (!complete.contains(cell.id)) finished.erase(cell.device);
  }
  for (const config::DeviceEntry& device : run.plan.study.devices) {
    if (!has_cells(run.plan, device.name)) finished.insert(device.name);
  }
  return finished;
}

// Returns each device's share. All references outlive the shares.
Result<std::vector<dispatch::Share>> make_shares(const Installation& installation, store::Store& store,
                                                 const dispatch::Jobs& jobs, const Compilers& compilers,
                                                 const Run& run) {
  const std::string references = run.cache.is_none() ? "" : (run.cache.path() / "references").string();
  (void)run.cache.make("tuning");  // an error shows where something is kept
  const auto finished = finished_devices(store, run);
  if (!finished) return error_of(finished);
  const auto quiet = quiet_deviations(run.cache, run.plan.study.protocol.turns);
  std::vector<dispatch::Share> shares;
  for (const config::DeviceEntry& device : run.plan.study.devices) {
    const bool is_local = config::is_here(device);
    const auto accepting = [&run, quiet](Result<work::Job> job) {
      if (!job) return job;
      job->accepts_new_build = run.accepts_new_build;
      job->quiet_deviations = quiet;
      if (run.is_short_of_time) job->order = work::Order::soonest;
      return job;
    };
    const dispatch::MakeJob job_here = [&jobs, &compilers, &device, accepting, references] {
      const auto find = [&](const auto& name, const auto& version) { return compilers.place_here(name, version); };
      return accepting(jobs.of(device.name, find, references));
    };
    const dispatch::MakeJob job_elsewhere = [&jobs, &compilers, &device, accepting] {
      const auto find = [&](const auto& name, const auto& version) { return compilers.place_elsewhere(name, version); };
      return accepting(jobs.of(device.name, find, "references"));
    };
    const auto last =
        has_cells(run.plan, device.name) ? store.last_sequence(run.id, device.name) : Result<std::uint64_t>(0);
    if (!last) return error_of(last);
    dispatch::Share& share = shares.emplace_back(dispatch::Share{
        .device = device,
        .run_id = run.id,
        .job = is_local ? job_here : job_elsewhere,
        .job_here = job_here,
        .files = jobs.files(),
        .last_sequence = *last,
        .completed = [&store, &run, &device] { return store.completed(run.id, device.name, run.plan.decided_by); },
        .work_folder = run.plan.study.output / "devices" / device.name,
        .toolchains = is_local ? std::vector<dispatch::ToolchainTree>{} : compilers.trees(installation),
        .is_finished = finished->contains(device.name),
        .only_fetch = run.only_fetch});
    if (device.unreachable_s) share.lost_after = Nanoseconds(std::llround(*device.unreachable_s * 1e9));
  }
  return shares;
}

// Called when the run has finished or stopped. Records the devices on which nothing of the run is left, and says the
// others.
Status settle(const Installation& installation, store::Store& store, const Run& run,
              const std::vector<dispatch::DeviceEnding>& endings, const Say& say) {
  for (std::size_t i = 0; i < endings.size(); ++i) {
    const bool is_local = config::is_here(run.plan.study.devices[i]);
    const bool is_gone = is_local ? endings[i].ending == dispatch::Ending::finished
                                  : endings[i].torn_down && endings[i].torn_down->has_value();
    if (!is_gone) continue;
    if (Status forgotten = store.forget_presence(run.id, endings[i].device); !forgotten) return forgotten;
  }
  if (Status durable = store.flush(); !durable) return durable;
  const auto elsewhere = runs_elsewhere(installation, store, say);
  if (!elsewhere) return error_of(elsewhere);
  if (!run.only_fetch) tell_of_runs_elsewhere(*elsewhere, run.plan.study.output, say);
  return Done{};
}

// Begins a run of what is left in the store, or resumes one. Everything that later commands need to know of it is on
// disk when this returns.
Result<Run> begin(const Installation& installation, store::Store& store, plan::Plan left, const Order& order,
                  const Say& say) {
  if (Status may = check_study_file(left.study); !may) return tl::unexpected(may.error());
  const auto id = store.begin_run(left, system_clock().unix_now().count(), installation.revision);
  if (!id) return error_of(id);
  if (Status known = keep_devices(installation, *id, left.study, say); !known) return tl::unexpected(known.error());
  if (Status kept = keep_study(left.study); !kept) return tl::unexpected(kept.error());
  auto remaining = store.remaining(std::move(left), *id);
  if (!remaining) return error_of(remaining);
  return Run{*id,
             *std::move(remaining),
             usable_cache(installation, say),
             order.only_fetch,
             order.accepts_new_build,
             order.deadline.has_value()};
}

// Records what is true of the devices on this machine before they measure.
Status record_local(store::Store& store, const Run& run, ToolchainRecord& toolchains) {
  for (const config::DeviceEntry& device : run.plan.study.devices) {
    if (!config::is_here(device)) continue;
    if (Status recorded = toolchains.take_local(device.name); !recorded) return recorded;
    if (Status noted = store.note_presence(run.id, device.name); !noted) return noted;
  }
  return Done{};
}

bool is_past(const std::optional<Nanoseconds>& deadline) { return deadline && system_clock().now() >= *deadline; }

// Measures on all devices side by side, and records what they send.
Result<std::vector<dispatch::DeviceEnding>> measure_and_record(const Installation& installation, store::Store& store,
                                                               const Run& run, const Compilers& compilers,
                                                               const std::optional<Nanoseconds>& deadline,
                                                               Observer& observer) {
  const dispatch::Jobs jobs(run.plan, run.id);
  const auto shares = make_shares(installation, store, jobs, compilers, run);
  if (!shares) return error_of(shares);
  const Say say = saying(observer);
  auto recorder = Recorder::begin(store, run.plan, run.id, observer, experience_for(installation, run.plan, say),
                                  durations_file(installation, say), deadline);
  if (!recorder) return error_of(recorder);
  dispatch::Callbacks callbacks = recorder->callbacks();
  ToolchainRecord toolchains(store, compilers, callbacks.on_remark);
  callbacks.on_toolchain = [&toolchains](const std::string& device, const std::string& machine,
                                         const samples::FoundFolder& found) {
    return toolchains.take(device, machine, found);
  };
  if (const Status recorded = record_local(store, run, toolchains); !recorded) return error_of(recorded);
  callbacks.on_presence = [&](const std::string& device) { return store.note_presence(run.id, device); };
  // A program that reads the results meanwhile must delay neither devices nor signals.
  store.be_patient(std::chrono::milliseconds(50));
  observer.begin_measuring();
  auto endings = dispatch::run_fleet(installation.parts, *shares, callbacks, [&] {
    observer.tick();
    return observer.is_stop_requested() || is_past(deadline);
  });
  observer.end_measuring();
  recorder->end();
  return endings;
}

// Measures what is left in the store.
Result<dispatch::Ending> measure_run(const Installation& installation, store::Store& store, plan::Plan left,
                                     const Compilers& compilers, const Order& order, Observer& observer) {
  const Say say = saying(observer);
  const auto run = begin(installation, store, std::move(left), order, say);
  if (!run) return error_of(run);
  const auto endings = measure_and_record(installation, store, *run, compilers, order.deadline, observer);
  if (!endings) return error_of(endings);
  auto all = dispatch::Ending::finished;
  std::vector<Error> errors;
  for (const dispatch::DeviceEnding& device : *endings) {
    if (!device.ending) errors.push_back(device.ending.error());
    if (device.ending != dispatch::Ending::finished) all = dispatch::Ending::stopped;
  }
  observer.show_endings(*endings, run->plan.study.output);
  // Failing to record is only a warning: a later command merely checks these devices once more.
  if (const Status settled = settle(installation, store, *run, *endings, say); !settled && errors.empty()) {
    say(fmt::format("ngb: could not record on which devices nothing is left: {}\n", settled.error().text()));
  }
  for (std::size_t i = 1; i < errors.size(); ++i) say(fmt::format("ngb: {}\n", errors[i].text()));
  if (!errors.empty()) return tl::unexpected(errors.front());
  return all;
}

// Ends other runs of the results folder, or only fetches what they have measured. Returns whether anything is left to
// measure of the plan.
Result<bool> settle_others(const Installation& installation, store::Store& store, const Order& order,
                           Observer& observer) {
  if (!order.only_fetch) {
    const Status settled = settle_other_runs(installation, store, order.plan, observer);
    if (!settled) return error_of(settled);
    return true;
  }
  const auto runs = store.runs();
  if (!runs) return error_of(runs);
  const std::filesystem::path& results = order.plan.study.output;
  if (runs->empty()) return fail("no run is active", results.string());
  const auto others = fetch_other_runs(installation, store, order.plan, observer);
  if (!others) return error_of(others);
  if (!runs->back().is_complete) return true;
  if (!*others) return fail("no run is active", results.string());
  return false;
}

// Keeps the results folder open only while it is written to.
Result<dispatch::Ending> measure_what_is_left(const Installation& installation, Order order, const Compilers& compilers,
                                              Observer& observer) {
  auto store = store::Store::open(order.plan.study.output / "results.db", store::Mode::read_write);
  if (!store) return error_of(store);
  if (const Status same = store->check_protocol(order.plan.study); !same) return error_of(same);
  if (const Status described = store->describe_models(order.plan); !described) return error_of(described);
  const auto is_anything_left = settle_others(installation, *store, order, observer);
  if (!is_anything_left) return error_of(is_anything_left);
  if (!*is_anything_left) return dispatch::Ending::finished;
  const config::Study study = order.plan.study;
  auto left = store->left_to_do(std::move(order.plan), order.retry_failed,
                                [&](const auto& device, const auto& compiler, const auto& version) {
                                  return may_have_toolchain(study, compilers, device, compiler, version);
                                });
  if (!left) return error_of(left);
  if (!left->groups.empty()) {
    return measure_run(installation, *store, *std::move(left), compilers, order, observer);
  }
  observer.say("ngb: nothing left to measure; to measure it anew, run: ngb run --again\n");
  return dispatch::Ending::finished;
}

}  // namespace

Result<Ending> measure(const Installation& installation, Order order, const Compilers& compilers, Observer& observer) {
  const std::optional<Nanoseconds> deadline = order.deadline;
  const auto ending = measure_what_is_left(installation, std::move(order), compilers, observer);
  if (!ending) return error_of(ending);
  if (*ending == dispatch::Ending::finished) return Ending::finished;
  return !observer.is_stop_requested() && is_past(deadline) ? Ending::out_of_time : Ending::stopped;
}

Answer<Done> measure_plan(const Installation& installation, plan::Plan plan, const Compilers& compilers,
                          Observer& observer, std::optional<Nanoseconds> budget) {
  const auto now = system_clock().now();
  if (const Status same = check_same_contents(plan, compilers); !same) return cannot_go_on(same.error());
  const auto ending =
      measure(installation, {.plan = std::move(plan), .deadline = budget ? std::optional(now + *budget) : std::nullopt},
              compilers, observer);
  if (!ending) return cannot_go_on(ending.error());
  if (*ending == Ending::stopped) {
    return tl::unexpected(Refusal{Refusal::Kind::interrupted, "ngb: stopped; the results so far are kept\n"});
  }
  return Done{};
}

}  // namespace ngb::campaign
