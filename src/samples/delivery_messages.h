// SPDX-License-Identifier: Apache-2.0
// The messages that bring files to a device before its job. Files come in trees; a tree is there as a whole or not at
// all. Paths are relative to the device's folder, which holds everything that NGraphBench has on the device:
//   agents/<sha256>/ngb-agent                  the agent
//   bundles/<sha256>/{bin,lib}/…               the worker, plugins and the Python package
//   toolchains/<compiler>/<version>/…          as on the client
//   models/<sha256>/model.onnx                 a user's file
//   references/<sha256>/outputs.ref            reference outputs made by the client
//   files/<sha256>                             files that have arrived and are not yet part of a tree
//   runs/<run>/                                a run's work folder: journal, logs
//   holders/<job>                              the Attach message for the agent that a batch job starts
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "samples/environment.h"

namespace ngb::samples {

// The file that marks a folder as a device's folder of NGraphBench, and its first line. Only a marked folder is used
// and emptied.
inline constexpr const char* kMarkFile = ".ngraphbench";
inline constexpr const char* kMarkText =
    "This folder belongs to NGraphBench: its runs put files here and take them away again.";
// The names in such a folder.
inline constexpr std::array<const char*, 11> kDeviceShelves{
    "agents", "bundles", "exports", "files", "holders", "lock", "models", "references", "runs", "toolchains", "tuning"};

// Returns whether the path, appended to a folder, stays below that folder: it is not absolute, has no NUL, at most 4096
// bytes, and no part that is empty, "." or "..".
bool is_path_within(std::string_view path);

// Checks of fields: throw FieldError (work/json_fields.h).
void require_path_within(const std::string& path);
void require_path_or_none(const std::string& path);  // "": none
void require_paths_within(const std::vector<std::string>& paths);
void require_sha256(const std::string& digits);

// The agent's first message on a device.
struct Arrival {
  std::string folder{};           // absolute: the device's folder
  std::string machine{};          // "x86_64", "aarch64", …
  std::uint64_t free_bytes = 0;   // on the disk of that folder
  std::int64_t unix_time_ns = 0;  // the device's clock

  static constexpr const char* kType = "arrival";
  static constexpr auto fields(auto visit) {
    return visit(Field{"folder", &Arrival::folder}, Field{"machine", &Arrival::machine},
                 Field{"free_bytes", &Arrival::free_bytes}, Field{"unix_time_ns", &Arrival::unix_time_ns});
  }
};

// Asks which of these trees are not there.
struct Ask {
  std::vector<std::string> trees{};
  // Work folder of the run that needs them; the device makes it now. While it exists, the teardown of another run
  // removes nothing that runs share. Empty: no run needs them.
  std::string run{};

  static constexpr const char* kType = "ask";
  static constexpr auto fields(auto visit) {
    return visit(Field{"trees", &Ask::trees, require_paths_within}, Field{"run", &Ask::run, require_path_or_none});
  }
};
struct Lacking {
  std::vector<std::string> trees{};

  static constexpr const char* kType = "lacking";
  static constexpr auto fields(auto visit) { return visit(Field{"trees", &Lacking::trees, require_paths_within}); }
};

struct TreeFile {
  std::string path{};  // within the tree
  std::string sha256{};
  std::uint64_t size_bytes = 0;
  bool is_executable = false;

  static constexpr auto fields(auto visit) {
    return visit(Field{"path", &TreeFile::path, require_path_within},
                 Field{"sha256", &TreeFile::sha256, require_sha256}, Field{"size_bytes", &TreeFile::size_bytes},
                 Field{"is_executable", &TreeFile::is_executable});
  }
};
// Announces a tree that the device is to make.
struct Tree {
  std::string path{};
  std::vector<TreeFile> files{};
  std::uint64_t keep_free_bytes = 0;  // refused if less of the disk would be free afterwards

  static constexpr const char* kType = "tree";
  static constexpr auto fields(auto visit) {
    return visit(Field{"path", &Tree::path, require_path_within}, Field{"files", &Tree::files},
                 Field{"keep_free_bytes", &Tree::keep_free_bytes});
  }
};
// The bytes of the tree that the device lacks. The client sends them next, without frames and in this order; frames
// follow.
struct Want {
  struct Piece {
    std::uint64_t file_index = 0;
    std::uint64_t offset_bytes = 0;  // to the file's end

    static constexpr auto fields(auto visit) {
      return visit(Field{"file_index", &Piece::file_index}, Field{"offset_bytes", &Piece::offset_bytes});
    }
  };
  std::vector<Piece> pieces{};

  static constexpr const char* kType = "want";
  static constexpr auto fields(auto visit) { return visit(Field{"pieces", &Want::pieces}); }
};
struct Installed {
  std::string path{};

  static constexpr const char* kType = "installed";
  static constexpr auto fields(auto visit) { return visit(Field{"path", &Installed::path, require_path_within}); }
};

// Connects the client to the agent of a run, which is started if it is not at work. It speaks as in message.h.
struct Attach {
  std::string run{};  // work folder
  std::string worker{};
  std::string lib{};
  // The file from which `ngb-agent hold` of a batch job reads this message; that job starts the agent. Empty: the
  // process that receives this message starts it.
  std::string holder{};

  static constexpr const char* kType = "attach";
  static constexpr auto fields(auto visit) {
    return visit(Field{"run", &Attach::run, require_path_within}, Field{"worker", &Attach::worker, require_path_within},
                 Field{"lib", &Attach::lib, require_path_within},
                 Field{"holder", &Attach::holder, require_path_or_none});
  }
};

// Answers Attach when another run is being measured: a device measures one run at a time.
struct Busy {
  std::string task{};    // the other run's work folder; "" if unknown
  std::string holder{};  // for people: "process 12"

  static constexpr const char* kType = "busy";
  static constexpr auto fields(auto visit) { return visit(Field{"task", &Busy::task}, Field{"holder", &Busy::holder}); }
};

// Asks what the device is.
struct Describe {
  static constexpr const char* kType = "describe";
  static constexpr auto fields(auto visit) { return visit(); }
};
// A folder toolchains/<compiler>/<version> that is not empty.
struct ToolchainFolder {
  std::string name{};  // "onnxruntime@1.31.1"
  bool has_manifest = false;

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &ToolchainFolder::name}, Field{"has_manifest", &ToolchainFolder::has_manifest});
  }
};
struct Description {
  Environment environment{};
  std::vector<ToolchainFolder> toolchains{};  // sorted by name
  Known<std::string> python{};                // the version that its python3 prints: "Python 3.11.2"

  static constexpr const char* kType = "description";
  static constexpr auto fields(auto visit) {
    return visit(Field{"environment", &Description::environment}, Field{"toolchains", &Description::toolchains},
                 Field{"python", &Description::python});
  }
};

// Asks which Python packages are in these folders. Each is a toolchain, a virtual environment or a folder of packages,
// either within the device's folder or the user's own: absolute, or beginning with ~/.
struct Inspect {
  std::vector<std::string> paths{};

  static constexpr const char* kType = "inspect";
  static constexpr auto fields(auto visit) { return visit(Field{"paths", &Inspect::paths}); }
};
struct FoundPackage {
  std::string name{};  // as its dist-info spells it
  std::string version{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &FoundPackage::name}, Field{"version", &FoundPackage::version});
  }
};
struct FoundFolder {
  std::string path{};      // as asked for
  std::string site{};      // absolute: where the packages are; "" when there are none
  std::string manifest{};  // the text of its manifest.json; "" without
  std::vector<FoundPackage> packages{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"path", &FoundFolder::path}, Field{"site", &FoundFolder::site},
                 Field{"manifest", &FoundFolder::manifest}, Field{"packages", &FoundFolder::packages});
  }
};
struct Inspection {
  std::vector<FoundFolder> folders{};

  static constexpr const char* kType = "inspection";
  static constexpr auto fields(auto visit) { return visit(Field{"folders", &Inspection::folders}); }
};
// Asks to use the packages in the folder `site` as the toolchain `path`, with this manifest. Answered by Installed.
struct Adopt {
  std::string path{};
  std::string site{};  // absolute
  std::string manifest{};

  static constexpr const char* kType = "adopt";
  static constexpr auto fields(auto visit) {
    return visit(Field{"path", &Adopt::path, require_path_within}, Field{"site", &Adopt::site},
                 Field{"manifest", &Adopt::manifest});
  }
};
// Asks the device's own pip to install exactly these wheels, from the index it is configured for, as the toolchain
// `path`. Answered by Installed, or by an Error with the last lines that pip printed.
struct InstallThere {
  std::string path{};
  std::string requirements{};  // a file of requirements, with the hash of every wheel
  std::string manifest{};
  std::int64_t timeout_ns = 0;

  static constexpr const char* kType = "install";
  static constexpr auto fields(auto visit) {
    return visit(Field{"path", &InstallThere::path, require_path_within},
                 Field{"requirements", &InstallThere::requirements}, Field{"manifest", &InstallThere::manifest},
                 Field{"timeout_ns", &InstallThere::timeout_ns});
  }
};

// Asks to end the runs' agents with all their processes, and to remove their files and the shared files that no other
// run needs.
struct Remove {
  std::vector<std::string> runs{};  // work folders
  bool with_toolchains = false;

  static constexpr const char* kType = "remove";
  static constexpr auto fields(auto visit) {
    return visit(Field{"runs", &Remove::runs, require_paths_within},
                 Field{"with_toolchains", &Remove::with_toolchains});
  }
};
struct Removed {
  // What should have been removed and is still there. Empty if all went well.
  std::vector<std::string> left{};
  std::uint64_t processes_left = 0;
  // Names what still needs the files that all runs share: the work folders of other runs, "a delivery on its way".
  std::vector<std::string> kept_for{};

  static constexpr const char* kType = "removed";
  static constexpr auto fields(auto visit) {
    return visit(Field{"left", &Removed::left}, Field{"processes_left", &Removed::processes_left},
                 Field{"kept_for", &Removed::kept_for});
  }
};

}  // namespace ngb::samples
