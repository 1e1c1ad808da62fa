// SPDX-License-Identifier: Apache-2.0
#include "report/tables/paper_tables.h"

#include <array>
#include <utility>

namespace ngb::report::tables {
namespace {

// name, title, make
constexpr std::array kPaperTables{
    PaperTable{"table1_devices", "Devices (the paper's Table I)", devices},
    PaperTable{"table2_compilers", "Compilers and their settings (the paper's Table II)", compilers},
    PaperTable{"table3_compile_seconds",
               "Seconds to compile and tune the largest model of each group (the paper's Table III)", compile_times},
    PaperTable{"table4_models", "Models (the paper's Table IV)", models},
    PaperTable{"table5_blocks", "Parameters of a block (the paper's Table V)", blocks},
    PaperTable{"table6_families", "Throughput and CPU use of groups of models, by batch size (the paper's Table VI)",
               families},
    PaperTable{"table7_conv_depth",
               "Speed-up over the depth of convolution blocks, by width and batch size (the paper's Table VII)",
               conv_depth},
    PaperTable{"table8_mha_depth",
               "Speed-up over the depth of attention blocks, by width and batch size (the paper's Table VIII)",
               mha_depth},
};

}  // namespace

std::span<const PaperTable> paper_tables() { return kPaperTables; }

std::vector<Document> make_all(const Input& input) {
  std::vector<Document> all;
  for (const PaperTable& each : kPaperTables) {
    Document made = each.make(input);
    made.name = each.name;
    made.title = each.title;
    complete(made);
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace ngb::report::tables
