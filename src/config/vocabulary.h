// SPDX-License-Identifier: Apache-2.0
// The words that a study may use, as data for the parser: the existing compilers and model families with their options
// and parameters. They come from each compiler's compiler.json and from the zoo's table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/topology.h"
#include "config/device.h"
#include "work/compiler.h"
#include "work/quantiser.h"

namespace ngb::config {

struct Parameter {
  std::string name{};
  std::string type{};                 // "bool" | "int" | "float" | "string" | "int_list"
  std::vector<std::string> values{};  // allowed words of a string, plain or as JSON text; empty: any
  std::string minimum{};              // of a number, or of each number of a list; "" for none
  std::string maximum{};
  std::string default_value{};  // JSON text; "" for none
  std::string meaning{};
};

// A setting of a compiler's library that a study may not hand on (docs/plugin.md).
struct ReservedSetting {
  std::string name{};   // as the library spells it; a `*` stands for any characters
  std::string owner{};  // what a study writes instead: "threads", "options.freezing"; or "fixed: " and the reason
};

// The properties of a compiler's own library that a study may hand on.
struct SettingWords {
  std::string meaning{};  // "OpenVINO's properties, …"; "" if the compiler hands none on
  std::vector<ReservedSetting> reserved{};
};

struct CompilerWords {
  std::string name{};
  std::string default_version{};  // "" for a compiler without versions
  std::vector<Parameter> options{};
  SettingWords settings{};
  bool in_flight = false;                               // can have several inferences in flight
  std::map<std::string, std::string> compiled_files{};  // that it runs: the ending, and that of their weights' file
  work::Quantiser quantiser{};
  std::string toolchain{};  // the compiler whose versions it has: itself, or another one
  int judging_place = 0;    // when it is asked for outputs that the study's reference cannot compute; 0: never
  work::Options judging_options{};
};

struct FamilyWords {
  std::string name{};  // "resnet"; a variant such as "resnet18" is a family without parameters
  std::vector<Parameter> parameters{};
};

// The processors that this machine lets a process use.
struct Processors {
  int all = 1;                           // logical ones
  int physical = 1;                      // cores to which these belong
  std::vector<LogicalProcessor> each{};  // by which a study's own processors are checked; empty: they are not
};

struct Vocabulary {
  std::vector<CompilerWords> compilers{};
  std::vector<FamilyWords> models{};
  std::vector<DeviceEntry> devices{};  // described by the user once for all studies
  // This machine's processors. If they are not known, numbers of threads are not checked against them, and a word for a
  // number of threads is estimated as 1.
  std::optional<Processors> processors{};
};

// Returns the names of the compilers that run compiled files with this ending.
inline std::vector<std::string> runners_of(const Vocabulary& vocabulary, const std::string& ending) {
  std::vector<std::string> names;
  for (const CompilerWords& each : vocabulary.compilers) {
    if (each.compiled_files.contains(ending)) names.push_back(each.name);
  }
  return names;
}

}  // namespace ngb::config
