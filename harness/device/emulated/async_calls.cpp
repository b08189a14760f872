#include "harness/device/emulated/async_calls.hpp"

#include "harness/device/emulated/block.hpp"

// In every function that a kernel calls: where it returns to.
#define RIDGELINE_CALLER static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)))

namespace ridgeline::device::emulated {
namespace {

AsyncUnit& unit() { return Block::current().async_unit(); }

}  // namespace

std::uint32_t shared_address(const void* shared) { return unit().window_of(shared, RIDGELINE_CALLER); }

void barrier_init(void* barrier, unsigned arrivals) { unit().init(barrier, arrivals, RIDGELINE_CALLER); }
void barrier_invalidate(void* barrier) { unit().invalidate(barrier, RIDGELINE_CALLER); }
void barrier_arrive(void* barrier, unsigned arrivals, unsigned bytes) {
  unit().arrive(barrier, arrivals, bytes, RIDGELINE_CALLER);
}
void barrier_wait(void* barrier, unsigned parity) { unit().wait(barrier, parity, false, RIDGELINE_CALLER); }
bool barrier_test(void* barrier, unsigned parity) { return unit().wait(barrier, parity, true, RIDGELINE_CALLER); }
void fence_async() { unit().fence(false, RIDGELINE_CALLER); }
void fence_barrier_init() { unit().fence(true, RIDGELINE_CALLER); }

void bulk_load(void* to_shared, const void* from_global, unsigned bytes, void* barrier) {
  unit().load(to_shared, from_global, bytes, barrier, RIDGELINE_CALLER);
}
void bulk_store(void* to_global, const void* from_shared, unsigned bytes) {
  unit().store(to_global, from_shared, bytes, RIDGELINE_CALLER);
}
void tensor_load(void* to_shared, const TensorMap& map, const int* at, int rank, void* barrier) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  if (rank != map.rank) Block::current().stop("wrong tensor map", pc, -1, "it has another number of dimensions");
  unit().load(to_shared, map, at, barrier, pc);
}
void tensor_store(const TensorMap& map, const int* at, int rank, const void* from_shared) {
  const std::uint32_t pc = RIDGELINE_CALLER;
  if (rank != map.rank) Block::current().stop("wrong tensor map", pc, -1, "it has another number of dimensions");
  unit().store(map, at, from_shared, pc);
}
void bulk_commit() { unit().commit_stores(); }
void bulk_wait(int groups) { unit().wait_for_stores(groups, RIDGELINE_CALLER); }

void product(const Product& product, float* sums) { unit().multiply(product, sums, RIDGELINE_CALLER); }
void products_fence() { unit().fence_products(RIDGELINE_CALLER); }
void products_commit() { unit().commit_products(RIDGELINE_CALLER); }
void products_wait(int groups) { unit().wait_for_products(groups, RIDGELINE_CALLER); }
void set_registers(int count) { unit().set_registers(count, RIDGELINE_CALLER); }

}  // namespace ridgeline::device::emulated
