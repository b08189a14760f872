"""Kernels of a C++ program, started from Python: the driver is given the fat binary that the
program has in it, out of the program's file, so that both run the same machine code."""

import ctypes
import hashlib
import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path

KERNELS = {"register_tiled": "register_tiled_kernel", "transpose_swizzled": "transpose_swizzled"}
PROGRAM = "RIDGELINE_STUDIED_PROGRAM"  # names it to a worker in Python
# What a fat binary begins with, as nvcc writes it: this word, a version, the bytes of this header
# (u16 each), and the bytes of the images behind it (u64).
MAGIC = struct.pack("<I", 0xBA55ED50)
HEADER = struct.Struct("<IHHQ")


class NoKernel(Exception):
    """It is not to be had; the message says why."""


@dataclass(frozen=True)
class Image:
    """A fat binary, and the full name of a kernel that is in it."""

    data: bytes
    kernel: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def image_with(program: Path, kernel: str) -> Image:
    """That of the program which has a kernel of this name, wherever it is declared. Raises NoKernel
    without one, and with several."""
    named = re.compile(rb"\.text\.(_Z[\w$]*?\d" + re.escape(kernel.encode()) + rb"[A-Z][\w$]*)\0")
    found = {
        Image(data, name.decode())
        for data in fat_binaries(program)
        for name in set(named.findall(data))
    }
    if len(found) != 1:
        raise NoKernel(f"{program} has {len(found) or 'no'} kernels {kernel}")
    return found.pop()


def fat_binaries(program: Path) -> list[bytes]:
    try:
        with program.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as all_of:
            return _fat_binaries(all_of)
    except (OSError, ValueError) as error:
        raise NoKernel(f"{program} cannot be read: {error}") from error


def _fat_binaries(data: mmap.mmap) -> list[bytes]:
    found, at = [], data.find(MAGIC)
    while at >= 0:
        end = at + len(MAGIC)
        if len(data) - at >= HEADER.size:
            _, _, header, images = HEADER.unpack_from(data, at)
            # The word alone may be in code that looks for it.
            if at % 8 == 0 and header == HEADER.size and images <= len(data) - at - header:
                end = at + header + images
                found.append(data[at:end])
        at = data.find(MAGIC, end)
    return found


class Kernel:
    """Loaded into the current context of the calling thread."""

    def __init__(self, image: Image, driver: str = "libcuda.so.1") -> None:
        try:
            self._driver = ctypes.CDLL(driver)
        except OSError as error:
            raise NoKernel(str(error)) from error
        self._image = image  # the driver may read it later
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), image.data)
        self._call(
            "cuModuleGetFunction", ctypes.byref(self._function), module, image.kernel.encode()
        )

    def launch(
        self, blocks: int, threads: tuple[int, int], stream: int, *arguments: ctypes._SimpleCData
    ) -> None:
        """On a stream of the driver. The arguments have the kernel's types."""
        pointers = [ctypes.addressof(each) for each in arguments]
        given = (ctypes.c_void_p * len(pointers))(*pointers)
        shape = map(ctypes.c_uint, (blocks, 1, 1, *threads, 1))
        shared = ctypes.c_uint(0)
        self._call(
            "cuLaunchKernel", self._function, *shape, shared, ctypes.c_void_p(stream), given, None
        )

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._driver, name)(*arguments)
        if code != 0:
            raise NoKernel(f"{name} of {self._image.kernel} ended with CUresult {code}")
