"""What NumPy, torch and CuPy call the few things that are done to arrays here.

A library is imported only when it is used. Each adaptor has the same functions; arrays on the host
that go in and come out are NumPy's (`ridgeline.dtypes.rounded`)."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from math import nan
from types import ModuleType

import numpy as np

from ridgeline.dtypes import name_of
from ridgeline.failures import CaseFailed

_BOUNDARY = 64
NUMBERS = "fciub"  # kinds of NumPy's types that are compared
_NAN = {"f": nan, "c": complex(nan, nan)}  # by kind; both parts, which are compared each


class Array(np.ndarray):
    """What `rl.uniform` gives without torch: an array of NumPy that has `.numpy()` like a tensor
    of torch."""

    def numpy(self) -> np.ndarray:
        values = getattr(self, "_values", None)
        return values() if values else np.asarray(self, np.float64)


class OnNumPy:
    __slots__ = ()
    name = "NumPy"

    def put(self, host: np.ndarray, dtype: str, device: str, values, offset: int = 0):
        """The values on the device, as an array whose `.numpy()` calls `values`. It begins
        `offset` bytes, a multiple of 256, behind a boundary of 64."""
        if dtype == "bf16":
            raise CaseFailed("unsupported", "NumPy has no bf16; torch has")
        memory = np.empty(host.nbytes + offset + _BOUNDARY, np.uint8)
        begin = -memory.ctypes.data % _BOUNDARY + offset
        array = memory[begin : begin + host.nbytes].view(host.dtype).reshape(host.shape)
        np.copyto(array, host)
        array = array.view(Array)
        array._values = values
        return array

    def write(self, array, host: np.ndarray) -> None:
        np.copyto(np.asarray(array), host)

    def look(self, array) -> np.ndarray:
        """What it holds, on the host: to be read at once, since it may be its own memory."""
        return np.asarray(array)

    def read(self, array) -> np.ndarray:
        """A copy of that."""
        return np.array(array, copy=True, subok=False)

    def replacing(self, array, places: np.ndarray, host: np.ndarray) -> Callable:
        flat = np.asarray(array).reshape(-1)
        return lambda: flat.__setitem__(places, host)

    def writeable(self, array) -> bool:
        return array.flags.writeable

    def poison(self, array) -> None:
        plain = np.asarray(array)
        if plain.dtype.kind in "fc":
            plain.fill(_NAN[plain.dtype.kind])
        else:
            plain.fill(plain.dtype.type(1) if plain.dtype.kind == "b" else 0x5A)

    def snapshot(self, array):
        return np.array(array, copy=True, subok=False)

    def nbytes(self, array) -> int:
        return array.nbytes

    def overlap(self, one, other) -> bool:
        return np.may_share_memory(np.asarray(one), np.asarray(other))

    def address(self, array) -> int:
        return array.__array_interface__["data"][0]


class OnTorch:
    __slots__ = ("torch",)
    name = "torch"

    def __init__(self) -> None:
        import torch

        self.torch = torch

    def _type(self, dtype: str):
        torch = self.torch
        names = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"}
        names |= {"c64": "complex64", "c128": "complex128"}
        names |= {"i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8"}
        return torch.bool if dtype == "bool" else getattr(torch, names[dtype])

    def _there(self, host: np.ndarray, like):
        plain = np.ascontiguousarray(host)
        return self.torch.from_numpy(plain).to(device=like.device, dtype=like.dtype)

    def put(self, host: np.ndarray, dtype: str, device: str, values, offset: int = 0):
        there = self.torch.from_numpy(np.array(host)).to(device=device, dtype=self._type(dtype))
        size = there.numel() * there.element_size()
        memory = self.torch.empty(size + offset, dtype=self.torch.uint8, device=device)
        tensor = memory[offset:].view(there.dtype).view(there.shape)
        tensor.copy_(there)
        if values:
            tensor.numpy = values
        return tensor

    # By `.data`: the count of a tensor's changes, by which a kernel could tell that its input is
    # new, stays as it is.
    def write(self, array, host: np.ndarray) -> None:
        array.data.copy_(self._there(host, array))

    def replacing(self, array, places: np.ndarray, host: np.ndarray) -> Callable:
        index = self.torch.from_numpy(places.astype(np.int64)).to(array.device)
        flat, there = array.data.view(-1), self._there(host, array)
        return lambda: flat.__setitem__(index, there)

    def writeable(self, array) -> bool:
        return True

    def look(self, array) -> np.ndarray:
        plain = array.detach().cpu()
        if plain.dtype == self.torch.bfloat16:
            plain = plain.float()
        return self.torch.Tensor.numpy(plain)

    def read(self, array) -> np.ndarray:
        return self.look(array).copy()

    def poison(self, array) -> None:
        if array.dtype.is_floating_point or array.dtype.is_complex:
            array.data.fill_(_NAN["c" if array.dtype.is_complex else "f"])
        else:
            array.data.fill_(1 if array.dtype == self.torch.bool else 0x5A)

    def snapshot(self, array):
        return array.detach().clone()

    def nbytes(self, array) -> int:
        return array.numel() * array.element_size()

    def overlap(self, one, other) -> bool:
        return self._memory(one) == self._memory(other)

    def _memory(self, tensor):
        return tensor.untyped_storage().data_ptr() or id(tensor)

    def address(self, array) -> int:
        return array.data_ptr()


class OnCuPy:
    __slots__ = ("cupy",)
    name = "CuPy"

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy

    def put(self, host: np.ndarray, dtype: str, device: str, values, offset: int = 0):
        if dtype == "bf16":
            raise CaseFailed("unsupported", "CuPy has no bf16; torch has")
        with self.cupy.cuda.Device(int(device.partition(":")[2] or 0)):
            array = self.cupy.asarray(host)
        if values:
            array.numpy = values
        return array

    def write(self, array, host: np.ndarray) -> None:
        array.set(np.ascontiguousarray(host))

    def replacing(self, array, places: np.ndarray, host: np.ndarray) -> Callable:
        flat, index, there = array.reshape(-1), self.cupy.asarray(places), self.cupy.asarray(host)
        return lambda: flat.__setitem__(index, there)

    def writeable(self, array) -> bool:
        return True

    def look(self, array) -> np.ndarray:
        return self.cupy.asnumpy(array)

    read = look

    def poison(self, array) -> None:
        if array.dtype.kind in "fc":
            array.fill(_NAN[array.dtype.kind])
        else:
            array.fill(1 if array.dtype.kind == "b" else 0x5A)

    def snapshot(self, array):
        return array.copy()

    def nbytes(self, array) -> int:
        return array.nbytes

    def overlap(self, one, other) -> bool:
        return self.cupy.may_share_memory(one, other)

    def address(self, array) -> int:
        return array.data.ptr


_made: dict[str, object] = {}


def library(name: str):
    """The adaptor of "numpy", "torch" or "cupy". Throws CaseFailed (unavailable) where that cannot
    be imported."""
    if name not in _made:
        makers = {"numpy": OnNumPy, "torch": OnTorch, "cupy": OnCuPy}
        try:
            _made[name] = makers[name]()
        except ImportError as error:
            raise CaseFailed("unavailable", missing(name, error)) from error
    return _made[name]


def missing(module: str, error: object = "") -> str:
    return f"{sys.executable} cannot import {module}" + (f": {error}" if error else "")


def is_there(module: str) -> bool:
    """Whether it could be imported, without doing so."""
    if module in sys.modules:
        return True
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def chosen(device: str, wanted: str = ""):
    """The library whose arrays inputs are: the one that is wanted; else torch or CuPy where the
    file has imported it, or where the device is a GPU; else NumPy."""
    if wanted:
        return library(wanted)
    if device == "cpu":
        return library("torch" if "torch" in sys.modules else "numpy")
    for name in ("torch", "cupy"):
        if name in sys.modules:
            return library(name)
    for name in ("torch", "cupy"):
        if is_there(name):
            return library(name)
    raise CaseFailed("unavailable", missing("torch or CuPy"))


def of(value: object):
    """The adaptor of an array that already holds its values; None for anything else: what
    computes when it is looked at has not been timed."""
    kind = type(value)
    if kind is np.ndarray or kind is Array:
        return library("numpy") if value.dtype.kind in NUMBERS else None
    torch: ModuleType | None = sys.modules.get("torch")
    if torch is not None and kind in (torch.Tensor, torch.nn.Parameter):
        plain = value.layout == torch.strided and value.device.type in ("cpu", "cuda")
        return library("torch") if plain and not (value.is_conj() or value.is_neg()) else None
    cupy = sys.modules.get("cupy")
    if cupy is not None and kind is cupy.ndarray:
        return library("cupy") if value.dtype.kind in NUMBERS else None
    return None


def dtype_name(array: object) -> str:
    return name_of(array.dtype)


__all__ = ["Array", "chosen", "dtype_name", "is_there", "library", "missing", "of"]
