// SPDX-License-Identifier: Apache-2.0
#include "campaign/models_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "campaign/prepared_models.h"
#include "campaign/study_file.h"
#include "plan/file_decoder.h"
#include "plan/graph_shapes.h"
#include "toolchain/toolchain.h"
#include "userfiles/onnx_file.h"
#include "userfiles/onnx_scan.h"
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
constexpr std::array kOtherKinds{
    OtherKind{".zip", "a bundle, or another archive", "to check a bundle: ngb verify FILE; to read one, unpack it"},
    OtherKind{".db", "a results file", "give its folder to: ngb show"},
    OtherKind{".pth", "weights of PyTorch", "give the function that makes the module: net.py:build"},
    OtherKind{".safetensors", "weights", "give the function that makes the module: net.py:build"},
    OtherKind{".py", "a Python file", "name the function that makes the module, as in net.py:build"},
    OtherKind{".keras", "a model of Keras", "export it to ONNX, with keras or tf2onnx"},
    OtherKind{".h5", "a model of Keras", "export it to ONNX, with keras or tf2onnx"},
    OtherKind{".pb", "a graph of TensorFlow", "export it to ONNX, with tf2onnx"},
};

bool is_function(const std::string& word) { return word.find(".py:") != std::string::npos; }

bool is_onnx(const std::string& word) { return fs::path(word).extension() == ".onnx"; }

// Returns the names of the compilers that run files with this ending as they are.
Result<std::vector<std::string>> runners_of(const Installation& installation, const fs::path& file) {
  if (!file.has_extension()) return std::vector<std::string>{};  // a study that ships, or a recipe
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  return config::runners_of(*vocabulary, file.extension().string());
}

// Returns whether the word names a file that some compiler runs as it is.
Result<bool> is_compiled(const Installation& installation, const std::string& word) {
  const auto runners = runners_of(installation, word);
  if (!runners) return error_of(runners);
  return !runners->empty();
}

// A text of YAML in quotes, whatever it holds.
std::string quoted(const std::string& text) { return json_text::dump(nlohmann::json(text)); }

// Returns "net" of "models/net.onnx", "net.py:build" or "timm:net", of characters that a name may have.
std::string plain_name(const std::string& model) {
  std::string name = model.starts_with(kTimm) ? model.substr(kTimm.size()) : fs::path(model).stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-'; }, '_');
  return name;
}

// Returns whether the file has a cache that can be measured with no other keys, in f32.
bool generates_tokens(const fs::path& file) {
  const auto decoder =
      plan::file_decoder({.file = file, .decoder = config::DecoderEntry{.cache = config::kFormOfFile}});
  if (!decoder) return false;
  const auto inspected = userfiles::inspect_onnx(file, 1, decoder->shapes);
  return inspected && std::all_of(inspected->inputs.begin(), inspected->inputs.end(), [](const TensorSignature& each) {
           return each.type != DataType::f16 && each.type != DataType::bf16;
         });
}

// Returns the keys that an ONNX file's entry needs besides its path, as plan advises, and says that they were chosen.
std::string advised_keys(const Installation& installation, const fs::path& file, const Say& say) {
  if (generates_tokens(file)) {
    say(fmt::format("ngb: {} has a cache; chosen: cache: auto, which generates tokens (edit the study for others)\n",
                    file.string()));
    return "\n    cache: auto";
  }
  const auto inputs = userfiles::inputs_of_open_file(file);
  if (inputs.empty()) return {};
  const plan::Advice advice = plan::advise(find_onnx_package(installation), file, inputs);
  say(fmt::format("ngb: {} leaves extents of its inputs open; chosen ({}; edit the study for others):{}\n",
                  file.string(), advice.basis, advice.keys));
  return advice.keys;
}

// Returns the model's entry of a study in this folder.
Result<std::string> model_entry_of(const Installation& installation, const std::string& model, const fs::path& folder,
                                   const Say& say) {
  if (model.starts_with(kTimm)) return "timm: " + quoted(model.substr(kTimm.size()));
  const Result<bool> compiled = is_compiled(installation, model);
  if (!compiled) return error_of(compiled);
  if (!is_onnx(model) && !is_function(model) && !*compiled) return "zoo: " + quoted(model);
  const std::size_t function = is_function(model) ? model.rfind(':') : model.size();
  std::error_code failed;
  const fs::path file = fs::absolute(model.substr(0, function), failed).lexically_normal();
  if (!fs::exists(file, failed))
    return fail("there is no such file", file.string(), std::string(text::trim(file_meant(model.substr(0, function)))));
  const Status usable = is_onnx(model) ? userfiles::scan_onnx(file, {}) : file::require_regular(file);
  if (!usable) return error_of(usable);
  return fmt::format("{}: {}{}",
                     is_onnx(model) ? "onnx"
                     : *compiled    ? "file"
                                    : "pytorch",
                     quoted(file.lexically_relative(folder).string() + model.substr(function)),
                     is_onnx(model) ? advised_keys(installation, file, say) : "");
}

// The baseline of speed-ups and the judge of outputs, unless a study names others.
const std::string& usual_reference() {
  static const std::string kReference = config::Study{}.reference;
  return kReference;
}

// Returns "onnxruntime" of "onnxruntime@1.31.1".
std::string name_before_version(const std::string& word) { return word.substr(0, word.find('@')); }

Status check_known(const Installation& installation, const std::vector<std::string>& words) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  std::vector<std::string> known;
  for (const config::CompilerWords& each : vocabulary->compilers) known.push_back(each.name);
  for (const std::string& word : words) {
    const std::string name = name_before_version(word);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = text::nearest(name, known);
    return fail(near ? fmt::format("unknown compiler, did you mean {}?", *near) : "unknown compiler", name,
                "`ngb compilers` lists them");
  }
  return Done{};
}

}  // namespace

Result<bool> is_model(const Installation& installation, const std::string& word) {
  if (word.find("://") != std::string::npos) return fail("this is an address, and no file", word, "download it first");
  if (is_onnx(word) || is_function(word) || word.starts_with(kTimm)) return true;
  if (Result<bool> compiled = is_compiled(installation, word); !compiled || *compiled) return compiled;
  std::error_code failed;
  const fs::path path(word);
  if (const fs::file_status status = fs::status(path, failed); fs::exists(status) && !fs::is_directory(status)) {
    const auto* const kind = std::find_if(kOtherKinds.begin(), kOtherKinds.end(),
                                          [&](const OtherKind& each) { return path.extension() == each.ending; });
    if (kind != kOtherKinds.end()) return fail(fmt::format("this is {}, and no study", kind->what), word, kind->next);
    return false;
  }
  return zoo::resolve(word, nlohmann::json::object(), 1).has_value();
}

std::string name_of(const std::vector<std::string>& models) {
  std::vector<std::string> names;
  std::transform(models.begin(), models.end(), std::back_inserter(names),
                 [](const std::string& model) { return plain_name(model); });
  return text::join(names, "-");
}

Result<std::vector<std::string>> installed_compilers(const Installation& installation) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  const auto installed = toolchain::list(installation.toolchains);
  if (!installed) return error_of(installed);
  std::vector<std::string> words;
  for (const config::CompilerWords& each : vocabulary->compilers) {
    std::string last;  // the usual version, else the last of the others
    for (const toolchain::Toolchain& there : *installed) {
      if (there.compiler == each.name && last != each.default_version) last = there.version;
    }
    if (last.empty()) continue;
    const std::string word = last == each.default_version ? each.name : each.name + "@" + last;
    words.insert(each.name == usual_reference() ? words.begin() : words.end(), word);
  }
  return words;
}

namespace {

// Returns a compiler as a study names it, if its toolchain is among the installed ones: with the version of that one,
// if it is not the usual one.
std::optional<std::string> word_of(const config::Vocabulary& vocabulary, const std::vector<std::string>& installed,
                                   const std::string& name) {
  const auto compiler = std::find_if(vocabulary.compilers.begin(), vocabulary.compilers.end(),
                                     [&](const config::CompilerWords& each) { return each.name == name; });
  if (compiler == vocabulary.compilers.end()) return std::nullopt;
  const auto there = std::find_if(installed.begin(), installed.end(), [&](const std::string& word) {
    return name_before_version(word) == compiler->toolchain;
  });
  if (there == installed.end()) return std::nullopt;
  return name + there->substr(compiler->toolchain.size());
}

// Returns the installed compilers that run at least one of the models.
Result<std::vector<std::string>> compilers_for(const Installation& installation,
                                               const std::vector<std::string>& models) {
  auto words = installed_compilers(installation);
  if (!words) return words;
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  std::set<std::string> able;  // that run one of the files
  for (const std::string& model : models) {
    const auto runners = runners_of(installation, model);
    if (!runners) return error_of(runners);
    if (runners->empty())
      return words->empty() ? fail("no compiler is installed", {}, "run: ngb toolchain install") : words;
    able.insert(runners->begin(), runners->end());
  }
  // Some have the toolchain of another one, such as torchscript that of PyTorch.
  std::vector<std::string> runners;
  for (const std::string& name : able) {
    const auto word = word_of(*vocabulary, *words, name);
    if (word) runners.push_back(*word);
  }
  if (!runners.empty()) return runners;
  const std::vector<std::string> names(able.begin(), able.end());
  return fail("no compiler that runs it is installed", text::join(models, ", "),
              "run: ngb toolchain install " + text::join(names, " "));
}

}  // namespace

Result<std::string> keys_of_compilers(const Installation& installation, const std::vector<std::string>& words) {
  if (const Status known = check_known(installation, words); !known) return error_of(known);
  const auto installed = installed_compilers(installation);
  if (!installed) return error_of(installed);
  const auto has_reference = [](const std::vector<std::string>& among) {
    return std::any_of(among.begin(), among.end(),
                       [](const auto& word) { return name_before_version(word) == usual_reference(); });
  };
  std::string text = "compilers:\n";
  for (const std::string& word : words) {
    const std::string name = userfiles::yaml_word(name_before_version(word));
    text += word == name_before_version(word) ? fmt::format("  - {}\n", name)
                                              : fmt::format("  - {}: {{version: {}}}\n", name,
                                                            quoted(word.substr(name_before_version(word).size() + 1)));
  }
  const std::string first = name_before_version(words.front());
  if (!has_reference(*installed) && !has_reference(words)) text += fmt::format("reference: {}\n", quoted(first));
  return first == usual_reference() ? text : text + fmt::format("baseline: {}\n", quoted(first));
}

Result<std::string> entries_of_models(const Installation& installation, const std::vector<std::string>& models,
                                      const fs::path& folder, const Say& say) {
  std::string text;
  for (const std::string& model : models) {
    const auto entry = model_entry_of(installation, model, folder, say);
    if (!entry) return error_of(entry);
    text += fmt::format("  - {}\n", *entry);
  }
  return text;
}

Result<fs::path> write_models_study(const Installation& installation, const ModelsOrder& order, const Say& say) {
  std::error_code failed;
  const std::string name = name_of(order.models);
  const fs::path output = fs::absolute(order.output.empty() ? fs::path("results") / name : order.output, failed);
  if (failed) return fail("the working folder no longer exists", {}, "change to another folder");
  const fs::path folder = output.lexically_normal().parent_path();
  auto words = order.compilers.empty() ? compilers_for(installation, order.models) : order.compilers;
  if (!words) return error_of(words);
  const auto compilers = keys_of_compilers(installation, *words);
  if (!compilers) return error_of(compilers);
  const auto entries = entries_of_models(installation, order.models, folder, say);
  if (!entries) return error_of(entries);
  const std::string text = fmt::format(
      "# Made from a command line: ngb run {}\nname: {}\nmodels:\n{}{}batch_sizes: [{}]\nthreads: {}\n"
      "rounds: {{until: decided}}\noutput: {}\n",
      fmt::join(order.models, " "), quoted(name), *entries, *compilers,
      order.batch_sizes.empty() ? "1" : text::join(order.batch_sizes, ", "),
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
