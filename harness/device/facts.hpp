#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/device/kind.hpp"

namespace ridgeline::device {

/// Another GPU of the host, and whether it and this one reach each other's memory directly: then no
/// copy between them goes through the host's.
struct Peer {
  std::string id;
  bool is_direct = false;
};

/// What a device is, as far as a kernel or a suite may ask. Sizes in bytes.
struct Facts {
  Kind kind = Kind::cpu;
  std::string id, model, name, uuid, pci_id;  // as in record::Device

  std::uint64_t memory = 0;       // installed
  std::uint64_t memory_free = 0;  // free when asked
  std::uint64_t l1 = 0, l2 = 0;   // of one core or SM (CUDA: l2 of the whole device)
  std::uint64_t last_level_cache = 0;

  int units = 0;       // cores or SMs that are used
  int warp_size = 1;   // 1 on a CPU
  int capability = 0;  // CUDA: 10 * major + minor, e.g. 90; 0 on a CPU
  std::string simd;    // CPU: widest usable: "avx512f", "avx2", "sse2"
  int max_threads_per_unit = 0, max_threads_per_block = 0, max_blocks_per_unit = 0;  // CUDA
  int registers_per_unit = 0;                                                        // CUDA
  std::uint64_t shared_per_unit = 0, shared_per_block = 0;  // CUDA; block: with opt-in

  std::vector<Peer> peers;  // CUDA: the other GPUs in the order of discover(), from the one after
                            // this on; after the last comes the first

  std::map<std::string, std::string> properties, comparable, recorded;  // as in record::Device
};

/// A kind of device that cannot be used here, and why ("libcuda.so.1 not found").
struct Unavailable {
  Kind kind;
  std::string reason;
};

struct Discovery {
  std::vector<Facts> devices;  // best first: CUDA devices, then the CPU
  std::vector<Unavailable> unavailable;
};

}  // namespace ridgeline::device
