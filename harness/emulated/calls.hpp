#pragma once

#include <cstddef>
#include <cstdint>

#include <vector_types.h>

#include "harness/device/cuda/launch_config.hpp"
#include "harness/emulated/kernel_call.hpp"

// What the words of the kernel language come down to on the emulated device. Called by lanes alone.
namespace ridgeline::emulated {

// Constant within a lane, so that the compiler asks once, and no access to memory is counted.
[[gnu::const]] uint3 thread_index();
[[gnu::const]] uint3 block_index();
[[gnu::const]] uint3 block_size();
[[gnu::const]] uint3 grid_size();
[[gnu::const]] void* dynamic_shared();

/// `place` tells barriers apart, however often the compiler copies the call.
void block_barrier(std::uint32_t place);
int block_barrier(std::uint32_t place, Combine combine, int predicate);
void warp_barrier(std::uint32_t mask);

enum class Shuffle : std::uint8_t { index, up, down, exclusive_or };
std::uint64_t shuffle(std::uint32_t mask, std::uint64_t bits, int lane, int width, Shuffle kind);
/// The lanes of the mask whose predicate holds.
std::uint32_t ballot(std::uint32_t mask, int predicate);
/// The lanes of the mask that have the same bits as this one.
std::uint32_t match(std::uint32_t mask, std::uint64_t bits);

enum class Update : std::uint8_t {
  add,
  minimum,
  maximum,
  exchange,
  compare_and_swap,
  bit_and,
  bit_or,
  bit_xor,
  wrap_up,    // + 1, and 0 behind the operand
  wrap_down,  // - 1, and the operand behind 0
};
enum class Number : std::uint8_t { u32, i32, f32, u64, i64, f64, u16 };
/// Adds to one or two numbers of 16 bits, and returns what was there before.
std::uint32_t add_halves(void* at, std::uint32_t bits, int bytes, bool bfloat);
/// Combines the values of the mask's lanes by an associative update of 32 bits.
std::uint32_t reduce(std::uint32_t mask, std::uint32_t bits, Update update, Number number);
/// Who may rely on an atomic or a fence.
enum class Scope : std::uint8_t { block, device };
/// Returns what was there before. Order between blocks is relaxed.
std::uint64_t update(void* at, std::uint64_t bits, std::uint64_t compared, Update update,
                     Number number, Scope scope = Scope::device);
/// Loads 1, 2, 4, 8 or 16 bytes, aligned to their size, through the cache that does not see what
/// the launch stores.
template <int bytes>
[[gnu::pure]] std::uint64_t load_read_only(const void* at);
struct TwoWords {
  std::uint64_t low, high;
};
[[gnu::pure]] TwoWords load_read_only_16(const void* at);

/// That only threads of the block may rely on the lane's next atomic of the compiler's, which is
/// the next thing that it does: libcu++'s are made of them.
void next_atomic_is_of_block();

/// Starts copying 16 bytes to shared memory, zeros unless `inside`; they arrive when the lane waits
/// for their group.
void copy_async(void* to_shared, const void* from_global, bool inside);
/// The same of 4 bytes, which come through L1.
void copy_async_4(void* to_shared, const void* from_global, bool inside);
void copy_commit();
void copy_wait(int groups);

/// What kernels/ptx/cluster.cuh says of them.
[[gnu::const]] int cluster_rank();
[[gnu::const]] int cluster_size();
void cluster_arrive();
void cluster_arrive_relaxed();
void cluster_wait();
void* in_block_of_cluster(void* in_shared, int rank);

/// What kernels/ptx/dependent_launch.cuh says of it.
void previous_kernel_wait();

/// Orders what the lane has done before it, for all who agree on it by an atomic or a volatile
/// flag.
void fence(Scope scope = Scope::device);
/// A count that grows at every call, in no unit: the faster, the longer the lane has come to the
/// same again and again, so that what waits for a time ends.
std::uint64_t ticks();
/// Gives the word what it does not model: the launch ends.
[[noreturn]] void unsupported(const char* what);
/// Gives the word what the kernel does wrong with it: the launch ends.
[[noreturn]] void mistaken(const char* check, const char* what);

/// Runs the kernel on the machine that `stream` belongs to.
void launch(const device::LaunchConfig& config, void* machine, const KernelCall& call);

}  // namespace ridgeline::emulated
