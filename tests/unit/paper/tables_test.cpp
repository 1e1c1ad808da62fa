// SPDX-License-Identifier: Apache-2.0
#include "paper/tables/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../metrics/made_up_cells.h"
#include "../report/written.h"
#include "paper/published.h"
#include "report/formats.h"
#include "zoo/recipe.h"

namespace ngb::paper::tables {
namespace {

std::vector<Row> rows_of(const Document& document) {
  return document.table.sections.empty() ? std::vector<Row>() : document.table.sections.front().rows;
}

using store::CellData;
using store::SeriesValue;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kAllPublished{"paper: Xeon", "paper: RTX 4070", "paper: Orin"};

// Made-up results, of which each test fills in what its table needs.
class PaperTables : public ::testing::Test {
 protected:
  Document table(const std::string& name, const std::vector<std::string>& published = {}) {
    Results results = report::all_results(cells_, values_);
    add_series(results, parts_);
    const Input input(results, environments_, published);
    for (Document& each : make_all(input)) {
      if (each.name == name) return std::move(each);
    }
    ADD_FAILURE() << "no table " << name;
    return {};
  }
  std::string csv(const std::string& name, const std::vector<std::string>& published = {}) {
    return to_csv(table(name, published));
  }

  CellData& add_cell(const std::string& compiler, int batch, const std::string& model = "resnet18") {
    CellData cell = made_up::cell(compiler, batch);
    cell.of.model.label = model;
    cell.cell_id = compiler + "/" + model + "/" + std::to_string(batch);
    cells_.push_back(std::move(cell));
    return cells_.back();
  }
  void add_compile_time(const CellData& cell, std::optional<double> seconds, const std::string& reason = "") {
    values_.push_back({cell.cell_id, "compile_total_s", seconds, {}, {}, reason});
  }
  // A value of a series about the cells with these ids.
  void add_value(const std::string& series, const std::string& subject, const std::string& batch_sizes,
                 std::optional<double> value, const std::string& cell_id, const std::string& reason = "") {
    parts_[0].values.push_back({.series = series,
                                .device = "local",
                                .compiler = "openvino 1.0",
                                .subject = subject,
                                .batch_sizes = batch_sizes,
                                .value = value,
                                .reason = reason,
                                .cell_ids = {cell_id}});
  }

  std::vector<CellData> cells_{};
  std::vector<store::DerivedValue> values_{};
  std::vector<store::SeriesPart> parts_ = std::vector<store::SeriesPart>(1);
  std::vector<store::MeasuredEnvironment> environments_{};
};

TEST_F(PaperTables, DescribeDevicesByAllTheirDescriptions) {
  add_cell("openvino", 1);
  const auto environment = [](const char* kernel) {
    samples::Environment made;
    made.entries = {{"cpu_model", "", Known<std::string>::of("Xeon"), true},
                    {"memory_total", "bytes", Known<std::string>::of("2147483648"), true},
                    {"gpu", "", Known<std::string>::unknown("no driver"), true},
                    {"kernel", "", Known<std::string>::of(kernel), true}};
    return made;
  };
  environments_ = {{"local", environment("6.1")}, {"local", environment("6.2")}, {"other", environment("5.0")}};
  EXPECT_EQ(
      csv("table1_devices"),
      "device,machine,cpu_model,cpu_cores,cpu_threads,memory_total,gpu,gpu_driver,operating_system,kernel,notes\r\n"
      "local,,Xeon,,,2.0 GiB,,,,6.1; 6.2,"
      "machine: this device does not have such an entry; cpu_cores: this device does not have such an entry; "
      "cpu_threads: this device does not have such an entry; gpu: no driver; "
      "gpu_driver: this device does not have such an entry; "
      "operating_system: this device does not have such an entry\r\n");
}

TEST_F(PaperTables, ListEachSettingOfACompilerOnce) {
  add_cell("openvino", 1);
  add_cell("openvino", 8);
  add_cell("tvm", 1).of.compiler.options = {{"trials", "8"}};
  EXPECT_EQ(csv("table2_compilers"),
            "compiler,label,version,options,threads,precision,device,notes\r\n"
            "openvino,openvino,1.0,,2 threads,f32,local,\r\n"
            "tvm,tvm,1.0,\"{\"\"trials\"\":8}\",2 threads,f32,local,\r\n");
}

TEST_F(PaperTables, HaveColumnsOfWhatSomeCompilersAreHanded) {
  add_cell("openvino", 1);
  add_cell("openvino", 1).of.compiler.settings = {{"arena", "1"}};
  add_cell("openvino", 1).of.compiler.in_flight = std::nullopt;
  add_cell("openvino", 1).of.compiler.instances = 2;
  EXPECT_EQ(csv("table2_compilers"),
            "compiler,label,version,options,settings,in flight,instances,threads,precision,device,notes\r\n"
            "openvino,openvino,1.0,,,1,1,2 threads,f32,local,\r\n"
            "openvino,openvino,1.0,,\"{\"\"arena\"\":1}\",1,1,2 threads,f32,local,\r\n"
            "openvino,openvino,1.0,,,auto,1,2 threads,f32,local,\r\n"
            "openvino,openvino,1.0,,,1,2,2 threads,f32,local,\r\n");
}

TEST_F(PaperTables, HaveCompileTimesOfTheLargestModelAtTheOuterBatchSizes) {
  for (const int batch : {1, 8, 32}) {
    for (const char* const model : {"resnet18", "resnet101"}) {
      for (const char* const compiler : {"identity", "openvino"}) {
        CellData& cell = add_cell(compiler, batch, model);
        cell.of.model.group = "ResNets";
        cell.of.model.size = cell.of.model.label == "resnet18" ? 1 : 3;
        if (batch < 32) add_compile_time(cell, 2.5 * batch);
        if (batch == 32) add_compile_time(cell, std::nullopt, "crash in compile");
      }
    }
  }
  EXPECT_EQ(csv("table3_compile_seconds"),
            "model,batch,\"compile_total_s local, openvino 1.0\",notes\r\n"
            "resnet101,1,2.5,\r\n"
            "resnet101,32,,\"compile_total_s local, openvino 1.0: crash in compile\"\r\n");
  const std::string beside = csv("table3_compile_seconds", {"paper: Xeon"});
  EXPECT_THAT(beside, HasSubstr("model,batch,\"compile_total_s local, openvino 1.0\",\"compile_total_s paper: Xeon, "
                                "OpenVINO\",\"compile_total_s paper: Xeon, TVM\",notes\r\n"
                                "resnet101,1,2.5,2.249,18022.663,\r\n"));
  EXPECT_THAT(beside, HasSubstr("\r\nSwin-Base,32,,12.628,134262.784,\"compile_total_s local, openvino 1.0: not "
                                "measured\"\r\n"));
  EXPECT_THAT(beside, Not(HasSubstr("RTX")));
}

TEST_F(PaperTables, NoteWherePublishedCompileTimesFallWithTheBatch) {
  add_compile_time(add_cell("openvino", 1), 2.0);
  int notes = 0;
  for (const Row& row : rows_of(table("table3_compile_seconds", kAllPublished))) {
    for (const Entry& entry : row.entries) notes += static_cast<int>(entry.notes.size());
  }
  EXPECT_EQ(notes, 2) << "TVM on the RTX 4070: EfficientNet-B5 and Swin-Base";
}

// Expected: `ngb models resnet18` and conv_block, as in the tests of the zoo.
TEST_F(PaperTables, CountWhatModelsAndBlocksHave) {
  CellData& model = add_cell("openvino", 1, "mine");
  model.of.model.group = "Mine";
  model.of.model.style = "hybrid";
  model.of.model.size = 2;
  CellData& block = add_cell("openvino", 1, "conv_block-1");
  block.of.model.family = "conv_block";
  block.recipe_parameters =
      nlohmann::json::parse(R"({"width":64,"depth":3,"kernel_size":3,"stem":true,"image_size":32})");
  EXPECT_EQ(csv("table4_models"),
            "name,family,style,size_rank,parameters,macs_torchinfo,macs,notes\r\n"
            "mine,Mine,hybrid,2,,,,parameters: known of recipes only; macs_torchinfo: known of recipes only; "
            "macs: known of recipes only\r\n");
  EXPECT_EQ(csv("table5_blocks"), "block,width,parameters,notes\r\nconv_block,64,37056,\r\n");
  EXPECT_THAT(
      csv("table4_models", {"paper: Orin"}),
      HasSubstr("\r\nResNet-18,ResNets,convolutional,1,11689512,1814083944,,published,macs: the paper counts by "
                "torchinfo's convention only\r\n"));
  EXPECT_THAT(csv("table5_blocks", {"paper: Orin"}),
              HasSubstr("block,width,parameters,origin,notes\r\nconv_block,64,37056,measured,\r\n"
                        "conv_block,64,37056,published,\r\n"));
}

// 66,048 of the paper's Table V, and 2·128.
TEST_F(PaperTables, SayThatABlockOfAttentionIsCountedWithLayerNorm) {
  CellData& block = add_cell("openvino", 1, "mha_block-1");
  block.of.model.family = "mha_block";
  block.recipe_parameters = nlohmann::json::parse(R"({"embed":128,"depth":1})");
  EXPECT_THAT(csv("table5_blocks"),
              HasSubstr("mha_block,128,66304,\"parameters: With the 2·embed parameters of LayerNorm, which the paper's "
                        "Table V does not count.\"\r\n"));
}

TEST_F(PaperTables, CountTheModelsOfThePaperAsThePaperDoes) {
  const zoo::Recipe recipe = zoo::resolve("resnet18", nlohmann::json::object(), 1).value();
  CellData& model = add_cell("openvino", 8, "resnet18");
  model.of.model.family = recipe.family;
  model.recipe_parameters = recipe.parameters;
  model.of.model.parameters = 11689512;
  const std::vector<Row> made = rows_of(table("table4_models"));
  EXPECT_EQ(made[0].entries[4].number(), 11689512.0);
  EXPECT_EQ(made[0].entries[5].number(), 1814083944.0) << "Table IV: ResNet-18";
}

TEST_F(PaperTables, HaveGroupsOfModelsByGroupsOfBatchSizes) {
  const std::string small = add_cell("openvino", 2).cell_id;
  const std::string large = add_cell("openvino", 8).cell_id;
  add_value("model_group_throughput_per_s", "ResNets", "2-4", 104.69, small);
  add_value("model_group_throughput_std_per_s", "ResNets", "2-4", 0.57, small);
  add_value("model_group_cpu_percent", "ResNets", "2-4", std::nullopt, small, "no ticks");
  add_value("model_group_cpu_std_percent", "ResNets", "2-4", std::nullopt, small, "no ticks");
  add_value("model_group_throughput_per_s", "ResNets", "8", 150, large);
  add_value("model_group_throughput_std_per_s", "ResNets", "8", 1, large);
  add_value("model_group_cpu_percent", "ResNets", "8", 50, large);
  add_value("model_group_cpu_std_percent", "ResNets", "8", 2, large);
  EXPECT_EQ(
      csv("table6_families"),
      "family,compiler,device,throughput_b2_4_per_s,throughput_std_b2_4_per_s,cpu_b2_4_percent,"
      "cpu_std_b2_4_percent,throughput_b8_per_s,throughput_std_b8_per_s,cpu_b8_percent,cpu_std_b8_percent,notes\r\n"
      "ResNets,openvino 1.0,local,104.69,0.57,,,150,1,50,2,"
      "cpu_b2_4_percent: no ticks; cpu_std_b2_4_percent: no ticks\r\n");
  const std::string beside = csv("table6_families", {"paper: Orin"});
  EXPECT_THAT(beside, HasSubstr("throughput_b8_16_per_s"));
  EXPECT_THAT(beside,
              HasSubstr("ResNets,openvino 1.0,local,104.69,0.57,,,150,1,50,2,measured,"
                        "cpu_b2_4_percent: no ticks; cpu_std_b2_4_percent: no ticks; "
                        "throughput_b8_16_per_s: Batch size 8 only.; cpu_b8_16_percent: Batch size 8 only.\r\n"
                        "ResNets,Identity,paper: Orin,104.69,0.57,11.13,0.78,149.63,0.66,5.52,2,published,\r\n"
                        "ResNets,TensorRT,paper: Orin,179.01,6.98,3.45,1.14,247.99,1.28,1.58,0.77,published,\r\n"
                        "EfficientNets,Identity,paper: Orin,"));
  EXPECT_EQ(rows_of(table("table6_families", kAllPublished)).size(), 1U + 40U);
}

TEST_F(PaperTables, SayOverHowManyModelsAMeanIsWhereAnotherCompilersIsOverMore) {
  const std::string one = add_cell("openvino", 8, "resnet18").cell_id;
  const std::string two = add_cell("openvino", 8, "resnet101").cell_id;
  const std::string other = add_cell("tvm", 8, "resnet18").cell_id;
  add_value("model_group_throughput_per_s", "ResNets", "8", 150, one);
  parts_[0].values.back().cell_ids.push_back(two);
  add_value("model_group_throughput_per_s", "ResNets", "8", 300, other);
  const std::string table = csv("table6_families");
  EXPECT_THAT(table, HasSubstr("ResNets,openvino 1.0,local,150,,,,throughput_std_b8_per_s: not measured"));
  EXPECT_THAT(table,
              HasSubstr("ResNets,tvm 1.0,local,300,,,,throughput_b8_per_s: Mean over 1 of 2 models.; throughput_std"));
}

TEST_F(PaperTables, HaveSlopeAndRetentionByWidthAndBatchSize) {
  CellData& block = add_cell("openvino", 8, "conv_block-1");
  block.of.model.family = "conv_block";
  block.recipe_parameters = nlohmann::json::parse(R"({"width":64,"depth":1})");
  SeriesValue slope{.series = "depth_slope_per_block", .value = 0.08924, .standard_error = 0.01};
  slope.cell_ids = {block.cell_id};
  SeriesValue retention{.series = "depth_retention_ratio", .value = 1.25, .low = 1.2, .high = 1.3};
  retention.cell_ids = {block.cell_id};
  parts_[0].values = {slope, retention};
  EXPECT_EQ(csv("table7_conv_depth"),
            "device,compiler,width,slope_b8,slope_standard_error_b8,retention_b8,retention_low_b8,retention_high_b8,"
            "notes\r\nlocal,openvino 1.0,64,0.08924,0.01,1.25,1.2,1.3,\r\n");
  EXPECT_EQ(table("table8_mha_depth").why_empty, "these results have no mha_block at two depths beside the baseline");
  EXPECT_TRUE(rows_of(table("table8_mha_depth")).empty());
}

TEST_F(PaperTables, NoteEachContradictionOfPublishedDepths) {
  const auto notes = [&](const char* name) {
    int count = 0;
    for (const Row& row : rows_of(table(name, kAllPublished))) {
      EXPECT_EQ(row.note, kPublishedNote);
      for (const Entry& entry : row.entries) count += static_cast<int>(entry.notes.size());
    }
    return count;
  };
  EXPECT_EQ(notes("table7_conv_depth"), 12);
  EXPECT_EQ(notes("table8_mha_depth"), 9);
}

TEST_F(PaperTables, WithoutCellsSayWhyTheyAreEmpty) {
  const Results results = report::all_results(cells_, values_);
  const std::vector<Document> all = make_all(Input(results, environments_, {}));
  EXPECT_EQ(all.size(), 8U);
  for (const Document& each : all) {
    EXPECT_TRUE(each.table.sections.empty()) << each.name;
    EXPECT_FALSE(each.why_empty.empty()) << each.name;
  }
}

TEST_F(PaperTables, TellSettingsOfOneNameApart) {
  add_cell("tvm", 1).of.compiler.options = {{"trials", "8"}};
  add_cell("tvm", 1).of.compiler.options = {};
  Results results = report::all_results(cells_, values_);
  const Input input(results, environments_, {});
  EXPECT_EQ(input.compiler(cells_[0]), R"(tvm 1.0, 2 threads {"trials":8})");
  EXPECT_EQ(input.compiler(cells_[1]), "tvm 1.0, 2 threads");
}

TEST_F(PaperTables, TellSettingsOfOneNameApartByAllThatTheCompilerIsHanded) {
  add_cell("tvm", 1).of.compiler.settings = {{"arena", "1"}};
  add_cell("tvm", 1).of.compiler.in_flight = 2;
  add_cell("tvm", 1).of.compiler.instances = 3;
  Results results = report::all_results(cells_, values_);
  const Input input(results, environments_, {});
  EXPECT_EQ(input.compiler(cells_[0]), R"(tvm 1.0, 2 threads {"arena":1})");
  EXPECT_EQ(input.compiler(cells_[1]), "tvm 1.0, 2 threads in_flight=2");
  EXPECT_EQ(input.compiler(cells_[2]), "tvm 1.0, 2 threads instances=3");
}

}  // namespace
}  // namespace ngb::paper::tables
