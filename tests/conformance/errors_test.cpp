// SPDX-License-Identifier: Apache-2.0
// What every compiler does when something is wrong: an error value of the right kind, and a worker that ends by itself.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "case.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

namespace fs = std::filesystem;

// The file of the toolchain without which nothing works.
fs::path main_file(const CompilerUnderTest& compiler) {
  const std::map<std::string, std::string> main_files = {{"onnxruntime", "onnxruntime/capi/libonnxruntime.so"},
                                                         {"openvino", "openvino/libs/libopenvino_c.so"},
                                                         {"identity", "torch/__init__.py"},
                                                         {"tensorrt", "tensorrt_libs/libnvinfer.so"},
                                                         {"tvm", "tvm_ffi/lib/libtvm_ffi.so"},
                                                         {"xla", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
                                                         {"iree", "iree/_runtime_libs/_runtime."},
                                                         {"mnn", "_mnncengine."},
                                                         {"ncnn", "ncnn/ncnn."},
                                                         {"litert", "ai_edge_litert/libLiteRt.so"},
                                                         {"executorch", "executorch/lib/libexecutorch.so"}};
  const auto row = main_files.find(compiler.toolchain_name());
  if (row == main_files.end()) return {};
  const fs::path wanted = compiler.toolchain / row->second;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(wanted.parent_path(), code)) {
    if (entry.path().filename().string().starts_with(wanted.filename().string())) return entry.path();
  }
  return {};
}

// Nothing when the worker ended by itself with a failure of this kind, whose message has all of `words`.
Problem expect_failure(const WorkerRun& run, const std::string& kind, const std::vector<std::string>& words = {}) {
  if (run.ending() != kind) return fmt::format("expected {}, not {}", kind, run.message());
  if (run.outcome.exit_code != 0) return "the worker did not exit with 0";
  for (const std::string& word : words) {
    const std::string text = run.result->failure->message + "; " + run.result->failure->advice;
    if (text.find(word) == std::string::npos) return fmt::format("the message does not say {}: {}", word, text);
  }
  return std::nullopt;
}

std::vector<std::string> allowed_values(const nlohmann::json& option) {
  return option.value("values", std::vector<std::string>());
}

using Change = std::function<void(work::WorkerRequest&, const TemporaryFolder&)>;

WorkerRun run_changed(const CompilerUnderTest& compiler, const TinyModel& model, const Change& change) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, model, scratch);
  change(request, scratch);
  return run_worker(compiler, request);
}

}  // namespace

TEST_P(Conformance, RefusesAnUnknownOptionAndNamesTheNearest) {
  judge(GetParam(), []() -> Problem {
    for (const auto& option : GetParam().description->at("options")) {
      const std::string right = option.at("name");
      const std::string wrong = right + "x";
      const WorkerRun run = run_changed(GetParam(), add_model(), [&](auto& request, const auto&) {
        request.compiler.options = {{wrong, option.at("default").get<std::string>()}};
      });
      if (Problem problem = expect_failure(run, "invalid_option", {wrong, "did you mean", right})) return problem;
      break;
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, RefusesWrongValuesOfItsOptions) {
  judge(GetParam(), []() -> Problem {
    for (const auto& option : GetParam().description->at("options")) {
      if (option.at("type") == "string" && allowed_values(option).empty()) continue;
      const std::string right = option.at("name");
      const WorkerRun run = run_changed(GetParam(), add_model(), [&](auto& request, const auto&) {
        request.compiler.options = {{right, "nonesuch"}};
      });
      if (Problem problem = expect_failure(run, "invalid_option", {right, "nonesuch"})) return problem;
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, TakesEveryValueThatItDescribes) {
  judge(GetParam(), []() -> Problem {
    for (const auto& option : GetParam().description->at("options")) {
      if (option.at("name") == "fault") continue;
      std::vector<std::string> values = allowed_values(option);
      values.push_back(option.at("default"));
      if (option.at("type") == "bool") values = {"true", "false"};
      for (const std::string& value : values) {
        const WorkerRun run = run_changed(GetParam(), add_model(), [&](auto& request, const auto&) {
          request.compiler.options = {{option.at("name").template get<std::string>(), value}};
        });
        // Some value is for another package of the compiler, or for a device that is not here, only, and says so.
        const bool is_missing = run.ending() == "toolchain_missing" || run.ending() == "no_device";
        const bool is_elsewhere = is_missing && value != option.at("default");
        if (run.ending() != "none" && !is_elsewhere) return fmt::format("{}: {}", value, run.message());
      }
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, RefusesAPrecisionThatItDoesNotOffer) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run =
        run_changed(GetParam(), add_model(), [](auto& request, const auto&) { request.compiler.precision = "f7"; });
    return expect_failure(run, "invalid_option", {"f7"});
  });
}

TEST_P(Conformance, ReportsAMissingModelFile) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), add_model(), [](auto& request, const TemporaryFolder& scratch) {
      request.model_path = (scratch.path() / "nowhere.onnx").string();
    });
    return expect_failure(run, "invalid_model", {"nowhere.onnx"});
  });
}

TEST_P(Conformance, ReportsAModelThatIsNotOnnx) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), add_model(), [](auto& request, const TemporaryFolder& scratch) {
      request.model_path = scratch.write("letter.onnx", "Dear compiler, this is a letter and no model.\n").string();
    });
    return expect_failure(run, "invalid_model");
  });
}

TEST_P(Conformance, ReportsATruncatedModel) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), conv_model(), [](auto& request, const TemporaryFolder& scratch) {
      const std::string whole = serialize(conv_model().onnx);
      request.model_path = scratch.write("half.onnx", whole.substr(0, whole.size() / 2)).string();
    });
    return expect_failure(run, "invalid_model");
  });
}

TEST_P(Conformance, ReportsAnUnknownOperator) {
  judge(GetParam(), []() -> Problem {
    TinyModel model = add_model();
    model.onnx.nodes[0].operation = "Nonesuch";
    const WorkerRun run = run_changed(GetParam(), model, [](auto&, const auto&) {});
    return expect_failure(run, "unsupported_operator", {"Nonesuch"});
  });
}

TEST_P(Conformance, ReportsAnInputThatIsNotTheModels) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), add_model(),
                                      [](auto& request, const auto&) { request.model.inputs[0].name = "inputt"; });
    return expect_failure(run, "invalid_model", {"inputt"});
  });
}

TEST_P(Conformance, ReportsAnInputShapeThatIsNotTheModels) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), matmul_model(),
                                      [](auto& request, const auto&) { request.model.inputs[0].shape = {3, 6}; });
    return expect_failure(run, "invalid_model", {"input"});
  });
}

TEST_P(Conformance, ReportsAMissingToolchain) {
  judge(GetParam(), []() -> Problem {
    const WorkerRun run = run_changed(GetParam(), add_model(), [](auto& request, const TemporaryFolder& scratch) {
      request.place.toolchain_dir = (scratch.path() / "nowhere").string();
      request.place.python_path = request.place.toolchain_dir;
    });
    return expect_failure(run, "toolchain_missing");
  });
}

// Either the package lacks it and the right one is named, or there is no device for it, or all is well.
TEST_P(Conformance, NamesWhatAProviderNeeds) {
  if (GetParam().name != "onnxruntime") GTEST_SKIP() << "it has no providers";
  judge(GetParam(), []() -> Problem {
    for (const auto& wanted : {std::pair{"cuda", "onnxruntime-gpu"}, std::pair{"tensorrt", "onnxruntime-gpu"},
                               std::pair{"openvino", "onnxruntime-ep-openvino"}, std::pair{"qnn", "onnxruntime-qnn"},
                               std::pair{"webgpu", "onnxruntime-ep-webgpu"},
                               std::pair{"nv-tensorrt-rtx", "onnxruntime-ep-nv-tensorrt-rtx"}}) {
      const WorkerRun run = run_changed(GetParam(), add_model(), [&](auto& request, const auto&) {
        request.compiler.options = {{"provider", wanted.first}};
      });
      if (run.ending() == "none") continue;
      const bool is_missing = run.ending() == "toolchain_missing";
      if (Problem problem = expect_failure(run, is_missing ? "toolchain_missing" : "no_device",
                                           {is_missing ? wanted.second : "device"})) {
        return problem;
      }
    }
    return std::nullopt;
  });
}

TEST_P(Conformance, ReportsABrokenLibrary) {
  judge(GetParam(), []() -> Problem {
    const fs::path library = main_file(GetParam());
    if (library.empty()) return "no library to break";
    const WorkerRun run = run_changed(GetParam(), add_model(), [&](auto& request, const TemporaryFolder& scratch) {
      const fs::path folder = scratch.path() / "site" / fs::relative(library.parent_path(), GetParam().toolchain);
      fs::create_directories(folder);
      fs::copy_file(library, folder / library.filename());
      fs::resize_file(folder / library.filename(), fs::file_size(library) / 2);
      request.place.toolchain_dir = (scratch.path() / "site").string();
      request.place.python_path = request.place.toolchain_dir;
    });
    return expect_failure(run, "import_error");
  });
}

}  // namespace ngb::conformance
