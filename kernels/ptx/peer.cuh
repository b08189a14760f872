#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"

// What GPUs tell each other through memory that all of them reach: counts that only grow, and
// packets (PTX ISA, "Memory Consistency Model"; packets from PTX 8.3 on).
namespace ridgeline::ptx {

/// Adds 1 to a count in the memory of any GPU; what this thread did before, and others of its block
/// before a barrier, is visible to who reads the new count by wait_for_count().
__device__ __forceinline__ void tell(std::uint32_t* count) {
#if defined(__CUDACC__)
  asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count))
               : "memory");
#else
  __threadfence_system();
  atomicAdd(count, 1u);
#endif
}

__device__ __forceinline__ std::uint32_t acquired(const std::uint32_t* count) {
#if defined(__CUDACC__)
  std::uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(count))
               : "memory");
  return value;
#else
  const std::uint32_t value = *static_cast<const volatile std::uint32_t*>(count);
  __threadfence_system();
  return value;
#endif
}

/// How long to ask for what another GPU may never send: a read takes about half a microsecond or
/// more, so that this is several seconds. Then the launch fails, and with it the process's use of
/// its GPU: nothing hangs, and no number is made of it.
class Patience {
 public:
  __device__ __forceinline__ void lose() {
    if (--left_ != 0) return;
#if defined(__CUDACC__)
    __trap();
#else
    __builtin_trap();
#endif
  }

 private:
  std::uint32_t left_ = 1u << 23;
};

/// Waits until the count, which may wrap around, has come to `value`.
__device__ __forceinline__ void wait_for_count(const std::uint32_t* count, std::uint32_t value) {
  Patience patience;
  while (static_cast<std::int32_t>(acquired(count) - value) < 0) patience.lose();
}

/// Three words, and in the fourth the number of the call they belong to. All four are stored by one
/// access, and loaded by one, of 128 bits, which is never torn: who sees the number sees the words,
/// without any fence.
__device__ __forceinline__ void store_packet(uint4* to, const uint4& packet) {
#if defined(__CUDACC__)
  asm volatile(
      "{\n\t.reg .b128 all;\n\t.reg .b64 low, high;\n\t"
      "mov.b64 low, {%1, %2};\n\tmov.b64 high, {%3, %4};\n\tmov.b128 all, {low, high};\n\t"
      "st.relaxed.sys.global.b128 [%0], all;\n\t}" ::"l"(__cvta_generic_to_global(to)),
      "r"(packet.x), "r"(packet.y), "r"(packet.z), "r"(packet.w)
      : "memory");
#else
  // The emulated device has no access of 16 bytes that others may race with. Halves in this order,
  // read in the other one, are as good: its accesses come one after the other.
  auto* const halves = reinterpret_cast<volatile std::uint64_t*>(to);
  halves[0] = std::uint64_t{packet.y} << 32 | packet.x;
  halves[1] = std::uint64_t{packet.w} << 32 | packet.z;
#endif
}

__device__ __forceinline__ uint4 load_packet(const uint4* from) {
#if defined(__CUDACC__)
  uint4 packet;
  asm volatile(
      "{\n\t.reg .b128 all;\n\t.reg .b64 low, high;\n\t"
      "ld.relaxed.sys.global.b128 all, [%4];\n\tmov.b128 {low, high}, all;\n\t"
      "mov.b64 {%0, %1}, low;\n\tmov.b64 {%2, %3}, high;\n\t}"
      : "=r"(packet.x), "=r"(packet.y), "=r"(packet.z), "=r"(packet.w)
      : "l"(__cvta_generic_to_global(from))
      : "memory");
  return packet;
#else
  const auto* const halves = reinterpret_cast<const volatile std::uint64_t*>(from);
  const std::uint64_t high = halves[1], low = halves[0];
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
          static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)};
#endif
}

__device__ __forceinline__ bool is_of_call(const uint4& packet, std::uint32_t call) {
  return packet.w == call;
}

/// Between two looks at packets of several senders. The emulated device lets others run when a
/// thread asks for one word again and again; a GPU needs no such thing.
__device__ __forceinline__ void let_others_send(const uint4* missing, std::uint32_t call) {
#if !defined(__CUDACC__)
  while (!is_of_call(load_packet(missing), call)) {
  }
#else
  static_cast<void>(missing), static_cast<void>(call);
#endif
}

}  // namespace ridgeline::ptx
