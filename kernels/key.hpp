#pragma once

#include <cstdint>
#include <string>

namespace ridgeline::kernels {

/// The key of `what` a family keeps for the problem and the inputs that `numbers` tell.
template <class... Numbers>
std::string key_of(std::string what, Numbers... numbers) {
  for (const std::uint64_t number : {static_cast<std::uint64_t>(numbers)...}) {
    what += ' ';
    what += std::to_string(number);
  }
  return what;
}

}  // namespace ridgeline::kernels
