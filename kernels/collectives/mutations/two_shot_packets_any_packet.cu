#include "kernels/ptx/peer.cuh"

// Whatever lies in a room is taken for this call's packet.
#define is_of_call(packet, call) is_taken(packet)
namespace ridgeline::ptx {
__device__ __forceinline__ bool is_taken(const uint4&) { return true; }
}  // namespace ridgeline::ptx
#define on_cuda two_shot_packets_any_packet
#include "kernels/collectives/two_shot_packets.cu"
