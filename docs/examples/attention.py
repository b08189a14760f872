"""softmax(Q K' / sqrt(dim)) V for each head, beside `attention/*` of Ridgeline itself: in NumPy,
PyTorch eager, its own fused call, torch.compile and Triton."""

import functools
import math

import numpy as np
import ridgeline as rl

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None  # its cases are unavailable, and say so

SIZE = {"f32": 4, "bf16": 2}


def problems(*lengths):
    return [{"batch": 1, "heads": 16, "seq": seq, "dim": 64, "mask": "full"} for seq in lengths]


WORK = {
    "suite": "attention",
    "flops": lambda heads, seq, dim, **_: 4 * heads * seq * seq * dim,
    "bytes": lambda heads, seq, dim, dtype, **_: 4 * heads * seq * dim * SIZE[dtype],
}
ON_GPU = {"shapes": problems(128, 1024, 2048), "dtypes": ["f32", "bf16"], "requires": "torch"}


class Operands:
    def __init__(self, batch, heads, seq, dim, mask, dtype, device, library=""):
        shape = (batch * heads, seq, dim)
        self.q, self.k, self.v = (rl.uniform(shape, dtype, device, library=library) for _ in "qkv")
        self.device, self.scale = device, 1 / math.sqrt(dim)

    def expected(self):
        q, k, v = (each.numpy() for each in (self.q, self.k, self.v))
        if self.device != "cpu":  # in f64 there as well, and sooner
            import torch

            q, k, v = (torch.from_numpy(each).to(self.device) for each in (q, k, v))
            return torch.softmax(q @ k.mT * self.scale, -1) @ v
        scores = q @ np.swapaxes(k, 1, 2) * self.scale
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ v


@rl.case(shapes=problems(128), devices="cpu", **WORK)
def numpy(dtype, device, **problem):
    """scores and weights are written to memory"""
    o = Operands(**problem, dtype=dtype, device=device, library="numpy")
    scale = np.float32(o.scale)

    def launch():
        weights = np.exp(o.q @ np.swapaxes(o.k, 1, 2) * scale)
        return weights / weights.sum(-1, keepdims=True) @ o.v

    return launch, rl.expect(o.expected)


@rl.case(**ON_GPU, **WORK)
def torch_eager(dtype, device, **problem):
    """two products around a softmax, one kernel of PyTorch each"""
    import torch

    o = Operands(**problem, dtype=dtype, device=device, library="torch")
    return (
        lambda: torch.softmax(o.q @ o.k.mT * o.scale, -1) @ o.v,
        rl.expect(o.expected),
    )


@rl.case(**ON_GPU, **WORK)
def torch_fused(dtype, device, **problem):
    """scaled_dot_product_attention of PyTorch"""
    from torch.nn.functional import scaled_dot_product_attention

    o = Operands(**problem, dtype=dtype, device=device, library="torch")
    q, k, v = (each.unsqueeze(0) for each in (o.q, o.k, o.v))
    return lambda: scaled_dot_product_attention(q, k, v)[0], rl.expect(o.expected)


@functools.cache
def compiled(seq, dtype):
    import torch

    def attend(q, k, v, scale):
        return torch.softmax(q @ k.mT * scale, -1) @ v

    return torch.compile(attend, dynamic=False)


@rl.case(**ON_GPU, devices="cuda", **WORK)
def torch_compiled(dtype, device, **problem):
    """what torch.compile makes of the eager one"""
    o = Operands(**problem, dtype=dtype, device=device, library="torch")
    call = compiled(problem["seq"], dtype)
    q, k, v = (each.detach() for each in (o.q, o.k, o.v))
    return lambda: call(q, k, v, o.scale), rl.expect(o.expected)


if triton:

    @triton.jit
    def flash(q, k, v, out, seq, scale, DIM: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr):
        head = tl.program_id(1).to(tl.int64) * seq * DIM
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        at = tl.arange(0, DIM)
        own = head + rows[:, None] * DIM + at[None, :]
        queries = tl.load(q + own, rows[:, None] < seq, 0.0)
        top = tl.full((ROWS,), float("-inf"), tl.float32)
        total = tl.zeros((ROWS,), tl.float32)
        sums = tl.zeros((ROWS, DIM), tl.float32)
        for first in range(0, seq, KEYS):
            keys = first + tl.arange(0, KEYS)
            place = head + keys[:, None] * DIM + at[None, :]
            held = tl.load(k + place, keys[:, None] < seq, 0.0)
            scores = tl.dot(queries, tl.trans(held), input_precision="ieee") * scale
            scores = tl.where(keys[None, :] < seq, scores, float("-inf"))
            higher = tl.maximum(top, tl.max(scores, 1))
            weights = tl.exp(scores - higher[:, None])
            shrunk = tl.exp(top - higher)
            total = total * shrunk + tl.sum(weights, 1)
            values = tl.load(v + place, keys[:, None] < seq, 0.0)
            added = tl.dot(weights.to(values.dtype), values, input_precision="ieee")
            sums = sums * shrunk[:, None] + added
            top = higher
        result = (sums / total[:, None]).to(out.dtype.element_ty)
        tl.store(out + own, result, rows[:, None] < seq)


@rl.case(**(ON_GPU | {"requires": ("torch", "triton")}), devices="cuda", variant="triton", **WORK)
def in_triton(dtype, device, **problem):
    """one kernel: scores stay in registers, with a running maximum"""
    o = Operands(**problem, dtype=dtype, device=device, library="torch")
    out = rl.empty(tuple(o.q.shape), dtype, device, library="torch")
    heads, seq, dim = o.q.shape
    rows = 64

    def launch():
        grid = (-(-seq // rows), heads)
        flash[grid](o.q, o.k, o.v, out, seq, o.scale, DIM=dim, ROWS=rows, KEYS=32, num_warps=4)
        return out

    return launch, rl.expect(o.expected)
