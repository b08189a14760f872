"""Calls of libraries that Ridgeline's own variants make, too: see ci/studies/same_kernel."""

import ctypes
import os

import ridgeline as rl

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
ON_GPU = {"variant": "cublaslt_by_torch", "devices": "cuda", "requires": "torch", **PRODUCTS}


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


@rl.case(shapes=squares(1024, 2048), dtypes=["f32", "bf16"], **ON_GPU)
@rl.case(shapes=squares(1024), dtypes=["bf16"], cache="hot", **ON_GPU)
@rl.case(shapes=squares(1024), dtypes=["f32", "bf16"], launch="single", **ON_GPU)
def cublaslt(m, n, k, dtype, device):
    """cuBLASLt as torch.mm calls it, without TF32"""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.preferred_blas_library("cublaslt")
    a, b = (rl.uniform(shape, dtype, device) for shape in ((m, k), (k, n)))
    c = rl.empty((m, n), dtype, device)

    def expected():  # in f64, on the device, where it takes seconds less
        return torch.from_numpy(a.numpy()).to(device) @ torch.from_numpy(b.numpy()).to(device)

    return lambda: torch.mm(a, b, out=c), rl.expect(expected)
