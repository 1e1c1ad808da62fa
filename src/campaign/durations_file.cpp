// SPDX-License-Identifier: Apache-2.0
#include "campaign/durations_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "base/json_text.h"
#include "campaign/installation.h"
#include "samples/process_result.h"
#include "store/protocol.h"
#include "toolchain/catalog.h"
#include "work/codec.h"

namespace ngb::campaign {

namespace {

using Line = std::variant<plan::MeasuredProcess, plan::MeasuredStudy>;

std::string line_of(const Line& line) { return json_text::dump(work::write_json(line)) + "\n"; }

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0 && seconds < 1e8; }

// Returns whether an estimate can be made of it: whoever wrote the line, estimates stay numbers.
bool makes_sense(const plan::MeasuredProcess& process) {
  const plan::ProcessTime& took = process.took;
  for (const double seconds : {took.start_s, took.compile_s.value_or(0), took.load_s.value_or(0), took.tuning_s,
                               took.inference_s, took.warming_s}) {
    if (!is_time(seconds)) return false;
  }
  return process.like.batch > 0;
}

}  // namespace

plan::Durations DurationsFile::read() const {
  plan::Durations durations;
  const Result<std::string> text = path_.empty() ? Result<std::string>() : file::read(path_, 8 * most_bytes_);
  if (!text) return durations;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json object = json_text::parse(line);
    if (!object.is_object()) continue;
    Result<Line> read = work::parse_json<Line>(object, "duration");
    if (!read) continue;
    if (auto* process = std::get_if<plan::MeasuredProcess>(&*read)) {
      if (makes_sense(*process)) durations.add(std::move(*process));
    } else if (const auto* study = std::get_if<plan::MeasuredStudy>(&*read);
               is_time(study->between_s) && is_time(study->once_s)) {
      durations.add(*study);
    }
  }
  return durations;
}

Status DurationsFile::append(const std::vector<plan::MeasuredProcess>& processes) const {
  std::string lines;
  for (const plan::MeasuredProcess& process : processes) lines += line_of(process);
  return append_text(lines);
}

Status DurationsFile::append(const plan::MeasuredStudy& study) const { return append_text(line_of(study)); }

Status DurationsFile::append_text(const std::string& lines) const {
  if (path_.empty() || lines.empty()) return Done{};
  const FileDescriptor fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("append to", path_, errno));
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  // The line break ends a line that a killed program has left incomplete.
  const Status written = file::write_all(fd.get(), "\n" + lines, path_.string());
  if (!written || end < 0 || static_cast<std::uint64_t>(end) + lines.size() <= most_bytes_) return written;
  return drop_older_half();
}

// Lines that other programs append meanwhile are lost.
Status DurationsFile::drop_older_half() const {
  const Result<std::string> text = file::read(path_, 8 * most_bytes_);
  if (!text) return file::write_atomically(path_, "");
  const std::size_t half = text->find('\n', text->size() / 2);
  return file::write_atomically(path_, half == std::string::npos ? "" : std::string_view(*text).substr(half + 1));
}

double again_s(const samples::ProcessResult& result, const work::Protocol& protocol) {
  using samples::Phase;
  const double wall_s = static_cast<double>(result.wall_ns) / 1e9;
  const bool goes_on = protocol.leak || protocol.sessions;  // behind its phases, for as long as its speed made it
  if (!goes_on && (result.process_index > 0 || protocol.profile)) return wall_s;
  double phases_s = 0;
  for (const samples::PhaseUse& phase : result.phases) phases_s += static_cast<double>(phase.wall_ns) / 1e9;
  const double alone_s = samples::seconds_of_phase(result, Phase::alone);
  if (goes_on) return phases_s - alone_s;
  const double longer_s = plan::longer_look_s(protocol, phases_s, samples::seconds_of_phase(result, Phase::timed));
  return std::max(wall_s - alone_s - longer_s, phases_s - alone_s);
}

plan::ProcessTime time_of(const samples::ProcessResult& result, const work::Protocol& protocol) {
  using samples::Phase;
  plan::ProcessTime time;
  double steady_s = 0;
  double inferences = 0;
  for (const samples::Repetition& repetition : result.repetitions) {
    if (repetition.is_warm_up || repetition.instance != 0) continue;  // other instances run at the same time
    steady_s += static_cast<double>(repetition.wall_ns) / 1e9;
    inferences += repetition.inferences;
  }
  const auto tuned = result.facts.find("tuning_seconds_here");
  const double compile_s = samples::seconds_of_phase(result, Phase::compile);
  const double load_s = samples::seconds_of_phase(result, Phase::load);
  const double measure_s =
      samples::seconds_of_phase(result, Phase::warm_up) + samples::seconds_of_phase(result, Phase::timed);
  time.tuning_s =
      tuned == result.facts.end() ? 0 : std::clamp(std::strtod(tuned->second.c_str(), nullptr), 0.0, compile_s);
  if (samples::has_phase(result, Phase::compile)) time.compile_s = compile_s - time.tuning_s;
  if (samples::has_phase(result, Phase::load)) time.load_s = load_s;
  time.inference_s = inferences > 0 ? steady_s / inferences : 0;
  time.warming_s = std::max(measure_s - steady_s, 0.0);
  time.start_s = std::max(again_s(result, protocol) - compile_s - load_s - measure_s, 0.0);
  return time;
}

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "local";
  return name.data();
}

}  // namespace

DurationsFile durations_file(const Installation& installation, const Say& say) {
  const Result<std::filesystem::path> folder = usable_cache(installation, say).make("");
  return DurationsFile(folder ? *folder / "durations.jsonl" : std::filesystem::path());
}

plan::Experience experience_for(const Installation& installation, const plan::Plan& plan, const Say& say) {
  plan::Experience experience;
  experience.durations = durations_file(installation, say).read();
  experience.here = host_name();
  experience.study = store::study_hash(plan);
  if (const auto catalog = toolchain::read_catalog(installation.parts.lib)) {
    for (const toolchain::CompilerDescription& compiler : *catalog) {
      if (compiler.produces_file || compiler.keeps_file) experience.file_makers.insert(compiler.name);
      experience.usual[compiler.name] = {compiler.usual_times, compiler.usual_times_tuned, compiler.is_for_gpus()};
    }
  }
  return experience;
}

}  // namespace ngb::campaign
