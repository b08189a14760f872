#pragma once

// How a program's launches come about. The rewriter puts configure() before the call of a kernel,
// and a question at the kernel's beginning: the host's call ends there, in launch().

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <cuda_runtime.h>

#include "harness/emulated/kernel_call.hpp"

namespace ridgeline::program {

/// What <<<>>> says of the next launch. Launches that an argument makes come in between.
void configure(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr);
/// The same for launches whose blocks run together, or in clusters.
void configure_resident(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream);
void configure_extended(const cudaLaunchConfig_t& config);
/// Whether the host has configured a launch whose kernel it calls now. False on the device.
bool is_launching();
/// Launches a kernel, of which only the address is known otherwise, with the values at `values`.
using LaunchUntyped = void (*)(dim3 cluster, void (*kernel)(), void** values);
/// Runs the kernel as it was configured, or keeps it for the graph that its stream is captured for;
/// `cluster` is its own, which the configuration may change.
void launch_configured(dim3 cluster, const emulated::KernelCall& call, LaunchUntyped again);
/// That an API call failed, if the last launch did.
cudaError_t launch_error();
/// For a kernel that is named without its type: says so, and ends the program.
[[noreturn]] void refuse_untyped_launch();

/// How a function takes a P: one that is copied or destroyed by code of its own comes by its
/// address (Itanium C++ ABI, "Value Parameters"), and its caller destroys it.
template <class P>
using Taken = std::conditional_t<std::is_trivially_copy_constructible_v<P> &&
                                     std::is_trivially_move_constructible_v<P> &&
                                     std::is_trivially_destructible_v<P>,
                                 P, P&>;
/// The bytes of a value alone, as a GPU's kernel gets an argument, which no thread destroys.
template <class P>
class Bytes {
 public:
  __attribute__((no_sanitize("thread"))) explicit Bytes(const P& of) {
    __builtin_memcpy(bytes_, static_cast<const void*>(&of), sizeof of);
  }
  __attribute__((no_sanitize("thread"))) operator P&() { return *reinterpret_cast<P*>(bytes_); }

 private:
  alignas(P) unsigned char bytes_[sizeof(P)];
};
template <class P>
class Bytes<P&> {
 public:
  __attribute__((no_sanitize("thread"))) explicit Bytes(P& of) : of_(of) {}
  __attribute__((no_sanitize("thread"))) operator P&() { return of_; }

 private:
  P& of_;
};

/// A parameter's type as that of its function has it. g++ leaves out `__restrict__` there, and in a
/// template does so for the function alone, and not for a type that depends on its parameters.
template <class P>
struct InFunction {
  using Type = P;
};
template <class P>
struct InFunction<P* __restrict__> {
  using Type = P*;
};
template <class P>
struct InFunction<P* const __restrict__> {
  using Type = P*;
};
template <class P>
struct InFunction<P& __restrict__> {
  using Type = P&;
};

template <class... Parameters>
void launch_untyped(dim3 cluster, void (*kernel)(), void** values);

template <class... Parameters>
[[gnu::noinline]] void launch(dim3 cluster, void (*kernel)(Parameters...), Parameters... values) {
  const emulated::Argument each[] = {{&values, sizeof values}..., {}};
  // Not `mutable`, on whose place beside an attribute compilers differ: a kernel may change its
  // copy.
  auto call = [ kernel, values... ]() __attribute__((no_sanitize("thread"))) {
    reinterpret_cast<void (*)(Taken<Parameters>...)>(kernel)(
        Bytes<Parameters>(const_cast<Parameters&>(values))...);
  };
  launch_configured(cluster,
                    {emulated::run_copied<decltype(call)>, &call, sizeof call,
                     reinterpret_cast<void (*)()>(kernel), each},
                    launch_untyped<Parameters...>);
}

template <class... Parameters>
void launch_untyped(dim3 cluster, void (*kernel)(), void** values) {
  [&]<std::size_t... place>(std::index_sequence<place...>) {
    launch<Parameters...>(cluster, reinterpret_cast<void (*)(Parameters...)>(kernel),
                          *static_cast<std::remove_cvref_t<Parameters>*>(values[place])...);
  }
  (std::index_sequence_for<Parameters...>{});
}

template <class... Parameters, std::size_t... place>
cudaError_t call_with(void (*kernel)(Parameters...), void** arguments,
                      std::index_sequence<place...>) {
  kernel(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[place])...);
  return launch_error();
}

template <class... Parameters>
cudaError_t launch_kernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                          std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  configure(grid, block, shared_bytes, stream);
  return call_with(kernel, arguments, std::index_sequence_for<Parameters...>{});
}
template <class... Parameters>
cudaError_t launch_cooperative(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                               void** arguments, std::size_t shared_bytes = 0,
                               cudaStream_t stream = nullptr) {
  configure_resident(grid, block, shared_bytes, stream);
  return call_with(kernel, arguments, std::index_sequence_for<Parameters...>{});
}
template <class... Parameters>
cudaError_t launch_kernel_exc(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                              void** arguments) {
  configure_extended(*config);
  return call_with(kernel, arguments, std::index_sequence_for<Parameters...>{});
}
template <class... Parameters, class... Arguments>
cudaError_t launch_kernel_ex(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                             Arguments&&... arguments) {
  configure_extended(*config);
  kernel(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  return launch_error();
}

template <class... Rest>
cudaError_t launch_kernel(const void*, Rest...) {
  refuse_untyped_launch();
}
template <class... Rest>
cudaError_t launch_cooperative(const void*, Rest...) {
  refuse_untyped_launch();
}
template <class... Rest>
cudaError_t launch_kernel_exc(const cudaLaunchConfig_t*, const void*, Rest...) {
  refuse_untyped_launch();
}

/// exit(): reports, and ends the process.
[[noreturn]] void leave(int code);

/// Calls the program's main(), whatever it takes.
inline int call_main(int (*main)(), int, char**) { return main(); }
inline int call_main(int (*main)(int), int count, char**) { return main(count); }
inline int call_main(int (*main)(int, char**), int count, char** arguments) {
  return main(count, arguments);
}
inline int call_main(int (*main)(int, const char**), int count, char** arguments) {
  return main(count, const_cast<const char**>(arguments));
}
inline int call_main(int (*main)(int, char**, char**), int count, char** arguments) {
  return main(count, arguments, arguments + count);
}
inline int call_main(void (*main)(), int, char**) { return main(), 0; }
inline int call_main(void (*main)(int, char**), int count, char** arguments) {
  return main(count, arguments), 0;
}

}  // namespace ridgeline::program
