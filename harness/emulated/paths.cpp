#include "harness/emulated/paths.hpp"

#include <limits>

namespace ridgeline::emulated {

std::optional<std::uint16_t> Paths::find(std::uint16_t caller, std::uint32_t pc) {
  std::size_t i = 1;
  while (i < nodes_.size() && (nodes_[i].pc != pc || nodes_[i].caller != caller)) ++i;
  if (i > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  if (i == nodes_.size())
    nodes_.push_back({caller, static_cast<std::uint16_t>(nodes_[caller].depth + 1), pc});
  const auto path = static_cast<std::uint16_t>(i);
  known_[slot(caller, pc)] = {caller, path, pc};
  return path;
}

bool Paths::before(const Entry& a, const Entry& b) const {
  if (a.path == b.path) return a.pc != b.pc ? a.pc < b.pc : a.act < b.act;
  std::uint32_t a_pc = a.pc, b_pc = b.pc;
  std::uint16_t a_path = a.path, b_path = b.path;
  const auto up = [this](std::uint16_t& path, std::uint32_t& pc) {
    pc = nodes_[path].pc;
    path = nodes_[path].caller;
  };
  while (nodes_[a_path].depth > nodes_[b_path].depth) up(a_path, a_pc);
  while (nodes_[b_path].depth > nodes_[a_path].depth) up(b_path, b_pc);
  while (a_path != b_path) {
    up(a_path, a_pc);
    up(b_path, b_pc);
  }
  return a_pc < b_pc;
}

}  // namespace ridgeline::emulated
