#include "harness/base/digest.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline {
namespace digest_test {

std::vector<std::byte> some(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(1 + i * 37 + i / 256);
  return bytes;
}

TEST(Digest, TellsEveryLengthAndEveryStateApart) {
  std::set<std::uint64_t> seen;
  for (std::size_t count = 0; count <= 100; ++count)
    for (const std::uint64_t state : {0u, 1u, 2u}) {
      EXPECT_TRUE(seen.insert(digest(some(count), state)).second) << count;
      EXPECT_TRUE(count == 0 || seen.insert(digest(std::vector<std::byte>(count), state)).second)
          << count << " zeros";
    }
  EXPECT_EQ(digest(some(100), 1), digest(some(100), 1));
}

TEST(Digest, TellsEveryBitApart) {
  std::vector<std::byte> bytes = some(77);
  std::set<std::uint64_t> seen{digest(bytes)};
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto flip = static_cast<std::byte>(1 << bit % 8);
    bytes[bit / 8] ^= flip;
    EXPECT_TRUE(seen.insert(digest(bytes)).second) << bit;
    bytes[bit / 8] ^= flip;
  }
}

/// What a wrong kernel does to its output: signs, and elements that changed places.
TEST(Digest, TellsPatternsOfMistakesApart) {
  const std::vector<std::byte> right = some(512);
  std::set<std::uint64_t> seen{digest(right)};
  for (std::size_t i = 3; i < right.size(); i += 4)
    for (std::size_t j = i + 4; j < right.size(); j += 4) {
      std::vector<std::byte> signs = right;
      signs[i] ^= std::byte{0x80};
      signs[j] ^= std::byte{0x80};
      EXPECT_TRUE(seen.insert(digest(signs)).second) << i << " " << j;
    }
  for (std::size_t i = 0; i < right.size(); i += 8)
    for (std::size_t j = i + 8; j < right.size(); j += 8) {
      std::vector<std::byte> swapped = right;
      std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                       swapped.begin() + static_cast<std::ptrdiff_t>(i + 8),
                       swapped.begin() + static_cast<std::ptrdiff_t>(j));
      EXPECT_TRUE(seen.insert(digest(swapped)).second) << i << " " << j;
    }
}

}  // namespace digest_test
}  // namespace ridgeline
