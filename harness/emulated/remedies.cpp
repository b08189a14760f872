#include "harness/emulated/remedies.hpp"

#include <algorithm>
#include <iterator>

namespace ridgeline::emulated {
namespace {

struct Remedy {
  std::string_view check, text;
};

constexpr std::string_view
    barrier =
        "put a barrier between the two that all threads come to: __syncthreads(), within a warp "
        "__syncwarp(), within a cluster cluster.sync(); or make both accesses atomic, where any "
        "order will do",
    launches =
        "blocks of a launch have no order: split the kernel into two launches, hand over by an "
        "atomic flag with __threadfence() before it is set and after it is read, or make both "
        "accesses atomic for the whole device, where any order will do",
    streams =
        "record an event behind the first (cudaEventRecord) and have the other's stream wait for "
        "it (cudaStreamWaitEvent), or use one stream",
    index = "guard the index, or make the array larger",
    block_of_cluster =
        "let all blocks of the cluster come to cluster.sync() before the first access to another "
        "one's shared memory, and again behind the last";

/// By the name of the check, which is what each finding has.
constexpr Remedy remedies[] = {
    {"race (read after write)", barrier},
    {"race (write after write)", barrier},
    {"race (write after read)", barrier},
    {"race between blocks (read after write)", launches},
    {"race between blocks (write after access)", launches},
    {"race between streams (read after write)", streams},
    {"race between streams (write after write)", streams},
    {"race between streams (write after read)", streams},
    {"read-only load of what the kernel stores", "read it by a plain load, or in another launch"},
    {"missing fence",
     "put __threadfence() between the store of the data and that of the flag, or the atomic that "
     "counts blocks, and between the read of that and the read of the data"},
    {"missing fence (mbarrier)",
     "behind init(), and before the barrier of the block, the same thread calls "
     "cde::fence_proxy_async_shared_cta() or fence.mbarrier_init"},
    {"missing fence (wgmma)",
     "put wgmma.fence before the first product, and behind what else changes its registers"},
    {"missing fence.proxy.async",
     "each thread that has stored calls fence.proxy.async, then comes the barrier, then the copy"},
    {"uninitialised (global)",
     "write it first: by cudaMemset(), by a copy of all of it, or by a kernel that covers it"},
    {"uninitialised (download)",
     "launch what writes it before the copy, and look whether the copy names the right buffer"},
    {"uninitialised (shared)",
     "store to it first, with a barrier behind the stores of other threads: shared memory does not "
     "begin as zeros"},
    {"uninitialised (cluster)",
     "let its block store to it first, with cluster.sync() between the two"},
    {"out of bounds (global)",
     "guard it by the number of elements, as in if (i < n), or allocate more: cudaMalloc() counts "
     "bytes"},
    {"out of bounds (shared)",
     "guard the index, or make the array larger: dynamic shared memory has the bytes that the "
     "launch names"},
    {"out of bounds (variable)", index},
    {"out of bounds (local)", index},
    {"null pointer",
     "pass an address that an allocation has given, and look at what that call returned"},
    {"host memory",
     "give the kernel memory of the device (cudaMalloc() and a copy, or cudaMallocManaged()), and "
     "dynamic shared memory its bytes in the launch"},
    {"local memory of another thread",
     "hand the value over by shared memory or a shuffle: local variables are their thread's alone"},
    {"misaligned",
     "a wide access needs an address that is a multiple of its size: pad rows and offsets, or "
     "access one element at a time"},
    {"divergent barrier",
     "let all threads of the block come to the same __syncthreads(): take it out of the branch"},
    {"collective without its caller",
     "the mask has to hold every lane that calls: make it by __ballot_sync() before the branch"},
    {"collective with different masks",
     "all lanes that meet pass the same mask: make it by __ballot_sync() before the branch"},
    {"different collectives",
     "all lanes of the mask come to the same call: take it out of the branch, or give each branch "
     "a mask of its own lanes"},
    {"shuffle from a lane that does not take part",
     "take the shuffle out of the branch, so that the lane that is read calls it, too"},
    {"touched while a copy is under way",
     "wait for the copy first: by cp.async.wait_group and then a barrier, or by its mbarrier with "
     "the parity of this phase, which turns from one phase to the next"},
    {"source of a copy is changed while it is under way", "change it once the copy was waited for"},
    {"copy never waited for",
     "wait for it before the thread ends: by cp.async.wait_all, cp.async.bulk.wait_group or its "
     "mbarrier"},
    {"too many arrivals at an mbarrier",
     "wait for the end of each phase before arriving for the next one, by a parity that turns (0, "
     "1, 0, ...), or give init() the number of all arrivals"},
    {"mbarrier without initialisation",
     "let one thread initialise it, and all others wait at a barrier before they use it"},
    {"shared memory of a block that has not begun", block_of_cluster},
    {"shared memory of a block that may have ended", block_of_cluster},
    {"shared memory of a block that has ended", block_of_cluster},
    {"grid barrier without a cooperative launch",
     "launch the kernel by cudaLaunchCooperativeKernel()"},
};

}  // namespace

std::string_view remedy_of(std::string_view check) {
  const auto* const found = std::ranges::find(remedies, check, &Remedy::check);
  return found == std::end(remedies) ? "" : found->text;
}

}  // namespace ridgeline::emulated
