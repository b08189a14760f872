// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// What an earlier launch has stored, of every width, and bytes beside those that this one stores.
template <class T>
__global__ void read_only_loads(const T* from, T* to) {
  to[threadIdx.x] = __ldg(&from[threadIdx.x]);
}
__global__ void odd_bytes(unsigned char* bytes) {
  const unsigned at = 2 * threadIdx.x;
  bytes[at + 1] = static_cast<unsigned char>(__ldg(&bytes[at]) + 1);
}
__global__ void own_pairs(float4* pairs) {
  const auto i = static_cast<float>(threadIdx.x);
  pairs[threadIdx.x] = make_float4(i, i + 1, i + 2, i + 3);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto words = zeros<float>(device, 256), copied = zeros<float>(device, 256);
  const auto bytes = zeros<unsigned char>(device, 128), more = zeros<unsigned char>(device, 128);
  run(device, {.block = dim3(64)}, own_pairs, reinterpret_cast<float4*>(words.data()));
  for (int i = 0; i < 2; ++i)
    run(device, {.block = dim3(64)}, read_only_loads<float4>,
        reinterpret_cast<const float4*>(words.data()), reinterpret_cast<float4*>(copied.data()));
  expect_each(copied, [](std::size_t i) { return i / 4 + i % 4; });
  run(device, {.block = dim3(128)}, read_only_loads<float2>,
      reinterpret_cast<const float2*>(copied.data()), reinterpret_cast<float2*>(words.data()));
  run(device, {.block = dim3(64)}, odd_bytes, bytes.data());
  run(device, {.block = dim3(128)}, read_only_loads<unsigned char>,
      static_cast<const unsigned char*>(bytes.data()), more.data());
  expect_each(more, [](std::size_t i) { return i % 2; });
}
