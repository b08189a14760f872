#pragma once

#include <string>

#include <gtest/gtest.h>

#include "harness/device/device.hpp"
#include "kernels/test_device.hpp"

// A family's oracle of devices, tested on a GPU and on an emulated device.
namespace ridgeline::kernels {

/// A test on the first device of a kind, skipped where there is none.
class DeviceOracleTest : public testing::TestWithParam<device::Kind> {
 protected:
  void SetUp() override {
    found = test_device(GetParam());
    if (!found.device) GTEST_SKIP() << found.reason;
    device = found.device.get();
  }

  TestDevice found;
  device::Device* device = nullptr;
};

inline auto kinds_with_an_oracle() {
  return testing::Values(device::Kind::cuda, device::Kind::emulated);
}

/// How a test is called that has such a kind: "cuda_device".
inline std::string device_name(const testing::TestParamInfo<device::Kind>& info) {
  return std::string(device::to_string(info.param)) + "_device";
}

}  // namespace ridgeline::kernels
