// SPDX-License-Identifier: Apache-2.0
// Lists the properties of a cell, each in one row. Ids, plans, tables, axes and documents are made from the rows, so a
// new property is a field of Configuration and a row here.
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "work/configuration.h"

namespace ngb::work {

// What a property says. Cells are compared along one or several of these while all others are equal.
enum class Role {
  device,
  compute_device,
  model,       // by its content
  model_name,  // for people
  model_fact,  // what else tables say of it
  batch,
  compiler,
  version,
  label,    // of the compiler in the study
  options,  // what each of its instances is handed: options, settings, inferences in flight; its processors
  instances,
  threads,        // their number on the device
  threads_asked,  // the word by which the study asks for them
  precision,
  load
};

enum class Kind {
  text,
  text_or_null,  // null in JSON if it is empty
  count,         // a whole number; null in JSON if it is unknown
  options        // a JSON object
};

struct Property {
  const char* name;     // in JSON and CSV: "compiler_version"
  const char* heading;  // in tables for people: "version"
  Kind kind;
  Role role;
  std::string (*text)(const Configuration& of);  // "" if there is none; options as a JSON object
  // Sets the property to a text that `text` returned; returns false if no study can say it. null: it is not kept.
  bool (*read)(Configuration& of, const std::string& text);
  const char* meaning;  // for documents
  const char* in_id =
      nullptr;  // the key in the JSON object of which a cell's id is made; null: it is not part of the id
  // A property that came later has no key in the id if it has the value of a Configuration{}, so that ids stay as they
  // are; and tables for people leave it out if no cell has another value.
  bool is_left_out_at_default = false;
  // What the study asks for, as a number or a word; null: it asks for what `text` says.
  std::string (*asked)(const Configuration& of) = nullptr;
};

// Returns all rows, in the order in which they are columns.
std::span<const Property> properties();
// Returns the rows of these roles, role by role.
std::vector<const Property*> properties_of(std::initializer_list<Role> roles);

// Returns the value of a property: a string, a number, an object or null.
nlohmann::json value_of(const Property& property, const Configuration& of);
// Returns the value that the study asks for: `threads` and `in_flight` are numbers or words.
nlohmann::json asked_value_of(const Property& property, const Configuration& of);
// Returns whether the property has the value that it has in a Configuration{}.
bool is_at_default(const Property& property, const Configuration& of);

// Returns the JSON object of which the cell's id is made (work/cell.h).
nlohmann::json id_object(const Configuration& of);

// Returns the values of all properties of these roles as one text: two cells have the same text if they have the same
// values.
std::string key_of(const Configuration& of, std::initializer_list<Role> roles);

// Returns how an entry of a study configures its compiler, whatever its name and version are, as one text: what it is
// handed, the threads that are asked for, the precision.
std::string settings_key(const Compiler& compiler);

// Returns names and values, as JSON text, of what the compiler is handed and is not at its default: options, settings,
// inferences in flight, processors, instances.
Options handed_options(const Configuration& of);
// Returns the same for people: "level=all in_flight=2"; "" if there is nothing to name.
std::string words_of_options(const Configuration& of);

}  // namespace ngb::work
