#include "harness/code/comparison.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ridgeline::code {
namespace {

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

}  // namespace

Comparison::Comparison(const ProgramCode& baseline, const ProgramCode& candidate, Cut cut)
    : baseline_(baseline),
      candidate_(candidate),
      cut_(std::move(cut)),
      known_(baseline.nodes().size()) {
  pair_roots();
}

void Comparison::pair_roots() {
  roots_.baseline.assign(baseline_.nodes().size(), nowhere);
  roots_.candidate.assign(candidate_.nodes().size(), nowhere);
  if (baseline_.requests() != candidate_.requests()) {
    roots_.different = "what the programs ask of the loader, such as libraries";
    return;
  }
  for (const std::string& request : baseline_.requests())
    if (request.find('$') != std::string::npos) {
      roots_.different = fmt::format("libraries that are found beside the programs: {}", request);
      return;
    }
  if (baseline_.roots().size() != candidate_.roots().size()) {
    roots_.different = "what runs before main(), or what libraries may call";
    return;
  }
  for (std::size_t i = 0; i < baseline_.roots().size(); ++i) {
    const Reference &a = baseline_.roots()[i], &b = candidate_.roots()[i];
    if (a.name != b.name || a.position != b.position || !pair(roots_, a, b)) {
      roots_.different = fmt::format("where the programs begin: {} {}", a.name, b.name);
      return;
    }
  }
  follow(roots_);
}

std::string Comparison::difference(const std::vector<std::string>& symbols) {
  if (!roots_.different.empty()) return roots_.different;
  Pairing pairing = roots_;
  for (const std::string& symbol : symbols) {
    const Reference *a = baseline_.find(symbol), *b = candidate_.find(symbol);
    if (a == nullptr || b == nullptr) return fmt::format("{} is not in both programs", symbol);
    if (a->position != b->position || !pair(pairing, *a, *b))
      return fmt::format("{} lies elsewhere", symbol);
  }
  follow(pairing);
  return pairing.different;
}

bool Comparison::pair(Pairing& pairing, const Reference& baseline,
                      const Reference& candidate) const {
  const std::uint32_t a = baseline.node, b = candidate.node;
  if (pairing.baseline[a] == b && pairing.candidate[b] == a) return true;
  if (pairing.baseline[a] != nowhere || pairing.candidate[b] != nowhere) return false;
  pairing.baseline[a] = b;
  pairing.candidate[b] = a;
  pairing.to_do.push_back(a);
  return true;
}

bool Comparison::follow(Pairing& pairing) {
  while (!pairing.to_do.empty()) {
    const std::uint32_t a = pairing.to_do.back(), b = pairing.baseline[a];
    pairing.to_do.pop_back();
    const auto differs = [&] {
      pairing.different = name_of(a);
      return false;
    };
    if (!equal(a, b)) return differs();
    const Node &from = baseline_.nodes()[a], &to = candidate_.nodes()[b];
    for (std::size_t i = 0; i < from.registers.size(); ++i)
      if (!pair(pairing, {.node = from.registers[i]}, {.node = to.registers[i]})) return differs();
    for (std::size_t i = 0; i < from.pieces.size(); ++i)
      for (std::size_t k = 0; k < from.pieces[i].references.size(); ++k) {
        const Reference &one = from.pieces[i].references[k], &other = to.pieces[i].references[k];
        if (one.node == nowhere || is_cut(one, other, a, b)) continue;
        if (!pair(pairing, one, other)) return differs();
      }
  }
  return true;
}

bool Comparison::equal(std::uint32_t baseline, std::uint32_t candidate) {
  Known& known = known_[baseline];
  if (known.candidate == candidate) return known.equal;
  const Node &a = baseline_.nodes()[baseline], &b = candidate_.nodes()[candidate];
  bool same = a.name == b.name && a.type == b.type && a.flags == b.flags &&
              a.alignment == b.alignment && a.size == b.size &&
              a.made_by_linker == b.made_by_linker && a.registers.size() == b.registers.size() &&
              a.pieces.size() == b.pieces.size();
  for (std::size_t i = 0; same && i < a.pieces.size(); ++i)
    same = equal(a.pieces[i], b.pieces[i], baseline, candidate);
  known = {candidate, same};
  return same;
}

bool Comparison::equal(const Piece& baseline, const Piece& candidate, std::uint32_t from_baseline,
                       std::uint32_t from_candidate) const {
  const auto &a = baseline.references, &b = candidate.references;
  if (baseline.bytes.size() != candidate.bytes.size() || a.size() != b.size()) return false;
  std::size_t begin = 0;  // of the bytes behind the last reference
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool alike = a[i].offset == b[i].offset && a[i].width == b[i].width &&
                       a[i].type == b[i].type && a[i].name == b[i].name &&
                       (a[i].node == nowhere) == (b[i].node == nowhere);
    if (!alike) return false;
    if (a[i].position != b[i].position && !is_cut(a[i], b[i], from_baseline, from_candidate))
      return false;
    if (a[i].offset > begin && !same_bytes(baseline.bytes.subspan(begin, a[i].offset - begin),
                                           candidate.bytes.subspan(begin, a[i].offset - begin)))
      return false;
    begin = std::max<std::size_t>(begin, a[i].offset + a[i].width);
  }
  return same_bytes(baseline.bytes.subspan(begin), candidate.bytes.subspan(begin));
}

bool Comparison::is_cut(const Reference& baseline, const Reference& candidate,
                        std::uint32_t from_baseline, std::uint32_t from_candidate) const {
  return !baseline.name.empty() && baseline.name == candidate.name &&
         cut_(baseline_, from_baseline, baseline.name) &&
         cut_(candidate_, from_candidate, candidate.name);
}

std::string Comparison::name_of(std::uint32_t baseline) const {
  const std::vector<std::string_view>& names = baseline_.names_in(baseline);
  const std::string_view section = baseline_.nodes()[baseline].name;
  return names.empty() ? std::string(section) : fmt::format("{} in {}", names.front(), section);
}

}  // namespace ridgeline::code
