#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline {

/// SHA-256 (FIPS 180-4) of all that was added, as `sha256sum` prints it: names a file's content
/// where somebody else may look for another of the same name.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hex digits. Nothing is added afterwards.
  std::string hex();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace ridgeline
