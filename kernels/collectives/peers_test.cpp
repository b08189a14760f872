#include "kernels/collectives/peers.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/collectives/peers_fixture.hpp"
#include "kernels/test_device.hpp"

namespace ridgeline::collectives {
namespace peers_test {

constexpr Rung rungs[] = {Rung::one_shot, Rung::two_shot, Rung::two_shot_push,
                          Rung::one_shot_packets, Rung::two_shot_packets};
std::string seed_name(std::uint64_t seed) { return "emulated:sm_90/132/" + std::to_string(seed); }

class PeerRung : public testing::TestWithParam<std::tuple<device::Kind, Rung>> {
 protected:
  void SetUp() override {
    found_ = kernels::test_device(std::get<0>(GetParam()));
    if (!found_.device) GTEST_SKIP() << found_.reason;
  }
  static Rung rung() { return std::get<1>(GetParam()); }
  /// With another order of lanes, warps and blocks where that can be had.
  void reorder(std::uint64_t seed) {
    if (!kernels::is_emulated(*found_.device)) return;
    found_.device.reset();
    found_.device = device::open(seed_name(seed));
  }
  static PlayedRanks::Enqueue enqueue() {
    static const std::map<Rung, PlayedRanks::Enqueue> all{
        {Rung::one_shot, on_cuda::enqueue_one_shot},
        {Rung::two_shot, on_cuda::enqueue_two_shot},
        {Rung::two_shot_push, on_cuda::enqueue_two_shot_push},
        {Rung::one_shot_packets, on_cuda::enqueue_one_shot_packets},
        {Rung::two_shot_packets, on_cuda::enqueue_two_shot_packets}};
    return all.at(rung());
  }
  kernels::TestDevice found_;
};

std::string name_of(const testing::TestParamInfo<std::tuple<device::Kind, Rung>>& info) {
  constexpr const char* names[] = {"one_shot", "two_shot", "two_shot_push", "one_shot_packets",
                                   "two_shot_packets"};
  return std::string(device::to_string(std::get<0>(info.param))) + "_" +
         names[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(Peers, PeerRung,
                         testing::Combine(testing::Values(device::Kind::cuda,
                                                          device::Kind::emulated),
                                          testing::ValuesIn(rungs)),
                         name_of);

TEST_P(PeerRung, SumsEverySizeInAnyOrderOfBlocks) {
  std::uint64_t seed = 1;
  for (const int ranks : {2, 4, 8}) {
    reorder(static_cast<std::uint64_t>(ranks));
    PlayedRanks played(*found_.device, ranks, 24576);
    for (const std::int64_t bytes : {16, 48, 1040, 20480})
      for (const DType dtype : {DType::f32, DType::bf16})
        for (const bool in_place : {false, true}) {
          // Several blocks, among few ranks: who polls is followed access by access, too.
          if (bytes == 20480 && (ranks != 2 || dtype != DType::f32)) continue;
          const Problem problem{Operation::all_reduce, ranks,   bytes, dtype,
                                Reduction::sum,        in_place};
          if (!rung_support(rung(), problem)) continue;
          EXPECT_EQ(played.wrong(enqueue(), problem, seed += 10, 3), "")
              << ranks << ' ' << bytes << ' ' << to_string(dtype) << ' ' << in_place;
        }
  }
}

TEST_P(PeerRung, GivesTheBitsOfASumInTheOrderOfRanks) {
  constexpr int ranks = 4;
  constexpr std::int64_t count = 264;
  PlayedRanks played(*found_.device, ranks, count * 4);
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const auto size = static_cast<std::int64_t>(size_of(dtype));
    const Problem problem{Operation::all_reduce, ranks, count * size, dtype};
    const Peers peers = played.all(problem);
    std::vector<float> sums(count, 0);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<float> values;
      for (std::int64_t i = 0; i < count; ++i) {  // whose sums are rounded, differently per order
        values.push_back(kernels::rounded(
            static_cast<float>((i * 37 + rank * 101) % 97 - 48) * (rank % 2 == 0 ? 0.1f : 1e4f),
            dtype));
        sums[i] = rank == 0 ? values[i] : sums[i] + values[i];
      }
      const std::vector<std::byte> bytes = kernels::stored(values, dtype);
      found_.device->upload(peers.data[rank] + peers.send, bytes.data(), bytes.size());
    }
    enqueue()(peers, problem, found_.device->stream());
    found_.device->synchronize();
    const std::vector<std::byte> expected = kernels::stored(sums, dtype);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<std::byte> got(expected.size());
      found_.device->download(got.data(), peers.data[rank] + peers.receive, got.size());
      EXPECT_EQ(got, expected) << to_string(dtype) << ' ' << rank;
    }
  }
}

/// On a GPU: calls of all sizes and kernels in one row, which share meetings and rooms.
TEST(Peers, AreRightAfterTenThousandCallsInARow) {
  const kernels::TestDevice found = kernels::test_device(device::Kind::cuda);
  if (!found.device) GTEST_SKIP() << found.reason;
  for (const int ranks : {2, 4, 8}) {
    PlayedRanks played(*found.device, ranks, 24576);
    for (int call = 0; call < 10000; call += 20) {
      const Problem problem{Operation::all_reduce, ranks, 16 * (1 + call % 1200),
                            call % 40 == 0 ? DType::f32 : DType::bf16};
      ASSERT_EQ(played.wrong(
                    [](const Peers& peers, const Problem& of, device::Stream& stream) {
                      for (const Rung each : rungs) on_cuda::enqueue(each, peers, of, stream);
                    },
                    problem, static_cast<std::uint64_t>(call), 4),
                "")
          << call;
    }
  }
}

}  // namespace peers_test
}  // namespace ridgeline::collectives
