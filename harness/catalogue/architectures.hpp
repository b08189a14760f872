#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ridgeline::catalogue {

/// What GPUs of one compute capability give a kernel, with the SMs and caches of the model that is
/// named. Sizes in bytes.
struct Architecture {
  int capability = 0;      // 10 * major + minor
  std::string_view model;  // "A100"
  int threads_per_block = 0;
  int cluster_blocks = 1;  // of a cluster that every launch may ask for
  int threads_per_sm = 0, blocks_per_sm = 0, registers_per_sm = 0;
  std::uint64_t shared_per_block = 0;  // static and dynamic together, with opt-in
  std::uint64_t shared_per_sm = 0;
  std::uint64_t l1 = 0;  // of an SM, its shared memory included
  // Of the model.
  int sms = 0;
  std::uint64_t l2 = 0;
  std::string_view source;
};

/// The newest first.
std::span<const Architecture> architectures();

/// Absent when the catalogue does not know it.
std::optional<Architecture> architecture(int capability);

}  // namespace ridgeline::catalogue
