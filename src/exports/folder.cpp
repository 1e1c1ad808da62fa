// SPDX-License-Identifier: Apache-2.0
#include "exports/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/removal.h"
#include "base/scratch_folder.h"
#include "dispatch/make_job.h"
#include "exports/cell_choice.h"
#include "exports/model_copy.h"
#include "exports/program.h"
#include "exports/values.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;
using campaign::cannot_go_on;
using nlohmann::json;

std::string number_of(const metrics::Value& speed) {
  if (!speed.low || !speed.high) return fmt::format("{:.4g} samples/s", *speed.value);
  return fmt::format("{:.4g} samples/s [{:.4g}, {:.4g}]", *speed.value, *speed.low, *speed.high);
}

// Writes the model, the values and the program. `question` says in which form. Returns the compiler's answer.
campaign::Answer<json> write_files(const campaign::Installation& installation, const fs::path& results,
                                   const Subject& subject, json question, const fs::path& folder,
                                   campaign::Observer& observer) {
  const work::Model& model = subject.model();
  const Result<std::string> file = put_model(subject, folder);
  if (!file) return cannot_go_on(file.error());
  const Result<json> inputs = put_inputs(subject, folder);
  if (!inputs) return cannot_go_on(inputs.error());
  const auto expected = put_expected(installation, results, subject, folder, observer);
  if (!expected) return tl::unexpected(expected.error());
  json variables = json::object();
  for (const auto& [name, value] : dispatch::worker_variables(subject.plan.study, subject.plan.study.devices.front())) {
    variables[name] = value;
  }
  question.update({{"title", title_of(subject.cell)},
                   {"number", number_of(speed_of(subject.cell))},
                   {"environment", std::move(variables)},
                   {"batch", model.key.batch},
                   {"model", *file},
                   {"model_path", (folder / *file).string()},
                   {"inputs", *inputs},
                   {"outputs", expected->value("outputs", json::array())},
                   {"expected", *expected},
                   {"folder", folder.string()}});
  auto answer = write_program(installation, subject, std::move(question));
  if (!answer) return cannot_go_on(answer.error());
  if (!answer->value("reads_model", true) && model.is_made() && !file->empty()) {
    // ngb can make it again, and the program has its own.
    file::remove(folder / *file);
    file::remove(folder / (*file + ".data"));
  }
  return *std::move(answer);
}

// One line for each package that the program needs, with the hash of its wheel if all have one. Of the second
// toolchain it needs NumPy, or all if it needs PyTorch.
std::string requirements(const PythonCommand& python, bool needs_pytorch) {
  const std::vector<toolchain::Package>& own = python.packages_of.front().packages;
  std::vector<toolchain::Package> packages = own;
  for (const toolchain::Package& each : python.packages_of.back().packages) {
    const bool is_there =
        std::any_of(own.begin(), own.end(), [&](const toolchain::Package& there) { return there.name == each.name; });
    if (!is_there && (needs_pytorch || each.name == "numpy")) packages.push_back(each);
  }
  const bool have_hashes = std::all_of(packages.begin(), packages.end(),
                                       [](const toolchain::Package& each) { return !each.sha256.empty(); });
  std::string text = fmt::format("# Python {}: pip install --no-deps -r {}\n",
                                 python.packages_of.front().python_version, kRequirementsFile);
  for (const toolchain::Package& each : packages) {
    text += fmt::format("{}=={}", each.name, each.version);
    text += have_hashes ? fmt::format(" --hash=sha256:{}\n", each.sha256) : "\n";
  }
  return text;
}

// Where the cell was measured, as far as the results know.
Result<json> machine_of(const fs::path& results, const store::CellData& cell) {
  json machine{{"device", cell.of.device}};
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  const auto environment = store->environment(cell.processes.front().environment_hash);
  if (!environment) return error_of(environment);
  for (const samples::EnvironmentEntry& entry : environment->entries) {
    if (entry.value.value && entry.is_identity) machine[entry.name] = *entry.value.value;
  }
  return machine;
}

Result<json> hashes_of(const fs::path& folder) {
  json files = json::object();
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const Result<std::string> hash = hash::sha256_of_file(entry.path());
    if (!hash) return error_of(hash);
    files[fs::relative(entry.path(), folder).string()] = *hash;
  }
  return files;
}

// The study names the model's files by their names in the folder.
json portable(json study) {
  json& model = study["models"][0];
  for (const char* const key : kFileKeys) {
    if (model.contains(key)) model[key] = fs::path(model[key].get<std::string>()).filename().string();
  }
  study.erase("output");
  return study;
}

Status write_cell(const fs::path& results, const Subject& subject, const fs::path& folder, const char* program_file) {
  const store::CellData& cell = subject.cell;
  const Result<json> machine = machine_of(results, cell);
  if (!machine) return error_of(machine);
  const Result<json> files = hashes_of(folder);
  if (!files) return error_of(files);
  const Result<std::string> program = file::read(folder / program_file);
  if (!program) return error_of(program);
  const metrics::Value speed = speed_of(cell);
  json number{{"samples_per_s", *speed.value}};
  if (speed.low) number.update({{"low", *speed.low}, {"high", *speed.high}});
  const json written{{"format", 1},         {"title", title_of(cell)},      {"cell", cell.cell_id},
                     {"number", number},    {"machine", *machine},          {"facts", cell.processes.front().facts},
                     {"program", *program}, {"program_file", program_file}, {"study", portable(subject.study)},
                     {"files", *files}};
  return file::write_atomically(folder / kCellFile, json_text::dump(written, 2) + "\n");
}

}  // namespace

campaign::Answer<Done> write_folder(const campaign::Installation& installation, const fs::path& results,
                                    const Subject& subject, const Form& form, const fs::path& folder,
                                    campaign::Observer& observer) {
  std::error_code code;
  if (fs::exists(fs::symlink_status(folder, code))) {
    return campaign::wrong_usage({"it exists already", folder.string(), "give -o a name that is not in use"});
  }
  const auto scratch = ScratchFolder::beside(fs::absolute(folder));
  if (!scratch) return cannot_go_on(scratch.error());
  const fs::path made = scratch->path() / "folder";
  if (const Status there = file::make_folder(made); !there) return cannot_go_on(there.error());
  json question{{"form", form.is_cpp ? "cpp" : "program"}, {"has_dockerfile", form.has_dockerfile}};
  const auto written = write_files(installation, results, subject, std::move(question), made, observer);
  if (!written) return tl::unexpected(written.error());
  Status done;
  if (!form.is_cpp) {
    const Result<PythonCommand> python = python_of(installation, subject);
    if (!python) return cannot_go_on(python.error());
    done =
        file::write_atomically(made / kRequirementsFile, requirements(*python, written->value("needs_pytorch", false)));
  }
  if (done) done = write_cell(results, subject, made, form.is_cpp ? kCppFile : kRunFile);
  if (done) done = file::put_in_new_place(made, fs::absolute(folder));
  if (!done) return cannot_go_on(done.error());
  return Done{};
}

campaign::Answer<std::string> snippet(const campaign::Installation& installation, const fs::path& results,
                                      const Subject& subject, campaign::Observer& observer) {
  const auto scratch = ScratchFolder::temporary("ngb-export");
  if (!scratch) return cannot_go_on(scratch.error());
  const auto written =
      write_files(installation, results, subject, json::object({{"form", "snippet"}}), scratch->path(), observer);
  if (!written) return tl::unexpected(written.error());
  return written->value("snippet", "");
}

}  // namespace ngb::exports
