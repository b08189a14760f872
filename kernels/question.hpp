#pragma once

#include <cstdint>

namespace ridgeline::kernels {

inline constexpr std::int64_t part_of_sum = 1024;

/// What a device's oracle is asked about elements first, first + 1, ... first + count - 1 of what a
/// problem's output should be. All memory is the device's.
///
/// Either to write them: `write_to` is then where the first of them goes. Or to compare them, all
/// from the first on, with `output`: adds the number of elements that differ bit for bit to
/// `tally`; where results need not agree bit for bit, keeps there the bits of the largest error, in
/// f64, of which NaN is the largest of all. Of a sum of 32-bit words, element i is the sum of words
/// part_of_sum i and following, as many or to their end; the oracle adds all of them to `tally` and
/// subtracts the `outputs` words of `output` instead: the low 32 bits of `tally` stay 0 when the
/// two sums agree.
struct Question {
  std::int64_t first = 0, count = 0;
  void* write_to = nullptr;
  const void* output = nullptr;
  std::int64_t outputs = 0;
  std::uint64_t* tally = nullptr;
};

}  // namespace ridgeline::kernels
