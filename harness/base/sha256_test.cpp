#include "harness/base/sha256.hpp"

#include <gtest/gtest.h>

namespace ridgeline {
namespace sha256_test {

std::string hash(std::string_view text, std::size_t step = 1000) {
  Sha256 sum;
  for (std::size_t at = 0; at < text.size(); at += step) sum.add(text.substr(at, step));
  return sum.hex();
}

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePartsThatAreAdded) {
  const std::string text(300, 'x');
  for (const std::size_t step : {1, 7, 63, 64, 65, 128}) EXPECT_EQ(hash(text, step), hash(text));
}

}  // namespace sha256_test
}  // namespace ridgeline
