#include <set>

#include <gtest/gtest.h>

#include "kernels/collectives/peers.hpp"

namespace ridgeline::collectives {
namespace peer_shapes_test {

constexpr Rung rungs[] = {Rung::one_shot, Rung::two_shot, Rung::two_shot_push,
                          Rung::one_shot_packets, Rung::two_shot_packets};
constexpr std::int64_t mib = 1 << 20;

TEST(PeerShapes, RefuseWhatTheyAreNotWrittenFor) {
  const auto reason = [](Rung rung, const Problem& problem) {
    return rung_support(rung, problem).reason();
  };
  const Problem problem{Operation::all_reduce, 4, 4096};
  for (const Rung rung : rungs) EXPECT_TRUE(rung_support(rung, problem));
  EXPECT_EQ(reason(Rung::one_shot, {Operation::all_gather, 4, 4096}),
            "does all_reduce of sums alone");
  EXPECT_EQ(reason(Rung::one_shot, {Operation::all_reduce, 3, 4096}),
            "is written for 2, 4 and 8 ranks, not for 3");
  EXPECT_EQ(reason(Rung::two_shot, {Operation::all_reduce, 4, 4096, DType::f16}),
            "does not sum f16");
  EXPECT_FALSE(rung_support(Rung::two_shot, {Operation::all_reduce, 4, 24}));
  EXPECT_TRUE(rung_support(Rung::two_shot_packets, {Operation::all_reduce, 4, 24}));
  EXPECT_FALSE(rung_support(Rung::two_shot_packets, {Operation::all_reduce, 4, 2, DType::bf16}));
  EXPECT_FALSE(rung_support(Rung::one_shot_packets, {Operation::all_reduce, 4, 64 * mib}));
  EXPECT_FALSE(rung_support(Rung::two_shot_push, {Operation::all_reduce, 4, 2048 * mib}));
  Problem in_place = problem;
  in_place.in_place = true;
  for (const Rung rung : rungs)
    EXPECT_EQ(static_cast<bool>(rung_support(rung, in_place)), rung != Rung::one_shot);
}

TEST(PeerShapes, HaveRoomForEveryWordOfWhatTheySupport) {
  for (const Rung rung : rungs)
    for (const int ranks : {2, 4, 8})
      for (std::int64_t bytes = 4; bytes <= 1024 * mib; bytes = 3 * bytes / 2 / 4 * 4 + 4) {
        const Problem problem{Operation::all_reduce, ranks, bytes};
        if (!rung_support(rung, problem)) continue;
        const PeerShape shape = shape_of(rung, problem);
        EXPECT_GE(shape.blocks, 1u);
        EXPECT_LE(shape.blocks, most_peer_blocks);
        EXPECT_LE(shape.blocks * shape.threads / 32, most_peer_warps);
        if (shape.packets == 0) continue;
        EXPECT_LE(shape.packets, packets_of_block);
        const std::int64_t words = bytes / 4;
        const std::int64_t carried = std::int64_t{3} * shape.packets * shape.blocks *
                                     (rung == Rung::two_shot_packets ? ranks : 1);
        EXPECT_GE(carried, words) << bytes;
      }
}

TEST(PeerShapes, ARungIsChosenForEverySizeThatFitsIt) {
  for (const int ranks : {2, 4, 8}) {
    std::set<Rung> chosen;
    for (std::int64_t bytes = 4; bytes <= 1024 * mib; bytes *= 2) {
      const Problem problem{Operation::all_reduce, ranks, bytes};
      chosen.insert(rung_by_size(problem));
      EXPECT_TRUE(rung_support(rung_by_size(problem), problem)) << ranks << ' ' << bytes;
    }
    EXPECT_GE(chosen.size(), 3u);
  }
}

TEST(PeerShapes, BordersDependOnTheNumberOfRanks) {
  const auto rung = [](int ranks, std::int64_t bytes) {
    return rung_by_size({Operation::all_reduce, ranks, bytes});
  };
  constexpr std::int64_t kib = 1 << 10;
  EXPECT_EQ(rung(2, mib), Rung::one_shot_packets);
  EXPECT_EQ(rung(2, mib + 16), Rung::two_shot);
  EXPECT_EQ(rung(2, mib + 4), Rung::two_shot_packets);  // no whole vectors
  EXPECT_EQ(rung(2, 12 * mib), Rung::two_shot);
  EXPECT_EQ(rung(2, 12 * mib + 16), Rung::two_shot_push);
  EXPECT_EQ(rung(4, 128 * kib), Rung::one_shot_packets);
  EXPECT_EQ(rung(4, 512 * kib), Rung::two_shot_packets);
  EXPECT_EQ(rung(4, mib), Rung::two_shot);
  EXPECT_EQ(rung(8, 64 * kib), Rung::two_shot_packets);
  EXPECT_EQ(rung(8, 512 * kib), Rung::two_shot);
}

}  // namespace peer_shapes_test
}  // namespace ridgeline::collectives
