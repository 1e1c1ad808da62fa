// SPDX-License-Identifier: Apache-2.0
// Shows a campaign on the terminal, and on the live page if there is one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "apps/ngb/live_page.h"
#include "apps/ngb/progress_line.h"
#include "campaign/observer.h"

namespace ngb::app {

class RunDisplay : public campaign::Observer {
 public:
  struct Options {
    ProgressLine::Detail detail = ProgressLine::Detail::usual;
    bool hides_speeds = false;    // prints of each process only that it ended
    bool tells_teardown = false;  // prints on stdout what became of the devices elsewhere
  };
  // Devices that hang up do not end the program from now on. `page` may be null, and must outlive this object.
  explicit RunDisplay(Options options, LivePage* page = nullptr);
  RunDisplay() : RunDisplay(Options{}) {}

  void say(std::string_view text) override;
  bool is_stop_requested() override;
  void begin_run(const campaign::Outlook& outlook) override;
  void end_run() override;
  void remark(const std::string& line) override;
  void show(const std::string& device, const std::string& doing, bool is_measuring) override;
  void finish_process(const campaign::FinishedProcess& process) override;
  void fail_process(int cell, const std::string& why, bool ends, int skipped) override;
  void end_rounds(int cell, int skipped) override;
  void note(const std::string& text) override;
  void finish_device(const std::string& device) override;
  void begin_measuring() override;
  void tick() override;
  void end_measuring() override;
  void show_endings(const std::vector<dispatch::DeviceEnding>& endings, const std::filesystem::path& results) override;

  // Returns whether a device has finished its share.
  [[nodiscard]] bool has_finished_device() const { return has_finished_device_; }

 private:
  // The processes of a cell that were measured in this run.
  struct Speeds {
    double sum_per_s = 0;
    int count = 0;
    [[nodiscard]] double mean_per_s() const { return sum_per_s / count; }
  };
  // Returns "; fastest so far: openvino 2026.4.1, 30.94 samples/s" of the cell's workload, or that the cell is it; ""
  // while none but the cell was measured.
  [[nodiscard]] std::string leader_beside(int cell);

  Options options_;
  LivePage* page_;
  LivePage* page_of_run_ = nullptr;  // null: the run is not shown on a page
  std::unique_ptr<ProgressLine> line_{};
  const plan::Plan* plan_ = nullptr;  // of the run
  // The speeds of each workload's cells: by device, model and load, then by the cell.
  std::map<std::tuple<std::string, int, int>, std::map<int, Speeds>> speeds_{};
  bool has_finished_device_ = false;
};

}  // namespace ngb::app
