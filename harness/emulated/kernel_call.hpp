#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// What a kernel's source hands to the machine that runs it.
namespace ridgeline::emulated {

/// The value of a kernel's parameter.
struct Argument {
  const void* at = nullptr;
  std::size_t bytes = 0;
};

/// A kernel with its arguments. `run` calls it with a copy of `bytes` bytes of arguments, once per
/// thread.
struct KernelCall {
  void (*run)(const void* arguments) = nullptr;
  const void* arguments = nullptr;
  std::size_t bytes = 0;
  void (*kernel)() = nullptr;        // its code, for its name
  std::span<const Argument> each{};  // its arguments one by one, for messages
};

/// KernelCall::run of a function object that calls a kernel. A function and no lambda: of a lambda,
/// what is called by a pointer is instrumented all the same, which each thread would pay for.
template <class Call>
__attribute__((no_sanitize("thread"))) void run_copied(const void* copied) {
  (*static_cast<const Call*>(copied))();
}

/// How a barrier combines predicates.
enum class Combine : std::uint8_t { any, all, count };

}  // namespace ridgeline::emulated
