// SPDX-License-Identifier: Apache-2.0
#include "metrics/raised_flags.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "metrics/families.h"
#include "metrics/metric.h"

namespace ngb::metrics {

Result<std::map<std::string, std::vector<RaisedFlag>>> raised_flags(const std::vector<store::Source>& sources,
                                                                    int threads) {
  constexpr std::string_view kPrefix = "flag_";
  auto reader = FamilyReader::open(sources);
  if (!reader) return error_of(reader);
  std::map<std::string, std::vector<RaisedFlag>> found;
  std::mutex mutex;
  const Status derived = reader->derive(reader->families(), {}, threads, [&](const DerivedFamily& family) {
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < family.cells.size(); ++i) {
      for (const store::DerivedValue& value : family.values[i]) {
        const std::string_view name = std::string_view(value.metric.str()).substr(kPrefix.size());
        const auto flag = std::ranges::find(flag_table(), name, &Flag::name);
        if (flag != flag_table().end()) found[family.cells[i].cell_id].push_back({&*flag, value.value.value_or(0)});
      }
    }
  });
  if (!derived) return error_of(derived);
  return found;
}

}  // namespace ngb::metrics
