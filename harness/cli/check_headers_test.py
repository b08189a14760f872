"""`ridgeline check` on programs that include by name what nvcc includes by itself."""

import pytest

from harness.cli.checked_programs import check

# Those of a toolkit's folder `include` that say words of kernels, or the runtime's.
PUBLIC = [
    "builtin_types",
    "channel_descriptor",
    "cuComplex",
    "cuda_occupancy",
    "cuda_profiler_api",
    "cuda_runtime",
    "cuda_runtime_api",
    "device_launch_parameters",
    "driver_functions",
    "driver_types",
    "library_types",
    "math_constants",
    "vector_functions",
    "vector_types",
]
# Older and newer toolkits lack some of these, which say of themselves that they will be removed.
INTERNAL = [
    "common_functions",
    "crt/common_functions",
    "crt/device_functions",
    "crt/host_defines",
    "crt/math_functions",
    "crt/sm_70_rt",
    "crt/sm_80_rt",
    "crt/sm_90_rt",
    "cuda_surface_types",
    "cuda_texture_types",
    "device_atomic_functions",
    "device_double_functions",
    "device_functions",
    "device_types",
    "host_config",
    "host_defines",
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
]

PROGRAM = r"""
__global__ void reversed(float* values) {
  __shared__ float staged[64];
  staged[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  if (__syncthreads_or(threadIdx.x == 0)) values[threadIdx.x] = sqrtf(staged[63 - threadIdx.x]);
  __syncthreads();
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


def checked(folder, includes):
    (folder / "program.cu").write_text(includes + PROGRAM)
    done = check(folder, "program.cu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing wrong was found in 1 launches" in done.stdout
    return done.stdout


def test_headers_that_nvcc_includes_by_itself_may_be_included_by_name(tmp_path):
    checked(tmp_path, "".join(f'#include "{name}.h"\n' for name in PUBLIC))


def test_internal_headers_may_be_included_where_the_toolkit_has_them(tmp_path):
    internal = [f"{name}.h" for name in INTERNAL] + [f"{name}.hpp" for name in PUBLIC + INTERNAL]

    def for_those_there(line):
        return "".join(
            f'#if __has_include("{name}")\n{line.format(name)}\n#endif\n' for name in internal
        )

    told = checked(
        tmp_path,
        for_those_there('#include "{}"')
        + '#include <cstdio>\nconst int told = printf("included %d\\n", 0\n'
        + for_those_there("+ 1")
        + ");\n",
    )
    if told.startswith("included 0\n"):
        pytest.skip("the CUDA toolkit that is checked with has no internal headers")
    assert told.startswith("included "), told
