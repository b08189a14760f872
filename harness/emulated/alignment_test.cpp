#include "harness/emulated/alignment.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace alignment_test {

/// Writes down what it is told: "100:3" is a request of 3 lanes at pc 100, "|" a barrier.
class Written final : public Warp {
 public:
  void request(const Request& request) override {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", request.pc, request.count);
  }
  void barrier() override { text += " |"; }
  std::string text;
};

Entry at(std::uint32_t pc, std::uint16_t path = 0) { return {pc, pc, Act::read, 4, path}; }
Entry together(std::uint32_t mask, Act act = Act::warp_barrier) { return {mask, 1, act, 0, 0}; }

using Logs = std::vector<std::vector<Entry>>;

/// What the logs of lanes 0, 1, ... say; `open` go on.
std::string aligned(const Logs& logs, const Paths& paths = {}, std::uint32_t open = 0,
                    std::vector<std::size_t>* left = nullptr) {
  std::vector<LaneLog> lanes;
  for (std::size_t i = 0; i < logs.size(); ++i)
    lanes.push_back({logs[i].data(), logs[i].data() + logs[i].size(), static_cast<std::uint8_t>(i),
                     (open >> i & 1) != 0});
  Written written;
  align(lanes, paths, written);
  if (left != nullptr)
    for (const LaneLog& lane : lanes)
      left->push_back(static_cast<std::size_t>(lane.end - lane.next));
  return written.text;
}

TEST(Align, LanesThatDoTheSameGoTogether) {
  EXPECT_EQ(aligned({{at(100), at(104)}, {at(100), at(104)}, {at(100), at(104)}}), "100:3 104:3");
  EXPECT_EQ(aligned({}), "");
  EXPECT_EQ(aligned({{}, {}}), "");
}

TEST(Align, BranchesMeetAgain) {
  EXPECT_EQ(aligned({{at(100), at(300)}, {at(200), at(300)}, {at(300)}}), "100:1 200:1 300:3");
}

TEST(Align, LoopsOfDifferentLengthMeetBehindTheLoop) {
  EXPECT_EQ(aligned({{at(100), at(200)}, {at(100), at(100), at(100), at(200)}}),
            "100:2 100:1 100:1 200:2");
}

TEST(Align, AFunctionThatIsCalledComesWhereItIsCalled) {
  Paths paths;
  const std::uint16_t in_loop = paths.enter(0, 100).value();  // called at 100, and stands behind
                                                              // everything
  const Entry far = at(900, in_loop);
  EXPECT_EQ(aligned({{far, at(200)}, {far, far, at(200)}}, paths), "900:2 900:1 200:2");
  EXPECT_EQ(paths.enter(0, 100), in_loop);
  EXPECT_NE(paths.enter(in_loop, 100), in_loop);
  EXPECT_EQ(paths.leave(paths.enter(in_loop, 700).value()), in_loop);
}

TEST(Align, BarriersKeepOrder) {
  const Entry all = together(3);
  EXPECT_EQ(aligned({{at(200), all, at(100)}, {at(200), all, at(100)}}), "200:2 | 100:2");
  EXPECT_EQ(aligned({{all, at(100)}, {at(200), all, at(100)}}), "200:1 | 100:2");
  EXPECT_EQ(
      aligned({{together(3, Act::collective), at(100)}, {together(3, Act::collective), at(100)}}),
      "100:2")
      << "a collective is no barrier for memory";
}

TEST(Align, ABarrierOfSomeLanesWaitsForNoOthers) {
  const Entry all = together(7), two = together(6);
  EXPECT_EQ(aligned({{all, at(100)}, {two, at(90), all, at(100)}, {two, at(90), all, at(100)}}),
            " | 90:2 | 100:3");
}

TEST(Align, StopsWhereALogGoesOn) {
  std::vector<std::size_t> left;
  EXPECT_EQ(aligned({{at(100)}, {at(100), at(100), at(200)}}, {}, 1, &left), "100:2");
  EXPECT_EQ(left, (std::vector<std::size_t>{0, 2}));
}

TEST(Align, AReadAndAWriteOfOnePlaceAreTwoRequests) {
  Entry write = at(100);
  write.act = Act::write;
  EXPECT_EQ(aligned({{at(100)}, {write}}), "100:1 100:1");
}

TEST(Request, IsARowWhenBytesLieSideBySideInTheOrderOfLanes) {
  const auto row = [](int bytes, const std::vector<std::uint64_t>& addresses) {
    Request request;
    request.bytes = bytes;
    request.count = static_cast<int>(addresses.size());
    std::ranges::copy(addresses, request.addresses.begin());
    return request.is_row();
  };
  EXPECT_TRUE(row(4, {40, 44, 48}));
  EXPECT_TRUE(row(16, {32, 48}));
  EXPECT_TRUE(row(4, {40}));
  EXPECT_FALSE(row(4, {40, 44, 52})) << "a gap";
  EXPECT_FALSE(row(4, {44, 40})) << "backwards";
  EXPECT_FALSE(row(4, {40, 40})) << "the same";
  EXPECT_FALSE(row(2, {40, 44})) << "too far apart";
}

}  // namespace alignment_test
}  // namespace ridgeline::emulated
