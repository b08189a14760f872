#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

// What the operating system is asked by an instruction of the caller's own. No function stands in
// between, which a program that is linked with this one could replace by its own.
namespace ridgeline {

/// The system call `number`; a negative result is an error number.
[[gnu::always_inline]] inline long kernel_call(long number, long first, long second, long third) {
#if defined(__x86_64__)
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(first), "S"(second), "d"(third)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long result __asm__("x0") = first;
  register long x1 __asm__("x1") = second;
  register long x2 __asm__("x2") = third;
  register long x8 __asm__("x8") = number;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(x1), "r"(x2), "r"(x8) : "memory");
  return result;
#else
  const long result = syscall(number, first, second, third);
  return result < 0 ? -errno : result;
#endif
}

/// Time of a clock that only goes forward, in ns. Takes some 0.2 us, more than a clock's function.
[[gnu::always_inline]] inline std::int64_t kernel_clock_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  kernel_call(SYS_clock_gettime, clock, reinterpret_cast<long>(&now), 0);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// 64 bits that nobody can foresee.
[[gnu::always_inline]] inline std::uint64_t kernel_random() {
  std::uint64_t bits = 0;
  while (kernel_call(SYS_getrandom, reinterpret_cast<long>(&bits), sizeof bits, 0) !=
         static_cast<long>(sizeof bits)) {
  }
  return bits;
}

}  // namespace ridgeline
