#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/occupancy.hpp"

// What a device without times says of the kernels that it has run.
namespace ridgeline::device {

/// One access in a kernel's source, and what all warps did there. Zero where a quantity has no
/// meaning.
struct SiteCount {
  std::string kernel;  // as the debug information calls it, without arguments
  std::string file;    // relative to the source tree where it lies below it
  int line = 0;        // 1-based; 0 when the debug information does not say
  /// "global load", "global store", "global atomic", "shared load", "shared store", "shared
  /// atomic"; "async copy" twice, for its global and its shared side ("global async copy", "shared
  /// async copy"); "tensor" (one per warp's instruction); "bulk load" and "bulk store" (one a copy
  /// of the asynchronous unit, whose bytes are its "lanes" of one byte); "cluster load", "cluster
  /// store" and "cluster atomic", of another block's shared memory.
  std::string access;
  int lane_bytes = 0;                     // that one lane reads or writes
  std::uint64_t requests = 0, lanes = 0;  // of warps; active lanes, summed over requests
  std::uint64_t sectors = 0;              // of 32 bytes, global memory
  std::uint64_t wavefronts = 0;           // shared memory; one per request is the least
};

/// Launches of one kernel in one configuration.
struct LaunchCount {
  std::string kernel;  // demangled, without return type, own namespaces and arguments:
                       // "gemm::on_cuda::naive"
  std::string file;    // where it stands, relative to the source tree; empty when the debug
                       // information does not say
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t dynamic_shared_bytes = 0, launches = 0;
  // Of the code that nvcc made for the device's capability; absent where the build does not know
  // it.
  std::optional<KernelResources> resources;
  std::optional<Occupancy> occupancy;
};

/// Of all launches since it was last asked.
struct Counts {
  std::vector<SiteCount> sites;      // by file, line and access
  std::vector<LaunchCount> kernels;  // in the order of their first launch
  std::uint64_t launches = 0, threads = 0;
  std::uint64_t barriers = 0;  // of blocks
  /// Bytes that DRAM gives and takes by the device's cache model, blocks in the order of their
  /// numbers.
  std::uint64_t dram_read_bytes = 0, dram_written_bytes = 0;
  /// The asynchronous unit has copied in bulk or multiplied for warpgroups. What it asks of shared
  /// memory is in no site, and its copies are not in bytes_in_flight_per_warp.
  bool has_unit = false;
  /// The most bytes that one warp has asked of global memory before it waits for any: loads that
  /// follow each other without a use, and copies under way. 0 where nothing was loaded.
  std::uint64_t bytes_in_flight_per_warp = 0;
};

}  // namespace ridgeline::device
