#include "harness/base/dtype.hpp"

#include <array>
#include <cmath>

#include "harness/base/error.hpp"

namespace ridgeline {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
  int mantissa_bits;  // the implicit leading bit included; 0 for integers
};

constexpr std::array<Row, 10> rows{{{DType::f64, "f64", 8, 53},
                                    {DType::f32, "f32", 4, 24},
                                    {DType::tf32, "tf32", 4, 11},
                                    {DType::f16, "f16", 2, 11},
                                    {DType::bf16, "bf16", 2, 8},
                                    {DType::e4m3, "e4m3", 1, 4},
                                    {DType::e4m3_fast, "e4m3_fast", 1, 4},
                                    {DType::i32, "i32", 4, 0},
                                    {DType::u8, "u8", 1, 0},
                                    {DType::i8, "i8", 1, 0}}};

const Row& row_of(DType dtype) {
  for (const Row& row : rows)
    if (row.dtype == dtype) return row;
  throw Error(ErrorKind::internal, "unknown element type");
}

}  // namespace

std::size_t size_of(DType dtype) { return row_of(dtype).bytes; }
std::string_view to_string(DType dtype) { return row_of(dtype).name; }

double unit_roundoff(DType dtype) {
  const int bits = row_of(dtype).mantissa_bits;
  return bits == 0 ? 0.0 : std::ldexp(1.0, -bits);
}

}  // namespace ridgeline
