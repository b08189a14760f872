"""Kernels are found in a C++ program, and are started with what they take."""

import ctypes
import shutil
import struct
import subprocess

import pytest

from ci.studies.program_kernels import HEADER, KERNELS, Kernel, NoKernel, fat_binaries, image_with
from ci.studies.same_collectives_test import BUILD

# Stands for the driver: its kernel gets the addresses of its arguments, as on a GPU.
DRIVER = """
#include <stdlib.h>
#include <string.h>
int cuModuleLoadData(void** module, const void* image) {
  *module = (void*)image;
  return memcmp(image, "\\x50\\xed\\x55\\xba", 4) ? 200 : 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  *function = (char*)module + 1;
  return strcmp(name, "NAME") ? 500 : 0;
}
int cuLaunchKernel(char* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void** extra) {
  if (gx != 3 || gy != 1 || gz != 1 || bx != 4 || by != 2 || bz != 1 || shared || extra) return 1;
  if (stream != (void*)0x123456789abULL) return 2;
  const float* from = *(float**)arguments[0];
  float* to = *(float**)arguments[1];
  for (long i = 0; i < *(long*)arguments[2]; ++i) to[i] = 2 * from[i];
  return 0;
}
"""


def fat_binary(*kernels: str) -> bytes:
    images = b"\x7fELF" + b"".join(b"\0.text." + name.encode() for name in kernels) + b"\0"
    images += b"\0" * (-len(images) % 8)
    return HEADER.pack(0xBA55ED50, 1, HEADER.size, len(images)) + images


@pytest.fixture
def program(tmp_path):
    def made(*binaries: bytes):
        file = tmp_path / "program"
        word = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 40)  # in code, or cut off
        file.write_bytes(b"12345678" + b"1234" + word + b"1234" + b"".join(binaries) + word)
        return file

    return made


def test_a_kernel_is_found_by_its_name(program):
    binaries = fat_binary("_Z6scaledPf"), fat_binary("_Z5otherPf", "_ZN1a7rescaledEPf")
    file = program(*binaries)
    assert fat_binaries(file) == list(binaries)
    image = image_with(file, "scaled")
    assert (image.data, image.kernel) == (binaries[0], "_Z6scaledPf")
    assert image.digest != image_with(file, "other").digest


def test_a_kernel_that_is_missing_or_not_the_only_one_is_refused(program, tmp_path):
    file = program(fat_binary("_Z6scaledPf"), fat_binary("_ZN1a6scaledEPf"))
    with pytest.raises(NoKernel, match="has 2 kernels scaled"):
        image_with(file, "scaled")
    with pytest.raises(NoKernel, match="has no kernels caled"):
        image_with(file, "caled")
    with pytest.raises(NoKernel, match="cannot be read"):
        image_with(tmp_path / "nothing", "scaled")


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc to make a driver with")
def test_a_kernel_gets_its_shape_stream_and_arguments(program, tmp_path):
    image = image_with(program(fat_binary("_Z6scaledPfS_l")), "scaled")
    driver = tmp_path / "driver.so"
    command = ["gcc", "-x", "c", "-shared", "-fPIC", "-o", driver, "-"]
    source = DRIVER.replace("NAME", image.kernel)
    subprocess.run(command, input=source, text=True, check=True, timeout=60)
    kernel = Kernel(image, str(driver))
    x, y = (ctypes.c_float * 3)(1, 2, 3), (ctypes.c_float * 3)()
    arguments = [ctypes.c_void_p(ctypes.addressof(x)), ctypes.c_void_p(ctypes.addressof(y))]
    kernel.launch(3, (4, 2), 0x123456789AB, *arguments, ctypes.c_int64(2))
    assert list(y) == [2, 4, 0]
    with pytest.raises(NoKernel, match="cuLaunchKernel of _Z6scaledPfS_l ended with CUresult 1"):
        kernel.launch(4, (4, 2), 0x123456789AB, *arguments, ctypes.c_int64(2))


def test_no_driver_is_told(program):
    with pytest.raises(NoKernel, match="no_such_driver"):
        Kernel(image_with(program(fat_binary("_Z6scaledPf")), "scaled"), "no_such_driver.so")


@pytest.mark.parametrize("kernel", KERNELS.values())
def test_ridgeline_suites_has_what_the_study_starts(kernel):
    program = BUILD / "ridgeline-suites"
    if not program.is_file() or not fat_binaries(program):
        pytest.skip("no build with CUDA parts")
    assert kernel in image_with(program, kernel).kernel
