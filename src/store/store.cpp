// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <fmt/format.h>

#include <utility>

#include "base/file.h"
#include "store/implementation.h"
#include "store/open.h"

namespace ngb::store {

Store::Store(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& file, Mode mode) {
  return sql::guarded([&]() -> Result<Store> {
    if (mode == Mode::read_only) {
      return Store(
          std::make_unique<Implementation>(Implementation{.lock = {}, .database = open_to_read(file, migrations())}));
    }
    const std::filesystem::path folder = file.parent_path();
    if (const Status made = file::make_folder(folder.empty() ? "." : folder); !made) {
      return tl::unexpected(made.error());
    }
    Result<WriterLock> lock = WriterLock::acquire(file);
    if (!lock) return tl::unexpected(lock.error());
    return Store(std::make_unique<Implementation>(
        Implementation{.lock = std::move(*lock), .database = open_to_write(file, migrations())}));
  });
}

Status Store::flush() {
  if (const std::optional<Error> lost = std::exchange(implementation_->lost, std::nullopt)) {
    return tl::unexpected(*lost);
  }
  implementation_->pending = 0;  // an Error of the commit is told here and now
  return implementation_->changing([&]() -> Status {
    implementation_->commit_change();
    return Done{};
  });
}

Result<std::int64_t> Store::revision() {
  return sql::guarded(
      [&]() -> Result<std::int64_t> { return implementation_->database.integer("SELECT revision FROM revision"); });
}

}  // namespace ngb::store
