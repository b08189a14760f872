#include "kernels/peer_copy/peer_copy.hpp"

#include <charconv>
#include <cstddef>

#include <fmt/core.h>

#include "harness/device/facts.hpp"

namespace ridgeline::peer_copy {

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::from_peer:
      return "from_peer";
    case Direction::both_ways:
      return "both_ways";
    case Direction::to_peer:
      break;
  }
  return "to_peer";
}

device::Support any_direct_peer(const Problem& problem, const device::Facts& facts) {
  if (facts.peers.empty())
    return device::Support::unsupported("needs another GPU, and there is none");
  const auto before = static_cast<std::size_t>(problem.distance) - 1;
  // The same words for every distance, so that such cases are counted together.
  if (before >= facts.peers.size())
    return device::Support::unsupported(
        fmt::format("needs more than the {} GPUs that there are", facts.peers.size() + 1));
  const device::Peer& peer = facts.peers[before];
  if (!peer.is_direct)
    return device::Support::unsupported(
        fmt::format("{} and {} do not reach each other's memory directly", facts.id, peer.id));
  return device::Support::yes();
}

int gpu_number(std::string_view device_id) {
  int number = 0;
  const std::size_t colon = device_id.find(':');
  if (colon != std::string_view::npos)
    std::from_chars(device_id.data() + colon + 1, device_id.data() + device_id.size(), number);
  return number;
}

}  // namespace ridgeline::peer_copy
