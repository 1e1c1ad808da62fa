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

namespace ngb::app {

RunDisplay::RunDisplay(Options options, LivePage* page) : options_(options), page_(page) {
  std::signal(SIGPIPE, SIG_IGN);
}

void RunDisplay::say(std::string_view text) { print_error(text); }

bool RunDisplay::is_stop_requested() { return app::is_stop_requested(); }

void RunDisplay::begin_run(const campaign::Outlook& outlook) {
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  line_ = std::make_unique<ProgressLine>(stderr, is_terminal, outlook.total, outlook.done, outlook.seconds_left);
  page_of_run_ = outlook.is_of_before ? nullptr : page_;
  plan_ = outlook.plan;
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

void RunDisplay::finish_process(const campaign::FinishedProcess& process) {
  std::string line = process.label;
  if (process.samples_per_s && !options_.hides_speeds)
    line += fmt::format(": {:.4g} samples/s", *process.samples_per_s);
  line_->finish_process(line);
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
