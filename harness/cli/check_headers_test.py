"""`ridgeline check` on programs that include by name what nvcc includes by itself."""

from harness.cli.checked_programs import check

# Those of CUDA 13's folder `include` that say words of kernels, or the runtime's; older and newer
# toolkits have some of them.
HEADERS = [
    "builtin_types",
    "channel_descriptor",
    "common_functions",
    "crt/common_functions",
    "crt/device_functions",
    "crt/host_defines",
    "crt/math_functions",
    "crt/sm_70_rt",
    "crt/sm_80_rt",
    "crt/sm_90_rt",
    "cuComplex",
    "cuda_occupancy",
    "cuda_profiler_api",
    "cuda_runtime",
    "cuda_runtime_api",
    "cuda_surface_types",
    "cuda_texture_types",
    "device_atomic_functions",
    "device_double_functions",
    "device_functions",
    "device_launch_parameters",
    "device_types",
    "driver_functions",
    "driver_types",
    "host_config",
    "host_defines",
    "library_types",
    "math_constants",
    "math_functions",
    "sm_20_atomic_functions",
    "sm_20_intrinsics",
    "sm_30_intrinsics",
    "sm_32_atomic_functions",
    "sm_32_intrinsics",
    "sm_35_atomic_functions",
    "sm_35_intrinsics",
    "sm_60_atomic_functions",
    "sm_61_intrinsics",
    "surface_functions",
    "surface_indirect_functions",
    "surface_types",
    "texture_fetch_functions",
    "texture_indirect_functions",
    "texture_types",
    "vector_functions",
    "vector_types",
]

PROGRAM = r"""
__global__ void reversed(float* values) {
  __shared__ float staged[64];
  staged[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  if (__syncthreads_or(threadIdx.x == 0)) values[threadIdx.x] = sqrtf(staged[63 - threadIdx.x]);
  atomicAdd(values, 1.0f);
}
int main() {
  float* values;
  cudaMalloc(&values, 64 * sizeof(float));
  cudaMemset(values, 0, 64 * sizeof(float));
  reversed<<<1, 64>>>(values);
  return cudaDeviceSynchronize();
}
"""


def test_headers_that_nvcc_includes_by_itself_may_be_included_by_name(tmp_path):
    includes = "".join(
        f'#if __has_include("{name}.{end}")\n#include "{name}.{end}"\n#endif\n'
        for name in HEADERS
        for end in ("h", "hpp")
    )
    (tmp_path / "program.cu").write_text(includes + PROGRAM)
    done = check(tmp_path, "program.cu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing wrong was found in 1 launches" in done.stdout
