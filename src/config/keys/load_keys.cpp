// SPDX-License-Identifier: Apache-2.0
// The keys of an entry of loads.
#include "config/keys/key.h"

namespace ngb::config {
namespace {

constexpr const char* kShare = R"(^([0-9]{1,4}(\.[0-9]{1,4})?|[0-9]{1,6}(\.[0-9]{1,4})? ?%)$)";
constexpr const char* kRate = R"(^[0-9]{1,15}(\.[0-9]{1,9})? ?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)/s$)";
constexpr const char* kCommand = R"(^[^\x00-\x20]([^\x00-\x1f]{0,998}[^\x00-\x20])?$)";
constexpr double kMostProcessors = 4096;

}  // namespace

std::span<const Key> load_keys() {
  static const std::vector<Key> kKeys{
      {.name = "cpu",
       .type = ValueType::bare_text,
       .pattern = kShare,
       .meaning = "Keeps so many processors busy; 50%: half of the time of one, in periods of 10 ms",
       .default_text = "none",
       .example = "a number of processors such as 1, or a share of one such as 50%"},
      {.name = "memory",
       .type = ValueType::text,
       .pattern = kRate,
       .meaning = "Reads and writes memory at this rate, read and written bytes counted",
       .default_text = "none",
       .example = "bytes per second such as 4 GB/s or 500 MB/s"},
      {.name = "command",
       .type = ValueType::text,
       .maximum = 1000,
       .pattern = kCommand,
       .meaning = "Runs this by /bin/sh on the device; it must not end before the cell was timed",
       .default_text = "none"},
      {.name = kProcessorsKey,
       .type = ValueType::word,
       .words = {"cell", "others", "all"},
       .meaning = "Where it runs, of the processors that the device lets the study use: those of the cell's inference, "
                  "the others, all, or a list such as [0, 1]. `cpu` on `cell` uses others as well if it needs more",
       .default_text = "`cell` for `cpu`; `others` for `memory` (`cell` if there are none); `all` for `command`"},
      {.name = "wait_s",
       .type = ValueType::number,
       .maximum = 3600,
       .meaning = "`command`: seconds between its start and the cell's warm-up",
       .default_text = "`1`"},
  };
  return kKeys;
}

const Key& listed_processors_key() {
  static const Key kKey{
      .name = kProcessorsKey, .type = ValueType::integers, .maximum = kMostProcessors - 1, .meaning = ""};
  return kKey;
}

}  // namespace ngb::config
