#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/device_oracle.hpp"

// How the tests of all families judge the oracles of devices: by the CPU's, and by damage.
namespace ridgeline::kernels {

/// Lets one oracle judge as long as it lives.
class JudgedBy {
 public:
  explicit JudgedBy(Judge by) { judge() = by; }
  JudgedBy(const JudgedBy&) = delete;
  ~JudgedBy() { judge() = Judge::by_kind; }
};

/// A device's oracle is to agree with the CPU's that `count` elements at `out`, on `device`, are
/// right, and to refuse every kind of damage to them. `deviate(copy)` compares a copy of them with
/// what is expected. Damage is left out of large outputs of an emulated device, which follows each
/// access. Says nothing about a CPU, which has no oracle of its own.
template <class T, class Deviate>
void expect_both_oracles(device::Device& device, const T* out, std::int64_t count,
                         Deviate deviate) {
  const device::Kind kind = device.facts().kind;
  if (kind == device::Kind::cpu) return;
  std::vector<T> host(static_cast<std::size_t>(count));
  device.download(host.data(), out, host.size() * sizeof(T));
  // A copy counts as written: the emulated device lets no kernel read what a variant left alone.
  const device::Buffer<T> copy(device, host);
  {
    const JudgedBy cpu(Judge::cpu);
    EXPECT_TRUE(deviate(copy.data()).right()) << "the CPU's oracle";
  }
  const JudgedBy own(Judge::device);
  const Deviation found = deviate(copy.data());
  EXPECT_TRUE(found.right()) << "the device's oracle finds " << found.error;
  EXPECT_EQ(found.checked, Checked::whole);
  if (count == 0 || (kind == device::Kind::emulated && count > 5000)) return;

  const auto expect_found = [&](std::size_t begin, std::size_t end, int byte, const char* what) {
    std::vector<T> damaged = host;
    auto* const bytes = reinterpret_cast<unsigned char*>(damaged.data());
    if (byte < 0) {
      bytes[begin * sizeof(T)] ^= 1;
    } else {
      std::memset(bytes + begin * sizeof(T), byte, (end - begin) * sizeof(T));
      if (std::memcmp(bytes, host.data(), host.size() * sizeof(T)) == 0) return;  // no damage
    }
    device.upload(copy.data(), damaged.data(), copy.bytes());
    const Deviation wrong = deviate(copy.data());
    EXPECT_FALSE(wrong.right()) << what << " in element " << begin << " of " << count;
  };
  for (const std::size_t at : {std::size_t{0}, host.size() / 2, host.size() - 1}) {
    expect_found(at, at + 1, -1, "one wrong bit");
    expect_found(at, at + 1, 0xFF, "poison, which is NaN,");
    expect_found(at, at + 1, 0, "zero");
  }
  expect_found(host.size() - std::min<std::size_t>(host.size(), 16), host.size(), 0xFF,
               "an unwritten tail");
}

}  // namespace ridgeline::kernels
