#include "harness/emulated/program/directed_rounding.hpp"

#include <cmath>

namespace ridgeline::program {
namespace {

/// Through memory, so that the compiler moves no operation to where another rounding is set.
template <class T>
T in_rounding(Operation operation, int rounding, T of_x, T of_y, T of_z) {
  volatile T x = of_x, y = of_y, z = of_z, result = 0;
  const int before = std::fegetround();
  std::fesetround(rounding);
  switch (operation) {
    case Operation::add:
      result = x + y;
      break;
    case Operation::subtract:
      result = x - y;
      break;
    case Operation::multiply:
      result = x * y;
      break;
    case Operation::divide:
      result = x / y;
      break;
    case Operation::root:
      result = std::sqrt(x);
      break;
    case Operation::multiply_add:
      result = std::fma(x, y, z);
      break;
  }
  std::fesetround(before);
  return result;
}

}  // namespace

float directed(Operation operation, int rounding, float x, float y, float z) {
  return in_rounding(operation, rounding, x, y, z);
}
double directed(Operation operation, int rounding, double x, double y, double z) {
  return in_rounding(operation, rounding, x, y, z);
}

}  // namespace ridgeline::program
