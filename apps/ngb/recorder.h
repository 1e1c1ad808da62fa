// SPDX-License-Identifier: Apache-2.0
// Takes the devices' events into the store and tells the user how far the run is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/ngb/progress_line.h"
#include "dispatch/recording.h"
#include "plan/plan.h"
#include "store/store.h"

namespace ngb::app {

class Recorder {
 public:
  // `store` and `plan`, which is what the run has to do on all devices, outlive the Recorder.
  static Result<Recorder> begin(store::Store& store, const plan::Plan& plan, std::string run_id);

  // Valid as long as the Recorder lives and does not move.
  dispatch::Callbacks callbacks();
  void end() { line_->clear(); }

 private:
  struct CellToDo {
    int index = 0;  // into the plan's cells
    int processes_left = 0;
  };

  Recorder(store::Store& store, const plan::Plan& plan, std::string run_id);
  // "resnet18 batch 8, openvino 2026.4.1"; of several devices, "xeon: " before it.
  [[nodiscard]] std::string label(const CellToDo& cell) const;
  Status on_event(const std::string& device, const samples::Event& event);
  Status commit();
  void on_progress(const samples::Progress& progress);
  void tell(const samples::ProcessResult& result);

  store::Store* store_;
  std::string run_id_;
  const plan::Plan* plan_;
  std::unordered_map<std::string_view, CellToDo> cells_{};  // by id
  std::unique_ptr<ProgressLine> line_;
  std::vector<samples::ProcessResult> uncommitted_{};  // to be told of when they are safe
};

}  // namespace ngb::app
