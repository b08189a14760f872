#pragma once

#include <cstddef>
#include <cstdint>

// What the words of programs come down to, beside harness/emulated/calls.hpp. Called by lanes
// alone.
namespace ridgeline::program {

/// Of the heap of the device, cudaLimitMallocHeapSize bytes; null when it is used up.
void* device_malloc(std::size_t bytes);
void device_free(void* memory);
/// Ends the launch with a finding in the line that calls it.
[[noreturn]] void device_assert(const char* expression, const char* file, unsigned line,
                                const char* function);
[[noreturn]] void device_trap();
/// The lanes of the warp that have come to the same place together. The program is told that CUDA
/// promises no more of it than that this lane is one of them.
unsigned active_lanes();
/// What is in shared memory at the address that instructions have of it.
void* shared_pointer(std::uint64_t address);
/// SMs, and the one that a block would have if they came in turn.
unsigned units();
unsigned unit_of_block();
/// Counts the blocks that have come to the barrier of a resident grid; null when the grid is none.
unsigned* grid_arrivals();

}  // namespace ridgeline::program
