#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/permutation.hpp"
#include "kernels/question.hpp"
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// Reads through an index: the same kernel and the same bytes, in order or without any.
namespace ridgeline::gather {

enum class Order { sequential, random };

/// out[i] = in[index[i]] for `elements` floats; `index` is a permutation: i itself, or without
/// pattern over the whole array.
struct Problem {
  std::int64_t elements = 0;
  Order order = Order::random;

  /// Useful bytes: index and element read, element written.
  double bytes() const { return 12.0 * static_cast<double>(elements); }
};

/// Arrays of `elements` in device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  const std::int32_t* index = nullptr;
  float* out = nullptr;
};

struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
};

kernels::Table<Variant> variants();

/// Up to 2^31 elements.
device::Support fits_index(const Problem& problem, const device::Facts& facts);

/// The index of `problem`; random orders differ by `seed`.
std::vector<std::int32_t> make_index(const Problem& problem, std::uint64_t seed);

/// What is made on a device: answers about the output for inputs `in`, and the index. Null where
/// there is none.
struct DeviceOracle {
  void (*answer)(const Problem&, const kernels::RandomFloats& in, std::uint64_t index_seed,
                 const kernels::Question&, device::Stream&) = nullptr;
  void (*write_index)(const Problem&, std::uint64_t seed, std::int32_t* index,
                      device::Stream&) = nullptr;
};
DeviceOracle device_oracle();

/// Writes that index to device memory, to each of these places; a GPU makes it where it is needed.
void write_index(device::Device& device, const Problem& problem, std::uint64_t seed,
                 const std::vector<std::int32_t*>& places);

/// Wrong elements of `out` among those checked.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, std::uint64_t index_seed,
                             const float* out, std::uint64_t seed);

}  // namespace ridgeline::gather
