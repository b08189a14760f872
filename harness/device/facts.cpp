#include "harness/device/facts.hpp"

namespace ridgeline::device {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::cpu:
      return "cpu";
    case Kind::cuda:
      return "cuda";
    case Kind::emulated:
      return "emulated";
    case Kind::fake:
      break;
  }
  return "fake";
}

}  // namespace ridgeline::device
