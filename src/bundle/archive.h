// SPDX-License-Identifier: Apache-2.0
// Writes zip files that are the same whenever their content is, and unpacks zip files of unknown origin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::bundle {

// Writes the new zip file `to` with these files of `folder`, in this order. All entries have the same time and are
// readable by all and writable by nobody, so unpacked results are not changed by accident. Returns an error if a file
// cannot be read, or `to` cannot be written; then `to` may be there in part.
Status write_zip(const std::filesystem::path& folder, const std::vector<std::string>& paths,
                 const std::filesystem::path& to);

// An entry as the zip file lists it. Nothing of it can be trusted.
struct ZipEntry {
  std::string path{};
  std::uint64_t bytes = 0;  // unpacked
  bool is_file = true;      // false: a link, a folder, a device, …
  bool is_readable = true;  // false: encrypted, or packed in a way that ngb does not write
};

// Lists the entries without unpacking anything. Returns an error if the file is not a zip file, is cut off, or lists
// more than bundles have: 1,000 entries, or so many bytes that they could fill a disk (100 times the size of the zip
// file and 64 MiB, 64 GiB at most).
Result<std::vector<ZipEntry>> list_zip(const std::filesystem::path& zip);

// Checks that the zip file holds its entries and its list of them, one after the other, and nothing else: no bytes
// before, between or after them, no comments, the same in the list as at the entry. Programs that read a zip file from
// its beginning and those that read it from its end then unpack the same. Files of 4 GB and more are not checked.
Status check_layout(const std::filesystem::path& zip);

// Unpacks all entries into the empty folder `folder`. Precondition: list_zip returned these entries, their names pass
// why_not_a_path and differ, and all are readable files. Writes no more bytes than the entries announce. Returns an
// error if the content of an entry is damaged, or cannot be written.
Status unpack_zip(const std::filesystem::path& zip, const std::vector<ZipEntry>& entries,
                  const std::filesystem::path& folder);

}  // namespace ngb::bundle
