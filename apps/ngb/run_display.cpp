// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/run_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "apps/ngb/stop_signals.h"
#include "apps/ngb/teardown.h"
#include "apps/ngb/terminal.h"
#include "report/write/numbers.h"

namespace ngb::app {
namespace {

constexpr const char* kSpeed = "samples/s";

}  // namespace

RunDisplay::RunDisplay(Options options, LivePage* page) : options_(options), page_(page) {
  std::signal(SIGPIPE, SIG_IGN);
}

void RunDisplay::say(std::string_view text) { print_error(text); }

bool RunDisplay::is_stop_requested() { return app::is_stop_requested(); }

void RunDisplay::begin_run(const campaign::Outlook& outlook) {
  const ProgressLine::Form form{.is_terminal = ::isatty(STDERR_FILENO) == 1,
                                .detail = options_.detail,
                                .may_end_early = outlook.plan->study.protocol.rounds.has_value()};
  line_ = std::make_unique<ProgressLine>(stderr, form, outlook.total, outlook.done, outlook.seconds_left);
  page_of_run_ = outlook.is_of_before ? nullptr : page_;
  plan_ = outlook.plan;
  speeds_.clear();
  if (page_of_run_ != nullptr) page_of_run_->follow(outlook);
}

void RunDisplay::end_run() { line_->clear(); }

void RunDisplay::remark(const std::string& line) {
  line_->say(line);
  if (page_of_run_ != nullptr) page_of_run_->say(line);
}

void RunDisplay::show(const std::string& device, const std::string& doing, bool is_measuring) {
  line_->show(doing);
  if (page_of_run_ != nullptr) page_of_run_->show(device, doing, is_measuring);
}

std::string RunDisplay::leader_beside(int cell) {
  const work::Cell& of = plan_->cells[static_cast<std::size_t>(cell)];
  const std::map<int, Speeds>& rivals = speeds_[{of.device, of.model_index, of.load_index}];
  if (rivals.size() < 2) return {};
  const auto leader = std::max_element(rivals.begin(), rivals.end(), [](const auto& a, const auto& b) {
    return a.second.mean_per_s() < b.second.mean_per_s();
  });
  if (leader->first == cell) return ", the fastest so far";
  return fmt::format("; fastest so far: {}, {} {}",
                     plan_->compiler_of(plan_->cells[static_cast<std::size_t>(leader->first)]).label,
                     report::number(leader->second.mean_per_s(), kSpeed), kSpeed);
}

void RunDisplay::finish_process(const campaign::FinishedProcess& process) {
  std::string result = "measured";
  if (process.samples_per_s && !options_.hides_speeds) {
    const work::Cell& of = plan_->cells[static_cast<std::size_t>(process.cell)];
    Speeds& speeds = speeds_[{of.device, of.model_index, of.load_index}][process.cell];
    speeds.sum_per_s += *process.samples_per_s;
    ++speeds.count;
    result =
        fmt::format("{} {}{}", report::number(*process.samples_per_s, kSpeed), kSpeed, leader_beside(process.cell));
  }
  const std::string line = fmt::format("{}, {}: {}", process.workload, process.compiler, result);
  // A terminal may cut the end.
  line_->finish_process(line, fmt::format("{}: {} · {}", process.compiler, result, process.workload));
  if (page_of_run_ != nullptr) page_of_run_->finish_process(process, line);
}

void RunDisplay::fail_process(int cell, const std::string& why, bool ends, int skipped) {
  line_->give_up_processes(skipped);
  if (page_of_run_ != nullptr) page_of_run_->fail_process(cell, why, ends, skipped);
}

void RunDisplay::end_rounds(int cell, int skipped) {
  line_->skip_processes(skipped);
  if (page_of_run_ != nullptr) page_of_run_->end_rounds(cell, skipped);
}

void RunDisplay::note(const std::string& text) { line_->note(text); }

void RunDisplay::finish_device(const std::string& device) {
  if (plan_->study.devices.size() > 1) {
    remark(fmt::format("{0}: finished; ngb show {1} --device {0} shows its results", device,
                       plan_->study.output.string()));
  }
  if (page_of_run_ != nullptr) page_of_run_->finish_device(device);
}

void RunDisplay::begin_measuring() { catch_signals(); }

void RunDisplay::tick() {
  if (line_) line_->tick();
  if (page_ != nullptr) page_->tick();
}

void RunDisplay::end_measuring() { restore_signals(); }

void RunDisplay::show_endings(const std::vector<dispatch::DeviceEnding>& endings,
                              const std::filesystem::path& results) {
  has_finished_device_ = std::any_of(endings.begin(), endings.end(), [](const dispatch::DeviceEnding& each) {
    return each.ending == dispatch::Ending::finished;
  });
  if (options_.tells_teardown) tell_of_teardown(endings, results);
}

}  // namespace ngb::app
