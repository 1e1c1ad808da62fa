// SPDX-License-Identifier: Apache-2.0
// Describes a compiler as a study measures it, and where its toolchain is on a device.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/record.h"

namespace ngb::work {

// Names and values that a study hands to a compiler, as JSON and as words for people.

// Pairs of a name and a value as JSON text, sorted by name.
using Options = std::vector<std::pair<std::string, std::string>>;

// Returns the options as one JSON object. A value that is not JSON becomes a string, and "" becomes null.
nlohmann::json object_of(const Options& options);
// Returns the text of that object without blanks: {"level":"all","streams":1}.
std::string text_of(const Options& options);
// Returns the options of a JSON object, each value without blanks; nothing if the text is no JSON object.
std::optional<Options> parse_options(std::string_view text);
// Returns "level=all", "streams=1": strings without quotes.
std::vector<std::string> words_of(const Options& options);

// The words that a study may use in place of a number of threads. The device decides how many they mean.
inline constexpr std::string_view kAllThreads = "all";            // the processors that it lets a process use
inline constexpr std::string_view kPhysicalThreads = "physical";  // the cores to which these processors belong
inline constexpr std::array kThreadWords{kAllThreads, kPhysicalThreads};
// The word for processors that the study leaves to the device's agent.
inline constexpr const char* kChosenProcessors = "auto";

// A cell whose threads were asked for by a word has that word in its id, not a number: the plan is made before a device
// is reached, the same study means the same cells on every machine, and a continued run finds its cells again. The
// device's agent replaces the word by a number when the job arrives, and each process reports that number. A device
// whose number changes has another environment (its allowed processors), so processes with different numbers are never
// pooled. Cells of one device are compared if the numbers are equal, cells of different devices if the words are.
struct Compiler {
  std::string name{};
  std::string version{};  // resolved: never "latest"; "" for a compiler without versions
  Options options{};      // those that differ from their defaults
  Options settings{};     // properties of the compiler's own library, handed on under its names
  int threads = 1;        // threads that its inference may use; with a word, only the device's agent knows how many
  std::string threads_asked{};       // "all" | "physical"; "": the number is asked for
  std::optional<int> in_flight = 1;  // inferences at a time; nothing: the compiler chooses ("auto")
  int instances = 1;                 // sessions at once, each in a process with threads and processors of its own
  // The processors of all instances together, and where their memory is, as ProcessorChoice::text (base/topology.h);
  // "auto": as many as the threads need, by choose_cpus (base/processors.h).
  std::string processors = kChosenProcessors;
  std::string precision = "f32";
  std::string label{};  // unique in the study: "openvino", "openvino 2026.3.1"
  bool operator==(const Compiler&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &Compiler::name}, Field{"version", &Compiler::version},
                 Field{"options", &Compiler::options}, Field{"settings", &Compiler::settings},
                 Field{"threads", &Compiler::threads}, Field{"threads_asked", &Compiler::threads_asked},
                 Field{"in_flight", &Compiler::in_flight}, Field{"instances", &Compiler::instances},
                 Field{"processors", &Compiler::processors}, Field{"precision", &Compiler::precision},
                 Field{"label", &Compiler::label});
  }
};

// Returns "2", or "auto".
std::string word_of_in_flight(const Compiler& compiler);

// Returns the threads of each instance of a compiler that asks for `all` processors or cores: its instances share them
// out evenly, and each has at least one.
inline int threads_of_each(int all, const Compiler& compiler) { return std::max(1, all / compiler.instances); }

// Returns how many processors all its instances need together.
inline int needed_processors(const Compiler& compiler) { return compiler.threads * compiler.instances; }

// Returns the threads as the study asks for them: "all", "physical" or "4".
std::string asked_threads(const Compiler& compiler);

// The place of one version of a compiler on a device. Paths are relative to the device's folder until the agent there
// makes them absolute.
struct Place {
  std::string compiler{};
  std::string version{};
  std::string host{};             // "native" | "python"
  std::string toolchain_dir{};    // site-packages folder; "" for a compiler without a toolchain
  std::string python{};           // the toolchain's interpreter; "" without a toolchain
  std::string python_path{};      // PYTHONPATH of the interpreter: the toolchain's site-packages; "" for native
  std::string runs_modules{};     // when it runs PyTorch modules without their ONNX file (runs_modules below)
  std::string manifest_sha256{};  // of the toolchain, as the client has recorded it; "" without a toolchain
  std::string why_missing{};      // why the toolchain is missing; "" if it is not known to be missing
  bool operator==(const Place&) const = default;

  [[nodiscard]] bool is_of(const Compiler& asked) const { return compiler == asked.name && version == asked.version; }

  static constexpr auto fields(auto visit) {
    return visit(Field{"compiler", &Place::compiler}, Field{"version", &Place::version}, Field{"host", &Place::host},
                 Field{"toolchain_dir", &Place::toolchain_dir}, Field{"python", &Place::python},
                 Field{"python_path", &Place::python_path}, Field{"runs_modules", &Place::runs_modules},
                 Field{"manifest_sha256", &Place::manifest_sha256}, Field{"why_missing", &Place::why_missing});
  }
};

// Returns whether the compiler runs a PyTorch module itself and needs no ONNX file of it: Place::runs_modules is
// "always", or "OPTION=VALUE" and the compiler's option has that value; "": never.
bool runs_modules(const Place& place, const Compiler& compiler);

// Returns whether the compiler converts the PyTorch module that the exporter makes of every model, an ONNX file too.
// So do compilers that always run modules and whose host is native: they have no PyTorch of their own, and need the
// exporter's packages (WorkerRequest::module_site).
bool converts_modules(const Place& place);

}  // namespace ngb::work
