#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/deviation.hpp"
#include "kernels/elements.hpp"
#include "kernels/kept.hpp"
#include "kernels/variant.hpp"
#include "kernels/worst.hpp"

// What families share whose oracle on a device judges by a tolerance. An output is compared whole
// with the oracle's. Where that would take too long, rows of it are, and all of it is compared with
// the output of a reference: another variant, which the oracle has found right on a small problem,
// whole. Where the two differ by too much, the oracle computes that row, too: it alone judges.
namespace ridgeline::kernels {

/// How much an oracle computes.
struct Effort {
  double whole = 1.5e11;      // floating-point operations of a problem that is compared whole
  double by_variant = 1e13;   // of a larger one that is compared with a reference's output, too
  double sample = 4e9;        // of the rows that are compared of what is not compared whole
  std::int64_t trial = 1024;  // the extent of the small problem that a reference is tried on
};

/// The worst of `count` elements, of which `compare(partials)` enqueues a comparison.
template <class Compare>
Worst worst_of(device::Device& device, std::int64_t count, Compare compare) {
  std::vector<Worst> partials(static_cast<std::size_t>(worst_blocks(count)));
  const std::size_t bytes = partials.size() * sizeof(Worst);
  const std::shared_ptr<const Scratch> memory = Kept::of(device).scratch(device, bytes);
  compare(reinterpret_cast<Worst*>(memory->data()));
  device.synchronize();
  device.download(partials.data(), memory->data(), bytes);
  Worst worst;
  for (const Worst& one : partials)
    if (worse(one, worst)) worst = one;
  return worst;
}

/// The elements of `dtype` that begin at `first` in a stream.
inline Elements random_elements(DType dtype, device::Distribution distribution, std::uint64_t seed,
                                std::uint64_t first) {
  return {dtype, distribution, seed, first, nullptr};
}

/// Of the variants for devices of `kind` that are `suited` to a problem those that `trial` found
/// right: it gives their seconds, or none. Each is tried once a process for each `what`, which
/// tells all that trials depend on. The fastest comes first, and `tested` last, so that another one
/// is the reference where there is one.
template <class Variant, class What, class Suited, class Trial>
Table<Variant> references(device::Kind kind, const Table<Variant>& table, const Variant& tested,
                          const What& what, Suited suited, Trial trial) {
  static std::map<std::pair<decltype(Variant::launch), What>, std::optional<double>> tried;
  std::multimap<std::pair<bool, double>, Named<Variant>> found;
  for (const Named<Variant>& named : table) {
    if (named.kind != kind || !suited(named.variant)) continue;
    const std::pair key(named.variant.launch, what);
    if (!tried.contains(key)) tried[key] = trial(named.variant);
    if (const std::optional<double> seconds = tried[key])
      found.emplace(std::pair(named.variant.launch == tested.launch, *seconds), named);
  }
  Table<Variant> result;
  for (const auto& [order, named] : found) result.push_back(named);
  return result;
}

/// What `run` gives for the first of the references in `list()` that there is memory for; null for
/// none.
template <class Referred, class List, class Run>
std::shared_ptr<const Referred> first_with_memory(List list, Run run) {
  try {
    for (const auto& named : list()) {
      try {
        return run(named);
      } catch (const OutOfMemory&) {
        continue;
      }
    }
    return nullptr;
  } catch (const OutOfMemory&) {  // not even for the small problem
    return nullptr;
  }
}

/// Seconds that `run` and what it enqueues take.
template <class Run>
double seconds_of(device::Device& device, Run run) {
  device.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  run();
  device.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace ridgeline::kernels
