// SPDX-License-Identifier: Apache-2.0
// Describes a run while it is under way, and writes that as JSON for the live page and as text for Prometheus. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::live {

enum class CellProgress { planned, partial, measured, decided, failed };
std::string_view name(CellProgress progress);  // "planned", …

// A cell's speed over that of its baseline, from the rounds that both have so far.
struct SpeedUp {
  double ratio = 1;
  std::optional<double> low{};  // 95 % interval
  std::optional<double> high{};
  std::string verdict{};  // "faster", "slower", "same", "undecided"; "": too few rounds for one
};

struct Cell {
  std::string device{};
  std::string model{};
  int batch = 1;
  std::string compiler{};  // with its version
  std::string load{};      // "": none
  int processes_left = 0;
  int processes_done = 0;  // of this run
  CellProgress progress = CellProgress::planned;
  std::optional<double> samples_per_s{};  // of its latest process; nothing: none has completed in this run
  std::optional<SpeedUp> speed_up{};      // nothing: it has no baseline, or fewer than two rounds with it
  std::string failure{};                  // why its last process failed; "": it did not
};

inline constexpr std::size_t kCellProgresses = 5;

// The cells in the order of the study, and how many there are of each progress.
class Cells {
 public:
  void add(Cell cell);
  // Changes a cell by `change`, which receives it.
  template <class Change>
  void change(std::size_t index, const Change& change) {
    --count_of(cells_[index].progress);
    change(cells_[index]);
    ++count_of(cells_[index].progress);
  }
  [[nodiscard]] const Cell& operator[](std::size_t index) const { return cells_[index]; }
  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  [[nodiscard]] std::size_t count(CellProgress progress) const { return counts_[static_cast<std::size_t>(progress)]; }

 private:
  [[nodiscard]] std::size_t& count_of(CellProgress progress) { return counts_[static_cast<std::size_t>(progress)]; }

  std::vector<Cell> cells_{};
  std::array<std::size_t, kCellProgresses> counts_{};
};

enum class DeviceProgress { waiting, measuring, preparing, finished };
std::string_view name(DeviceProgress progress);  // "waiting", …

struct Device {
  std::string name{};
  DeviceProgress progress = DeviceProgress::waiting;
  std::string doing{};  // what runs now, in words
};

inline constexpr std::size_t kMostLines = 20;       // of what happened last
inline constexpr std::size_t kMostCellsSent = 500;  // to the page and to Prometheus: those that changed last

struct State {
  std::string study{};
  std::vector<Device> devices{};
  Cells cells{};
  std::vector<std::size_t> changed{};  // indices of cells that have changed, the latest first, at most kMostCellsSent
  std::deque<std::string> lines{};     // results and remarks, the latest first, at most kMostLines
  int processes_done = 0;
  int processes_total = 0;
  std::optional<double> left_s{};  // nothing: not known yet
  double elapsed_s = 0;
  bool has_ended = false;
  std::string ending{};  // what became of the run, in words; "" before its end
  std::string report{};  // path of its page; "": none was written
};

// Moves the cell to the front of those that have changed.
void note_change(State& state, std::size_t cell);
// Changes the cell and moves it there.
template <class Change>
void change_cell(State& state, std::size_t cell, const Change& change) {
  state.cells.change(cell, change);
  note_change(state, cell);
}
// Puts the line before the others.
void note_line(State& state, std::string line);

// Returns one line of JSON: the fields of the state, counts of cells by progress, and of the cells those that changed
// last, filled up with the first others. Invalid UTF-8 is replaced.
std::string to_json(const State& state);

// Returns the text format of Prometheus, version 0.0.4. A number that is not known has no line.
std::string to_prometheus(const State& state);

}  // namespace ngb::live
