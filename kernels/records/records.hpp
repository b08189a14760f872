#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/random.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/traffic.hpp"
#include "kernels/variant.hpp"

/// Records of eight floats, laid out record by record or field by field.
namespace ridgeline::records {

inline constexpr int fields = 8;

/// Index of a field in an array of structs: records one after the other.
RIDGELINE_HOST_DEVICE constexpr std::int64_t in_structs(std::int64_t record, int field) {
  return record * fields + field;
}
/// Index of a field in a struct of arrays: fields one after the other.
RIDGELINE_HOST_DEVICE constexpr std::int64_t in_arrays(std::int64_t record, int field,
                                                       std::int64_t records) {
  return field * records + record;
}

/// out[i] = ((field 0 + field 1) + ...) of record i, over its first `used` fields (1 to 8), for
/// `elements` records. The order of the additions is fixed, so that results agree bit for bit.
struct Problem {
  std::int64_t elements = 0;
  int used = 1;

  /// Useful bytes: the used fields read, one sum written.
  double bytes() const { return 4.0 * static_cast<double>(elements) * (used + 1); }
  double flops() const { return static_cast<double>(elements) * (used - 1); }
};

/// `in` has 8 x elements floats, `out` has `elements`; device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  float* out = nullptr;
};

enum class Layout { array_of_structs, struct_of_arrays };

struct Variant {
  std::string_view idea;
  Layout layout;  // of `in`
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
  kernels::Traffic (*traffic)(const Problem&);
};

kernels::Table<Variant> variants();

/// One field, or all of them.
device::Support one_or_all(const Problem& problem, const device::Facts& facts);

/// Asks the device's oracle about the output for inputs `in`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, Layout layout, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked, when `in` is laid out as `layout` says.
kernels::Deviation deviation(device::Device& device, const Problem& problem, Layout layout,
                             const kernels::RandomFloats& in, const float* out, std::uint64_t seed);

}  // namespace ridgeline::records
