#include <map>
#include <memory>
#include <string>

#include "suites/cases.hpp"
#include "suites/peer_pair.hpp"

// How fast do GPUs of one host reach each other's memory, and does a copy engine do it as fast as
// kernels?
//
// A peer is named by its distance, so that a case's name holds on every host, and runs on all GPUs
// with all distances measure every ordered pair.

namespace ridgeline::suites {
namespace {

using peer_copy::Direction;
using peer_copy::Problem;
using Named = kernels::Named<peer_copy::Variant>;

constexpr int most_gpus = 8;
constexpr Direction directions[] = {Direction::to_peer, Direction::from_peer, Direction::both_ways};
constexpr std::int64_t sizes[] = {1 << 10, 1 << 18, 1 << 24, 1 << 28};  // floats

/// Opened once per process, since that takes a part of a second, and never closed: libraries are
/// shut down before static objects are.
device::Device& peer_of(device::Device& mine, int distance) {
  static auto& opened = *new std::map<std::string, std::unique_ptr<device::Device>>;
  const std::string& id = mine.facts().peers.at(static_cast<std::size_t>(distance) - 1).id;
  std::unique_ptr<device::Device>& peer = opened[id];
  on(mine, mine, [&] {  // opening a device makes it the thread's
    if (!peer) peer = device::open(id);
  });
  on(*peer, mine, [&] { peer->reach(mine); });
  mine.reach(*peer);
  return *peer;
}

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result = suites::make_case(
      {"peers",
       std::string(named.name),
       "f32",
       {field("peer", problem.distance),
        {"direction", std::string(to_string(problem.direction))},
        field("elements", problem.elements)},
       {{"launch", "single"}}},
      named,
      [problem](const device::Facts& facts) {
        Problem here = problem;
        here.units = facts.units;
        return here;
      },
      // On each of the two GPUs.
      [](const auto&, const Problem& of) { return 2 * of.bytes(); },
      [](const peer_copy::Variant& variant, const Problem& of, measure::Setup& setup) {
        const Pair pair{setup.device, peer_of(setup.device, of.distance)};
        return copy_between(pair, variant, of, setup);
      });
  result.info.bytes = problem.bytes();
  return result;
}

}  // namespace

worker::Suite peers() {
  worker::Suite suite{"peers", "How fast do GPUs of one host reach each other's memory?", {}};
  for (const Named& named : peer_copy::variants())
    for (int distance = 1; distance < most_gpus; ++distance)
      for (const Direction direction : directions)
        for (const std::int64_t elements : sizes)
          suite.cases.push_back(make_case(named, {distance, direction, elements}));
  return suite;
}

}  // namespace ridgeline::suites
