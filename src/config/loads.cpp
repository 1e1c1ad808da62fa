// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/sections.h"
#include "config/study_json.h"

namespace ngb::config {
namespace {

using nlohmann::json;
using work::Load;
using work::LoadKind;
using work::LoadPlace;

// Returns the number of processors of "2", "1.5" or "50 %".
double processors_of(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  constexpr double kPercent = 100;
  return text.ends_with('%') ? number / kPercent : number;
}

class LoadReader {
 public:
  explicit LoadReader(Problems& problems) : problems_(problems) {}

  std::vector<Load> read(const DocumentNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string path = fmt::format("loads[{}]", i);
      const std::size_t before = problems_.count();
      Load load = read_entry(*list.items[i], path);
      if (problems_.count() > before) continue;
      load.name = name_of_load(load);
      if (!names_.insert(load.name).second) {
        problems_.add_repeated(*list.items[i], path, shown(load.name));
        continue;
      }
      loads_.push_back(std::move(load));
    }
    return std::move(loads_);
  }

 private:
  struct Seen {
    std::vector<std::string> kinds{};
    bool has_place = false;
    NodePointer wait{};
  };

  Load read_entry(const DocumentNode& node, const std::string& path) {
    if (node.is_scalar() && node.text == work::kNoLoad) return {};
    if (!node.is_map()) {
      problems_.add(node, path, "expected none, or a load such as {cpu: 1}, found " + found(node));
      return {};
    }
    Load load;
    Seen seen;
    for (const Field& field : fields(node, path, problems_)) read_field(field, path, load, seen);
    check_kinds(node, path, seen.kinds);
    check_amount(node, path, load);
    if (seen.wait != nullptr && (load.kind == LoadKind::cpu || load.kind == LoadKind::memory)) {
      problems_.add(*seen.wait, join_path(path, "wait_s"),
                    fmt::format("{} says itself when it has begun; only a command has wait_s", name(load.kind)));
    }
    if (!seen.has_place) load.place = work::usual_place(load.kind);
    return load;
  }

  void read_field(const Field& field, const std::string& path, Load& load, Seen& seen) {
    const Key* const key = find_key(load_keys(), field.name);
    if (key == nullptr) {
      problems_.add(*field.key, path, unknown_key(field.name, names(load_keys())));
      return;
    }
    const std::string field_path = join_path(path, field.name);
    if (key->name == kProcessorsKey) {
      seen.has_place = true;
      read_place(*key, *field.value, field_path, load);
      return;
    }
    if (key->name == "wait_s") {
      seen.wait = field.value;
    } else {
      seen.kinds.push_back(key->name);
    }
    if (const auto value = read_value(*key, *field.value, field_path, problems_)) set(*key, *value, load);
  }

  void check_amount(const DocumentNode& node, const std::string& path, const Load& load) {
    const bool is_nothing = (load.kind == LoadKind::cpu && load.processors <= 0) ||
                            (load.kind == LoadKind::memory && load.bytes_per_s <= 0);
    if (is_nothing)
      problems_.add(node, join_path(path, name(load.kind)), "expected more than 0; for no load write none");
  }

  void check_kinds(const DocumentNode& node, const std::string& path, const std::vector<std::string>& kinds) {
    if (kinds.size() == 1) return;
    problems_.add(node, path,
                  kinds.empty() ? "it does not say what runs; give one of cpu, memory, command"
                                : fmt::format("{} are two loads; write an entry for each, or a command that does both",
                                              text::join(kinds, " and ")));
  }

  void read_place(const Key& key, const DocumentNode& node, const std::string& path, Load& load) {
    if (node.is_sequence()) {
      const auto listed = read_value(listed_processors_key(), node, path, problems_);
      if (!listed) return;
      load.place = LoadPlace::listed;
      load.listed = listed->get<std::vector<int>>();
      std::sort(load.listed.begin(), load.listed.end());
      const auto twice = std::adjacent_find(load.listed.begin(), load.listed.end());
      if (twice != load.listed.end()) {
        problems_.add(node, path, fmt::format("processor {} is listed twice; remove one of the two", *twice));
      }
      return;
    }
    const auto word = read_value(key, node, path, problems_);
    if (word) load.place = work::parse_load_place(word->get<std::string>()).value_or(LoadPlace::cell);
  }

  static void set(const Key& key, const json& value, Load& load) {
    if (key.name == "wait_s") {
      load.wait_s = value.get<double>();
      return;
    }
    load.kind = work::parse_load_kind(key.name).value_or(LoadKind::none);
    const auto text = value.get<std::string>();
    if (load.kind == LoadKind::cpu) load.processors = processors_of(text);
    if (load.kind == LoadKind::memory) load.bytes_per_s = parse_bytes(text.substr(0, text.find('/'))).value_or(0);
    if (load.kind == LoadKind::command) load.command = text;
  }

  Problems& problems_;
  std::vector<Load> loads_{};
  std::set<std::string> names_{};
};

}  // namespace

std::vector<Load> read_loads(const DocumentNode& node, Problems& problems) {
  if (!is_filled_list(node, "loads", "a list such as [none, {cpu: 1}]", problems)) return {};
  return LoadReader(problems).read(node);
}

}  // namespace ngb::config
