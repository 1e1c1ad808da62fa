// SPDX-License-Identifier: Apache-2.0
// What comes to a device before a job does: trees of files, each in one piece or not at all. All paths are relative to
// the device's folder, where NGraphBench keeps everything that it has there:
//   agents/<sha256>/ngb-agent                  this program
//   bundles/<sha256>/{bin,lib}/…               worker, plugins, Python package
//   toolchains/<compiler>/<version>/…          as on the client
//   models/<sha256>/model.onnx                 a user's file
//   references/<sha256>/outputs.ref            reference outputs that the client has made
//   files/<sha256>                             content on its way into trees
//   runs/<run>/                                work folders: journal, logs
//   holders/<job>                              what a batch job is to start
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "samples/environment.h"
#include "samples/known.h"

namespace ngb::samples {

// The agent's first words on a device.
struct Arrival {
  std::string folder{};           // absolute: the device's folder
  std::string machine{};          // "x86_64", "aarch64", …
  std::uint64_t free_bytes = 0;   // on the disk of that folder
  std::int64_t unix_time_ns = 0;  // the device's clock
};

// Which of these trees are not there?
struct Ask {
  std::vector<std::string> trees{};
};
struct Lacking {
  std::vector<std::string> trees{};
};

struct TreeFile {
  std::string path{};  // within the tree
  std::string sha256{};
  std::uint64_t size_bytes = 0;
  bool is_executable = false;
};
// This is to be made.
struct Tree {
  std::string path{};
  std::vector<TreeFile> files{};
  std::uint64_t keep_free_bytes = 0;  // of the disk: refused where less would stay
};
// These bytes of it are missing. The client then sends them, plain and in this order; what comes after them is a frame
// again.
struct Want {
  struct Piece {
    std::uint64_t file_index = 0;
    std::uint64_t offset_bytes = 0;  // to the file's end
  };
  std::vector<Piece> pieces{};
};
struct Installed {
  std::string path{};
};

// From here on it is the agent of a run that speaks (message.h), started where none is at work.
struct Attach {
  std::string run{};  // work folder
  std::string worker{};
  std::string lib{};
  // A path: the batch job whose `ngb-agent hold` starts the agent, when this message is in that file. Empty: whoever
  // attaches does.
  std::string holder{};
};

// What is this device?
struct Describe {};
// A folder toolchains/<compiler>/<version> that holds something.
struct ToolchainFolder {
  std::string name{};  // "onnxruntime@1.31.1"
  bool has_manifest = false;
};
struct Description {
  Environment environment{};
  std::vector<ToolchainFolder> toolchains{};  // sorted by name
  Known<std::string> python{};                // what its python3 says of its version: "Python 3.11.2"
};

// Which Python packages are in these folders? Each is a toolchain, a virtual environment or a folder of packages;
// within the device's folder, or a path of the user's: absolute, or beginning with ~/.
struct Inspect {
  std::vector<std::string> paths{};
};
struct FoundPackage {
  std::string name{};  // as its dist-info spells it
  std::string version{};
};
struct FoundFolder {
  std::string path{};      // as asked for
  std::string site{};      // absolute: where the packages are; "" when there are none
  std::string manifest{};  // the text of its manifest.json; "" without
  std::vector<FoundPackage> packages{};
};
struct Inspection {
  std::vector<FoundFolder> folders{};
};
// What stands at `site` there becomes the toolchain `path`, with this manifest. Answered by Installed.
struct Adopt {
  std::string path{};
  std::string site{};  // absolute
  std::string manifest{};
};
// The device's own pip is to install exactly these wheels from the index that it is configured for, as the toolchain
// `path`. Answered by Installed, or by an Error with the end of what pip said.
struct InstallThere {
  std::string path{};
  std::string requirements{};  // a file of requirements, with the hash of every wheel
  std::string manifest{};
  std::int64_t timeout_ns = 0;
};

// Ends the agents of a run and everything below them, removes their files and what nobody else needs.
struct Remove {
  std::vector<std::string> runs{};  // work folders
  bool with_toolchains = false;
};
struct Removed {
  std::vector<std::string>
      left{};  // what is still there of the run and of what only it needed: nothing, if all went well
  std::uint64_t processes_left = 0;
};

// Not absolute, no "." or "..", no empty part, no NUL, at most 4096 bytes: stays below any folder it is added to.
bool is_path_within(std::string_view path);

nlohmann::json to_json(const Arrival& arrival);
nlohmann::json to_json(const Ask& ask);
nlohmann::json to_json(const Lacking& lacking);
nlohmann::json to_json(const Tree& tree);
nlohmann::json to_json(const Want& want);
nlohmann::json to_json(const Installed& installed);
nlohmann::json to_json(const Attach& attach);
nlohmann::json to_json(const Description& description);
nlohmann::json to_json(const Inspect& inspect);
nlohmann::json to_json(const Inspection& inspection);
nlohmann::json to_json(const Adopt& adopt);
nlohmann::json to_json(const InstallThere& install);
nlohmann::json to_json(const Remove& remove);
nlohmann::json to_json(const Removed& removed);

// Errors name the key that is missing or wrong. Paths have been checked.
Result<Arrival> arrival_from_json(const nlohmann::json& json);
Result<Ask> ask_from_json(const nlohmann::json& json);
Result<Lacking> lacking_from_json(const nlohmann::json& json);
Result<Tree> tree_from_json(const nlohmann::json& json);
Result<Want> want_from_json(const nlohmann::json& json);
Result<Installed> installed_from_json(const nlohmann::json& json);
Result<Attach> attach_from_json(const nlohmann::json& json);
Result<Description> description_from_json(const nlohmann::json& json);
Result<Inspect> inspect_from_json(const nlohmann::json& json);
Result<Inspection> inspection_from_json(const nlohmann::json& json);
Result<Adopt> adopt_from_json(const nlohmann::json& json);
Result<InstallThere> install_there_from_json(const nlohmann::json& json);
Result<Remove> remove_from_json(const nlohmann::json& json);
Result<Removed> removed_from_json(const nlohmann::json& json);

}  // namespace ngb::samples
