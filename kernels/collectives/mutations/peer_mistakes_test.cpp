#include <string>

#include <gtest/gtest.h>

#include "harness/device/device.hpp"
#include "harness/device/failure.hpp"
#include "kernels/collectives/peers_fixture.hpp"

// Kernels over peer memory with a planted mistake are found out: by the emulated device's checks,
// or by a wrong sum.
namespace ridgeline::collectives {
namespace one_shot_right {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace one_shot_no_last_wait {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace one_shot_no_fence {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace one_shot_first_rank_alone {
void enqueue_one_shot(const Peers& peers, const Problem& problem, device::Stream& stream);
}
namespace two_shot_right {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace two_shot_no_wait {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace two_shot_no_fence {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace two_shot_push_right {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace two_shot_push_no_wait {
void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream);
}
namespace one_shot_packets_any_packet {
void enqueue_one_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream);
}
namespace two_shot_packets_any_packet {
void enqueue_two_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream);
}

namespace peer_mistakes_test {

/// What is found of one of some calls in a row, in some order of blocks; "" for nothing.
std::string found(PlayedRanks::Enqueue enqueue) {
  for (const int seed : {1, 2, 3}) {
    const auto device = device::open("emulated:sm_90/132/" + std::to_string(seed));
    PlayedRanks played(*device, 2, 4096);
    try {
      const std::string wrong = played.wrong(enqueue, {Operation::all_reduce, 2, 2048},
                                             static_cast<std::uint64_t>(seed), 2);
      if (!wrong.empty()) return wrong;
    } catch (const device::KernelMistake& mistake) {
      return mistake.what();
    }
  }
  return "";
}

using Row = void (*)(const Peers&, const Problem&, int, int*, device::Stream&);
std::string found_in_a_row(Row calls_in_a_row) {
  for (const int seed : {1, 2, 3}) {
    const auto device = device::open("emulated:sm_90/132/" + std::to_string(seed));
    const PlayedRanks played(*device, 2, 4096);
    const Problem problem{Operation::all_reduce, 2, 2048};
    const device::Buffer<int> wrong(*device, std::size_t{2} * 64);
    try {
      calls_in_a_row(played.all(problem), problem, 3, wrong.data(), device->stream());
      device->synchronize();
      for (const int count : wrong.download())
        if (count != 0) return "wrong sums";
    } catch (const device::KernelMistake& mistake) {
      return mistake.what();
    }
  }
  return "";
}

TEST(PeerMistakes, ADroppedWaitIsFound) {
  EXPECT_NE(found_in_a_row(one_shot_no_last_wait::calls_in_a_row), "");
  EXPECT_NE(found_in_a_row(two_shot_no_wait::calls_in_a_row), "");
  EXPECT_NE(found_in_a_row(two_shot_push_no_wait::calls_in_a_row), "");
}

TEST(PeerMistakes, ADroppedFenceIsARace) {
  EXPECT_NE(found_in_a_row(one_shot_no_fence::calls_in_a_row).find("race"), std::string::npos);
  EXPECT_NE(found_in_a_row(two_shot_no_fence::calls_in_a_row).find("race"), std::string::npos);
}

TEST(PeerMistakes, APacketOfAnotherCallIsAWrongSum) {
  EXPECT_NE(found(one_shot_packets_any_packet::enqueue_one_shot_packets), "");
  EXPECT_NE(found(two_shot_packets_any_packet::enqueue_two_shot_packets), "");
}

TEST(PeerMistakes, ARankThatIsLeftOutIsAWrongSum) {
  const std::string wrong = found(one_shot_first_rank_alone::enqueue_one_shot);
  EXPECT_NE(wrong.find("rank 0, element"), std::string::npos) << wrong;
}

TEST(PeerMistakes, NothingIsFoundOfWhatIsRight) {
  EXPECT_EQ(found_in_a_row(one_shot_right::calls_in_a_row), "");
  EXPECT_EQ(found_in_a_row(two_shot_right::calls_in_a_row), "");
  EXPECT_EQ(found_in_a_row(two_shot_push_right::calls_in_a_row), "");
  EXPECT_EQ(found(on_cuda::enqueue_one_shot), "");
  EXPECT_EQ(found(on_cuda::enqueue_one_shot_packets), "");
  EXPECT_EQ(found(on_cuda::enqueue_two_shot_packets), "");
}

}  // namespace peer_mistakes_test
}  // namespace ridgeline::collectives
