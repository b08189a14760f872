"""`ridgeline check` on programs that read textures and write surfaces."""

import pytest

from harness.cli.checked_programs import check

PROGRAM = r"""
#include <cstdio>
texture<float, 1, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> shades;

__global__ void reads(cudaTextureObject_t flat, cudaTextureObject_t image, float* to) {
  const int x = threadIdx.x, y = blockIdx.x;
  to[8 * y + x] = tex1Dfetch<float>(flat, 8 * y + x) + tex2D<float>(image, x + 0.5f, y + 0.5f);
}
__global__ void between(cudaTextureObject_t image, float* to) {
  to[threadIdx.x] = tex2D<float>(image, threadIdx.x + 1.0f, 1.0f);
}
__global__ void wraps(cudaTextureObject_t image, float* to) {
  tex2D(&to[threadIdx.x], image, (threadIdx.x + 0.5f) / 8 + 1, 0.0f);
}
__global__ void references(float* to) {
  to[threadIdx.x] = tex1Dfetch(line, threadIdx.x - 1) + tex2D(shades, threadIdx.x + 0.5f, 0.5f);
}
__global__ void writes(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * 4, blockIdx.x);
  surf2Dwrite(value + 1, surface, threadIdx.x * 4 + BESIDE, blockIdx.x);
}
__global__ void slices(cudaTextureObject_t volume, float4* to) {
  to[threadIdx.x] = tex3D<float4>(volume, threadIdx.x, 0, 1);
}

float found[32];
template <class Kernel, class... Arguments>
void say(const char* name, Kernel kernel, float* to, Arguments... arguments) {
  kernel<<<1, 8>>>(arguments...);
  cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost);
  printf("%s %g %g %g\n", name, found[0], found[1], found[7]);
}

int main() {
  float host[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  float *flat, *to;
  cudaMalloc(&flat, sizeof host);
  cudaMalloc(&to, sizeof host);
  cudaMemset(to, 0, sizeof host);
  cudaMemcpy(flat, host, sizeof host, cudaMemcpyHostToDevice);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array, grey, cube;
  cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, ROWS, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = flat;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = sizeof host;
  cudaTextureDesc how = {};
  const cudaChannelFormatDesc refused[] = {{0, 32, 0, 0, cudaChannelFormatKindFloat},
                                           {64, 0, 0, 0, cudaChannelFormatKindFloat},
                                           {8, 120, 0, 0, cudaChannelFormatKindUnsigned},
                                           {8, 0, 0, 0, cudaChannelFormatKindFloat}};
  if (FORMAT >= 0) {
    resource.res.linear.desc = refused[FORMAT];
    cudaTextureObject_t none;
    return cudaCreateTextureObject(&none, &resource, &how, nullptr);
  }
  cudaTextureObject_t of_flat, of_array, smooth, wrapped, of_cube;
  cudaCreateTextureObject(&of_flat, &resource, &how, nullptr);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaCreateTextureObject(&of_array, &resource, &how, nullptr);
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  cudaCreateTextureObject(&smooth, &resource, &how, nullptr);
  how.normalizedCoords = 1;
  how.filterMode = cudaFilterModePoint;
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
  cudaCreateTextureObject(&wrapped, &resource, &how, nullptr);
  reads<<<4, 8>>>(of_flat, LINE ? of_flat : of_array, to);
  cudaMemcpy(found, to, sizeof found, cudaMemcpyDeviceToHost);
  printf("reads %g %g\n", found[3], found[31]);
  say("between", between, to, smooth, to);
  say("wraps", wraps, to, wrapped, to);
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  writes<<<4, 8>>>(surface);
  cudaMemcpy2DFromArray(found, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  printf("writes %g %g\n", found[0], found[31]);

  const unsigned char bytes[8] = {0, 51, 255};
  cudaMallocArray(&grey, &shades.channelDesc, 8, 1);
  cudaMemcpyToArray(grey, 0, 0, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  cudaBindTextureToArray(shades, grey);
  cudaBindTexture(nullptr, line, flat, sizeof host);
  say("references", references, to, to);
  cudaUnbindTexture(line);

  format = cudaCreateChannelDesc<float4>();
  cudaMalloc3DArray(&cube, &format, make_cudaExtent(2, 2, 2));
  cudaMemcpy3DParms all = {};
  all.srcPtr = make_cudaPitchedPtr(host, 32, 2, 2);
  all.dstArray = cube;
  all.extent = make_cudaExtent(2, 2, 2);
  all.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&all);
  resource.res.array.array = cube;
  cudaCreateTextureObject(&of_cube, &resource, &(how = {}), nullptr);
  if (GONE) cudaDestroyTextureObject(of_cube);
  say("slices", slices, to, of_cube, reinterpret_cast<float4*>(to));
}
"""


def run(folder, **values):
    (folder / "textures.cu").write_text(PROGRAM)
    defined = {"ROWS": 4, "LINE": 0, "BESIDE": 0, "GONE": 0, "FORMAT": -1} | values
    return check(folder, "textures.cu", *(f"-D{name}={defined[name]}" for name in defined))


def test_textures_are_read_as_they_are_described(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in (
        "reads 6 62",
        "between 4.5 5.5 11",  # the mean of four texels, at the edge of two
        "wraps 0 1 7",
        "writes 1 32",
        "references 0 0.2 6",  # beside linear memory: zeros
        "slices 16 17 23",  # beside the volume: its last texel
    ):
        assert line + "\n" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"ROWS": 3}, "uninitialised (global) in reads at"),
        ({"ROWS": 5}, "cudaMemcpy2DToArray at"),
        ({"LINE": 1}, "wrong kind of texture in reads at"),
        ({"BESIDE": 4}, "out of bounds (surface) in writes at"),
        ({"GONE": 1}, "no such object in slices at"),
        *(({"FORMAT": i}, "cudaCreateTextureObject at") for i in range(4)),
    ],
)
def test_mistakes_with_textures_are_found(tmp_path, values, told):
    done = run(tmp_path, **values)
    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stdout, done.stdout
    assert "thread" in done.stdout or "cuda" in told
