#pragma once

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/check.hpp"
#include "harness/device/kernel.hpp"
#if !defined(__CUDACC__)  // a GPU has them from ci/studies/corpus_on_gpu
#include "harness/emulated/async_calls.hpp"
#endif

// What the small programs of this folder have in common. Each is a file for `ridgeline check`, and
// its first line says what is found: "// bug: race (read after write)", "// right", or, of what is
// not found, "// missed: why". corpus_test runs all of them.
namespace ridgeline::corpus {

template <class T = int>
device::Buffer<T> zeros(device::Device& device, std::size_t n) {
  return {device, std::vector<T>(n, T{})};
}

/// 0, 1, 2, ...
template <class T = int>
device::Buffer<T> numbers(device::Device& device, std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<float>(i));
  return {device, values};
}

template <class... Parameters, class... Arguments>
void run(device::Device& device, const device::LaunchConfig& config, void (*kernel)(Parameters...),
         Arguments... arguments) {
  device::launch(config, device.stream(), kernel, arguments...);
  device.synchronize();
}

/// That `buffer` holds what `wanted(i)` says.
template <class T, class Wanted>
void expect_each(const device::Buffer<T>& buffer, const Wanted& wanted) {
  const std::vector<T> found = buffer.download();
  for (std::size_t i = 0; i < found.size(); ++i)
    device::expect(static_cast<double>(found[i]) == static_cast<double>(wanted(i)),
                   "element " + std::to_string(i));
}

}  // namespace ridgeline::corpus
