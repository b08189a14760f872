#include "harness/device/device.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::device {

void Device::reach(Device& peer) {
  throw Error(ErrorKind::dependency,
              fmt::format("{} does not reach the memory of {}", facts().id, peer.facts().id));
}

}  // namespace ridgeline::device
