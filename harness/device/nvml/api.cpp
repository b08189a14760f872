#include "harness/device/nvml/api.hpp"

#include "harness/device/library.hpp"

namespace ridgeline::device::nvml {

Function::Function(const char* name, const char* older_name) {
  static const Library library({"libnvidia-ml.so.1"});
  static const bool initialised = [] {
    auto* const initialise = library.function<Status()>("nvmlInit_v2");
    return initialise != nullptr && initialise() == 0;
  }();
  if (!initialised) return;
  at_ = library.function<void()>(name);
  if (at_ == nullptr && older_name != nullptr) at_ = library.function<void()>(older_name);
}

const Api& api() {
  static const Api loaded;
  return loaded;
}

}  // namespace ridgeline::device::nvml
