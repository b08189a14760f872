#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/cuda/launch_config.hpp"
#include "harness/emulated/log.hpp"

// What the emulated device says of a launch: counts, and what is wrong with the kernel. Never a
// time.
namespace ridgeline::emulated {

/// Cluster: shared memory of another block. Tensor: instructions of tensor cores, as requests.
/// Bulk: the global side of the asynchronous unit's copies.
enum class Space : std::uint8_t { global, shared, cluster, tensor, bulk };

/// The requests that one access of the program made, over all warps. Exact for the code that the
/// host compiler made.
struct Site {
  std::uint32_t pc = 0;
  Act act = Act::read;
  Space space = Space::global;
  int bytes = 0;  // of a lane
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;       // active, summed over requests; of bulk copies the bytes
  std::uint64_t sectors = 0;     // global
  std::uint64_t wavefronts = 0;  // shared

  void add_counts(const Site& of) {
    requests += of.requests;
    lanes += of.lanes;
    sectors += of.sectors;
    wavefronts += of.wavefronts;
  }
};

/// A mistake of the kernel, with its first instance. Absent numbers are -1; without a block it is
/// of the whole launch.
struct Finding {
  std::string check;  // "race (read after write)"
  std::uint32_t pc = 0;
  std::int64_t block = -1;  // linear
  int thread = -1;          // linear, in its block
  int other = -1;           // the thread that it collides with, of the same block or of other_block
  std::string detail;       // the variable, or what is waited for
  int argument = 0;  // of global memory: which of the kernel's leads there, from 1; 0: none does
  std::uint64_t variable = 0;     // that it is about, by a number that tells it from others of the
                                  // launch; 0: of none
  std::uint64_t count = 0;        // how often
  std::uint64_t accesses = 1;     // of its line that made it, to the same variable
  std::int64_t other_block = -1;  // where it is another one
  bool follows = false;           // from another one of the launch, behind which it is told
};

struct Report {
  device::LaunchConfig config;
  std::uint64_t kernel = 0;    // where its code begins
  std::uint64_t accesses = 0;  // of lanes to global and shared memory
  std::uint64_t barriers = 0;  // of blocks
  std::uint64_t dram_read_bytes = 0, dram_written_bytes = 0;  // see cache_model.hpp
  std::uint64_t in_flight_bytes = 0;  // of a warp, see LoadRun; without the unit's copies
  bool has_unit = false;    // the asynchronous unit has copied or multiplied: its use of shared
                            // memory is not counted
  std::vector<Site> sites;  // by pc
  std::vector<Finding> findings;           // by pc, those that follow from others last
  std::vector<Finding> notes;              // what is no mistake and may be meant otherwise, by pc
  bool completed = true;                   // false: a finding ended the kernel before its end
  std::optional<std::uint64_t> cut_after;  // blocks; the machine's limit ended the launch there
};

/// Sum over the sites of a space that `act` describes; reads and writes apart.
Site total(const Report& report, Space space, Act act);

}  // namespace ridgeline::emulated
