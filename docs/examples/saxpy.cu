// y += a x, as a program of its own.   ridgeline check saxpy.cu -- 10000
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 1 << 20;
  const std::vector<float> ones(n, 1.0f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);

  float last = 0;
  const cudaError_t error = cudaMemcpy(&last, y + n - 1, sizeof(float), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess || last != 3.0f) {
    std::printf("%s: %f in place of 3\n", cudaGetErrorString(error), last);
    return 1;
  }
  cudaFree(x);
  cudaFree(y);
}
