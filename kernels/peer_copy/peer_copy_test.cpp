#include "kernels/peer_copy/peer_copy.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/test_device.hpp"

namespace ridgeline::peer_copy {
namespace peer_copy_test {

using kernels::GuardedOutput;

// One device plays both: a kernel does not know whose memory an address is.
class EveryVariant : public kernels::VariantTest<Variant> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryVariant);  // a build without CUDA has none

TEST_P(EveryVariant, BringsAllFloatsAndNoMore) {
  const int number = gpu_number(device->facts().id);
  for (const std::int64_t elements : {1, 3, 4, 1023, 4096, 4101, 70'001})
    for (const int units : {1, 3}) {
      std::vector<float> sent(static_cast<std::size_t>(elements));
      for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<float>(i % 8191) + 0.5f;
      const device::Buffer<float> from(*device, sent);
      const GuardedOutput to(*device, from.bytes());
      GetParam().variant.launch({1, Direction::to_peer, elements, units},
                                {from.data(), static_cast<float*>(to.data()), number, number},
                                device->stream());
      device->synchronize();
      std::vector<float> found(sent.size());
      device->download(found.data(), to.data(), from.bytes());
      EXPECT_EQ(found, sent) << elements << " elements, " << units << " units";
      EXPECT_TRUE(to.guard_untouched()) << elements << " elements: wrote beyond the end";
    }
}

INSTANTIATE_TEST_SUITE_P(PeerCopy, EveryVariant,
                         kernels::on_devices(variants(), RIDGELINE_FOR_HOPPER),
                         kernels::variant_name<Variant>);

device::Facts second_of_four() {
  device::Facts facts;
  facts.kind = device::Kind::cuda;
  facts.id = "cuda:1";
  facts.peers = {{"cuda:2", true}, {"cuda:3", false}, {"cuda:0", true}};
  return facts;
}

std::string refused(int distance, const device::Facts& facts) {
  return any_direct_peer({distance, Direction::to_peer, 1024}, facts).reason();
}

TEST(Peers, ThatAreReachedDirectlyAreSupported) {
  const device::Facts facts = second_of_four();
  EXPECT_TRUE(any_direct_peer({1, Direction::both_ways, 1024}, facts));
  EXPECT_TRUE(any_direct_peer({3, Direction::from_peer, 1024}, facts));
  EXPECT_EQ(any_direct_peer({2, Direction::to_peer, 1024}, facts).kind(),
            device::Support::Kind::unsupported);
  EXPECT_EQ(refused(2, facts), "cuda:1 and cuda:3 do not reach each other's memory directly");
}

TEST(Peers, BeyondTheGpusThatThereAreHaveOneReason) {
  const device::Facts facts = second_of_four();
  EXPECT_EQ(refused(4, facts), "needs more than the 4 GPUs that there are");
  EXPECT_EQ(refused(7, facts), refused(4, facts));
  EXPECT_EQ(refused(1, {}), "needs another GPU, and there is none");
  EXPECT_EQ(refused(7, {}), refused(1, {}));
}

TEST(Problem, CountsTheBytesOfBothWays) {
  EXPECT_EQ((Problem{1, Direction::to_peer, 1000}.bytes()), 4000);
  EXPECT_EQ((Problem{1, Direction::from_peer, 1000}.bytes()), 4000);
  EXPECT_EQ((Problem{1, Direction::both_ways, 1000}.bytes()), 8000);
}

TEST(GpuNumber, IsTheOneOfItsId) {
  EXPECT_EQ(gpu_number("cuda:0"), 0);
  EXPECT_EQ(gpu_number("cuda:12"), 12);
  EXPECT_EQ(gpu_number("fake"), 0);
}

}  // namespace peer_copy_test
}  // namespace ridgeline::peer_copy
