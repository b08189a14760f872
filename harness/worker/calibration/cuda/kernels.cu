#include "harness/device/kernel.hpp"
#include "harness/worker/calibration/cuda/kernels.hpp"
#include "harness/worker/calibration/kernels.hpp"

namespace ridgeline::worker::calibration::on_cuda {
namespace {

/// A count for each thread of a block, in shared memory. It goes up one by one, so that what it
/// holds is what was done and not what was asked for.
template <int threads>
class Counter {
 public:
  __device__ Counter() {
    __shared__ std::uint32_t counts[threads];
    mine_ = counts + threadIdx.x;
    *mine_ = 0;
  }
  __device__ void add_one() { *mine_ = *mine_ + 1; }
  __device__ std::uint32_t count() const { return *mine_; }

 private:
  volatile std::uint32_t* mine_;
};

__global__ void __launch_bounds__(advance_threads)
    advance_chains(const float* in, float* out, std::int32_t rounds, float one) {
  const std::size_t first = std::size_t{blockIdx.x} * lanes_of_block + threadIdx.x;
  float x[chains];
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) x[chain] = in[first + chain * advance_threads];
#pragma unroll 1
  for (std::int32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int chain = 0; chain < chains; ++chain) x[chain] = fmaf(x[chain], one, round_step);
  }
#pragma unroll
  for (int chain = 0; chain < chains; ++chain) out[first + chain * advance_threads] = x[chain];
}

/// Loads without branches around them, so that the last turn of a block differs from others in what
/// is masked alone.
__global__ void __launch_bounds__(read_threads)
    read_rows(const uint4* vectors, std::uint32_t rows, std::uint32_t units, Counted* out) {
  constexpr std::uint32_t in_flight = 4;
  Counter<read_threads> counter;
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::uint32_t unit = blockIdx.x; unit < units; unit += in_flight * gridDim.x) {
    uint4 value[in_flight];
#pragma unroll
    for (std::uint32_t j = 0; j < in_flight; ++j) {
      const std::uint32_t at = unit + j * gridDim.x;
      value[j] = make_uint4(0, 0, 0, 0);
      if (at < units)
        value[j] = __ldcs(vectors + std::size_t{at & (rows - 1)} * read_threads + threadIdx.x);
    }
#pragma unroll
    for (std::uint32_t j = 0; j < in_flight; ++j) {
      sum += value[j].x + value[j].y + value[j].z + value[j].w;
      if (unit + j * gridDim.x < units) counter.add_one();
    }
  }
  out[std::size_t{blockIdx.x} * read_threads + threadIdx.x] = {sum, counter.count()};
}

__global__ void __launch_bounds__(chasers_of_block)
    chase_words(const std::uint32_t* words, std::uint64_t mask, std::uint64_t seed,
                std::int32_t steps, Counted* out) {
  Counter<chasers_of_block> counter;
  const int chaser = static_cast<int>(blockIdx.x * chasers_of_block + threadIdx.x);
  std::uint32_t sum = 0;
  std::uint64_t at = first_place(seed, chaser, mask);
#pragma unroll 1
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::uint32_t word = __ldcg(words + at);
    sum += word;
    at = next_place(word, step, mask);
    counter.add_one();
  }
  out[chaser] = {sum, counter.count()};
}

constexpr int copy_threads = words_of_copy_block / 4;

__global__ void __launch_bounds__(copy_threads)
    copy_words(const uint4* in, uint4* out, bool first, std::uint32_t* launches) {
  const unsigned at = blockIdx.x * copy_threads + threadIdx.x;
  out[at] = in[at];
  if (at == 0) *launches = (first ? 0 : *launches) + 1;
}

}  // namespace

void start_advance(const float* in, float* out, int blocks, std::int64_t rounds,
                   device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(advance_threads)},
                 stream, advance_chains, in, out, static_cast<std::int32_t>(rounds), 1.0f);
}

void start_read(const std::uint32_t* words, std::int64_t rows, std::int64_t units, int blocks,
                Counted* out, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(read_threads)}, stream,
                 read_rows, reinterpret_cast<const uint4*>(words), static_cast<std::uint32_t>(rows),
                 static_cast<std::uint32_t>(units), out);
}

void start_chase(const std::uint32_t* words, std::uint64_t mask, std::uint64_t seed,
                 std::int64_t steps, int blocks, Counted* out, device::Stream& stream) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(chasers_of_block)},
                 stream, chase_words, words, mask, seed, static_cast<std::int32_t>(steps), out);
}

void start_copy(const std::uint32_t* in, std::uint32_t* out, std::int64_t words, bool first,
                std::uint32_t* launches, device::Stream& stream) {
  device::launch(
      {.grid = dim3(device::blocks_for(words, words_of_copy_block)), .block = dim3(copy_threads)},
      stream, copy_words, reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out), first,
      launches);
}

}  // namespace ridgeline::worker::calibration::on_cuda
