#pragma once

#include <cfenv>
#include <cstdint>

// Arithmetic that is rounded as the end of its name says: down, up, towards zero.
namespace ridgeline::program {

enum class Operation : std::uint8_t { add, subtract, multiply, divide, root, multiply_add };

/// Of one to three operands; `rounding` is FE_DOWNWARD, FE_UPWARD or FE_TOWARDZERO.
float directed(Operation operation, int rounding, float x, float y = 0, float z = 0);
double directed(Operation operation, int rounding, double x, double y = 0, double z = 0);

}  // namespace ridgeline::program

// NOLINTBEGIN(bugprone-macro-parentheses): of types
#define RIDGELINE_DIRECTED(suffix, rounding)                                                       \
  RIDGELINE_DIRECTED_OF(f, float, suffix, rounding)                                                \
  RIDGELINE_DIRECTED_OF(d, double, suffix, rounding)                                               \
  inline float __fmaf_##suffix(float x, float y, float z) {                                        \
    return ::ridgeline::program::directed(::ridgeline::program::Operation::multiply_add, rounding, \
                                          x, y, z);                                                \
  }                                                                                                \
  inline double __fma_##suffix(double x, double y, double z) {                                     \
    return ::ridgeline::program::directed(::ridgeline::program::Operation::multiply_add, rounding, \
                                          x, y, z);                                                \
  }
#define RIDGELINE_DIRECTED_OF(letter, type, suffix, rounding)                                  \
  RIDGELINE_DIRECTED_TWO(__##letter##add_##suffix, add, type, rounding)                        \
  RIDGELINE_DIRECTED_TWO(__##letter##sub_##suffix, subtract, type, rounding)                   \
  RIDGELINE_DIRECTED_TWO(__##letter##mul_##suffix, multiply, type, rounding)                   \
  RIDGELINE_DIRECTED_TWO(__##letter##div_##suffix, divide, type, rounding)                     \
  inline type __##letter##sqrt_##suffix(type x) {                                              \
    return ::ridgeline::program::directed(::ridgeline::program::Operation::root, rounding, x); \
  }                                                                                            \
  inline type __##letter##rcp_##suffix(type x) {                                               \
    return ::ridgeline::program::directed(::ridgeline::program::Operation::divide, rounding,   \
                                          type{1}, x);                                         \
  }
#define RIDGELINE_DIRECTED_TWO(name, operation, type, rounding)                                    \
  inline type name(type x, type y) {                                                               \
    return ::ridgeline::program::directed(::ridgeline::program::Operation::operation, rounding, x, \
                                          y);                                                      \
  }
RIDGELINE_DIRECTED(rd, FE_DOWNWARD)
RIDGELINE_DIRECTED(ru, FE_UPWARD)
RIDGELINE_DIRECTED(rz, FE_TOWARDZERO)
#undef RIDGELINE_DIRECTED
#undef RIDGELINE_DIRECTED_OF
#undef RIDGELINE_DIRECTED_TWO
// NOLINTEND(bugprone-macro-parentheses)
