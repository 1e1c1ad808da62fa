// SPDX-License-Identifier: Apache-2.0
// What unity builds rely on: files of one room are compiled as one, and so share their anonymous namespaces.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::rooms {

// What a source declares in its anonymous namespaces, each with the namespaces around it: "ngb::zoo::resnet::kStages".
// Left out are aliases, which may be repeated, and names of templates' specializations.
std::set<std::string> private_names(std::string_view source);

// "agent: kPause in lock.cpp and ledger.cpp", for each name that two files of a folder and those below it declare.
// CMake leaves files that have compile options of their own out of unity builds; so does this, by the CMakeLists.txt.
std::vector<std::string> repeated_names(const std::filesystem::path& folder);

}  // namespace ngb::rooms
