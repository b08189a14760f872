#include "harness/device/random_element.hpp"

#include "harness/base/half.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::device {

double random_element(DType dtype, Distribution distribution, std::uint64_t seed,
                      std::uint64_t index) {
  if (distribution == Distribution::zeros) return 0;
  switch (dtype) {
    case DType::f64:
      return random_double(distribution, seed, index);
    case DType::f32:
    case DType::tf32:
      return random_float(distribution, seed, index);
    case DType::f16:
      return from_f16(to_f16(random_float(distribution, seed, index)));
    case DType::bf16:
      return from_bf16(to_bf16(random_float(distribution, seed, index)));
    case DType::e4m3:
    case DType::e4m3_fast:
      return from_e4m3(random_e4m3(distribution, seed, index));
    case DType::i32:
      return random_i32(seed, index);
    case DType::i8:
      return static_cast<std::int8_t>(random_u8(seed, index));
    case DType::u8:
      break;
  }
  return random_u8(seed, index);
}

}  // namespace ridgeline::device
