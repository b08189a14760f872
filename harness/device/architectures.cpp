#include "harness/device/architectures.hpp"

#include <charconv>

namespace ridgeline::device {

bool has_code_for(std::string_view architectures, int capability) {
  while (!architectures.empty()) {
    const std::string_view one = architectures.substr(0, architectures.find(','));
    architectures.remove_prefix(one.size() < architectures.size() ? one.size() + 1 : one.size());
    int code = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), code);
    if (error != std::errc{}) continue;
    const std::string_view feature = one.substr(static_cast<std::size_t>(end - one.data()));
    const bool same_major = code / 10 == capability / 10;
    if (feature.starts_with('a') ? code == capability : same_major && code <= capability)
      return true;
  }
  return false;
}

}  // namespace ridgeline::device
