// SPDX-License-Identifier: Apache-2.0
#include "bundle/data_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "report/write/csv.h"
#include "report/write/json.h"
#include "work/json_bounds.h"

namespace ngb::bundle {
namespace {

void add_samples(const store::CellData& cell, std::string& text) {
  const std::string cell_id = report::csv_text(cell.cell_id);
  for (const store::RecordedProcess& process : cell.processes) {
    std::size_t index = 0;
    for (const samples::Repetition& repetition : process.repetitions) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\r\n", cell_id, process.process_index,
                     repetition.instance, index++, repetition.is_warm_up ? 1 : 0, repetition.wall_ns,
                     repetition.inferences);
    }
  }
}

}  // namespace

Status write_samples(metrics::FamilyReader& reader, const std::filesystem::path& file) {
  const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!out.is_open()) return tl::unexpected(file::from_errno("write", file, errno));
  Status written = file::write_all(
      out.get(), "cell_id,process_index,instance,repetition_index,is_warm_up,wall_ns,inferences\r\n", file.string());
  if (!written) return written;
  // One thread, so that the families come in their order.
  Status read =
      reader.each(reader.families(), 1, [&](const store::ValueFamily&, const std::vector<store::CellData>& cells) {
        std::string text;
        for (const store::CellData& cell : cells) add_samples(cell, text);
        if (written) written = file::write_all(out.get(), text, file.string());
      });
  return read ? written : read;
}

std::string study_text(const std::vector<store::RunState>& runs) {
  nlohmann::json list = nlohmann::json::array();
  for (const store::RunState& run : runs) {
    // JSON that is nested deeper than any study could exhaust the stack.
    constexpr work::JsonBounds kStudyBounds{10'000'000, 1'000'000, 10'000'000, 64};
    const bool is_bounded = work::check_bounds(run.study_json, kStudyBounds).has_value();
    nlohmann::json study = is_bounded ? json_text::parse(run.study_json) : nlohmann::json();
    if (study.is_discarded()) study = nullptr;
    list.push_back({{"run_id", run.run_id},
                    {"study_name", run.study_name},
                    {"started_unix_ns", run.started_unix_ns},
                    {"study", std::move(study)}});
  }
  return report::json_text({{"runs", std::move(list)}});
}

std::string environment_text(const std::vector<store::MeasuredEnvironment>& environments) {
  nlohmann::json list = nlohmann::json::array();
  for (const store::MeasuredEnvironment& measured : environments) {
    nlohmann::json entries = nlohmann::json::array();
    for (const samples::EnvironmentEntry& entry : measured.environment.entries) {
      entries.push_back({{"name", entry.name},
                         {"unit", entry.unit},
                         {"value", entry.value.value ? nlohmann::json(*entry.value.value) : nlohmann::json()},
                         {"unknown_reason", entry.value.reason},
                         {"is_identity", entry.is_identity}});
    }
    list.push_back(
        {{"device", measured.device}, {"hash", measured.environment.hash()}, {"entries", std::move(entries)}});
  }
  return report::json_text({{"environments", std::move(list)}});
}

}  // namespace ngb::bundle
