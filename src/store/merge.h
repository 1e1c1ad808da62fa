// SPDX-License-Identifier: Apache-2.0
// Reads several results files as one, and writes them into one.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace ngb::store {

// A results file, and the names by which its devices are read.
struct Source {
  std::filesystem::path file{};
  std::map<std::string, std::string> device_names{};  // name in the file -> new name; other devices keep theirs
};

// A log of a process: where it is, and its name relative to the folder of the merged results.
struct MovedLog {
  std::filesystem::path from{};
  std::string to{};
};

// Writes everything that the sources hold into the new file `file`, except the derived values and the presence of runs
// on devices, which remain the sources' own. Runs, processes with all their parts, environments and provenance are
// kept. A cell that several sources hold becomes one cell with the processes of all. A cell of a renamed device gets
// the id that it has in every file under that name; source_cell has the former one. Returns the logs, which the caller
// copies. Returns an error and leaves a useless `file` if a source cannot be read, two sources have unlike protocols
// (all keys that differ are named) or hold the same run, one source would have two devices of one name, two sources'
// devices of one name are unlike machines, or `is_stopped`, which is asked now and then, returns true.
Result<std::vector<MovedLog>> merge(const std::vector<Source>& sources, const std::filesystem::path& file,
                                    const std::function<bool()>& is_stopped);

// Opens the sources to be read as one results file, with what `merge` would write. One source without new names is
// opened as it is; others are merged into a temporary file, and the Store shows their state of that moment. Returns the
// errors of `merge`.
Result<Store> open_sources(const std::vector<Source>& sources);

// Returns whether the sources are one file that is read as it is.
bool is_one_file(const std::vector<Source>& sources);

}  // namespace ngb::store
