#include <string_view>

#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program/session.hpp"

// Handles of cuBLAS, which programs make even where nothing is computed with them; and what stands
// for every other function of a library or of CUDA's runtime: the kit's linker step defines it as a
// call of ridgeline_not_modelled() (library_stubs() in harness/process/check_build.hpp).
using ridgeline::program::Session;

extern "C" {

[[gnu::noinline]] void ridgeline_not_modelled(const char* name, std::uint64_t returns_to) {
  Session& session = Session::here();
  const bool is_of_runtime = std::string_view(name).starts_with("cuda");
  session.host_mistake(
      "unsupported", static_cast<std::uint32_t>(returns_to),
      fmt::format("{}: {}; leave the call out behind #ifndef RIDGELINE_CHECK", name,
                  is_of_runtime
                      ? "this part of CUDA's runtime is not modelled"
                      : "the emulated device has kernels and CUDA's runtime, and no libraries"));
  session.end_program(1);
}

// NOLINTBEGIN(readability-identifier-naming): cuBLAS's names
int cublasCreate_v2(void** to) {
  static int handle = 0;
  *to = &handle;
  return 0;
}
int cublasDestroy_v2(void*) { return 0; }
int cublasSetStream_v2(void*, cudaStream_t) { return 0; }
int cublasSetMathMode(void*, int) { return 0; }
int cublasLtCreate(void** to) { return cublasCreate_v2(to); }
int cublasLtDestroy(void*) { return 0; }
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
