#include "kernels/transfer/transfer.hpp"

namespace ridgeline::transfer {

std::string_view to_string(Direction direction) {
  return direction == Direction::to_device ? "to_device" : "to_host";
}

}  // namespace ridgeline::transfer
