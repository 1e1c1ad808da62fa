// SPDX-License-Identifier: Apache-2.0
#include "campaign/elsewhere.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "campaign/recorder.h"
#include "config/study.h"

namespace ngb::campaign {

namespace {

// Returns the name under which the cache keeps the run's devices; "" if the id is not one that ngb gives: it may come
// from a results file.
std::filesystem::path name_in_cache(const std::string& run_id) {
  const bool is_id = !run_id.empty() && run_id.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_id ? std::filesystem::path("runs") / (run_id + ".json") : std::filesystem::path();
}

}  // namespace

Status keep_devices(const Installation& installation, const std::string& run_id, const config::Study& study,
                    const Say& say) {
  if (std::all_of(study.devices.begin(), study.devices.end(), config::is_here)) return Done{};
  const CacheFolder cache = usable_cache(installation, say);
  if (cache.is_none()) return Done{};
  const nlohmann::json devices{{"devices", config::to_json(study)["devices"]}};
  return cache.keep_text(name_in_cache(run_id), json_text::dump(devices, 2) + "\n");
}

Result<std::vector<config::DeviceEntry>> kept_devices(const Installation& installation, const std::string& run_id,
                                                      const Say& say) {
  const std::filesystem::path name = name_in_cache(run_id);
  const CacheFolder cache = usable_cache(installation, say);
  const auto text = name.empty() ? std::nullopt : cache.find_text(name);
  if (!text) return std::vector<config::DeviceEntry>{};
  auto devices = config::devices_of_study(*text);
  if (!devices) {
    return fail(devices.error().what, (cache.path() / name).string(), "remove this file, and name the run's study");
  }
  return devices;
}

namespace {

std::string names_of(const std::vector<config::DeviceEntry>& devices) {
  std::vector<std::string> names;
  for (const config::DeviceEntry& device : devices) names.push_back(device.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<RunElsewhere> run_with_devices(const Installation& installation, const store::RunState& run, bool with_all,
                                      const Say& say) {
  const auto recorded = config::devices_of_study(run.study_json);
  if (!recorded) return error_of(recorded);
  const auto kept = kept_devices(installation, run.run_id, say);
  if (!kept) return error_of(kept);
  RunElsewhere found{.id = run.run_id};
  for (const config::DeviceEntry& device : *recorded) {
    const auto state = std::find_if(run.devices.begin(), run.devices.end(),
                                    [&](const store::DeviceState& each) { return each.device == device.name; });
    if (state == run.devices.end() || !(with_all || state->may_be_there)) continue;
    if (state->is_finished) found.finished.insert(device.name);
    const auto known = std::find_if(kept->begin(), kept->end(),
                                    [&](const config::DeviceEntry& each) { return each.name == device.name; });
    if (config::is_here(device)) {
      found.devices.push_back(device);
    } else if (known != kept->end()) {
      found.devices.push_back(*known);
    } else {
      found.strangers.push_back(device.name);
    }
  }
  return found;
}

void tell_of_strangers_of(const RunElsewhere& run, const std::filesystem::path& results, const Say& say) {
  if (run.strangers.empty()) return;
  say(fmt::format(
      "ngb: run {} may still be on {}: {} has the addresses, but no run that was begun here has them, so nothing is "
      "started because of them; if the run is yours, name its study: ngb cancel {} --study FILE\n",
      run.id, fmt::join(run.strangers, ", "), (results / "results.db").string(), results.string()));
}

// Fetches each device's events of the run into the store. Returns an error if the store cannot record.
Result<std::vector<dispatch::DeviceEnding>> fetch(const Installation& installation, store::Store& store,
                                                  const plan::Plan& plan, const RunElsewhere& run, bool ends_there,
                                                  Observer& observer) {
  std::vector<dispatch::Share> shares = shares_of(run, plan.study.output);
  for (dispatch::Share& share : shares) {
    const auto last = store.last_sequence(run.id, share.device.name);
    if (!last) return error_of(last);
    share.last_sequence = *last;
    share.ends_there = ends_there;
    share.is_finished = run.finished.contains(share.device.name);
  }
  auto recorder = Recorder::begin_of_before(store, plan, run.id, observer);
  if (!recorder) return error_of(recorder);
  const dispatch::Callbacks callbacks = recorder->callbacks();
  auto endings = dispatch::fetch_fleet(installation.parts, shares, callbacks,
                                       [&observer] { return observer.is_stop_requested(); });
  recorder->end();
  return endings;
}

// Says why the run is removed from its devices.
void tell_of_settling(const RunElsewhere& run, const Say& say) {
  std::vector<config::DeviceEntry> elsewhere = run.devices;
  std::erase_if(elsewhere, config::is_here);
  if (elsewhere.empty()) return;
  const bool is_finished = std::all_of(elsewhere.begin(), elsewhere.end(),
                                       [&](const auto& device) { return run.finished.contains(device.name); });
  if (is_finished) {
    say(fmt::format("ngb: removing what run {}, which is finished, has left on {}\n", run.id, names_of(elsewhere)));
  } else {
    say(fmt::format("ngb: the study has changed; fetching what run {} has measured on {}, then ending that run\n",
                    run.id, names_of(elsewhere)));
  }
}

// Returns whether nothing of the run is left on that device; says what is left otherwise.
bool is_gone(const RunElsewhere& run, const config::DeviceEntry& device, const dispatch::DeviceEnding& ending,
             const std::filesystem::path& results, const Say& say) {
  const Status fetched = ending.ending ? Status{} : tl::unexpected(ending.ending.error());
  const Status done = fetched && ending.torn_down ? *ending.torn_down : fetched;
  if (done) return true;
  say(fmt::format("ngb: run {} is still on {}: {}\n", run.id, device.name, done.error().text()));
  const char* const what = run.finished.contains(device.name)
                               ? "tries that again; to end it at once"
                               : "fetches what it measured there; to end it without fetching";
  say(fmt::format("ngb: the next ngb run {}, run: ngb cancel {}\n", what, results.string()));
  return false;
}

}  // namespace

Result<std::vector<RunElsewhere>> runs_elsewhere(const Installation& installation, store::Store& store,
                                                 const Say& say) {
  const auto runs = store.runs();
  if (!runs) return error_of(runs);
  std::vector<RunElsewhere> found;
  for (const store::RunState& run : *runs) {
    auto elsewhere = run_with_devices(installation, run, false, say);
    if (!elsewhere) return error_of(elsewhere);
    if (!elsewhere->devices.empty() || !elsewhere->strangers.empty()) found.push_back(*std::move(elsewhere));
  }
  return found;
}

Result<RunElsewhere> last_run(const Installation& installation, store::Store& store, const Say& say) {
  const auto runs = store.runs();
  if (!runs) return error_of(runs);
  if (runs->empty()) return fail("no run has begun in this folder");
  return run_with_devices(installation, runs->back(), true, say);
}

std::vector<dispatch::Share> shares_of(const RunElsewhere& run, const std::filesystem::path& results) {
  std::vector<dispatch::Share> shares;
  for (const config::DeviceEntry& device : run.devices) {
    dispatch::Share& share = shares.emplace_back();
    share.device = device;
    share.run_id = run.id;
    share.work_folder = results / "devices" / device.name;
  }
  return shares;
}

Status settle_other_runs(const Installation& installation, store::Store& store, const plan::Plan& plan,
                         Observer& observer) {
  const Say say = saying(observer);
  const auto open = store.open_run(plan);
  if (!open) return error_of(open);
  const auto runs = runs_elsewhere(installation, store, say);
  if (!runs) return error_of(runs);
  for (const RunElsewhere& run : *runs) {
    if (run.id == *open || observer.is_stop_requested()) continue;
    tell_of_strangers_of(run, plan.study.output, say);
    if (run.devices.empty()) continue;
    tell_of_settling(run, say);
    const auto endings = fetch(installation, store, plan, run, true, observer);
    if (!endings) return error_of(endings);
    for (std::size_t i = 0; i < run.devices.size(); ++i) {
      if (!is_gone(run, run.devices[i], (*endings)[i], plan.study.output, say)) continue;
      if (Status forgotten = store.forget_presence(run.id, run.devices[i].name); !forgotten) return forgotten;
    }
    if (Status durable = store.flush(); !durable) return durable;
  }
  return Done{};
}

Result<bool> fetch_other_runs(const Installation& installation, store::Store& store, const plan::Plan& plan,
                              Observer& observer) {
  const Say say = saying(observer);
  const auto last = last_run(installation, store, say);
  if (!last) return error_of(last);
  const auto runs = runs_elsewhere(installation, store, say);
  if (!runs) return error_of(runs);
  bool is_any = false;
  for (const RunElsewhere& run : *runs) {
    if (run.id == last->id || observer.is_stop_requested()) continue;
    tell_of_strangers_of(run, plan.study.output, say);
    if (run.devices.empty()) continue;
    const auto endings = fetch(installation, store, plan, run, false, observer);
    if (!endings) return error_of(endings);
    for (std::size_t i = 0; i < run.devices.size(); ++i) {
      (void)is_gone(run, run.devices[i], (*endings)[i], plan.study.output, say);
    }
    is_any = true;
  }
  return is_any;
}

void tell_of_strangers(const std::vector<RunElsewhere>& runs, const std::filesystem::path& results, const Say& say) {
  for (const RunElsewhere& run : runs) tell_of_strangers_of(run, results, say);
}

void tell_of_runs_elsewhere(const std::vector<RunElsewhere>& runs, const std::filesystem::path& results,
                            const Say& say) {
  for (RunElsewhere run : runs) {
    tell_of_strangers_of(run, results, say);
    std::erase_if(run.devices, config::is_here);
    if (run.devices.empty()) continue;
    say(fmt::format("ngb: run {} is still on {}; to end it there, run: ngb cancel {}\n", run.id, names_of(run.devices),
                    results.string()));
  }
}

}  // namespace ngb::campaign
