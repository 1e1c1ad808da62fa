// SPDX-License-Identifier: Apache-2.0
// A list that many records repeat. Copies of one share its memory; it never changes.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace ngb {

template <class T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> items)  // NOLINT(google-explicit-constructor): it stands for the list
      : items_(std::make_shared<const std::vector<T>>(std::move(items))) {}
  SharedList(std::initializer_list<T> items) : SharedList(std::vector<T>(items)) {}

  [[nodiscard]] const std::vector<T>& list() const {
    static const std::vector<T> kNone;
    return items_ ? *items_ : kNone;
  }
  operator const std::vector<T>&() const { return list(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return list().empty(); }
  [[nodiscard]] std::size_t size() const { return list().size(); }
  [[nodiscard]] auto begin() const { return list().begin(); }
  [[nodiscard]] auto end() const { return list().end(); }
  const T& operator[](std::size_t index) const { return list()[index]; }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.items_ == b.items_ || a.list() == b.list();
  }

 private:
  std::shared_ptr<const std::vector<T>> items_{};  // null: an empty list
};

}  // namespace ngb
