"""What Ridgeline's own variants do, too: calls of libraries, and kernels as ridgeline-suites has
them. See ci/studies/same_kernel."""

import ctypes
import functools
import os
from pathlib import Path

import ridgeline as rl
from program_kernels import KERNELS, PROGRAM, Kernel, image_with

ROW_MAJOR, NO_TRANSPOSE = 101, 111  # of cblas.h
SIZE = {"f32": 4, "bf16": 2}


def squares(*sizes):
    return [{"m": n, "n": n, "k": n} for n in sizes]


PRODUCTS = {
    "suite": "gemm",
    "flops": lambda m, n, k, **_: 2 * m * n * k,
    "bytes": lambda m, n, k, dtype: SIZE[dtype] * (m * k + k * n + m * n),
}
ON_CPU = {"variant": "openblas_by_ctypes", "devices": "cpu", **PRODUCTS}
ON_GPU = {"devices": "cuda", "requires": "torch"}
BY_TORCH = {"variant": "cublaslt_by_torch", **ON_GPU, **PRODUCTS}
OWN_PRODUCTS = {"variant": "register_tiled_by_driver", **ON_GPU, **PRODUCTS}
TILED, TRANSPOSED = 128, 32  # rows and columns of what a block makes, as the kernels have them


@rl.case(shapes=squares(256, 512), cache="hot", **ON_CPU)
@rl.case(shapes=squares(256), cache="hot", launch="single", **ON_CPU)
@rl.case(shapes=squares(512), **ON_CPU)
def openblas(m, n, k, dtype, device):
    """the system's OpenBLAS, called by ctypes"""
    library = ctypes.CDLL("libopenblas.so.0")
    library.openblas_set_num_threads(len(os.sched_getaffinity(0)))  # as the worker allows
    a, b = (rl.uniform(shape, dtype, device, library="numpy") for shape in ((m, k), (k, n)))
    c = rl.empty((m, n), dtype, device, library="numpy")
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (a, b, c)]
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    how = (ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, one)

    def launch():
        library.cblas_sgemm(*how, pointers[0], k, pointers[1], n, zero, pointers[2], n)
        return c

    return launch, rl.expect(lambda: a.numpy() @ b.numpy())


@rl.case(shapes=squares(1024, 2048), dtypes=["f32", "bf16"], **BY_TORCH)
@rl.case(shapes=squares(1024), dtypes=["bf16"], cache="hot", **BY_TORCH)
@rl.case(shapes=squares(1024), dtypes=["f32", "bf16"], launch="single", **BY_TORCH)
def cublaslt(m, n, k, dtype, device):
    """cuBLASLt as torch.mm calls it, without TF32"""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.preferred_blas_library("cublaslt")
    a, b = (rl.uniform(shape, dtype, device) for shape in ((m, k), (k, n)))
    c = rl.empty((m, n), dtype, device)

    return lambda: torch.mm(a, b, out=c), rl.expect(lambda: product(a, b, device))


def product(a, b, device):
    """In f64, on the device, where it takes seconds less."""
    import torch

    return torch.from_numpy(a.numpy()).to(device) @ torch.from_numpy(b.numpy()).to(device)


@functools.cache
def loaded(variant):
    return Kernel(image_with(Path(os.environ[PROGRAM]), KERNELS[variant]))


def stream():
    import torch

    return torch.cuda.current_stream().cuda_stream


def pointer(array):
    return ctypes.c_void_p(array.data_ptr())


def blocks(rows, columns, tile):
    return -(-rows // tile) * -(-columns // tile)


@rl.case(shapes=squares(128, 256, 512, 1024, 2048, 4096), **OWN_PRODUCTS)
@rl.case(shapes=squares(1024), cache="hot", **OWN_PRODUCTS)
@rl.case(shapes=squares(1024, 2048), launch="single", **OWN_PRODUCTS)
def register_tiled(m, n, k, dtype, device):
    """the kernel of kernels/gemm/cuda/register_tiled.cu, started by the driver"""
    a, b = (rl.uniform(shape, dtype, device) for shape in ((m, k), (k, n)))
    c = rl.empty((m, n), dtype, device)
    kernel = loaded("register_tiled")
    sizes = [ctypes.c_int64(each) for each in (m, n, k)]
    columns = ctypes.c_int64(-(-n // TILED))
    arguments = [*sizes, pointer(a), pointer(b), pointer(c), columns]

    def launch():
        kernel.launch(blocks(m, n, TILED), (256, 1), stream(), *arguments)
        return c

    return launch, rl.expect(lambda: product(a, b, device))


@rl.case(
    shapes=[{"rows": n, "cols": n} for n in (1024, 4096)],
    suite="coalescing",
    variant="transpose_swizzled_by_driver",
    bytes=lambda rows, cols, **_: 8 * rows * cols,
    **ON_GPU,
)
def transpose_swizzled(rows, cols, dtype, device):
    """the kernel of kernels/transpose/cuda/swizzled.cu, started by the driver"""
    x, y = rl.uniform((rows, cols), dtype, device), rl.empty((cols, rows), dtype, device)
    kernel = loaded("transpose_swizzled")
    arguments = [pointer(x), pointer(y), ctypes.c_int64(rows), ctypes.c_int64(cols)]

    def launch():
        kernel.launch(blocks(rows, cols, TRANSPOSED), (32, 8), stream(), *arguments)
        return y

    return launch, rl.expect(lambda: x.numpy().T)
