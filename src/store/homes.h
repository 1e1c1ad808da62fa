// SPDX-License-Identifier: Apache-2.0
// Takes the names of people's home folders out of texts and files that leave the machine.
#pragma once

#include <string>
#include <string_view>

#include "store/sqlite.h"

namespace ngb::store {

// Returns the text with `~` in place of every home folder at the beginning of a path: /root, /home/NAME, /Users/NAME,
// and `own_home`, an absolute path, if it is not empty. Pure.
std::string without_homes(std::string_view text, std::string_view own_home);

// Does the same to all texts of all tables of the file; `own_home` is that of this process's user. Throws SqlError.
void hide_homes(sql::Database& database);

}  // namespace ngb::store
