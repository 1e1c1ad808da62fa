// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/live_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "apps/ngb/terminal.h"
#include "base/file.h"
#include "base/processors.h"
#include "config/study.h"
#include "plan/groups.h"
#include "probe/probe.h"
#include "work/own_processors.h"

namespace ngb::app {
namespace {

// Returns the processors that the cells of the local device leave free; all if they leave none.
std::vector<int> free_cpus(const plan::Plan& plan) {
  const std::vector<int> allowed = probe::allowed_cpus();
  const std::vector<LogicalProcessor> all = topology_of(allowed);
  std::vector<int> used;
  for (const work::Cell& cell : plan.cells) {
    const auto device = std::find_if(plan.study.devices.begin(), plan.study.devices.end(),
                                     [&](const auto& each) { return each.name == cell.device; });
    if (device == plan.study.devices.end() || !config::is_here(*device)) continue;
    const auto own = work::own_processors(plan.compiler_of(cell), all);
    if (own) used.insert(used.end(), own->begin(), own->end());
  }
  return other_cpus(allowed, used);
}

// Returns the cells that have one baseline. With several, as on several processors, only results tell which one counts.
std::vector<live::Pair> pairs_of(const plan::Plan& plan) {
  if (plan.cells.size() > live::kMostCellsCompared) return {};
  work::Lists lists = plan;
  for (work::Group& group : lists.groups) group.questions.clear();
  plan::add_questions(lists, plan.study.baseline);
  std::map<int, std::vector<int>> baselines;
  for (const work::Group& group : lists.groups) {
    for (const work::Question& question : group.questions) {
      baselines[question.cell_index].push_back(question.baseline_index);
    }
  }
  std::vector<live::Pair> pairs;
  for (const auto& [cell, of_cell] : baselines) {
    if (of_cell.size() > 1) continue;
    pairs.push_back({static_cast<std::size_t>(cell), static_cast<std::size_t>(of_cell.front())});
  }
  return pairs;
}

// A server at every address of this machine is reached under several hosts, and demands a token.
void say_where(const live::Server& server) {
  warn("Live page: {}\n", server.url());
  std::vector<std::string> others;
  for (const std::string& host : std::span(server.hosts()).subspan(1)) {
    others.push_back(host.find(':') == std::string::npos ? host : "[" + host + "]");
  }
  if (!others.empty()) warn("           or at {}, with the same port and token\n", fmt::join(others, ", "));
}

}  // namespace

Result<std::unique_ptr<LivePage>> LivePage::begin(const std::string& address, const plan::Plan& plan) {
  const auto read = live::parse_address(address);
  if (!read) return error_of(read);
  auto server = live::Server::begin(*read, free_cpus(plan));
  if (!server) return error_of(server);
  say_where(**server);
  std::unique_ptr<LivePage> page(new LivePage(*std::move(server)));
  page->state_.study = plan.study.name;
  for (const config::DeviceEntry& device : plan.study.devices) page->state_.devices.push_back({.name = device.name});
  page->publish();
  return page;
}

void LivePage::follow(const campaign::Outlook& outlook) {
  const plan::Plan& plan = *outlook.plan;
  seconds_left_ = outlook.seconds_left;
  state_.processes_done = outlook.done;
  state_.processes_total = outlook.total;
  state_.cells = {};
  verdicts_ = live::Verdicts(pairs_of(plan), work::planned_processes(plan.study.protocol));
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const work::Cell& cell = plan.cells[i];
    const work::Model& model = plan.model_of(cell);
    const std::string& load = plan.load_of(cell).name;
    state_.cells.add({.device = cell.device,
                      .model = model.label,
                      .batch = model.key.batch,
                      .compiler = plan.compiler_of(cell).label,
                      .load = load == work::kNoLoad ? "" : load,
                      .processes_left = outlook.left[i]});
  }
}

void LivePage::show(const std::string& device, const std::string& doing, bool is_measuring) {
  for (live::Device& each : state_.devices) {
    if (each.name != device) continue;
    each.doing = doing;
    each.progress = is_measuring ? live::DeviceProgress::measuring : live::DeviceProgress::preparing;
  }
}

void LivePage::say(const std::string& line) { live::note_line(state_, line); }

void LivePage::finish_process(const campaign::FinishedProcess& process, const std::string& line) {
  const auto cell = static_cast<std::size_t>(process.cell);
  if (process.samples_per_s) verdicts_.note(cell, process.round, *process.samples_per_s);
  live::change_cell(state_, cell, [&](live::Cell& shown) {
    shown.processes_left = process.left;
    ++shown.processes_done;
    shown.samples_per_s = process.samples_per_s;
    shown.failure.clear();
    shown.progress = process.left == 0 ? live::CellProgress::measured : live::CellProgress::partial;
  });
  ++state_.processes_done;
  live::note_line(state_, line);
}

void LivePage::fail_process(int cell, const std::string& why, bool is_final, int skipped) {
  live::change_cell(state_, static_cast<std::size_t>(cell), [&](live::Cell& shown) {
    shown.failure = why;
    if (!is_final) return;
    shown.processes_left -= skipped;
    shown.progress = live::CellProgress::failed;
  });
  if (is_final) state_.processes_total -= skipped;
}

void LivePage::end_rounds(int cell, int skipped) {
  live::change_cell(state_, static_cast<std::size_t>(cell), [&](live::Cell& shown) {
    shown.processes_left = std::max(-skipped, 0);
    shown.progress = skipped < 0 ? live::CellProgress::partial : live::CellProgress::decided;
  });
  state_.processes_total -= skipped;
}

void LivePage::finish_device(const std::string& device) {
  for (live::Device& each : state_.devices) {
    if (each.name != device) continue;
    each.progress = live::DeviceProgress::finished;
    each.doing.clear();
  }
}

void LivePage::tick() {
  if (server_->is_due()) publish();
}

void LivePage::publish(std::shared_ptr<const std::string> report) {
  if (seconds_left_ && !state_.has_ended) state_.left_s = seconds_left_();
  state_.elapsed_s = campaign::seconds_since(started_);
  verdicts_.show_in(state_);
  live::Published published{.json = live::to_json(state_),
                            .prometheus = live::to_prometheus(state_),
                            .has_ended = state_.has_ended,
                            .report = std::move(report)};
  if (state_.has_ended) return server_->end(std::move(published));
  server_->publish(std::move(published));
}

void LivePage::end(const std::string& ending, const std::filesystem::path& report) {
  seconds_left_ = nullptr;  // what it asks has ended with the run
  state_.has_ended = true;
  state_.left_s.reset();
  state_.ending = ending;
  std::shared_ptr<const std::string> page;
  if (!report.empty()) {
    state_.report = report.string();
    if (auto text = file::read(report)) page = std::make_shared<const std::string>(*std::move(text));
  }
  publish(std::move(page));
}

}  // namespace ngb::app
