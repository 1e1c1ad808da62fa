// SPDX-License-Identifier: Apache-2.0
#include "exports/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "exports/fresh_run.h"
#include "worker/check.h"
#include "worker/inputs.h"
#include "worker/reference_file.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;
using campaign::cannot_go_on;
using nlohmann::json;

constexpr std::array<std::pair<DataType, const char*>, 8> kNumpyTypes{{{DataType::f32, "<f4"},
                                                                       {DataType::f16, "<f2"},
                                                                       {DataType::f64, "<f8"},
                                                                       {DataType::i64, "<i8"},
                                                                       {DataType::i32, "<i4"},
                                                                       {DataType::i8, "|i1"},
                                                                       {DataType::u8, "|u1"},
                                                                       {DataType::boolean, "|b1"}}};

// Writes a file of NumPy's format 1.0: a magic word, a header that is padded to 64 bytes, and the values.
Status write_npy(const fs::path& path, const TensorSignature& tensor, const void* data) {
  const char* type = nullptr;
  for (const auto& [ours, numpy] : kNumpyTypes) {
    if (ours == tensor.type) type = numpy;
  }
  if (type == nullptr) {
    return fail(fmt::format("\"{}\" is of type {}, which NumPy does not have", tensor.name, name(tensor.type)),
                path.string());
  }
  const char* const comma = tensor.shape.size() == 1 ? "," : "";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(tensor.shape, ", "), comma);
  constexpr std::size_t kBefore = 10;
  constexpr std::size_t kMultiple = 64;
  header.append(kMultiple - 1 - (kBefore + header.size()) % kMultiple, ' ');
  header += '\n';
  std::string content("\x93NUMPY\x01\x00", 8);
  content += static_cast<char>(header.size() & 0xFFU);
  content += static_cast<char>(header.size() >> 8U);
  content += header;
  content.append(static_cast<const char*>(data), tensor.element_count() * size_bytes(tensor.type));
  return file::write_atomically(path, content);
}

json described(const TensorSignature& tensor, const std::string& file) {
  return {{"name", tensor.name}, {"type", name(tensor.type)}, {"shape", tensor.shape}, {"file", file}};
}

// Returns the outputs that an agent on this machine has made and kept in one of the folders.
std::optional<worker::Reference> kept_reference(const std::vector<fs::path>& folders, const store::CellData& cell) {
  for (const fs::path& folder : folders) {
    auto found = worker::Reference::open(folder / (cell.processes.front().made_with.reference_key + ".ref"));
    if (found) return *std::move(found);
  }
  return std::nullopt;
}

std::vector<fs::path> reference_folders(const campaign::Installation& installation, const fs::path& results,
                                        const std::string& device) {
  std::vector<fs::path> folders{results / "devices" / device / "references"};
  const CacheFolder cache = campaign::trusted_cache(installation);
  if (!cache.is_none()) folders.push_back(cache.path() / "references");
  return folders;
}

campaign::Answer<worker::Reference> find_reference(const campaign::Installation& installation, const fs::path& results,
                                                   const Subject& subject, campaign::Observer& observer) {
  const auto folders = reference_folders(installation, results, subject.cell.of.device);
  if (auto kept = kept_reference(folders, subject.cell)) return *std::move(kept);
  observer.say("ngb: export: this machine no longer keeps the reference outputs; the cell is run once to make them\n");
  const auto scratch = ScratchFolder::temporary("ngb-export");
  if (!scratch) return cannot_go_on(scratch.error());
  const fs::path once = scratch->path() / "results";
  json study = subject.study;
  study["disturbance"]["max_wait_percent"] = 100;  // outputs are the same beside other programs
  const auto cell = measure_once(installation, study, {}, once, observer);
  if (!cell) return tl::unexpected(cell.error());
  if (auto made = kept_reference(reference_folders(installation, once, "local"), *cell)) return *std::move(made);
  return cannot_go_on({"the reference outputs were not kept", once.string(), "see: ngb doctor"});
}

}  // namespace

Result<json> put_inputs(const Subject& subject, const fs::path& folder) {
  const work::Model& model = subject.model();
  const std::uint64_t seed = subject.plan.study.protocol.seed;
  auto inputs = worker::Inputs::make(model.inputs, seed);
  if (!inputs) return error_of(inputs);
  if (const Status put = inputs->put(model.values, model.files, model.key.batch, seed); !put) return error_of(put);
  json written = json::array();
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string name = fmt::format("input_{}.npy", i);
    const Status done = write_npy(folder / name, model.inputs[i], inputs->tensors()[i].data);
    if (!done) return error_of(done);
    written.push_back(described(model.inputs[i], name));
  }
  return written;
}

campaign::Answer<json> put_expected(const campaign::Installation& installation, const fs::path& results,
                                    const Subject& subject, const fs::path& folder, campaign::Observer& observer) {
  if (subject.cell.processes.front().made_with.reference_key.empty()) {
    return json{{"why_not", "the study compares its outputs with nothing"}};
  }
  const auto reference = find_reference(installation, results, subject, observer);
  if (!reference) return tl::unexpected(reference.error());
  const worker::Tolerance tolerance =
      worker::tolerance_for(subject.plan.study.protocol.tolerances, subject.model().arithmetic, reference->outputs());
  json outputs = json::array();
  for (const worker::OutputView& output : reference->outputs()) {
    const std::size_t i = outputs.size();
    const std::string name = fmt::format("expected_{}.npy", i);
    const Status done = write_npy(folder / name, output.signature, output.data);
    if (!done) return cannot_go_on(done.error());
    outputs.push_back(described(output.signature, name));
    const std::vector<bool>& sensitive = reference->facts().is_sensitive;
    outputs.back()["is_sensitive"] = i < sensitive.size() && sensitive[i];
  }
  return json{{"made_by", reference->facts().made_by},    {"outputs", std::move(outputs)},
              {"absolute", tolerance.absolute},           {"relative", tolerance.relative},
              {"is_of_largest", tolerance.is_of_largest}, {"allows_rare", tolerance.allows_rare}};
}

}  // namespace ngb::exports
