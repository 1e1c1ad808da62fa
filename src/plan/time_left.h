// SPDX-License-Identifier: Apache-2.0
// Estimates during a run how much longer it takes, and corrects itself by what this run has measured. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/estimate.h"

namespace ngb::plan {

// A process that has completed.
struct Took {
  double wall_s = 0;         // without its waits for a turn
  double again_s = 0;        // of that, what every process of the cell does: all but the longer look of the first one
  bool has_compiled = true;  // it did not load what another had compiled
};

class TimeLeft {
 public:
  // `left`: how many processes of each cell are to be measured. The plan must outlive this object.
  TimeLeft(const Plan& plan, const Estimate& estimate, std::vector<int> left);

  // A process of the cell has completed `elapsed_s` after the beginning.
  void finish(int cell, double elapsed_s, const Took& took);
  // An attempt at a process of the cell was lost `elapsed_s` after the beginning, in which it took `wall_s`.
  void lose(int cell, double elapsed_s, double wall_s);
  // That many processes of the cell will not run. Below 0: so many may run after all.
  void skip(int cell, int processes);
  // A process of the cell runs `elapsed_s` after the beginning and, if processes take turns, one of each cell of its
  // round.
  void work_on(int cell, double elapsed_s);

  // Returns the seconds until the last device is done, `elapsed_s` after the beginning:
  //  - a process takes what others of its cell took, else what was estimated times the factor by which its device's
  //    estimate was wrong so far;
  //  - if the processes that run now are their cells' first and take longer, then that is the factor for their cells;
  //  - before each model that the device has not seen yet passes what passed before others, else what was estimated;
  //  - between processes passes what passed between them so far, lost attempts included.
  [[nodiscard]] double seconds(double elapsed_s) const;
  // Returns false if nobody knows: no quarter of the work was measured, before (the same, or of another version) or in
  // this run; all
  // expected processes (`left`) have completed or were skipped, and the run goes on until its rounds decide something;
  // or a device has lost attempts and completed none.
  [[nodiscard]] bool is_known() const;

 private:
  struct Cell {  // small, because a study may have a million
    int left = 0;
    int compiled = 0;  // processes that completed and compiled
    int loaded = 0;
    float compiled_s = 0;  // that they took, without longer looks
    float loaded_s = 0;
    [[nodiscard]] int done() const { return compiled + loaded; }
  };
  struct Round {  // processes that run: one, or in turns one of each cell of a model
    double begun_s = 0;
    int cell = 0;  // of one of them
  };
  struct Device {
    double expected_s = 0;  // of processes that are done, without longer looks
    double again_s = 0;     // that they took
    double took_s = 0;      // with these, and with lost attempts
    double open_s = 0;      // estimated, of the cells without a process
    double seen_s = 0;      // of the cells with one
    int done = 0;
    int lost = 0;  // attempts
    int left = 0;
    double last_s = 0;  // when an attempt ended or was lost
    std::optional<Round> round{};
    std::set<int> models{};    // that are to be measured
    std::set<int> opened{};    // of these, those of which an attempt has begun
    double opening_s = 0;      // that passed before them
    double opening_now_s = 0;  // of that, before the one that runs
    double first_opening_s = 0;
  };
  void count(int cell, int sign);
  void open(int cell, double begun_s);
  [[nodiscard]] double cell_s(int cell) const;
  // The expected time of the processes that run.
  struct RoundTime {
    double known_s = 0;       // those of cells that have others
    double open_s = 0;        // estimated, the others
    double open_whole_s = 0;  // estimated, with all processes of their cells
  };
  [[nodiscard]] RoundTime time_of(const Round& round) const;
  [[nodiscard]] double device_s(const Device& device, double elapsed_s) const;
  [[nodiscard]] double opening_s(const std::string& name, const Device& device, double elapsed_s) const;
  [[nodiscard]] Device& device_of(int cell);
  [[nodiscard]] const CellTime& expected(int cell) const { return expected_[static_cast<std::size_t>(cell)]; }

  const Plan* plan_;
  std::vector<CellTime> expected_;
  std::map<std::string, double> between_s_;
  std::vector<Cell> cells_{};
  std::map<std::string, Device> devices_{};
};

}  // namespace ngb::plan
