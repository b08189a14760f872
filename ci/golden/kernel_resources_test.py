"""Planted kernels that waste what the build forbids to waste: the build and kernel_resources must
refuse them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ci.golden import cuda_build

HERE = Path(__file__).resolve().parent
NVCC = next(
    (
        path
        for path in (
            shutil.which("nvcc"),
            "/usr/local/cuda/bin/nvcc",
            HERE.parents[1] / ".cuda" / "bin" / "nvcc",
        )
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
using Descriptor = unsigned long long;
__global__ void __launch_bounds__(128) wgmma(float* values, Descriptor a, Descriptor b) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("wgmma.fence.sync.aligned;");
  for (int i = 0; i < 4; ++i) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
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


def project(root: Path, *names: str, architectures: str = "80;90a") -> Path:
    """Configures planted kernels, one library each, under the project's own options; returns the
    build folder."""
    folder = root / "kernels" / "planted" / "cuda"
    folder.mkdir(parents=True)
    lines = [
        "cmake_minimum_required(VERSION 3.25)",
        "project(planted LANGUAGES CXX)",
        f"include({HERE.parent}/cmake/options.cmake)",
    ]
    for name in names:
        (folder / f"{name}.cu").write_text(KERNELS[name])
        lines.append(f"add_library({name} STATIC kernels/planted/cuda/{name}.cu)")
    (root / "CMakeLists.txt").write_text("\n".join(lines))
    command = ["cmake", "-G", "Ninja", "-S", root, "-B", root / "build", "-DRIDGELINE_CUDA=ON"]
    command += [f"-DCMAKE_CUDA_COMPILER={NVCC}", f"-DRIDGELINE_CUDA_ARCHITECTURES={architectures}"]
    subprocess.run(command, check=True, capture_output=True)
    return root / "build"


def build_target(build: Path, target: str = "all") -> subprocess.CompletedProcess:
    return subprocess.run(
        ["cmake", "--build", build, "--target", target], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> Path:
    return project(tmp_path_factory.mktemp("planted"), *KERNELS, architectures="90a")


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        ("spills", "Registers are spilled"),
        ("local_memory", "Local memory used"),
        ("setmaxnreg", "C7508"),
        ("wgmma", "wgmma.mma_async instructions are serialized"),
    ],
)
def test_the_build_refuses(planted, kernel, reason):
    answer = build_target(planted, kernel)
    assert answer.returncode != 0
    assert reason in answer.stdout
    assert build_target(planted, kernel).returncode != 0, (
        "what was refused once was taken the second time"
    )


def test_the_build_accepts_a_tidy_kernel_without_a_word(planted):
    answer = build_target(planted, "tidy")
    assert answer.returncode == 0, answer.stdout
    assert "ptxas" not in answer.stdout


def resources(build: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [
        sys.executable,
        HERE / "kernel_resources",
        "--root",
        build.parent,
        "--build",
        build,
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True)


def table(build: Path) -> Path:
    return build.parent / "kernels" / "resources.txt"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, str]:
    """A built project of one tidy kernel, and what its table says."""
    build = project(tmp_path_factory.mktemp("tidy"), "tidy")
    assert build_target(build).returncode == 0
    assert resources(build).returncode == 0
    return build, table(build).read_text()


@pytest.fixture
def tidy(built) -> Path:
    build, rows = built
    table(build).write_text(rows)
    return build


def test_the_table_has_every_kernel_on_every_architecture(tidy):
    rows = [line.split() for line in table(tidy).read_text().splitlines()]
    assert [row[:2] for row in rows if row and row[0] == "tidy"] == [
        ["tidy", "sm_80"],
        ["tidy", "sm_90a"],
    ]
    assert resources(tidy, "--check").returncode == 0


def test_the_table_is_written_as_cpp_too(tidy):
    file = tidy / "built_kernels.cpp"
    assert resources(tidy, "--cpp", file).returncode == 0
    rows = re.findall(
        r'{"([^"]+)", "([^"]+)", "([^"]+)",\s+{\.registers = (\d+), ', file.read_text()
    )
    listed = [
        line.split() for line in table(tidy).read_text().splitlines() if line.startswith("tidy ")
    ]
    assert rows == [("kernels/planted/cuda/tidy.cu", *row[:3]) for row in listed]
    assert len(rows) == 2


def test_a_table_of_another_compiler_is_not_compared(tidy):
    table(tidy).write_text(table(tidy).read_text().replace("# nvcc ", "# nvcc 0."))
    answer = resources(tidy, "--check")
    assert (answer.returncode, "not compared" in answer.stdout) == (0, True)


def test_a_missing_table_fails(tidy):
    table(tidy).unlink()
    assert resources(tidy, "--check").returncode == 1


@pytest.fixture
def source(tidy):
    """The tidy kernel, which is built again as it was after the test has changed it."""
    path = tidy.parent / "kernels/planted/cuda/tidy.cu"
    yield path
    path.write_text(KERNELS["tidy"])
    assert build_target(tidy).returncode == 0


def test_a_changed_kernel_is_shown_and_how_to_accept_it(tidy, source):
    source.write_text("""
__global__ void tidy(float* values) {
  __shared__ float turned[32];
  turned[31 - threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = turned[threadIdx.x];
}
""")
    stale = resources(tidy, "--check")
    assert (stale.returncode, "build first" in stale.stderr) == (1, True)
    assert build_target(tidy).returncode == 0
    changed = resources(tidy, "--check")
    assert changed.returncode == 1
    assert "+tidy" in changed.stdout
    assert "run ci/golden/kernel_resources" in changed.stdout


@pytest.fixture(scope="module")
def wasted(planted) -> Path:
    """What ptxas said about every planted kernel is there although the build refuses them."""
    for kernel in KERNELS:
        build_target(planted, kernel)
    return planted


@pytest.mark.parametrize("kernel", ["spills", "local_memory"])
def test_waste_fails_even_when_the_table_has_it(wasted, kernel):
    first = resources(wasted)
    assert f"{kernel}.cu: {kernel}, sm_90a: " in first.stdout
    assert (first.returncode, resources(wasted, "--check").returncode) == (1, 1)


def test_oracles_are_no_variants():
    root = Path("/somewhere")
    assert cuda_build.holds_variants(root / "kernels/gemm/cuda/naive.cu", root)
    assert not cuda_build.holds_variants(root / "kernels/gemm/oracle.cu", root)
    assert not cuda_build.holds_variants(root / "kernels/gemm/oracle.cpp", root)
    assert not cuda_build.holds_variants(root / "harness/device/cuda/cuda_batch.cu", root)
