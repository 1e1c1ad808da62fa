// SPDX-License-Identifier: Apache-2.0
#include "work/property.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "base/topology.h"

namespace ngb::work {
namespace {

using nlohmann::json;
using Of = const Configuration&;
using To = Configuration&;
using Text = const std::string&;

std::string text_of_count(const std::optional<int>& count) { return count ? std::to_string(*count) : ""; }

constexpr int kMostInstances = 1024;  // as in a study
constexpr int kMostCount = std::numeric_limits<int>::max();

bool read_text(std::string& field, const std::string& text) {
  field = text;
  return true;
}
bool read_count(int& field, const std::string& text, int most = kMostCount) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), field);
  return error == std::errc() && end == text.data() + text.size() && field >= 1 && field <= most;
}
// The text may be empty.
bool read_count(std::optional<int>& field, const std::string& text) {
  field.reset();
  return text.empty() || read_count(field.emplace(), text);
}
bool read_options(Options& field, const std::string& text) {
  auto options = parse_options(text);
  if (!options) return false;
  field = *std::move(options);
  return true;
}

// name, heading, kind, role, text, read, meaning, key in the id, left out at its default, what is asked for
constexpr std::array kProperties{
    Property{"device", "device", Kind::text, Role::device, [](Of of) { return of.device; },
             [](To to, Text text) { return read_text(to.device, text); }, "its name in the study, or that of --as",
             "device"},
    Property{"model", "model", Kind::text, Role::model_name, [](Of of) { return of.model.label; },
             [](To to, Text text) { return read_text(to.model.label, text); }, "its label in the study"},
    Property{"model_family", "family", Kind::text, Role::model_fact, [](Of of) { return of.model.family; },
             [](To to, Text text) { return read_text(to.model.family, text); },
             "the family of its recipe; empty for a file"},
    Property{"model_group", "group", Kind::text_or_null, Role::model_fact, [](Of of) { return of.model.group; },
             [](To to, Text text) { return read_text(to.model.group, text); }, "models of one kind in several sizes"},
    Property{"model_style", "style", Kind::text_or_null, Role::model_fact, [](Of of) { return of.model.style; },
             [](To to, Text text) { return read_text(to.model.style, text); }, "convolutional, transformer or hybrid"},
    Property{"model_size", "size", Kind::count, Role::model_fact, [](Of of) { return text_of_count(of.model.size); },
             [](To to, Text text) { return read_count(to.model.size, text); }, "rank of its size in the group"},
    Property{"variant_of", "variant of", Kind::text_or_null, Role::model_fact,
             [](Of of) { return of.model.variant_of; },
             [](To to, Text text) { return read_text(to.model.variant_of, text); },
             "label of the exact model that it makes cheaper; null: it is an exact model", nullptr, true},
    Property{
        "exact_hash", "exact hash", Kind::text_or_null, Role::model_fact, [](Of of) { return of.model.exact_hash; },
        [](To to, Text text) { return read_text(to.model.exact_hash, text); }, "hash of that model", nullptr, true},
    Property{"model_hash", "hash", Kind::text, Role::model, [](Of of) { return of.model.key.hash; },
             [](To to, Text text) { return read_text(to.model.key.hash, text); },
             "of its content and of what the study sets for it", "model"},
    Property{"batch", "batch", Kind::count, Role::batch, [](Of of) { return std::to_string(of.model.key.batch); },
             [](To to, Text text) { return read_count(to.model.key.batch, text); }, "samples in an inference", "batch"},
    Property{"threads", "threads", Kind::count, Role::threads, [](Of of) { return of.threads_there(); },
             [](To to, Text text) {
               if (!read_count(to.threads, text)) return false;
               to.compiler.threads = to.threads.value_or(to.compiler.threads);
               return true;
             },
             "that its inference may use", "threads", false, [](Of of) { return of.threads_wanted(); }},
    Property{"threads_asked", "threads asked for", Kind::text_or_null, Role::threads_asked,
             [](Of of) { return of.compiler.threads_asked; },
             [](To to, Text text) { return read_text(to.compiler.threads_asked, text); },
             "all or physical, if the study asks by a word"},
    Property{"precision", "precision", Kind::text, Role::precision, [](Of of) { return of.compiler.precision; },
             [](To to, Text text) { return read_text(to.compiler.precision, text); }, "f32, bf16 or f16", "precision"},
    Property{"load", "load", Kind::text, Role::load, [](Of of) { return of.load; },
             [](To to, Text text) { return read_text(to.load, text); }, "what ran beside it while it was timed", "load",
             true},
    Property{"compute_device", "compute device", Kind::text_or_null, Role::compute_device,
             [](Of of) { return of.compute_device.value.value_or(""); }, nullptr,
             "cpu, gpu or npu; null: no process has reported it"},
    Property{"compiler", "compiler", Kind::text, Role::compiler, [](Of of) { return of.compiler.name; },
             [](To to, Text text) { return read_text(to.compiler.name, text); }, "its name", "compiler"},
    Property{"compiler_label", "label", Kind::text, Role::label, [](Of of) { return of.compiler.label; },
             [](To to, Text text) { return read_text(to.compiler.label, text); }, "its label in the study"},
    Property{"compiler_version", "version", Kind::text, Role::version, [](Of of) { return of.compiler.version; },
             [](To to, Text text) { return read_text(to.compiler.version, text); },
             "its version; empty for one without versions", "version"},
    Property{"options", "options", Kind::options, Role::options, [](Of of) { return text_of(of.compiler.options); },
             [](To to, Text text) { return read_options(to.compiler.options, text); },
             "its options in the study, as a mapping", "options"},
    Property{"settings", "settings", Kind::options, Role::options, [](Of of) { return text_of(of.compiler.settings); },
             [](To to, Text text) { return read_options(to.compiler.settings, text); },
             "properties of the compiler's own library, as a mapping", "settings", true},
    Property{"in_flight", "in flight", Kind::text, Role::options, [](Of of) { return word_of_in_flight(of.compiler); },
             [](To to, Text text) {
               return read_count(to.compiler.in_flight, text == "auto" ? std::string() : text) && !text.empty();
             },
             "inferences at a time", "in_flight", true, [](Of of) { return word_of_in_flight(of.compiler); }},
    Property{"instances", "instances", Kind::count, Role::instances,
             [](Of of) { return std::to_string(of.compiler.instances); },
             [](To to, Text text) { return read_count(to.compiler.instances, text, kMostInstances); },
             "sessions at once, each in a process with its own threads", "instances", true},
    Property{"processors", "processors", Kind::text, Role::options, [](Of of) { return of.compiler.processors; },
             [](To to, Text text) {
               return read_text(to.compiler.processors, text) &&
                      (text == kChosenProcessors || parse_processor_choice(text).has_value());
             },
             "on which it runs, and where its memory is; auto: as many as its threads, which the device chooses",
             "processors", true},
};

// Returns 2 for "2", and any other text as it is.
json number_or_word(const std::string& text) {
  json number = json_text::parse(text);
  return number.is_number_integer() ? number : json(text);
}

}  // namespace

std::span<const Property> properties() { return kProperties; }

std::vector<const Property*> properties_of(std::initializer_list<Role> roles) {
  std::vector<const Property*> found;
  for (const Role role : roles) {
    for (const Property& each : kProperties) {
      if (each.role == role) found.push_back(&each);
    }
  }
  return found;
}

json value_of(const Property& property, const Configuration& of) {
  const std::string text = property.text(of);
  if (property.kind == Kind::text) return text;
  if (property.kind == Kind::text_or_null) return text.empty() ? json() : json(text);
  json value = json_text::parse(text);
  return value.is_discarded() ? json() : value;  // no size, or threads by a word
}

json asked_value_of(const Property& property, const Configuration& of) {
  return property.asked == nullptr ? value_of(property, of) : number_or_word(property.asked(of));
}

bool is_at_default(const Property& property, const Configuration& of) {
  static const Configuration kDefault;
  return property.text(of) == property.text(kDefault);
}

json id_object(const Configuration& of) {
  json object = json::object();
  for (const Property& each : kProperties) {
    if (each.in_id == nullptr || (each.is_left_out_at_default && is_at_default(each, of))) continue;
    object[each.in_id] = asked_value_of(each, of);
  }
  return object;
}

std::string key_of(const Configuration& of, std::initializer_list<Role> roles) {
  std::string key;
  for (const Property& each : kProperties) {
    if (std::find(roles.begin(), roles.end(), each.role) == roles.end()) continue;
    key += each.text(of);
    key += '\n';
  }
  return key;
}

std::string settings_key(const Compiler& compiler) {
  const Configuration of{.compiler = compiler};
  return key_of(of, {Role::options, Role::instances, Role::precision}) + asked_threads(compiler);
}

Options handed_options(const Configuration& of) {
  Options options;
  for (const Property* each : properties_of({Role::options, Role::instances})) {
    if (is_at_default(*each, of)) continue;
    if (each->kind == Kind::options) {
      for (auto& option : parse_options(each->text(of)).value_or(Options())) options.push_back(std::move(option));
    } else {
      options.emplace_back(each->name, each->text(of));
    }
  }
  return options;
}

std::string words_of_options(const Configuration& of) { return text::join(words_of(handed_options(of)), " "); }

}  // namespace ngb::work
