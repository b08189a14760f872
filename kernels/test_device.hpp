#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/e4m3.hpp"
#include "harness/base/half.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/variant.hpp"

// What the tests of all families share: a device of the variant's kind, and buffers with guarded
// ends.
namespace ridgeline::kernels {

/// The first device of `kind`; null, with the reason, where there is none.
struct TestDevice {
  std::unique_ptr<device::Device> device;
  std::string reason;
};

inline TestDevice test_device(device::Kind kind) {
  const device::Discovery found = device::discover();
  for (const device::Facts& facts : found.devices)
    if (facts.kind == kind) return {device::open(facts.id), {}};
  for (const device::Unavailable& missing : found.unavailable)
    if (missing.kind == kind) return {nullptr, missing.reason};
  return {nullptr, "this program was built without such devices"};
}

/// A variant, and the device that it is tested on: the first of its kind, or the one called so.
template <class Variant>
struct Tested : Named<Variant> {
  std::string_view device = {};
};

/// A test of one variant of a family, skipped where there is no such device.
template <class Variant>
class VariantTest : public testing::TestWithParam<Tested<Variant>> {
 protected:
  void SetUp() override {
    const Tested<Variant>& tested = this->GetParam();
    if (!tested.device.empty()) {
      device = device::open(tested.device);
      return;
    }
    TestDevice found = test_device(tested.kind);
    if (!found.device) GTEST_SKIP() << found.reason;
    device = std::move(found.device);
  }
  /// Before run number `time` of those that must give the same bits: from now on the emulated
  /// device has 3 SMs, whose lanes, warps and blocks go on in the order of that seed. Elsewhere
  /// order differs by itself. No memory of the device may be in use.
  void reorder(int time) {
    if (device->facts().kind != device::Kind::emulated) return;
    const std::string id = device->facts().id;
    device.reset();
    device = device::open(id + "/3/" + std::to_string(time));
  }
  /// Whether another test has the variant on all sizes: some are enough.
  bool is_repeated() const { return !this->GetParam().device.empty(); }

  std::unique_ptr<device::Device> device;
};

/// All variants, each on the first device of its kind; and those for emulated devices as sm_80,
/// too, but for those `for_hopper`: names with a blank before and behind each.
template <class Variant>
auto on_devices(const Table<Variant>& variants, std::string_view for_hopper) {
  std::vector<Tested<Variant>> all;
  for (const Named<Variant>& named : variants) all.push_back({named});
  for (const Named<Variant>& named : variants)
    if (named.kind == device::Kind::emulated &&
        for_hopper.find(" " + std::string(named.name) + " ") == std::string_view::npos)
      all.push_back({named, "emulated:sm_80"});
  return testing::ValuesIn(all);
}

/// "cuda_naive", "emulated_naive", "emulated_sm_80_naive"
template <class Variant>
std::string variant_name(const testing::TestParamInfo<Tested<Variant>>& info) {
  const Tested<Variant>& tested = info.param;
  std::string name(tested.device.empty() ? device::to_string(tested.kind) : tested.device);
  std::ranges::replace(name, ':', '_');
  return name + "_" + std::string(tested.name);
}

/// Whether every access is followed: problems are then as small as they can be for what they are to
/// show.
inline bool is_emulated(const device::Device& device) {
  return device.facts().kind == device::Kind::emulated;
}

/// `values` as `dtype` stores them, as bytes.
inline std::vector<std::byte> stored(const std::vector<float>& values, DType dtype) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (size_of(dtype) == 4) {
      std::memcpy(bytes.data() + 4 * i, &values[i], 4);
    } else if (is_e4m3(dtype)) {
      bytes[i] = std::byte{to_e4m3(values[i])};
    } else {
      const std::uint16_t half = dtype == DType::f16 ? to_f16(values[i]) : to_bf16(values[i]);
      std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
  }
  return bytes;
}

/// Number `value` as `dtype` stores it.
inline float rounded(float value, DType dtype) {
  if (dtype == DType::f16) return from_f16(to_f16(value));
  if (is_e4m3(dtype)) return from_e4m3(to_e4m3(value));
  return dtype == DType::bf16 ? from_bf16(to_bf16(value)) : value;
}

/// An output of `bytes` bytes and a guard behind it, all poisoned: what is not written stays NaN,
/// and what is written beyond the end is noticed.
class GuardedOutput {
 public:
  GuardedOutput(device::Device& device, std::size_t bytes)
      : bytes_(bytes), memory_(device, bytes + guard) {
    memory_.poison();
  }
  void* data() const { return memory_.data(); }
  bool guard_untouched() const {
    const std::vector<std::byte> all = memory_.download();
    return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(bytes_), all.end(),
                       [](std::byte byte) { return byte == std::byte{0xFF}; });
  }

 private:
  static constexpr std::size_t guard = 4096;
  std::size_t bytes_;
  device::Buffer<std::byte> memory_;
};

}  // namespace ridgeline::kernels
