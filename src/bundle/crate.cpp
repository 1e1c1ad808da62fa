// SPDX-License-Identifier: Apache-2.0
// RO-Crate 1.1: https://w3id.org/ro/crate/1.1
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "bundle/descriptions.h"
#include "bundle/licences.h"
#include "bundle/paths.h"

namespace ngb::bundle {
namespace {

using nlohmann::ordered_json;

ordered_json refers_to(const std::string& id) { return {{"@id", id}}; }

// The root must name a licence; an entity within the crate says that there is none.
ordered_json licence_entity(const About& about) {
  if (about.licence) {
    if (const auto licence = find_licence(*about.licence)) {
      return {{"@id", (*licence)->url},
              {"@type", "CreativeWork"},
              {"name", (*licence)->name},
              {"identifier", (*licence)->spdx},
              {"description", "The licence of the data."}};
    }
  }
  return {{"@id", "#no-licence"},
          {"@type", "CreativeWork"},
          {"name", "no licence"},
          {"description", "The authors have chosen no licence. Ask them before you use the data."}};
}

ordered_json root_entity(const About& about, const std::vector<BundledFile>& files, const ordered_json& licence) {
  ordered_json root{{"@id", "./"},
                    {"@type", "Dataset"},
                    {"name", about.name},
                    {"description", about.description},
                    {"datePublished", about.date},
                    {"license", refers_to(licence.at("@id").get<std::string>())}};
  if (!about.url.empty()) root["url"] = about.url;
  for (std::size_t i = 0; i < about.authors.size(); ++i) {
    root["author"].push_back(refers_to(fmt::format("#author-{}", i + 1)));
  }
  root["hasPart"] = ordered_json::array();
  for (const BundledFile& file : files) root["hasPart"].push_back(refers_to(file.path));
  root["mentions"] = refers_to("#computing");
  return root;
}

ordered_json file_entity(const BundledFile& file) {
  return {{"@id", file.path},
          {"@type", "File"},
          {"name", file.path},
          {"encodingFormat", media_type(file.path)},
          {"contentSize", std::to_string(file.bytes)},
          {"sha256", file.sha256}};
}

// How the numbers came from the samples.
ordered_json computing_entity(const std::vector<BundledFile>& files) {
  ordered_json made = ordered_json::array();
  for (const BundledFile& file : files) {
    const bool is_made = file.path.starts_with(std::string(kReportFolder) + '/') || file.path.starts_with("data/");
    if (is_made) made.push_back(refers_to(file.path));
  }
  return {{"@id", "#computing"},
          {"@type", "CreateAction"},
          {"name", "Metrics, tables, figures and the page are computed from the samples"},
          {"instrument", refers_to("#ngb")},
          {"object", refers_to(kResultsPath)},
          {"result", std::move(made)}};
}

}  // namespace

std::string crate_text(const About& about, const std::vector<BundledFile>& files) {
  const ordered_json licence = licence_entity(about);
  ordered_json graph{{{"@id", kCratePath},
                      {"@type", "CreativeWork"},
                      {"conformsTo", refers_to("https://w3id.org/ro/crate/1.1")},
                      {"about", refers_to("./")}},
                     root_entity(about, files, licence),
                     licence};
  for (std::size_t i = 0; i < about.authors.size(); ++i) {
    graph.push_back({{"@id", fmt::format("#author-{}", i + 1)}, {"@type", "Person"}, {"name", about.authors[i]}});
  }
  graph.push_back(
      {{"@id", "#ngb"}, {"@type", "SoftwareApplication"}, {"name", "NGraphBench"}, {"softwareVersion", about.made_by}});
  graph.push_back(computing_entity(files));
  for (const BundledFile& file : files) graph.push_back(file_entity(file));
  // The context of RO-Crate 1.1 lacks one term that is used here.
  const ordered_json json{
      {"@context", {"https://w3id.org/ro/crate/1.1/context", {{"sha256", "https://schema.org/sha256"}}}},
      {"@graph", std::move(graph)}};
  return json_text::dump(json, 2) + "\n";
}

}  // namespace ngb::bundle
