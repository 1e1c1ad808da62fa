// SPDX-License-Identifier: Apache-2.0
#include "toolchain/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <tuple>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file_list.h"
#include "base/removal.h"
#include "toolchain/files.h"
#include "toolchain/manifest.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial-";

constexpr const char* kNotOurs = "move this folder away, or name another one with NGB_TOOLCHAINS";

// Returns whether ngb has made the folder: it has a manifest, damaged or not.
bool is_ours(const Place& place) {
  std::error_code code;
  return fs::exists(place.folder() / "manifest.json", code);
}

// Returns the toolchain in that place. If it is damaged, the error says what to type.
Result<Toolchain> read_whole(const Place& place) {
  Result<Toolchain> toolchain = read_manifest(place.folder());
  if (toolchain && (toolchain->compiler != place.compiler || toolchain->version != place.version)) {
    toolchain = fail(fmt::format("its manifest says that it is {} {}", toolchain->compiler, toolchain->version),
                     place.folder().string());
  }
  if (toolchain) {
    if (const Status whole = look_at_files(*toolchain); !whole) toolchain = error_of(whole);
  }
  if (toolchain) return toolchain;
  Error error = toolchain.error();
  const std::string name = place.compiler + "@" + place.version;
  error.what = fmt::format("{} {} is damaged: {}", place.compiler, place.version, error.what);
  error.next = is_ours(place)
                   ? fmt::format("ngb toolchain install {0} replaces it; ngb toolchain remove {0} removes it", name)
                   : kNotOurs;
  return tl::unexpected(std::move(error));
}

// Gives the toolchain a name under which nobody finds it, so that a killed removal leaves no half one.
Status set_aside(const Place& place) { return file::rename_to(place.folder(), place.partial().string() + "-old"); }

// Calls `visit` with each place below the root that has something. Returns why the root cannot be listed.
template <class Visit>
std::error_code each_place(const fs::path& root, const Visit& visit) {
  std::error_code code;
  for (fs::directory_iterator compiler(root, code), end; !code && compiler != end; compiler.increment(code)) {
    std::error_code ignored;
    for (fs::directory_iterator version(compiler->path(), ignored); !ignored && version != end;
         version.increment(ignored)) {
      visit(Place{root, compiler->path().filename().string(), version->path().filename().string()});
    }
  }
  return code;
}

Status remove_folder(const fs::path& folder) {
  if (!file::remove_all(folder)) return tl::unexpected(file::from_errno("remove", folder, errno));
  return Done{};
}

}  // namespace

fs::path Place::partial() const { return root / compiler / fmt::format("{}{}{}", version, kPartial, ::getpid()); }

Status check_version(std::string_view version) {
  const bool is_plain = std::all_of(version.begin(), version.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-' || c == '_';
  });
  const bool starts_well = !version.empty() && std::isalnum(static_cast<unsigned char>(version.front())) != 0;
  if (is_plain && starts_well && version.find(kPartial) == std::string_view::npos) return Done{};
  return fail(fmt::format("\"{}\" is not a version", version), "", "give one such as 1.31.1");
}

Result<FileDescriptor> lock(const Place& place, const Progress& progress) {
  const fs::path parent = place.folder().parent_path();
  if (Status made = file::make_folder(parent); !made) return error_of(made);
  const fs::path path = parent / fmt::format(".{}.lock", place.version);
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("lock", path, errno));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (progress) progress(fmt::format("waiting: {} {} is being installed elsewhere", place.compiler, place.version));
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return tl::unexpected(file::from_errno("lock", path, errno));
  }
  return fd;
}

Status remove_leftovers(const Place& place) {
  const std::string prefix = place.version + std::string(kPartial);
  std::error_code code;
  for (fs::directory_iterator it(place.folder().parent_path(), code), end; !code && it != end; it.increment(code)) {
    if (!it->path().filename().string().starts_with(prefix)) continue;
    if (Status removed = remove_folder(it->path()); !removed) return removed;
  }
  return Done{};
}

std::string creation_time() {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(system_clock().unix_now()).count();
  std::tm utc{};
  std::array<char, 32> created{};
  std::strftime(created.data(), created.size(), "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&seconds, &utc));
  return created.data();
}

Result<Toolchain> finish(const Place& place, Toolchain toolchain) {
  toolchain.created = creation_time();
  toolchain.manifest_sha256 = hash_of(toolchain);
  if (Status written = write_manifest(toolchain, place.partial()); !written) return error_of(written);
  if (const Status listed = toolchain.is_adopted ? Status{} : file_list::write(place.partial()); !listed) {
    return error_of(listed);
  }
  std::error_code code;
  if (fs::exists(place.folder(), code)) {
    if (Status renamed = set_aside(place); !renamed) return error_of(renamed);
  }
  if (Status placed = file::put_in_place(place.partial(), place.folder()); !placed) return error_of(placed);
  if (Status clean = remove_leftovers(place); !clean) return error_of(clean);
  return read_manifest(place.folder());
}

fs::path default_root() {
  std::error_code code;
  if (const std::string own = environment::variable("NGB_TOOLCHAINS"); !own.empty()) return fs::absolute(own, code);
  const fs::path data = file::user_folder("", "XDG_DATA_HOME", ".local/share");
  return data.empty() ? fs::absolute("toolchains", code) : data / "toolchains";
}

fs::path targets_root(const fs::path& root, const Target& target) {
  const fs::path plain = root.has_filename() ? root : root.parent_path();
  return plain.string() + "-" + folder_name(target);
}

Result<std::vector<Toolchain>> list(const fs::path& root) {
  std::vector<Toolchain> found;
  const std::error_code code = each_place(root, [&](const Place& place) {
    if (place.version.find(kPartial) != std::string::npos) return;
    Result<Toolchain> toolchain = read_manifest(place.folder());
    if (toolchain) found.push_back(*std::move(toolchain));
  });
  if (code && code != std::errc::no_such_file_or_directory) {
    return tl::unexpected(file::from_errno("read", root, code.value()));
  }
  std::sort(found.begin(), found.end(), [](const Toolchain& a, const Toolchain& b) {
    return std::tuple(a.compiler, release_numbers(a.version), a.version) <
           std::tuple(b.compiler, release_numbers(b.version), b.version);
  });
  return found;
}

std::vector<DamagedToolchain> take_damaged(const fs::path& root, std::vector<Toolchain>& listed) {
  std::vector<DamagedToolchain> found;
  // Whoever listed them has said what cannot be read.
  std::ignore = each_place(root, [&](const Place& place) {
    std::error_code ignored;
    if (!check_version(place.version) || !fs::is_directory(place.folder(), ignored)) return;
    const Result<Toolchain> toolchain = read_whole(place);
    if (!toolchain) found.push_back({place.compiler, place.version, place.folder(), toolchain.error()});
    if (toolchain && !toolchain->changed.empty()) {
      found.push_back({place.compiler, place.version, place.folder(), changed_since(*toolchain), true});
    }
  });
  std::sort(found.begin(), found.end(), [](const DamagedToolchain& a, const DamagedToolchain& b) {
    return a.compiler != b.compiler ? a.compiler < b.compiler : a.version < b.version;
  });
  std::erase_if(listed, [&](const Toolchain& each) {
    return std::any_of(found.begin(), found.end(), [&](const auto& damaged) { return damaged.folder == each.folder; });
  });
  return found;
}

Result<std::optional<Toolchain>> find(const fs::path& root, std::string_view compiler, std::string_view version) {
  if (Status plain = check_version(version); !plain) return std::optional<Toolchain>{};
  const Place place{root, std::string(compiler), std::string(version)};
  std::error_code ignored;
  if (!fs::exists(place.folder(), ignored)) return std::optional<Toolchain>{};
  Result<Toolchain> toolchain = read_whole(place);
  if (!toolchain) return error_of(toolchain);
  return std::optional<Toolchain>(*std::move(toolchain));
}

Status check_ours(const Place& place) {
  std::error_code code;
  if (fs::exists(place.folder(), code) && !is_ours(place)) {
    return fail("this folder has the place of a toolchain and no manifest.json, so ngb has not made it",
                place.folder().string(), kNotOurs);
  }
  return Done{};
}

Status remove(const fs::path& root, std::string_view compiler, std::string_view version) {
  const Place place{root, std::string(compiler), std::string(version)};
  std::error_code ignored;
  if (!check_version(version) || !fs::exists(place.folder(), ignored)) {
    return fail(fmt::format("{} {} is not installed", compiler, version), root.string(),
                "ngb toolchain list shows all");
  }
  const Result<FileDescriptor> held = lock(place, {});
  if (!held) return error_of(held);
  if (Status ours = check_ours(place); !ours) return ours;
  if (Status renamed = set_aside(place); !renamed) return renamed;
  return remove_leftovers(place);
}

}  // namespace ngb::toolchain
