#pragma once

#include "harness/device/facts.hpp"
#include "kernels/collectives/peer_ranks.hpp"

// Other GPUs' memory by CUDA's runtime.
namespace ridgeline::collectives::on_cuda {

/// `rung`, and that the problem's ranks have as many GPUs, which reach each other's memory.
device::Support peer_support(const device::Support& rung, const Problem& problem,
                             const device::Facts& facts);

/// Memory of the current GPU that other processes reach by CUDA's IPC handles.
const PeerMemory& ipc_memory();

}  // namespace ridgeline::collectives::on_cuda
