// SPDX-License-Identifier: Apache-2.0
// Judges the paper's claims on the numbers that it has published itself, for docs/reproduce-paper.md.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "paper/published.h"

namespace ngb::paper {

// A claim on one compiler of one of the paper's devices.
struct PublishedClaim {
  std::string claim{};   // the name of a row of claims(), or of a sentence that only the paper can test
  std::string device{};  // "paper: Xeon"; "" for all
  std::string compiler{};
  double ratio = 0;     // of the published numbers; claimed to be below 1
  std::string from{};   // the table, and of what the ratio is formed
  std::string words{};  // "holds", "does not hold", or "no difference": within 3 % of 1. There is no interval.
};

inline double geometric_mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// The numbers of one compiler on one device in Table VI, a number for each family.
struct OfCompiler {
  std::string device{};
  std::string compiler{};
  std::vector<double> small{};                            // speed-ups at batch 2 to 4
  std::vector<double> large{};                            // at batch 8 to 16
  std::vector<double> cpu{};                              // cpu / cpu of Identity, both groups of batch sizes
  std::vector<double> cpu_over_batches{};                 // cpu at batch 8 to 16 / at batch 2 to 4
  std::vector<double> ase_over_batches{};                 // ASE at batch 8 to 16 / at batch 2 to 4, four times as large
  std::map<std::string, std::vector<double>> by_style{};  // speed-ups, both groups of batch sizes
  std::map<std::string, std::vector<double>> small_by_style{};
};

inline std::vector<OfCompiler> compilers_of_table_vi() {
  const PublishedTable& table = published_families();
  std::map<std::pair<std::string, std::string>, std::size_t> identity;  // by family and device
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "compiler") == "Identity")
      identity[{table.text(row, "family"), table.text(row, "device")}] = row;
  }
  std::vector<OfCompiler> found;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& compiler = table.text(row, "compiler");
    if (compiler == "Identity") continue;
    const std::string device = published_device(table.text(row, "device"));
    const std::size_t base = identity.at({table.text(row, "family"), table.text(row, "device")});
    auto place = std::find_if(found.begin(), found.end(), [&](const OfCompiler& each) {
      return each.device == device && each.compiler == compiler;
    });
    if (place == found.end()) place = found.insert(found.end(), {.device = device, .compiler = compiler});
    const auto over_identity = [&](const char* column) {
      return table.number(row, column) / table.number(base, column);
    };
    place->small.push_back(over_identity("throughput_b2_4"));
    place->large.push_back(over_identity("throughput_b8_16"));
    place->cpu.push_back(over_identity("cpu_percent_b2_4"));
    place->cpu.push_back(over_identity("cpu_percent_b8_16"));
    auto& of_style = place->by_style[style_of_family(table.text(row, "family"))];
    of_style.push_back(place->small.back());
    of_style.push_back(place->large.back());
    place->small_by_style[style_of_family(table.text(row, "family"))].push_back(place->small.back());
    place->ase_over_batches.push_back(table.number(row, "throughput_b8_16") / table.number(row, "throughput_b2_4") / 4);
    place->cpu_over_batches.push_back(table.number(row, "cpu_percent_b8_16") / table.number(row, "cpu_percent_b2_4"));
  }
  return found;
}

inline PublishedClaim judged(std::string claim, std::string device, std::string compiler, double ratio,
                             std::string from) {
  constexpr double kMargin = 1.03;
  const char* const words = ratio < 1 / kMargin ? "holds" : ratio > kMargin ? "does not hold" : "no difference";
  return {std::move(claim), std::move(device), std::move(compiler), ratio, std::move(from), words};
}

// ConvNeXt's speed-up over the middle between the styles, inverted if transformers gain more, as for own results.
inline double convnext_ratio(const OfCompiler& of) {
  const double convolutional = geometric_mean_of(of.by_style.at("convolutional"));
  const double transformer = geometric_mean_of(of.by_style.at("transformer"));
  const double ratio = geometric_mean_of(of.by_style.at("hybrid")) / std::sqrt(convolutional * transformer);
  return transformer < convolutional ? ratio : 1 / ratio;
}

inline void add_claims_of_table_vi(std::vector<PublishedClaim>& claims) {
  for (const OfCompiler& of : compilers_of_table_vi()) {
    const auto add = [&](const char* claim, double ratio, const char* from) {
      claims.push_back(judged(claim, of.device, of.compiler, ratio, std::string("table VI: ") + from));
    };
    const double large = geometric_mean_of(of.large);
    add("small_batch_gains", large / geometric_mean_of(of.small), "speed-up at batch 8-16 / at batch 2-4");
    add("convnext_among_transformers", convnext_ratio(of), "speed-up of ConvNeXts / the middle of the two styles");
    const bool is_vendors = of.compiler == "OpenVINO" || of.compiler == "TensorRT";
    add("only_vendors_gain_at_16", is_vendors ? 1 / large : large,
        is_vendors ? "1 / speed-up at batch 8-16" : "speed-up at batch 8-16");
    const double gain = geometric_mean_of(of.small_by_style.at("convolutional"));
    add("convolutions_gain", 1 / gain, "1 / speed-up of convolutional models at batch 2-4");
    if (!is_vendors) {
      add("transformers_gain_less", geometric_mean_of(of.small_by_style.at("transformer")) / gain,
          "speed-up of transformers / of convolutional models at batch 2-4");
    }
    if (of.compiler == "TVM") {
      add("tvm_weak_on_transformers",
          geometric_mean_of(of.by_style.at("transformer")) / geometric_mean_of(of.by_style.at("convolutional")),
          "speed-up of transformers / of convolutional models");
    }
    if (of.compiler == "OpenVINO") {
      const double highest = std::max(*std::max_element(of.small.begin(), of.small.end()),
                                      *std::max_element(of.large.begin(), of.large.end()));
      add("openvino_gains_five_times", 5 / highest, "5 / highest speed-up of a family");
    }
    const double step = *std::max_element(of.ase_over_batches.begin(), of.ase_over_batches.end());
    if (is_vendors) add("vendors_ase_falls", step, "largest ASE at batch 8-16 / at batch 2-4");
    if (of.compiler == "TVM") add("tvm_ase_rises", 1 / step, "1 / largest ASE at batch 8-16 / at batch 2-4");
    const bool is_xeon = of.device == published_device("Xeon");
    if (is_xeon) {
      add("cpu_use_rises_on_cpu", 1 / geometric_mean_of(of.cpu), "CPU % of Identity / CPU %");
    } else {
      add("cpu_relief", geometric_mean_of(of.cpu), "CPU % / CPU % of Identity");
      add("cpu_use_falls_with_batch", geometric_mean_of(of.cpu_over_batches), "CPU % at batch 8-16 / at batch 2-4");
    }
  }
}

inline void add_claims_of_table_iii(std::vector<PublishedClaim>& claims) {
  const PublishedTable& table = published_compile_seconds();
  for (const PublishedColumn& column : published_compile_columns()) {
    std::map<std::string, std::pair<double, double>> models;  // seconds at batch 1 and 32
    for (std::size_t row = 0; row < table.size(); ++row) {
      auto& [single, large] = models[table.text(row, "model")];
      (table.text(row, "batch") == "1" ? single : large) = table.number(row, column.name);
    }
    std::vector<double> ratios;
    for (const auto& [model, seconds] : models) ratios.push_back(seconds.first / seconds.second);
    const auto rising = std::count_if(ratios.begin(), ratios.end(), [](double ratio) { return ratio < 1; });
    const double shrinks = geometric_mean_of(ratios);
    const bool is_tvm = std::string_view(column.compiler) == "TVM";
    claims.push_back(
        judged("only_tvm_compiles_longer", published_device(column.called), column.compiler,
               is_tvm ? shrinks : 1 / shrinks / 1.1,
               fmt::format("table III: seconds at {}; longer for {} of {} models",
                           is_tvm ? "batch 1 / at batch 32" : "batch 32 / at batch 1 / 1.1", rising, ratios.size())));
  }
}

// Returns the geometric mean of the retentions of one compiler on one device.
inline double retention_of(const PublishedTable& table, const std::string& device, const std::string& compiler) {
  std::vector<double> retentions;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "device") != device || table.text(row, "compiler") != compiler) continue;
    for (const char* const column : {"retention_b8", "retention_b16"}) retentions.push_back(table.number(row, column));
  }
  return geometric_mean_of(retentions);
}

inline void add_claims_of_tables_vii_and_viii(std::vector<PublishedClaim>& claims) {
  const PublishedTable& mha = published_mha_depth();
  const PublishedTable& conv = published_conv_depth();
  constexpr std::array<std::pair<const char*, const char*>, 5> kPairs{
      {{"GPU", "TensorRT"}, {"GPU", "ONNX"}, {"Orin", "TensorRT"}, {"Xeon", "ONNX"}, {"Xeon", "OpenVINO"}}};
  for (const auto& [device, compiler] : kPairs) {
    claims.push_back(judged("mha_retains_less_than_conv", published_device(device), compiler,
                            retention_of(mha, device, compiler) / retention_of(conv, device, compiler),
                            "tables VII and VIII: retention of attention / of convolution blocks"));
  }
  for (const auto& [device, compiler] : kPairs) {
    const bool is_onnx = std::string_view(compiler) == "ONNX";
    const double retention = retention_of(conv, device, compiler);
    claims.push_back(judged("vendors_gain_over_depth", published_device(device), compiler,
                            is_onnx ? retention / 1.1 : 1 / retention,
                            is_onnx ? "table VII: retention of convolution blocks / 1.1"
                                    : "table VII: 1 / retention of convolution blocks"));
  }
  constexpr double kClaimedRetention = 4;  // "roughly twice … on a single block, but jumps to eightfold"
  for (std::size_t row = 0; row < mha.size(); ++row) {
    if (mha.text(row, "device") != "GPU" || mha.text(row, "compiler") != "TensorRT" ||
        mha.text(row, "width") != "128") {
      continue;
    }
    claims.push_back(judged("mha_128_from_twofold_to_eightfold", published_device("GPU"), "TensorRT",
                            kClaimedRetention / mha.number(row, "retention_b8"),
                            "table VIII: 8 / 2, over its retention at width 128, batch 8"));
  }
}

inline std::vector<PublishedClaim> published_claims() {
  std::vector<PublishedClaim> claims;
  add_claims_of_table_vi(claims);
  add_claims_of_tables_vii_and_viii(claims);
  add_claims_of_table_iii(claims);
  std::stable_sort(claims.begin(), claims.end(),
                   [](const PublishedClaim& a, const PublishedClaim& b) { return a.claim < b.claim; });
  return claims;
}

}  // namespace ngb::paper
