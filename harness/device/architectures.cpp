#include "harness/device/architectures.hpp"

#include <algorithm>
#include <charconv>

namespace ridgeline::device {
namespace {

/// What one architecture of the list is good for on a GPU of `capability`.
Code code_of(std::string_view architecture, int capability) {
  constexpr std::string_view ptx = "compute_";
  const bool is_ptx = architecture.starts_with(ptx);
  if (is_ptx) architecture.remove_prefix(ptx.size());
  int code = 0;
  const auto [end, error] =
      std::from_chars(architecture.data(), architecture.data() + architecture.size(), code);
  if (error != std::errc{}) return Code::none;
  if (is_ptx) return code <= capability ? Code::ptx : Code::none;
  const std::string_view feature =
      architecture.substr(static_cast<std::size_t>(end - architecture.data()));
  const bool runs = feature.starts_with('a') ? code == capability
                                             : code / 10 == capability / 10 && code <= capability;
  return runs ? Code::machine : Code::none;
}

}  // namespace

Code code_for(std::string_view architectures, int capability) {
  Code best = Code::none;
  while (!architectures.empty()) {
    const std::string_view one = architectures.substr(0, architectures.find(','));
    architectures.remove_prefix(std::min(one.size() + 1, architectures.size()));
    const Code code = code_of(one, capability);
    if (code == Code::machine) return code;
    if (code == Code::ptx) best = code;
  }
  return best;
}

}  // namespace ridgeline::device
