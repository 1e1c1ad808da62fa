// SPDX-License-Identifier: Apache-2.0
// Describes a record's field that the author of a study sets: its key, unit and range.
#pragma once

#include "base/record.h"

namespace ngb::work {

// The field's value is the key's value times `multiply`, divided by `divide`: for a key in ms and a field in ns,
// multiply is 1e6.
struct StudyKey {
  const char* name;
  const char* meaning;
  double minimum = 0;  // minimum and maximum are in the key's unit
  double maximum = 0;
  double multiply = 1;
  double divide = 1;
  const char* default_text = "";  // shown in docs if the default is null or a word
  // Results from before this key do not have it. At its default it is left out of the protocol and of hashes, so that
  // those results stay comparable and their studies the same.
  bool is_left_out_at_default = false;
};

template <class Record, class Value>
struct StudyField : Field<Record, Value> {
  StudyKey key;
};

template <class Record, class Value>
constexpr StudyField<Record, Value> study_field(const char* name, Value Record::* member, const StudyKey& key) {
  return {{name, member}, key};
}

}  // namespace ngb::work
