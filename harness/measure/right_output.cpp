#include "harness/measure/right_output.hpp"

#include <array>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "harness/base/digest.hpp"

namespace ridgeline::measure {
namespace {

using Bytes = std::array<std::byte, 2 * sizeof(double) + 1>;

Bytes to_bytes(const record::Verification& found) {
  Bytes bytes{};
  std::memcpy(bytes.data(), &found.error, sizeof(double));
  std::memcpy(bytes.data() + sizeof(double), &found.tolerance, sizeof(double));
  bytes.back() = found.checked ? static_cast<std::byte>(*found.checked) : std::byte{0xFF};
  return bytes;
}

/// None where these are not the bytes of a right output's.
std::optional<record::Verification> from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() != Bytes{}.size()) return std::nullopt;
  record::Verification found;
  std::memcpy(&found.error, bytes.data(), sizeof(double));
  std::memcpy(&found.tolerance, bytes.data() + sizeof(double), sizeof(double));
  for (const auto& [checked, text] : names(Checked{}))
    if (bytes.back() == static_cast<std::byte>(checked)) found.checked = checked;
  const bool known = found.checked || bytes.back() == std::byte{0xFF};
  if (!known || !found.right() || !(found.error >= 0) || !std::isfinite(found.tolerance))
    return std::nullopt;
  return found;
}

}  // namespace

RightOutput::RightOutput(KeptFiles& files, const std::string& what, std::span<const std::byte> bits)
    : files_(files), key_(fmt::format("right {} {} {:016x}", what, bits.size(), digest(bits))) {}

std::optional<record::Verification> RightOutput::found() const {
  const auto kept = files_.read(key_);
  return kept ? from_bytes(*kept) : std::nullopt;
}

void RightOutput::keep(const record::Verification& found) {
  if (found.right() && this->found() != found) files_.write(key_, to_bytes(found));
}

}  // namespace ridgeline::measure
