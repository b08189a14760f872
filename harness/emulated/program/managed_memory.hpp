#pragma once

#include <cstddef>

#include "harness/emulated/kernel_call.hpp"

// What the host does to managed memory between a launch and a call that waits for it. Launches have
// run by then, and a GPU's would not: so managed memory whose address a launch was given, up to 64
// allocations, is closed to the host until then, and what the host touches there first of each page
// is looked at. Memory that a kernel finds by itself, through other memory, is not.
namespace ridgeline::program {

/// Behind a launch of the kernel.
void close_managed_memory(const emulated::KernelCall& call);
/// Likewise pinned memory that an asynchronous copy touches, only the pages of it; the host may go
/// on reading what the copy reads. It is closed by close_managed_memory_again().
void keep_pinned_memory(const void* memory, std::size_t bytes, bool copy_writes);
/// Before anything here touches memory for the program. What was found becomes findings.
void open_managed_memory();
/// Behind that, until the host has waited.
void close_managed_memory_again();
/// In a call that waits for all launches.
void host_has_waited();

/// For a call that touches memory for the program, and does not wait.
class ManagedMemoryOpen {
 public:
  ManagedMemoryOpen() { open_managed_memory(); }
  ManagedMemoryOpen(const ManagedMemoryOpen&) = delete;
  ~ManagedMemoryOpen() { close_managed_memory_again(); }
};

}  // namespace ridgeline::program
