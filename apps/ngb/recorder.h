// SPDX-License-Identifier: Apache-2.0
// Records the devices' events in the store and prints the run's progress.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/ngb/progress_line.h"
#include "dispatch/link/recording.h"
#include "plan/plan.h"
#include "store/store.h"

namespace ngb::app {

class Recorder {
 public:
  // `plan` is what the run has to do on all devices. `store` and `plan` must outlive the Recorder.
  static Result<Recorder> begin(store::Store& store, const plan::Plan& plan, std::string run_id);

  // Returns callbacks that are valid as long as the Recorder lives and is not moved.
  dispatch::Callbacks callbacks();
  void end() { line_->clear(); }

 private:
  struct CellToDo {
    int index = 0;  // in the plan's cells
    int processes_left = 0;
  };

  Recorder(store::Store& store, const plan::Plan& plan, std::string run_id);
  // Returns "resnet18 batch 8, openvino 2026.4.1", with "xeon: " before it if the plan has several devices.
  [[nodiscard]] std::string label(const CellToDo& cell) const;
  Status on_event(const std::string& device, const samples::Event& event);
  Status commit();
  [[nodiscard]] std::string who_is_in_the_way() const;
  void on_progress(const samples::Progress& progress);
  void tell(const samples::ProcessResult& result);
  void end_rounds(const std::string& cell_id);

  store::Store* store_;
  std::string run_id_;
  const plan::Plan* plan_;
  std::unordered_map<std::string_view, CellToDo> cells_{};  // by id
  std::unique_ptr<ProgressLine> line_;
  std::vector<samples::ProcessResult> uncommitted_{};  // printed once they are committed
  std::vector<std::string> ended_{};                   // ids of cells whose rounds have ended, not committed yet
};

}  // namespace ngb::app
