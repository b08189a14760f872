// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Bytes are written by a block each, and read as words by the next launch.
__global__ void writers_of_parts_readers_of_words(unsigned char* bytes, unsigned* words,
                                                  bool writes) {
  if (writes)
    bytes[blockIdx.x] = static_cast<unsigned char>(blockIdx.x);
  else if (blockIdx.x < 16)
    words[blockIdx.x] = reinterpret_cast<const unsigned*>(bytes)[blockIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto bytes = zeros<unsigned char>(device, 64);
  const auto words = zeros<unsigned>(device, 16);
  for (const bool writes : {true, false})
    run(device, {.grid = dim3(64), .block = dim3(1)}, writers_of_parts_readers_of_words,
        bytes.data(), words.data(), writes);
  expect_each(words, [](std::size_t i) { return 4 * i * 0x01010101u + 0x03020100u; });
}
