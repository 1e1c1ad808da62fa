// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <executorch/extension/module/module.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include <deque>
#include <utility>

#include "tracer.h"

namespace ngb::executorch {
namespace {

namespace et = ::executorch::runtime;
using ::executorch::aten::TensorImpl;
using ::executorch::extension::Module;

constexpr const char* kMethod = "forward";

// ExecuTorch keeps pointers to all of it.
struct Held {
  std::vector<TensorImpl::SizesType> sizes{};
  std::vector<TensorImpl::DimOrderType> order{};
  std::vector<TensorImpl::StridesType> strides{};
  std::unique_ptr<TensorImpl> tensor{};
};

Held hold(const Tensor& given) {
  Held held;
  held.sizes.assign(given.shape.begin(), given.shape.end());
  held.strides.assign(given.shape.size(), 1);
  for (std::size_t i = 0; i < given.shape.size(); ++i) {
    held.order.push_back(static_cast<TensorImpl::DimOrderType>(i));
    for (std::size_t later = i + 1; later < given.shape.size(); ++later) held.strides[i] *= given.shape[later];
  }
  held.tensor = std::make_unique<TensorImpl>(static_cast<::executorch::aten::ScalarType>(given.type),
                                             static_cast<ssize_t>(held.sizes.size()), held.sizes.data(), given.data,
                                             held.order.data(), held.strides.data());
  return held;
}

class OpenModule final : public Module {
 public:
  using Module::Module;
  // Precondition: the method is loaded.
  et::Method* loaded() { return methods_.at(kMethod).method.get(); }
};

class LoadedProgram final : public Program {
 public:
  LoadedProgram(const char* path, bool is_profiled) {
    std::unique_ptr<Tracer> tracer = is_profiled ? std::make_unique<Tracer>() : nullptr;
    tracer_ = tracer.get();
    module_ = std::make_unique<OpenModule>(path, Module::LoadMode::File, std::move(tracer));
  }

  bool load(std::string& why, bool& is_out_of_memory) override {
    const et::Error error = module_->load_method(kMethod);
    is_out_of_memory = error == et::Error::MemoryAllocationFailed || error == et::Error::DelegateMemoryAllocationFailed;
    if (!is_ok(error, why)) return false;
    method_ = module_->loaded();
    return true;
  }

  bool uses_backend(const char* name) override { return method_->method_meta().uses_backend(name); }

  Calls count_calls() override {
    const std::size_t delegates = method_->method_meta().num_backends();
    const std::size_t all = method_->method_meta().num_instructions();
    return {.delegates = delegates, .others = all > delegates ? all - delegates : 0};
  }

  bool set_inputs(const std::vector<Tensor>& inputs, std::string& why) override {
    held_.clear();
    for (const Tensor& input : inputs) {
      held_.push_back(hold(input));
      const et::EValue value(::executorch::aten::Tensor(held_.back().tensor.get()));
      if (!is_ok(method_->set_input(value, held_.size() - 1), why)) return false;
    }
    return true;
  }

  std::uint32_t run() noexcept override { return static_cast<std::uint32_t>(method_->execute()); }

  const char* error_called(std::uint32_t number) const override {
    return et::to_string(static_cast<et::Error>(number));
  }

  std::size_t output_count() const override { return method_->outputs_size(); }

  Tensor output(std::size_t index) const override {
    const et::EValue& value = method_->get_output(index);
    if (!value.isTensor()) return {.type = -1};
    const ::executorch::aten::Tensor& tensor = value.toTensor();
    return {.type = static_cast<int>(tensor.scalar_type()),
            .shape = {tensor.sizes().begin(), tensor.sizes().end()},
            .data = tensor.mutable_data_ptr(),
            .size_bytes = tensor.nbytes()};
  }

  std::vector<Event> take_events() override {
    return tracer_ == nullptr ? std::vector<Event>{} : tracer_->take_events();
  }

 private:
  static bool is_ok(et::Error error, std::string& why) {
    if (error == et::Error::Ok) return true;
    why = et::to_string(error);
    return false;
  }

  Tracer* tracer_ = nullptr;  // the module's
  std::unique_ptr<OpenModule> module_;
  et::Method* method_ = nullptr;  // the module's
  std::deque<Held> held_;
};

}  // namespace
}  // namespace ngb::executorch

extern "C" __attribute__((visibility("default"))) ngb::executorch::Program* ngb_executorch_open(const char* path,
                                                                                                bool is_profiled) {
  ::executorch::runtime::runtime_init();
  return new ngb::executorch::LoadedProgram(path, is_profiled);
}

extern "C" __attribute__((visibility("default"))) bool ngb_executorch_has_kernel(const char* operator_name) {
  return ::executorch::runtime::registry_has_op_function(operator_name);
}
