"""`ridgeline check` on programs that multiply by nvcuda::wmma."""

from harness.cli.checked_programs import check

PROGRAM = r"""
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
template <class A, class B, class S>
__global__ void product(const half* a, const half* b, S* c, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, A> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, B> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, S> sums;
  wmma::fill_fragment(sums, FILL);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sums, left, right, sums);
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = sums.x[i] * S(2);
  wmma::store_matrix_sync(c, sums, 16, layout);
  wmma::load_matrix_sync(sums, c, 16, layout);
  wmma::store_matrix_sync(c, sums, 16, layout);
}
template <class A, class B, class S>
void say(const half* a, const half* b, S* c, wmma::layout_t layout) {
  product<A, B><<<1, dim3(8, 4)>>>(a, b, c, layout);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float sum = float(S(FILL));
      for (int k = 0; k < 16; ++k)
        sum += float(std::is_same_v<A, wmma::row_major> ? a[16 * i + k] : a[16 * k + i]) *
               float(std::is_same_v<B, wmma::row_major> ? b[16 * k + j] : b[16 * j + k]);
      const S found = layout == wmma::mem_row_major ? c[16 * i + j] : c[16 * j + i];
      right = right && float(found) == float(S(2 * sum));
    }
  printf("%s\n", right ? "right" : "wrong");
}
int main() {
  half *a, *b, *halves;
  float* floats;
  cudaMallocManaged(&a, (256 - SHORT) * sizeof(half));
  cudaMallocManaged(&b, 256 * sizeof(half));
  cudaMallocManaged(&halves, 256 * sizeof(half));
  cudaMallocManaged(&floats, 256 * sizeof(float));
  for (int i = 0; i < 256; ++i) {
    if (i < 256 - SHORT) a[i] = i % 7;
    b[i] = i % 5 - 2;
  }
  say<wmma::row_major, wmma::row_major>(a, b, floats, wmma::mem_row_major);
  say<wmma::col_major, wmma::row_major>(a, b, floats, wmma::mem_col_major);
  say<wmma::row_major, wmma::col_major>(a, b, halves, wmma::mem_row_major);
  say<wmma::col_major, wmma::col_major>(a, b, halves, wmma::mem_col_major);
}
"""


def run(folder, *more):
    (folder / "wmma.cu").write_text(PROGRAM)
    return check(folder, "wmma.cu", *more)


def test_products_of_every_layout_are_right(tmp_path):
    # A sum that tf32 would not hold.
    done = run(tmp_path, "-DFILL=1.000244140625f", "-DSHORT=0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("right\n" * 4), done.stdout


def test_a_tile_beside_its_matrix_is_found(tmp_path):
    done = run(tmp_path, "-DFILL=0.0f", "-DSHORT=16")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "out of bounds (global) in product" in done.stdout, done.stdout
