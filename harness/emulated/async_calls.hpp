#pragma once

#include <cstdint>

#include "harness/emulated/tensor_cores.hpp"
#include "harness/emulated/tensor_map.hpp"

// What mbarriers, bulk and tensor copies, and the products of warpgroups come to on the emulated
// device. Called by lanes alone; the wrappers in kernels/ptx say what each does.
namespace ridgeline::emulated {

/// The address of shared memory that descriptors hold: 20 bits, so that all static variables of a
/// program have one.
std::uint32_t shared_address(const void* shared);

void barrier_init(void* barrier, unsigned arrivals);
void barrier_invalidate(void* barrier);
/// Arrives `arrivals` times, after expecting `bytes` more.
void barrier_arrive(void* barrier, unsigned arrivals, unsigned bytes);
/// Arrives at the barrier at the same place in block `rank` of the cluster.
void barrier_arrive_at(void* barrier, int rank);
/// Tells the barrier at the same place in block `rank` that `bytes` bytes have come, which this
/// lane has stored there.
void barrier_complete_at(void* barrier, int rank, unsigned bytes);
void barrier_wait(void* barrier, unsigned parity);
bool barrier_test(void* barrier, unsigned parity);
/// The parity of the phase that it is in, for which those who arrive now wait.
unsigned barrier_parity(void* barrier);
/// Later phases expect one arrival less.
void barrier_drop(void* barrier);
/// Barriers of the block that have numbers (bar.arrive, bar.sync): `threads` threads make a phase,
/// all of the block where none are said.
void barrier_arrive_named(unsigned number, unsigned threads);
void barrier_sync_named(unsigned number);
void barrier_sync_named(unsigned number, unsigned threads);
void fence_async();
void fence_barrier_init();

void bulk_load(void* to_shared, const void* from_global, unsigned bytes, void* barrier);
void bulk_store(void* to_global, const void* from_shared, unsigned bytes);
/// Adds f32 numbers, each atomically.
void bulk_add(void* to_global, const void* from_shared, unsigned bytes);
/// `at` has as many coordinates as the map has dimensions, in elements, the contiguous one first.
void tensor_load(void* to_shared, const TensorMap& map, const int* at, int rank, void* barrier);
/// To the same place in all blocks of the cluster whose bit of `ranks` is set.
void tensor_load_multicast(void* to_shared, const TensorMap& map, const int* at, int rank,
                           void* barrier, unsigned ranks);
void tensor_store(const TensorMap& map, const int* at, int rank, const void* from_shared);
void bulk_commit();
void bulk_wait(int groups);

/// A product of a warpgroup: 64 x `columns` sums, and 32 bytes of each row of the factors.
struct Product {
  Factor type = Factor::f16;
  int columns = 0;
  int sign = 1;
  std::uint64_t left = 0, right = 0;  // descriptors
  bool transposed = false;            // the right factor: its columns are fastest
  bool left_transposed = false;       // its rows are fastest
  bool keeps = true;                  // adds to the sums that there are
};
/// `sums` are the lane's, columns / 2 of them, in its own memory. So is the left factor where it is
/// given as `left`, four registers: `product.left` is then 0.
void product(const Product& product, float* sums, const std::uint32_t* left = nullptr);
void products_fence();
void products_commit();
void products_wait(int groups);
void set_registers(int count);

}  // namespace ridgeline::emulated
