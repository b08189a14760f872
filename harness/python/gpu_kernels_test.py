"""Kernels of a GPU, through PyTorch and CuPy: the honest are measured, and whoever cheats in a way
that only a GPU allows is told how it was seen. Skipped where torch sees no GPU."""

import pytest

from harness.python.conversations import Conversation
from harness.python.kernel_files import HEAD, PRODUCT, SCALE

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("torch sees no GPU", allow_module_level=True)

HONEST = {
    "torch, a new output": (SCALE, "launch = lambda: x * 2"),
    "torch, into memory that was given": (
        SCALE,
        "y = rl.empty(n, dtype, device)\ndef launch(): return torch.mul(x, 2, out=y)",
    ),
    "on a stream of its own that is joined": (
        SCALE,
        """
y, own = rl.empty(n, dtype, device), torch.cuda.Stream()
def launch():
    now = torch.cuda.current_stream()
    own.wait_stream(now)
    with torch.cuda.stream(own):
        torch.mul(x, 2, out=y)
    now.wait_stream(own)
    return y
""",
    ),
    "that waits for the device": (
        SCALE,
        "def launch():\n    y = x * 2\n    torch.cuda.synchronize()\n    return y",
    ),
    "a product of f32": (PRODUCT, "launch = lambda: a @ b"),
    "CuPy on torch's stream": (
        SCALE,
        """
import cupy
def launch():
    with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        y = cupy.from_dlpack(x.detach()) * np.float32(2)
    return torch.from_dlpack(y)
""",
    ),
}
# What the reason must say.
CHEATS = {
    "remembers": (
        "",
        SCALE,
        """
kept = []
def launch():
    kept or kept.append(x * 2)
    return kept[0].clone()
""",
    ),
    "works on another stream and waits for nobody": (
        "",
        SCALE,
        """
y, own, large = rl.empty(n, dtype, device), torch.cuda.Stream(), torch.ones(4096, 4096).to(device)
def launch():
    with torch.cuda.stream(own):
        large @ large
        torch.mul(x, 2, out=y)
    return y
""",
    ),
    "computes when it is looked at": (
        "",
        SCALE,
        """
class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        torch.mul(x, 2, out=y)
        with torch._C.DisableTorchFunctionSubclass():
            return function(*arguments, **(named or {}))
y = rl.empty(n, dtype, device)
def launch(): return y.as_subclass(Lazy)
""",
    ),
    "multiplies in bf16": (
        "element",
        PRODUCT,
        "launch = lambda: (a.bfloat16() @ b.bfloat16()).float()",
    ),
    "does a half": (
        "element",
        SCALE,
        "y = rl.empty(n, dtype, device)\n"
        "def launch():\n    torch.mul(x[: n // 2], 2, out=y[: n // 2])\n    return y",
    ),
    "gives an input back": ("", SCALE, "def launch(): return x.mul_(2)"),
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What each comes to, all of them in one process."""
    bodies = [*HONEST.items(), *((name, rest) for name, (_, *rest) in CHEATS.items())]
    texts = [HEAD, "import torch\nN = 1 << 20\n"]
    for number, (_, (frame, body)) in enumerate(bodies):
        named = frame.replace("@rl.case(", f'@rl.case(variant="number{number}", ')
        named = named.replace('devices="cpu"', 'devices="cuda"').replace("[64]", "[256]")
        lines = "\n".join("    " + line for line in body.strip().splitlines())
        texts.append(named.replace("{body}", lines))
    file = tmp_path_factory.mktemp("kernels") / "kernels.py"
    file.write_text("\n".join(texts))
    with Conversation(file) as worker:
        assert worker.ask(request="hello", protocol=1)["reply"] == "hello"
        cases = worker.ask(request="list")["cases"]
        found = {case["variant"]: worker.measure(case, device="cuda:0") for case in cases}
    return {name: found[f"number{number}"] for number, (name, _) in enumerate(bodies)}


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_are_not_accused(measured, name):
    if "CuPy" in name:
        pytest.importorskip("cupy")
    found = measured[name]
    assert found["outcome"] == "ok", found
    assert len(found["samples_ns"]) >= 1


@pytest.mark.parametrize("name", CHEATS)
def test_whoever_cheats_is_told_how_it_was_seen(measured, name):
    found, says = measured[name], CHEATS[name][0]
    assert found["outcome"] == "wrong_result", found
    assert says in found["reason"], found["reason"]
    assert not found.get("samples_ns")
