// SPDX-License-Identifier: Apache-2.0
// RO-Crate 1.1: https://w3id.org/ro/crate/1.1
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "bundle/descriptions.h"
#include "bundle/manifest.h"
#include "bundle/paths.h"
#include "metrics/metric.h"

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

// Croissant 1.0: http://mlcommons.org/croissant/1.0

namespace {

// The terms that the format asks every file to define.
ordered_json croissant_context() {
  ordered_json context{{"@language", "en"}, {"@vocab", "https://schema.org/"}};
  for (const char* const term : {"citeAs",       "column",        "equivalentProperty",
                                 "extract",      "field",         "fileProperty",
                                 "fileObject",   "fileSet",       "format",
                                 "includes",     "isLiveDataset", "jsonPath",
                                 "key",          "md5",           "parentField",
                                 "path",         "recordSet",     "references",
                                 "regex",        "repeated",      "replace",
                                 "samplingRate", "separator",     "source",
                                 "subField",     "transform"}) {
    context[term] = std::string("cr:") + term;
  }
  context["conformsTo"] = "dct:conformsTo";
  context["cr"] = "http://mlcommons.org/croissant/";
  context["rai"] = "http://mlcommons.org/croissant/RAI/";
  context["dct"] = "http://purl.org/dc/terms/";
  context["sc"] = "https://schema.org/";
  context["data"] = {{"@id", "cr:data"}, {"@type", "@json"}};
  context["examples"] = {{"@id", "cr:examples"}, {"@type", "@json"}};
  context["dataType"] = {{"@id", "cr:dataType"}, {"@type", "@vocab"}};
  return context;
}

ordered_json file_object(const BundledFile& file) {
  return {{"@type", "cr:FileObject"},
          {"@id", file.path},
          {"name", file.path},
          {"contentUrl", file.path},
          {"contentSize", fmt::format("{} B", file.bytes)},
          {"encodingFormat", media_type(file.path)},
          {"sha256", file.sha256}};
}

struct Column {
  std::string name{};
  std::string meaning{};
  const char* type = "sc:Text";
};

ordered_json record_set(const char* name, const char* meaning, const char* path, const std::vector<Column>& columns,
                        const ordered_json& key) {
  ordered_json fields = ordered_json::array();
  for (const Column& column : columns) {
    ordered_json field{{"@type", "cr:Field"},
                       {"@id", fmt::format("{}/{}", name, column.name)},
                       {"name", column.name},
                       {"description", column.meaning},
                       {"dataType", column.type},
                       {"source", {{"fileObject", {{"@id", path}}}, {"extract", {{"column", column.name}}}}}};
    if (std::string(name) == "samples" && column.name == "cell_id") {
      field["references"] = {{"field", {{"@id", "cells/cell_id"}}}};
    }
    fields.push_back(std::move(field));
  }
  return {{"@type", "cr:RecordSet"}, {"@id", name}, {"name", name},
          {"description", meaning},  {"key", key},  {"field", std::move(fields)}};
}

// Describes a column of data/cells.csv by the table of metrics.
Column column_of_cells(const std::string& name) {
  if (name == "batch") return {name, "samples per inference", "sc:Integer"};
  if (name.starts_with("flag_")) return {name, "1: the flag is raised (docs/metrics.md of NGraphBench)", "sc:Float"};
  for (const metrics::Metric& metric : metrics::metrics()) {
    const std::string of = metric.name;
    if (name == of) return {name, metric.formula, "sc:Float"};
    if (name == of + "_low") return {name, "lower bound of the 95 % interval of " + of, "sc:Float"};
    if (name == of + "_high") return {name, "upper bound of the 95 % interval of " + of, "sc:Float"};
    if (name == of + "_unknown_reason") return {name, "why there is no " + of};
  }
  return {name, "as ngb show --format csv prints it (docs/results.md of NGraphBench)"};
}

std::vector<Column> columns_of_cells(const std::string& header) {
  std::vector<Column> columns;
  for (const std::string& name : text::split(text::trim(header), ',')) columns.push_back(column_of_cells(name));
  return columns;
}

std::vector<Column> columns_of_samples() {
  return {{"cell_id", "the cell", "sc:Text"},
          {"process_index", "the process: 0, 1, …", "sc:Integer"},
          {"instance", "the instance of the process that ran it: 0, 1, …", "sc:Integer"},
          {"repetition_index", "in the order run, warm-up first, instance by instance: 0, 1, …", "sc:Integer"},
          {"is_warm_up", "1: counts in no metric", "sc:Integer"},
          {"wall_ns", "nanoseconds around all inferences of the repetition", "sc:Integer"},
          {"inferences", "inferences in the repetition", "sc:Integer"}};
}

}  // namespace

std::string croissant_text(const About& about, const std::vector<BundledFile>& files, const std::string& cells_header) {
  ordered_json json{{"@context", croissant_context()},
                    {"@type", "sc:Dataset"},
                    {"conformsTo", "http://mlcommons.org/croissant/1.0"},
                    {"name", about.name},
                    {"description", about.description},
                    {"datePublished", about.date},
                    {"version", "1.0.0"}};
  if (!about.url.empty()) json["url"] = about.url;
  if (about.licence) {
    if (const auto licence = find_licence(*about.licence)) json["license"] = (*licence)->url;
  }
  for (const std::string& author : about.authors) json["creator"].push_back({{"@type", "sc:Person"}, {"name", author}});
  json["distribution"] = ordered_json::array();
  for (const BundledFile& file : files) {
    const bool is_described = file.path == kCellsPath || file.path == kSamplesPath || file.path == kResultsPath;
    if (is_described) json["distribution"].push_back(file_object(file));
  }
  json["recordSet"] = {
      record_set("cells", "Every cell (a compiler, a model, a batch size, a device) with every metric.", kCellsPath,
                 columns_of_cells(cells_header), {{"@id", "cells/cell_id"}}),
      record_set(
          "samples", "Every repetition that counts.", kSamplesPath, columns_of_samples(),
          {{{"@id", "samples/cell_id"}}, {{"@id", "samples/process_index"}}, {{"@id", "samples/repetition_index"}}})};
  // A damaged file may have names that are not UTF-8.
  return json_text::dump(json, 2) + "\n";
}

}  // namespace ngb::bundle
