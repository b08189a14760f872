// Copies between GPUs, played by two fake devices; and the cases of the suite.

#include <cstring>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "suites/peer_pair.hpp"

namespace ridgeline::suites {

worker::Suite peers();

namespace peers_test {

using peer_copy::Direction;
using peer_copy::Operands;
using peer_copy::Problem;

constexpr Direction directions[] = {Direction::to_peer, Direction::from_peer, Direction::both_ways};

const device::Device* current = nullptr;

/// Refuses what is asked while another device is the thread's, and keeps what it is asked for.
class PlayedGpu final : public device::FakeDevice {
 public:
  void make_current() override { current = this; }
  void* allocate(std::size_t bytes) override {
    expect_current();
    return FakeDevice::allocate(bytes);
  }
  void fill(void* to, DType dtype, std::size_t count, device::Distribution distribution,
            std::uint64_t seed, std::uint64_t first) override {
    expect_current();
    FakeDevice::fill(to, dtype, count, distribution, seed, first);
  }
  void poison(void* memory, std::size_t bytes) override {
    expect_current();
    FakeDevice::poison(memory, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    expect_current();
    ++downloads;
    FakeDevice::download(to, from, bytes);
  }
  void begin_after(Device& other) override { waits.push_back(&other); }
  void expect_current() const { EXPECT_EQ(current, this); }

  int downloads = 0;
  std::vector<device::Device*> waits;
};

/// What a variant did last, on which device's turn.
std::vector<const device::Device*> copied_by;
void copy(const Problem& problem, const Operands& operands, device::Stream&) {
  copied_by.push_back(current);
  std::memcpy(operands.to, operands.from,
              sizeof(float) * static_cast<std::size_t>(problem.elements));
}
void copy_none(const Problem&, const Operands&, device::Stream&) {}
void copy_most(const Problem& problem, const Operands& operands, device::Stream& stream) {
  Problem most = problem;
  --most.elements;
  copy(most, operands, stream);
}

struct Played {
  Played() { mine.make_current(); }
  measure::Workload prepare(Direction direction, void (*launch)(const Problem&, const Operands&,
                                                                device::Stream&) = copy) {
    measure::Setup setup{
        .device = mine, .inputs = inputs, .group = alone, .seed = 3, .cache = measure::Cache::cold};
    const peer_copy::Variant variant{"played", peer_copy::any_direct_peer, launch};
    return copy_between({mine, peer}, variant, {1, direction, 4099, 1}, setup);
  }

  PlayedGpu mine, peer;
  measure::InputPool inputs{mine, 11};
  measure::Group alone;
};

TEST(CopyBetween, VerifiesWhatArrivedWhereItArrived) {
  for (const Direction direction : directions) {
    Played played;
    const measure::Workload workload = played.prepare(direction);
    EXPECT_EQ(workload.bytes, (direction == Direction::both_ways ? 8 : 4) * 4099);
    EXPECT_GE(workload.sets.inputs, 2u);
    const measure::Turn turn{workload.sets.inputs - 1, 0};
    workload.poison(0);
    EXPECT_FALSE(workload.verify(turn).right()) << "what was not written";
    played.mine.downloads = played.peer.downloads = 0;
    workload.launch(turn, played.mine.stream());
    const record::Verification found = workload.verify(turn);
    EXPECT_TRUE(found.right()) << found.error;
    EXPECT_EQ(found.checked, Checked::whole);
    EXPECT_EQ(played.mine.downloads > 0, direction != Direction::to_peer);
    EXPECT_EQ(played.peer.downloads > 0, direction != Direction::from_peer);
    EXPECT_FALSE(workload.verify({0, 0}).right()) << "other inputs";
    EXPECT_EQ(current, &played.mine);
  }
}

TEST(CopyBetween, FindsWhatACopyLeavesOut) {
  for (const Direction direction : directions)
    for (const auto launch : {copy_none, copy_most}) {
      Played played;
      const measure::Workload workload = played.prepare(direction, launch);
      for (std::size_t i = 0; i < workload.sets.outputs; ++i) workload.poison(i);
      workload.launch({}, played.mine.stream());
      EXPECT_FALSE(workload.verify({}).right()) << to_string(direction);
      EXPECT_GE(workload.verify({}).error, direction == Direction::both_ways ? 2 : 1)
          << "of each way";
    }
}

TEST(CopyBetween, BothWaysBeginAndEndTogether) {
  Played played;
  const measure::Workload workload = played.prepare(Direction::both_ways);
  copied_by.clear();
  workload.launch({}, played.mine.stream());
  EXPECT_EQ(copied_by, (std::vector<const device::Device*>{&played.peer, &played.mine}));
  EXPECT_EQ(played.peer.waits, std::vector<device::Device*>{&played.mine});
  EXPECT_EQ(played.mine.waits, std::vector<device::Device*>{&played.peer});
}

TEST(CopyBetween, OneWayIsTheWorkOfTheDeviceThatMeasures) {
  for (const Direction direction : {Direction::to_peer, Direction::from_peer}) {
    Played played;
    const measure::Workload workload = played.prepare(direction);
    copied_by.clear();
    workload.launch({}, played.mine.stream());
    EXPECT_EQ(copied_by, std::vector<const device::Device*>{&played.mine});
    EXPECT_TRUE(played.mine.waits.empty() && played.peer.waits.empty());
  }
}

TEST(CopyBetween, AFailureGivesTheThreadItsDeviceBack) {
  Played played;
  const measure::Workload workload =
      played.prepare(Direction::both_ways, [](const Problem&, const Operands&, device::Stream&) {
        throw std::runtime_error("refused");
      });
  EXPECT_THROW(workload.launch({}, played.mine.stream()), std::runtime_error);
  EXPECT_EQ(current, &played.mine);
}

device::Facts gpu_with_peers(int peers) {
  device::Facts facts;
  facts.kind = device::Kind::cuda;
  facts.id = "cuda:0";
  facts.units = 132;
  for (int i = 1; i <= peers; ++i) facts.peers.push_back({"cuda:" + std::to_string(i), true});
  return facts;
}

TEST(Peers, NameEveryPairByADistance) {
  const worker::Suite suite = peers();
  if (suite.cases.empty()) GTEST_SKIP() << "a build without CUDA has none";
  const std::regex form(
      "peers/copy_(engine|kernel)/f32/peer=[1-7],"
      "direction=(to_peer|from_peer|both_ways),"
      "elements=(1024|262144|16777216|268435456),launch=single");
  std::set<std::string> names;
  for (const worker::Case& each : suite.cases) {
    const std::string name = record::name(each.info.id);
    EXPECT_TRUE(std::regex_match(name, form)) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(record::has_peer(each.info.id));
    EXPECT_GT(each.info.bytes.value_or(0), 0) << name;
    EXPECT_GE(each.memory(gpu_with_peers(1)), 2 * *each.info.bytes) << name;
  }
  EXPECT_EQ(names.size(), 2u * 7 * 3 * 4);
}

TEST(Peers, BeyondTheGpusAreRefusedInOneWay) {
  const worker::Suite suite = peers();
  if (suite.cases.empty()) GTEST_SKIP() << "a build without CUDA has none";
  for (const int others : {0, 1, 3}) {
    std::map<std::string, int> refused;
    for (const worker::Case& each : suite.cases)
      if (const auto support = each.supports(gpu_with_peers(others)); !support)
        ++refused[support.reason()];
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused.begin()->second, 2 * (7 - others) * 3 * 4);
  }
}

}  // namespace peers_test
}  // namespace ridgeline::suites
