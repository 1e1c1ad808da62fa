// SPDX-License-Identifier: Apache-2.0
// Estimates during a run how much longer it takes, and corrects itself by what this run has measured. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/estimate.h"

namespace ngb::plan {

class TimeLeft {
 public:
  // `left`: how many processes of each cell are to be measured. The plan must outlive this object.
  TimeLeft(const Plan& plan, const Estimate& estimate, std::vector<int> left);

  // A process of the cell has completed `elapsed_s` after the beginning and took `wall_s`; `has_compiled`: it did not
  // load what another had compiled.
  void finish(int cell, double elapsed_s, double wall_s, bool has_compiled);
  // An attempt at a process of the cell was lost `elapsed_s` after the beginning, in which it took `wall_s`.
  void lose(int cell, double elapsed_s, double wall_s);
  // That many processes of the cell will not run.
  void skip(int cell, int processes);
  // A process of the cell runs `elapsed_s` after the beginning and, if processes take turns, one of each cell of its
  // round.
  void work_on(int cell, double elapsed_s);

  // Returns the seconds until the last device is done, `elapsed_s` after the beginning. A cell of which processes
  // completed takes what these took; the others take what was estimated, times the factor by which their device's
  // estimate was wrong so far. Between processes passes what passed between them so far, lost attempts included; what
  // passed before the first attempt does not come again. Since the last process ended the time counts down, by at most
  // what the processes that run now should take.
  [[nodiscard]] double seconds(double elapsed_s) const;
  // Returns false once all expected processes (`left`) have completed or were skipped. A run may then still go on until
  // its rounds decide something, and nobody knows how long that takes. Nor is it known while a device has lost attempts
  // and completed none.
  [[nodiscard]] bool is_known() const;

 private:
  struct Cell {  // small, because a study may have a million
    int left = 0;
    int compiled = 0;  // processes that completed and compiled
    int loaded = 0;
    float compiled_s = 0;  // that they took
    float loaded_s = 0;
    [[nodiscard]] int done() const { return compiled + loaded; }
  };
  struct Device {
    double expected_s = 0;  // of processes that are done
    double took_s = 0;
    double prepared_s = 0;  // before the first attempt
    double open_s = 0;      // estimated, of the cells without a process
    double seen_s = 0;      // of the cells with one
    int done = 0;
    int lost = 0;  // attempts
    bool begins_with_loss = false;
    int left = 0;
    double last_s = 0;             // when an attempt ended or was lost, or the first one was seen
    std::optional<int> at_work{};  // a cell of which a process runs
  };
  void count(int cell, int sign);
  [[nodiscard]] double cell_s(int cell) const;
  [[nodiscard]] double factor_of(const Device& device) const;
  [[nodiscard]] double round_s(const Device& device) const;
  [[nodiscard]] Device& device_of(int cell);

  const Plan* plan_;
  std::vector<CellTime> expected_;
  std::map<std::string, double> between_s_;
  std::vector<Cell> cells_{};
  std::map<std::string, Device> devices_{};
};

}  // namespace ngb::plan
