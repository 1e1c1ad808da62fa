// SPDX-License-Identifier: Apache-2.0
// A field of a record that the author of a study sets: under which key, in which unit, within which range.
#pragma once

#include "base/record.h"

namespace ngb::work {

// The field's value is the key's times `multiply`, divided by `divide`: a key in ms of a field in ns has multiply 1e6.
struct StudyKey {
  const char* name;
  const char* meaning;
  double minimum = 0;  // in the key's unit, as maximum
  double maximum = 0;
  double multiply = 1;
  double divide = 1;
  const char* default_text = "";  // in docs, where null or a word stands for the default
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
