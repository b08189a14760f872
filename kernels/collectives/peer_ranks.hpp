#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/collectives/collectives.hpp"
#include "kernels/collectives/peers.hpp"

// A communicator whose ranks reach each other's memory: what the rungs need besides their kernels.
namespace ridgeline::collectives {

/// Names memory to another process.
struct MemoryHandle {
  char bytes[64];  // cudaIpcMemHandle_t
};

/// How memory is made, shown to other processes and reached by them; apart from CUDA's runtime so
/// that it can be tried without a GPU. All throw Error.
struct PeerMemory {
  std::string (*device)();  // names the current GPU, the same in every process of the host
  std::byte* (*allocate)(std::size_t bytes);  // zeros
  void (*release)(std::byte*) noexcept;
  MemoryHandle (*show)(std::byte*);
  std::byte* (*reach)(const MemoryHandle&);
  void (*leave)(std::byte*) noexcept;
};

using Enqueue = void (*)(const Peers&, const Problem&, device::Stream&);

/// Connects the ranks of `member`, all of one host and each with a GPU of its own, all together.
/// Where one of them cannot, all throw Error, and what was made has been given back. Keeps a
/// reference to `memory`.
std::unique_ptr<Communicator> connect_peers(const PeerMemory& memory, Enqueue enqueue,
                                            const Member& member);

}  // namespace ridgeline::collectives
