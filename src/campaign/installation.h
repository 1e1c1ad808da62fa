// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/cache_folder.h"
#include "base/result.h"
#include "base/revision.h"
#include "campaign/say.h"
#include "config/vocabulary.h"
#include "dispatch/link/share.h"

namespace ngb::campaign {

// The paths of this installation's parts, found from the running program's path.
struct Installation {
  dispatch::Installation parts{};
  std::filesystem::path toolchains{};  // folder of this machine's toolchains
  CacheFolder cache{};                 // what is kept between studies; others may be able to write there
  std::filesystem::path devices{};     // file of the user's devices
  std::filesystem::path studies{};     // the studies that ship with ngb
  Revision revision{};                 // the sources that the running program was built from
};

// Sets HOME from the system's list of users if the environment has none.
Installation find_installation(Revision revision);

// Returns the cache, or none if there is no place for it or other users may change it.
CacheFolder trusted_cache(const Installation& installation);
// Does so, and says once in a program's life why there is none.
CacheFolder usable_cache(const Installation& installation, const Say& say);

// Returns the folder for ssh's messages outside a run, or an error if there is no place for it.
Result<std::filesystem::path> connection_logs(const Installation& installation);

// Returns the words that a study may use, from the compilers' descriptions, the zoo's families and the user's devices.
Result<config::Vocabulary> read_vocabulary(const Installation& installation);

}  // namespace ngb::campaign
