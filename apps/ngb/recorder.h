// SPDX-License-Identifier: Apache-2.0
// Takes the devices' events into the store and tells the user how far the run is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/ngb/progress_line.h"
#include "dispatch/recording.h"
#include "plan/plan.h"
#include "store/store.h"

namespace ngb::app {

class Recorder {
 public:
  // `store` outlives the Recorder. `plan` is what the run has to do on all devices.
  static Result<Recorder> begin(store::Store& store, const plan::Plan& plan, std::string run_id);

  // Valid as long as the Recorder lives and does not move.
  dispatch::Callbacks callbacks();
  void end() { line_->clear(); }

 private:
  struct CellOutline {
    std::string label{};  // "resnet18 batch 8, openvino 2026.4.1"; of several devices, "xeon: " before it
    int batch = 1;
    int processes_left = 0;
  };

  Recorder(store::Store& store, std::string run_id);
  Status on_event(const std::string& device, const samples::Event& event);
  Status commit();
  void on_progress(const samples::Progress& progress);
  void tell(const samples::ProcessResult& result);

  store::Store* store_;
  std::string run_id_;
  int attempts_ = 1;
  std::map<std::string, CellOutline> cells_;
  std::unique_ptr<ProgressLine> line_;
  std::vector<samples::ProcessResult> uncommitted_{};  // to be told of when they are safe
};

}  // namespace ngb::app
