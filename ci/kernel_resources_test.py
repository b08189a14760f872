"""Planted kernels that waste what the build forbids to waste: the build and ci/kernel_resources must refuse them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parent
NVCC = next(
    (
        path
        for path in (shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc", CI.parent / ".cuda" / "bin" / "nvcc")
        if path and os.access(path, os.X_OK)
    ),
    None,
)
pytestmark = pytest.mark.skipif(NVCC is None, reason="no CUDA compiler")

KERNELS = {
    "tidy": """
__global__ void tidy(float* values) { values[threadIdx.x] += 1; }
""",
    # More live values than the registers that its launch bounds leave.
    "spills": """
__global__ void __launch_bounds__(1024, 2) spills(float* values) {
  float kept[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) kept[i] = values[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 64; ++i) values[i * 1024 + threadIdx.x] = kept[63 - i] * kept[i];
}
""",
    # An array that is indexed by what only the run knows cannot live in registers.
    "local_memory": """
__global__ void local_memory(float* values, const int* at) {
  float kept[32] = {};
  for (int i = 0; i < 64; ++i) kept[at[i] % 32] += values[i];
  for (int i = 0; i < 32; ++i) values[i] = kept[at[i + threadIdx.x] % 32];
}
""",
    # Without launch bounds ptxas does not know the register count at entry.
    "setmaxnreg": """
__global__ void setmaxnreg(float* values) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
#endif
  values[threadIdx.x] += 1;
}
""",
    # Accumulators are touched while wgmma may still write them.
    "wgmma": """
__global__ void __launch_bounds__(128) wgmma(float* values, unsigned long long a, unsigned long long b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("wgmma.fence.sync.aligned;");
  for (int i = 0; i < 4; ++i) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(a), "l"(b));
    d0 *= 2;
  }
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  values[threadIdx.x] = d0 + d1 + d2 + d3;
#endif
}
""",
}


def plant(root: Path, *names: str) -> Path:
    folder = root / "kernels" / "planted" / "cuda"
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.cu").write_text(KERNELS[name])
    return root


@pytest.fixture(scope="module")
def build(tmp_path_factory) -> Path:
    """A project of the planted kernels, one library each, under the project's own compiler options."""
    root = plant(tmp_path_factory.mktemp("strict"), *KERNELS)
    lines = [
        "cmake_minimum_required(VERSION 3.25)",
        "project(planted LANGUAGES CXX)",
        f"include({CI}/cmake/options.cmake)",
    ]
    lines += [f"add_library({name} STATIC kernels/planted/cuda/{name}.cu)" for name in KERNELS]
    (root / "CMakeLists.txt").write_text("\n".join(lines))
    command = ["cmake", "-G", "Ninja", "-S", root, "-B", root / "build", "-DRIDGELINE_CUDA=ON"]
    command += [f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DRIDGELINE_CUDA_ARCHITECTURES=90a"]
    subprocess.run(command, check=True, capture_output=True)
    return root / "build"


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ("spills", "Registers are spilled"),
        ("local_memory", "Local memory used"),
        ("setmaxnreg", "C7508"),
        ("wgmma", "wgmma.mma_async instructions are serialized"),
    ],
)
def test_the_build_refuses(build, kernel, reason):
    answer = subprocess.run(["cmake", "--build", build, "--target", kernel], capture_output=True, text=True)
    assert answer.returncode != 0
    assert reason in answer.stdout
    # It fails again when nothing changed: a refused object file is not kept.
    assert subprocess.run(["cmake", "--build", build, "--target", kernel], capture_output=True).returncode != 0


def test_the_build_accepts_a_tidy_kernel(build):
    answer = subprocess.run(["cmake", "--build", build, "--target", "tidy"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout


def resources(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, CI / "kernel_resources", "--root", root, "--build", root, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_table_names_every_kernel_on_every_architecture(tmp_path):
    root = plant(tmp_path, "tidy")
    assert resources(root).returncode == 0
    rows = [line.split() for line in (root / "kernels/resources.txt").read_text().splitlines()]
    assert [row[:2] for row in rows if row and row[0] == "tidy"] == [["tidy", "sm_80"], ["tidy", "sm_90a"]]
    assert resources(root, "--check").returncode == 0


def test_a_changed_kernel_is_shown_and_how_to_accept_it(tmp_path):
    root = plant(tmp_path, "tidy")
    assert resources(root).returncode == 0
    source = root / "kernels/planted/cuda/tidy.cu"
    source.write_text(KERNELS["tidy"].replace("{", "{ __shared__ float s[32]; s[threadIdx.x] = 1; __syncthreads();", 1)
                      .replace("+= 1", "+= s[31 - threadIdx.x]"))  # fmt: skip
    answer = resources(root, "--check")
    assert answer.returncode == 1
    assert "+tidy" in answer.stdout
    assert "run ci/kernel_resources" in answer.stdout


@pytest.mark.parametrize("kernel", ["spills", "local_memory"])
def test_spills_and_local_memory_fail_even_when_the_table_has_them(tmp_path, kernel):
    root = plant(tmp_path, kernel)
    answer = resources(root)
    assert answer.returncode == 1
    assert f"{kernel}.cu: {kernel}, sm_80: " in answer.stdout
    assert resources(root, "--check").returncode == 1


def test_a_missing_table_fails(tmp_path):
    assert resources(plant(tmp_path, "tidy"), "--check").returncode == 1
