#include "harness/emulated/async_calls.hpp"

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/calls.hpp"

namespace ridgeline::emulated {
namespace {

AsyncUnit& unit() { return Block::current().async; }

/// That a GPU takes a box that begins there. What an H100 (driver 580.159) ends with an illegal
/// instruction the PTX ISA does not tell: a first element that is no multiple of 16 bytes, and
/// stores from before the tensor's first element.
void check_box(const TensorMap& map, const int* at, int rank, bool store, std::uint32_t pc) {
  Block& block = Block::current();
  if (rank != map.rank)
    block.lanes.stop("wrong tensor map", pc, -1, "it has another number of dimensions");
  if (at[0] * map.element_bytes % 16 != 0)
    block.lanes.stop(
        "misaligned", pc, -1,
        fmt::format(
            "a box begins at element {} of {} bytes; its rows begin at multiples of 16 bytes",
            at[0], map.element_bytes));
  if (!store) return;
  for (int d = 0; d < rank; ++d)
    if (at[d] < 0)
      block.lanes.stop("out of bounds", pc, -1,
                       fmt::format("a box is stored from element {} of dimension {}", at[d], d));
  // There an H100 writes more than the row has.
  if (map.sizes[0] * static_cast<unsigned>(map.element_bytes) % 16 != 0)
    unsupported("cp.async.bulk.tensor stores to rows that are not a multiple of 16 bytes");
}

}  // namespace

std::uint32_t shared_address(const void* shared) {
  return unit().window_of(shared, RIDGELINE_CALLER);
}

void barrier_init(void* barrier, unsigned arrivals) {
  unit().init(barrier, arrivals, RIDGELINE_CALLER);
}
void barrier_invalidate(void* barrier) { unit().invalidate(barrier, RIDGELINE_CALLER); }
void barrier_arrive(void* barrier, unsigned arrivals, unsigned bytes) {
  unit().arrive(barrier, arrivals, bytes, RIDGELINE_CALLER);
}
void barrier_arrive_at(void* barrier, int rank) {
  unit().arrive_at(barrier, rank, RIDGELINE_CALLER);
}
void barrier_complete_at(void* barrier, int rank, unsigned bytes) {
  unit().complete_at(barrier, rank, bytes, RIDGELINE_CALLER);
}
void barrier_wait(void* barrier, unsigned parity) {
  unit().wait(barrier, parity, false, RIDGELINE_CALLER);
}
bool barrier_test(void* barrier, unsigned parity) {
  return unit().wait(barrier, parity, true, RIDGELINE_CALLER);
}
unsigned barrier_parity(void* barrier) { return unit().parity(barrier, RIDGELINE_CALLER); }
void barrier_drop(void* barrier) { unit().drop(barrier, RIDGELINE_CALLER); }
void fence_async() { unit().fence(false, RIDGELINE_CALLER); }
void fence_barrier_init() { unit().fence(true, RIDGELINE_CALLER); }

void bulk_load(void* to_shared, const void* from_global, unsigned bytes, void* barrier) {
  unit().load(to_shared, from_global, bytes, barrier, RIDGELINE_CALLER);
}
void bulk_store(void* to_global, const void* from_shared, unsigned bytes) {
  unit().store(to_global, from_shared, bytes, false, RIDGELINE_CALLER);
}
void bulk_add(void* to_global, const void* from_shared, unsigned bytes) {
  unit().store(to_global, from_shared, bytes, true, RIDGELINE_CALLER);
}
void tensor_load(void* to_shared, const TensorMap& map, const int* at, int rank, void* barrier) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  check_box(map, at, rank, false, pc);
  unit().load(to_shared, map, at, barrier, pc);
}
void tensor_load_multicast(void* to_shared, const TensorMap& map, const int* at, int rank,
                           void* barrier, unsigned ranks) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  check_box(map, at, rank, false, pc);
  unit().load_multicast(to_shared, map, at, barrier, ranks, pc);
}
void tensor_store(const TensorMap& map, const int* at, int rank, const void* from_shared) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  check_box(map, at, rank, true, pc);
  unit().store(map, at, from_shared, pc);
}
void bulk_commit() { unit().commit_stores(); }
void bulk_wait(int groups) { unit().wait_for_stores(groups, RIDGELINE_CALLER); }

void product(const Product& product, float* sums, const std::uint32_t* left) {
  unit().multiply(product, sums, left, RIDGELINE_CALLER);
}
void products_fence() { unit().fence_products(RIDGELINE_CALLER); }
void products_commit() { unit().commit_products(RIDGELINE_CALLER); }
void products_wait(int groups) { unit().wait_for_products(groups, RIDGELINE_CALLER); }
void set_registers(int count) { unit().set_registers(count, RIDGELINE_CALLER); }

}  // namespace ridgeline::emulated
