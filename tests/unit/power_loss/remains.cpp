// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/hash.h"
#include "power_cut.h"
#include "temporary_folder.h"

namespace ngb::power_loss {
namespace {

namespace fs = std::filesystem;

// What happens to what is not on disk.
enum class Names { are_lost, survive };
enum class Content { is_lost, is_torn, is_zeros, survives };  // zeros: a file system made room before it wrote
struct Fate {
  Names names;
  Content content;
  std::string_view words;
};
constexpr std::array kFates{
    Fate{Names::are_lost, Content::is_lost, "what is not synced is lost"},
    Fate{Names::are_lost, Content::survives, "names are lost, content survives"},
    Fate{Names::survive, Content::is_lost, "names survive, content is lost"},
    Fate{Names::survive, Content::is_torn, "names survive, content is torn"},
    Fate{Names::survive, Content::is_zeros, "names and lengths survive, what was added is zeros"},
    Fate{Names::survive, Content::survives, "everything survives"},
};

std::string remains_of(Content fate, const std::string& before, const std::string& now) {
  const std::size_t shorter = std::min(before.size(), now.size());
  const auto same = static_cast<std::size_t>(
      std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter), now.begin()).first -
      before.begin());
  std::string left = now;
  switch (fate) {
    case Content::survives:
      return now;
    case Content::is_lost:
      return before;
    case Content::is_zeros:
      left = before;
      left.resize(now.size(), '\0');
      return left;
    case Content::is_torn:  // the first half of what has changed; then what was there before, or nothing
      left.resize(same + (now.size() - same) / 2);
      if (left.size() < before.size()) left += before.substr(left.size());
      return left;
  }
  return left;
}

class Remains {
 public:
  Remains(const Instant& instant, const Fate& fate) : instant_(instant), fate_(fate) {}

  void write(std::uint64_t folder, const fs::path& path) const {
    fs::create_directory(path);
    for (const auto& [name, inode] : names_of(folder)) {
      const Object* object = known(inode);
      if (object == nullptr) continue;
      if (object->kind == Object::Kind::folder) {
        write(inode, path / name);
      } else if (object->kind == Object::Kind::link) {
        fs::create_symlink(*object->content, path / name);
      } else {
        std::ofstream(path / name, std::ios::binary) << content_of(inode);
      }
      if (object->kind != Object::Kind::link) ::chmod((path / name).c_str(), object->mode);
    }
  }

  // Equal for equal remains.
  [[nodiscard]] std::string text(std::uint64_t folder) const {
    std::string all = "(";
    for (const auto& [name, inode] : names_of(folder)) {
      const Object* object = known(inode);
      if (object == nullptr) continue;
      all += name + "\n";
      if (object->kind == Object::Kind::folder) {
        all += text(inode);
      } else {
        all += object->kind == Object::Kind::link ? *object->content : hash::sha256(content_of(inode));
      }
      all += fmt::format("{:o}\n", object->mode);
    }
    return all + ")";
  }

 private:
  static const Object* find(const Objects& objects, std::uint64_t inode) {
    const auto object = objects.find(inode);
    return object == objects.end() ? nullptr : &object->second;
  }

  [[nodiscard]] const Object* known(std::uint64_t inode) const {
    const Object* object = find(instant_.now, inode);
    return object != nullptr ? object : find(instant_.on_disk, inode);
  }

  [[nodiscard]] std::map<std::string, std::uint64_t> names_of(std::uint64_t folder) const {
    const Object* object = find(fate_.names == Names::survive ? instant_.now : instant_.on_disk, folder);
    // A folder that was made and is not synced has nothing in it.
    return object == nullptr ? std::map<std::string, std::uint64_t>{} : object->names;
  }

  [[nodiscard]] std::string content_of(std::uint64_t file) const {
    const Object* on_disk = find(instant_.on_disk, file);
    const std::string before = on_disk == nullptr ? "" : *on_disk->content;
    const Object* now = find(instant_.now, file);
    return now == nullptr ? before : remains_of(fate_.content, before, *now->content);
  }

  const Instant& instant_;
  const Fate& fate_;
};

}  // namespace

std::size_t cut_everywhere(const Watched& watched, const Check& check) {
  std::set<std::string> checked;
  for (std::size_t i = 0; i < watched.instants.size(); ++i) {
    const Instant& instant = watched.instants[i];
    for (const Fate& fate : kFates) {
      const Remains remains(instant, fate);
      std::string key = remains.text(watched.root);
      for (const std::string& words : instant.promises) key += words + "\n";
      if (!checked.insert(hash::sha256(key)).second) continue;
      const TemporaryFolder folder;
      remains.write(watched.root, folder / "left");
      SCOPED_TRACE(
          fmt::format("power cut {} of {}, before {}: {}", i + 1, watched.instants.size(), instant.call, fate.words));
      check(folder / "left", instant.promises);
      if (testing::Test::HasFatalFailure()) return checked.size();
    }
  }
  return checked.size();
}

}  // namespace ngb::power_loss
