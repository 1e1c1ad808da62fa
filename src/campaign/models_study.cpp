// SPDX-License-Identifier: Apache-2.0
#include "campaign/models_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "toolchain/toolchain.h"
#include "zoo/recipe.h"

namespace ngb::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTimm = "timm:";

// Files that people hand over, which are neither a study nor a model that can be measured.
struct OtherKind {
  std::string_view ending{};
  const char* what{};
  const char* next{};
};
constexpr const char* kGiveOnnx = "give the ONNX file from which it was made";
constexpr std::array kOtherKinds{
    OtherKind{".zip", "a bundle, or another archive", "to check a bundle: ngb verify FILE; to read one, unpack it"},
    OtherKind{".db", "a results file", "give its folder to: ngb show"},
    OtherKind{".pt", "weights or a program of PyTorch", "give the function that makes the module: net.py:build"},
    OtherKind{".pth", "weights of PyTorch", "give the function that makes the module: net.py:build"},
    OtherKind{".py", "a Python file", "name the function that makes the module, as in net.py:build"},
    OtherKind{".tflite", "a file that LiteRT has compiled", kGiveOnnx},
    OtherKind{".pte", "a file that ExecuTorch has compiled", kGiveOnnx},
    OtherKind{".mnn", "a file that MNN has converted", kGiveOnnx},
    OtherKind{".param", "a file that ncnn has converted", kGiveOnnx},
    OtherKind{".xml", "a file that OpenVINO has converted", kGiveOnnx},
    OtherKind{".engine", "a file that TensorRT has compiled", kGiveOnnx},
    OtherKind{".plan", "a file that TensorRT has compiled", kGiveOnnx},
};

bool is_function(const std::string& word) { return word.find(".py:") != std::string::npos; }

bool is_onnx(const std::string& word) { return fs::path(word).extension() == ".onnx"; }

// A text of YAML in quotes, whatever it holds.
std::string quoted(const std::string& text) { return json_text::dump(nlohmann::json(text)); }

// Returns "net" of "models/net.onnx", "net.py:build" or "timm:net", of characters that a name may have.
std::string name_of(const std::string& model) {
  std::string name = model.starts_with(kTimm) ? model.substr(kTimm.size()) : fs::path(model).stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-'; }, '_');
  return name;
}

std::string name_of(const std::vector<std::string>& models) {
  std::vector<std::string> names;
  std::transform(models.begin(), models.end(), std::back_inserter(names),
                 [](const std::string& model) { return name_of(model); });
  return text::join(names, "-");
}

// Returns the model's entry of a study in this folder.
Result<std::string> model_entry_of(const std::string& model, const fs::path& folder) {
  if (model.starts_with(kTimm)) return "timm: " + quoted(model.substr(kTimm.size()));
  if (!is_onnx(model) && !is_function(model)) return "zoo: " + quoted(model);
  const std::size_t function = is_function(model) ? model.rfind(':') : model.size();
  std::error_code failed;
  const fs::path file = fs::absolute(model.substr(0, function), failed).lexically_normal();
  if (!fs::is_regular_file(file, failed)) return fail("there is no such file", file.string());
  return fmt::format("{}: {}", is_onnx(model) ? "onnx" : "pytorch",
                     quoted(file.lexically_relative(folder).string() + model.substr(function)));
}

constexpr const char* kIdentity = "identity";

struct Chosen {
  std::vector<std::string> compilers{};  // perhaps with versions
  bool has_identity = false;             // it is installed
};

// Returns the given compilers, or all that are installed and have a toolchain of their own, the identity first.
Result<Chosen> chosen_compilers(const Installation& installation, const std::vector<std::string>& given) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  const auto installed = toolchain::list(installation.toolchains);
  if (!installed) return error_of(installed);
  const auto is_installed = [&](std::string_view name) {
    return std::any_of(installed->begin(), installed->end(),
                       [name](const auto& toolchain) { return toolchain.compiler == name; });
  };
  Chosen chosen{given, is_installed(kIdentity)};
  std::vector<std::string> known;
  for (const config::CompilerWords& each : vocabulary->compilers) {
    known.push_back(each.name);
    if (!given.empty() || !is_installed(each.name)) continue;
    chosen.compilers.insert(each.name == kIdentity ? chosen.compilers.begin() : chosen.compilers.end(), each.name);
  }
  if (chosen.compilers.empty()) return fail("no compiler is installed", {}, "run: ngb toolchain install");
  for (const std::string& word : given) {
    const std::string name = word.substr(0, word.find('@'));
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = text::nearest(name, known);
    return fail(near ? fmt::format("unknown compiler, did you mean {}?", *near) : "unknown compiler", name,
                "`ngb compilers` lists them");
  }
  return chosen;
}

std::string compilers_text(const Chosen& chosen) {
  std::string text = "compilers:\n";
  for (const std::string& word : chosen.compilers) {
    const std::string name = word.substr(0, word.find('@'));
    text += name == word ? fmt::format("  - {}\n", quoted(name))
                         : fmt::format("  - {}: {{version: {}}}\n", quoted(name), quoted(word.substr(name.size() + 1)));
  }
  const std::string& first = chosen.compilers.front();
  const std::string name = first.substr(0, first.find('@'));
  if (!chosen.has_identity) text += fmt::format("reference: {}\n", quoted(name));
  return name == kIdentity ? text : text + fmt::format("baseline: {}\n", quoted(name));
}

}  // namespace

Result<bool> is_model(const std::string& word) {
  if (is_onnx(word) || is_function(word) || word.starts_with(kTimm)) return true;
  std::error_code failed;
  const fs::path path(word);
  if (fs::exists(fs::status(path, failed))) {
    const auto* const kind = std::find_if(kOtherKinds.begin(), kOtherKinds.end(),
                                          [&](const OtherKind& each) { return path.extension() == each.ending; });
    if (kind != kOtherKinds.end()) return fail(fmt::format("this is {}, and no study", kind->what), word, kind->next);
    return false;
  }
  return zoo::resolve(word, nlohmann::json::object(), 1).has_value();
}

Result<fs::path> write_models_study(const Installation& installation, const ModelsOrder& order) {
  std::error_code failed;
  const std::string name = name_of(order.models);
  const fs::path output = fs::absolute(order.output.empty() ? fs::path("results") / name : order.output, failed);
  if (failed) return fail("the working folder no longer exists", {}, "change to another folder");
  const fs::path folder = output.lexically_normal().parent_path();
  const auto chosen = chosen_compilers(installation, order.compilers);
  if (!chosen) return error_of(chosen);
  std::string text = fmt::format("# Made from a command line: ngb run {}\nname: {}\nmodels:\n",
                                 fmt::join(order.models, " "), quoted(name));
  for (const std::string& model : order.models) {
    const auto entry = model_entry_of(model, folder);
    if (!entry) return error_of(entry);
    text += fmt::format("  - {}\n", *entry);
  }
  const std::vector<int> batch_sizes = order.batch_sizes.empty() ? std::vector<int>{1} : order.batch_sizes;
  text += fmt::format("{}batch_sizes: [{}]\nthreads: {}\nrounds: {{until: decided}}\noutput: {}\n",
                      compilers_text(*chosen), fmt::join(batch_sizes, ", "),
                      order.threads.empty() ? "1" : order.threads, quoted(output.lexically_normal().string()));
  const fs::path file = folder / (output.filename().string() + ".yaml");
  if (const auto there = file::read(file); there && *there == text) return file;
  fs::create_directories(folder, failed);
  if (failed) return tl::unexpected(file::from_errno("make", folder, failed.value()));
  const Status written = file::write_new(file, text);
  if (written) return file;
  if (!fs::exists(file, failed)) return error_of(written);
  return fail("there is a study here that says something else", file.string(),
              fmt::format("to run that one: ngb run {}; else remove it, or give these results another folder with -o",
                          file.string()));
}

}  // namespace ngb::campaign
