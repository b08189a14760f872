"""What stands around the products of a transformer block, beside `fusion/*` of Ridgeline itself:
bias, GELU, dropout, residual and LayerNorm, in NumPy, PyTorch eager, torch.compile and Triton.

The mask of dropout is an input of one byte an element, where Ridgeline's variants make it again
from a seed: these here read more."""

import numpy as np
import ridgeline as rl

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None  # its cases are unavailable, and say so

DROPPED = 0.1
SMALL = [{"rows": 512, "cols": 768}]
LARGE = [{"rows": 16384, "cols": 1024}]
SIZE = {"f32": 4, "bf16": 2}
WORK = {
    "suite": "fusion",
    "bytes": lambda rows, cols, dtype: rows * cols * (3 * SIZE[dtype] + 1) + 3 * cols * SIZE[dtype],
    "flops": lambda rows, cols, **_: 19 * rows * cols,
}


class Operands:
    def __init__(self, rows, cols, dtype, device, library=""):
        wide, flat = (rows, cols), cols
        self.x, self.residual = (rl.uniform(wide, dtype, device, library=library) for _ in "xr")
        self.bias, self.gamma, self.beta = (
            rl.uniform(flat, dtype, device, library=library) for _ in "bgb"
        )
        keep = lambda generator, shape: generator.random(shape) >= DROPPED  # noqa: E731
        self.keep = rl.made(keep, wide, "bool", device, library=library)
        self.device = device

    def expected_there(self):
        """The same on a GPU, in f64 as well, and sooner."""
        import torch
        from torch.nn import functional

        x, bias, residual, keep, gamma, beta = (
            torch.from_numpy(each.numpy()).to(self.device)
            for each in (self.x, self.bias, self.residual, self.keep, self.gamma, self.beta)
        )
        r = residual + functional.gelu(x + bias, approximate="tanh") * keep / (1 - DROPPED)
        return functional.layer_norm(r, r.shape[1:], gamma, beta)

    def expected(self):
        if self.device != "cpu":
            return self.expected_there()
        z = self.x.numpy() + self.bias.numpy()
        g = z / (1 + np.exp(-2 * 0.7978845608028654 * z * (1 + 0.044715 * z * z)))
        r = self.residual.numpy() + g * self.keep.numpy() / (1 - DROPPED)
        deviation = np.sqrt(r.var(axis=1, keepdims=True) + 1e-5)
        centred = (r - r.mean(axis=1, keepdims=True)) / deviation
        return centred * self.gamma.numpy() + self.beta.numpy()


@rl.case(shapes=SMALL, devices="cpu", **WORK)
def numpy(rows, cols, dtype, device):
    """one array after the other, each written to memory"""
    o = Operands(rows, cols, dtype, device, "numpy")
    factor = np.float32(1 / (1 - DROPPED))

    def launch():
        z = o.x + o.bias
        g = z / (1 + np.exp(np.float32(-1.5957691216) * z * (1 + np.float32(0.044715) * z * z)))
        r = o.residual + g * o.keep * factor
        centred = r - r.mean(axis=1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + np.float32(1e-5))
        return centred / deviation * o.gamma + o.beta

    return launch, rl.expect(o.expected)


def in_torch(o):
    from torch.nn import functional

    def launch():
        g = functional.gelu(o.x + o.bias, approximate="tanh")
        r = o.residual + g * o.keep * (1 / (1 - DROPPED))
        return functional.layer_norm(r, r.shape[1:], o.gamma, o.beta)

    return launch


@rl.case(shapes=SMALL + LARGE, dtypes=["f32", "bf16"], requires="torch", **WORK)
def torch_eager(rows, cols, dtype, device):
    """one kernel of PyTorch for each operation"""
    o = Operands(rows, cols, dtype, device, "torch")
    return in_torch(o), rl.expect(o.expected)


_compiled = {}  # one compilation serves all sets of buffers


@rl.case(shapes=SMALL + LARGE, dtypes=["f32", "bf16"], devices="cuda", requires="torch", **WORK)
def torch_compiled(rows, cols, dtype, device):
    """what torch.compile makes of the same"""
    import torch
    from torch.nn import functional

    o = Operands(rows, cols, dtype, device, "torch")

    def block(x, bias, residual, keep, gamma, beta):
        g = functional.gelu(x + bias, approximate="tanh")
        r = residual + g * keep * (1 / (1 - DROPPED))
        return functional.layer_norm(r, r.shape[1:], gamma, beta)

    call = _compiled.setdefault((rows, cols, dtype), torch.compile(block, dynamic=False))
    operands = [
        torch.Tensor.detach(each) for each in (o.x, o.bias, o.residual, o.keep, o.gamma, o.beta)
    ]
    return lambda: call(*operands), rl.expect(o.expected)


if triton:

    @triton.jit
    def fused(x, bias, residual, keep, gamma, beta, out, cols, scale, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        there = at < cols
        place = row * cols + at
        z = tl.load(x + place, there, 0.0).to(tl.float32) + tl.load(bias + at, there, 0.0).to(
            tl.float32
        )
        g = z / (1 + tl.exp(-1.5957691216 * z * (1 + 0.044715 * z * z)))
        kept = tl.load(keep + place, there, 0).to(tl.float32) * scale
        r = tl.load(residual + place, there, 0.0).to(tl.float32) + g * kept
        mean = tl.sum(tl.where(there, r, 0.0), 0) / cols
        centred = tl.where(there, r - mean, 0.0)
        inverse = 1 / tl.sqrt(tl.sum(centred * centred, 0) / cols + 1e-5)
        y = centred * inverse * tl.load(gamma + at, there, 0.0).to(tl.float32)
        y += tl.load(beta + at, there, 0.0).to(tl.float32)
        tl.store(out + place, y.to(out.dtype.element_ty), there)


@rl.case(
    shapes=SMALL + LARGE,
    dtypes=["f32", "bf16"],
    devices="cuda",
    requires=("torch", "triton"),
    variant="triton",
    **WORK,
)
def in_triton(rows, cols, dtype, device):
    """one kernel, a row a block, in registers"""
    import torch

    o = Operands(rows, cols, dtype, device, "torch")
    out = rl.empty((rows, cols), dtype, device, library="torch")
    keep = o.keep.view(dtype=torch.uint8)

    def launch():
        fused[(rows,)](
            *(o.x, o.bias, o.residual, keep, o.gamma, o.beta, out),
            *(cols, 1 / (1 - DROPPED)),
            BLOCK=triton.next_power_of_2(cols),
            num_warps=8,
        )
        return out

    return launch, rl.expect(o.expected)
