#include "harness/emulated/test/words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/half.hpp"
#include "harness/emulated/test/lab.hpp"
#include "harness/emulated/tf32.hpp"

namespace ridgeline::emulated {
namespace words_test {

using test::checks;
using test::Element;
using test::Lab;

constexpr std::size_t lanes = 32;  // of a warp

TEST(Words, WarpsMatchAndReduce) {
  Lab lab;
  auto* const to = lab.empty<test::WarpWords>(32);
  test::use_warp_words(lab.stream(), to);
  EXPECT_EQ(checks(lab.report()), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    const test::WarpWords& mine = to[lane];
    EXPECT_EQ(mine.matches, 0xFFu << lane / 8 * 8) << lane;
    EXPECT_EQ(mine.all_match, 0xFFFFFFFFu);
    EXPECT_EQ(mine.all_matched, 1);
    EXPECT_EQ(mine.all_differ, 0u) << "lane 31 has another value";
    EXPECT_EQ(mine.all_differed, 0);
    EXPECT_EQ(mine.sum, 496u);
    EXPECT_EQ(mine.least, 3u);
    EXPECT_EQ(mine.greatest, 31u);
    EXPECT_EQ(mine.both, 32u);
    EXPECT_EQ(mine.either, 31u);
    EXPECT_EQ(mine.one, 0u) << "1 ^ 2 ^ 3";
    EXPECT_EQ(mine.signed_sum, -16);
    EXPECT_EQ(mine.signed_least, -16);
    EXPECT_EQ(mine.signed_greatest, 15);
  }
}

// Expected values: the CUDA Math API's definitions, by hand.
TEST(Words, BitsAreCountedMovedAndMultiplied) {
  Lab lab;
  unsigned* const to = lab.empty<unsigned>(test::bit_words);
  test::use_bit_words(lab.stream(), 0x00F0'0012u, 0x8000'4321u, to);
  EXPECT_EQ(checks(lab.report()), "");
  // The tenth, from the lowest nibble: bytes 5 and 1, the sign of byte 4, byte 7. The eleventh: 24
  // bits with a sign.
  const unsigned expected[test::bit_words] = {6,
                                              12,
                                              8,
                                              0,
                                              2,
                                              2,
                                              0x4800'0F00u,
                                              0x0043'2100u,
                                              0x2100'F000u,
                                              0x8000'0043u,
                                              0xFFD0'0036u,
                                              0x0078'0047u,
                                              0xFF88'0035u};
  for (int i = 0; i < test::bit_words; ++i) EXPECT_EQ(to[i], expected[i]) << i;
}

TEST(Words, AtomicsOfAllScopesAreOneRequestEach) {
  Lab lab;
  unsigned* const words = lab.filled<unsigned>({100, 0, 7, 0, 5, 0});
  test::use_atomic_words(lab.stream(), words);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  EXPECT_EQ(total(report, Space::global, Act::atomic).requests, 6u);
  EXPECT_EQ(words[0], 36u);
  EXPECT_EQ(words[1], 11u) << "32 increments in a ring of 21";
  EXPECT_EQ(words[2], 17u) << "8 decrements reach the top, 24 more leave 20 - 3";
  EXPECT_EQ(words[3], 32u);
  EXPECT_EQ(words[4], 37u);
  EXPECT_NE(words[5], 0u);
}

TEST(Words, PairsOfHalvesAddAtomically) {
  Lab lab;
  unsigned* const words = lab.filled<unsigned>({0, 0, 0x1234'0000u});
  test::add_packed(lab.stream(), words);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  EXPECT_EQ(words[0], std::uint32_t{to_f16(64)} << 16 | to_f16(32));
  EXPECT_EQ(words[1], std::uint32_t{to_bf16(64)} << 16 | to_bf16(32));
  EXPECT_EQ(words[2], 0x1234'0000u | to_f16(32));
  const Site atomics = total(report, Space::global, Act::atomic);
  EXPECT_EQ(atomics.requests, 3u);
  EXPECT_EQ(atomics.lanes, 96u);
}

TEST(Words, TheClockOnlyGrows) {
  Lab lab;
  int* const to = lab.empty<int>(32);
  test::use_clock(lab.stream(), to);
  EXPECT_EQ(checks(lab.report()), "");
  EXPECT_EQ(std::accumulate(to, to + 32, 0), 32);
}

TEST(Words, WhatIsNotModelledIsSaid) {
  for (const auto& [what, detail] :
       {std::pair{test::Unmodelled::active_mask,
                  "__activemask: which lanes it gives depends on scheduling"},
        {test::Unmodelled::wide_atomic, "atomicAdd on float2"}}) {
    Lab lab;
    test::use_unmodelled(lab.stream(), what, lab.filled(std::vector<float>(2)));
    const Report report = lab.report();
    ASSERT_EQ(checks(report), "unsupported");
    EXPECT_EQ(report.findings[0].detail, detail);
    EXPECT_FALSE(report.completed);
  }
}

TEST(Words, PackedTypesAreOneAccess) {
  using enum Element;
  std::vector<unsigned char> values(lanes * 16);
  std::iota(values.begin(), values.end(), static_cast<unsigned char>(1));
  for (const Element element :
       {half, half2, bf16, bf162, float2, float4, double2, int4, uint4, longlong2, char4}) {
    Lab lab;
    const int bytes = test::bytes_of(element);
    unsigned char *const from = lab.filled(values), *const to =
                                                        lab.empty<unsigned char>(values.size());
    test::copy_elements(lab.stream(), element, from, to);
    const Report report = lab.report();
    EXPECT_EQ(checks(report), "");
    EXPECT_TRUE(std::equal(to, to + lanes * bytes, from)) << bytes;
    ASSERT_EQ(report.sites.size(), 2u) << "element " << static_cast<int>(element);
    for (const Site& site : report.sites) {
      EXPECT_EQ(site.bytes, bytes) << "element " << static_cast<int>(element);
      EXPECT_EQ(site.requests, 1u);
      EXPECT_EQ(site.lanes, 32u);
    }
  }
}

TEST(Words, SharedArraysOfPairsAreCountedAlone) {
  for (int launch = 0; launch < 2; ++launch) {  // the compiler's guard of the array is set by the
                                                // first one
    Lab lab;
    std::vector<unsigned> values(32);
    std::iota(values.begin(), values.end(), 1u);
    unsigned *const from = lab.filled(values), *const to = lab.empty<unsigned>(32);
    test::reverse_pairs(lab.stream(), from, to);
    const Report report = lab.report();
    EXPECT_EQ(checks(report), "");
    EXPECT_TRUE(std::equal(values.rbegin(), values.rend(), to));
    EXPECT_EQ(total(report, Space::shared, Act::read).requests, 1u);
    EXPECT_EQ(total(report, Space::shared, Act::write).requests, 1u);
    EXPECT_EQ(report.accesses, 4u * 32);
  }
}

TEST(Words, ObjectsAreCopiedInPiecesThatFit) {
  struct Shape {
    int bytes;
    std::vector<int> pieces;  // of a lane
  };
  for (const auto& [bytes, pieces] : {Shape{6, {2, 2, 2}}, Shape{3, {1, 1, 1}},
                                      Shape{12, {4, 4, 4}}, Shape{10, {2, 2, 2, 2, 2}}}) {
    Lab lab;
    unsigned char *const from = lab.filled(std::vector<unsigned char>(lanes * 12, 7)),
                         *const to = lab.empty<unsigned char>(lanes * 12);
    test::copy_objects(lab.stream(), bytes, from, to);
    const Report report = lab.report();
    EXPECT_EQ(checks(report), "") << bytes;
    EXPECT_EQ(to[lanes * bytes - 1], 7) << bytes;
    const Site loads = total(report, Space::global, Act::read);
    EXPECT_EQ(loads.lanes, lanes * pieces.size()) << bytes;
  }
}

TEST(Words, FloatsOfTensorCoresAreRoundedAndNansStay) {
  const auto nan = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  for (const std::uint32_t bits : {0x7FFFFFFFu, 0x7F800001u, 0xFFFFFFFFu, 0xFF800001u})
    EXPECT_EQ(tf32_of(nan(bits)), 0x7FFFFFFFu) << bits;
  EXPECT_EQ(tf32_of(INFINITY), std::bit_cast<std::uint32_t>(INFINITY));
  EXPECT_EQ(tf32_of(-(1.0f + 0x1p-11f)), std::bit_cast<std::uint32_t>(-(1.0f + 0x1p-10f)));
}

TEST(Words, PackedTypesAreShuffled) {
  using enum Element;
  std::vector<unsigned char> values(lanes * 8);
  std::iota(values.begin(), values.end(), static_cast<unsigned char>(1));
  for (const Element element : {half, half2, bf16, bf162, float2, char4}) {
    Lab lab;
    const int bytes = test::bytes_of(element);
    unsigned char *const from = lab.filled(values), *const to =
                                                        lab.empty<unsigned char>(values.size());
    test::swap_elements(lab.stream(), element, from, to);
    EXPECT_EQ(checks(lab.report()), "");
    for (std::size_t lane = 0; lane < lanes; ++lane)
      EXPECT_TRUE(std::equal(to + lane * bytes, to + (lane + 1) * bytes, from + (lane ^ 1) * bytes))
          << "element " << static_cast<int>(element) << ", lane " << lane;
  }
}

}  // namespace words_test
}  // namespace ridgeline::emulated
