#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#include "harness/device/random.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"

// What the devices' oracles share: inputs that are made again, and answers. An oracle is a struct
// whose call operator says what element i of the output should be, as a word of the size of an
// element: one thread an element, no memory shared, nothing of the variant's read but the output.
namespace ridgeline::kernels::on_cuda {

/// RandomFloats, on a device.
struct Floats {
  // NOLINTNEXTLINE(google-explicit-constructor): the same values
  RIDGELINE_HOST_DEVICE Floats(const RandomFloats& values)
      : distribution(values.distribution), seed(values.seed), first(values.first) {}
  __device__ float operator()(std::int64_t i) const {
    return device::random_float(distribution, seed, first + static_cast<std::uint64_t>(i));
  }

  device::Distribution distribution;
  std::uint64_t seed, first;
};

inline constexpr int oracle_threads = 256;

/// Blocks of one thread an element.
inline device::LaunchConfig one_thread_each(std::int64_t count) {
  return {.grid = dim3(device::blocks_for(count, oracle_threads)), .block = dim3(oracle_threads)};
}

template <class Expected, class Word>
__global__ void __launch_bounds__(oracle_threads)
    write_expected(Expected expected, std::int64_t first, std::int64_t count, Word* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * oracle_threads + threadIdx.x;
  if (i < count) to[i] = expected(first + i);
}

/// Adds to `tally` once a block.
__device__ inline void add_up(std::uint64_t mine, std::uint64_t* tally) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (mine != 0) atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0 && sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(tally), sum);
}

template <class Expected, class Word>
__global__ void __launch_bounds__(oracle_threads)
    count_differences(Expected expected, std::int64_t count, const Word* output,
                      std::uint64_t* tally) {
  const std::int64_t i = std::int64_t{blockIdx.x} * oracle_threads + threadIdx.x;
  add_up(i < count && output[i] != expected(i) ? 1 : 0, tally);
}

/// Writes what is asked for. Word: what the oracle's call operator gives.
template <class Word, class Expected>
void write(const Question& question, device::Stream& stream, const Expected& expected) {
  device::launch(one_thread_each(question.count), stream, write_expected<Expected, Word>, expected,
                 question.first, question.count, static_cast<Word*>(question.write_to));
}

/// The answer of an oracle whose elements are compared one by one. Word: an unsigned integer.
template <class Word, class Expected>
void answer(const Question& question, device::Stream& stream, const Expected& expected) {
  if (question.write_to != nullptr) return write<Word>(question, stream, expected);
  device::launch(one_thread_each(question.count), stream, count_differences<Expected, Word>,
                 expected, question.count, static_cast<const Word*>(question.output),
                 question.tally);
}

/// Keeps the bits of the largest error: of numbers that are not negative these are in order, and
/// NaN comes after infinity.
template <class ErrorOf>
__global__ void __launch_bounds__(oracle_threads)
    keep_largest(ErrorOf error_of, std::int64_t count, std::uint64_t* tally) {
  const std::int64_t i = std::int64_t{blockIdx.x} * oracle_threads + threadIdx.x;
  __shared__ unsigned long long largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  if (i < count)
    atomicMax(&largest, static_cast<unsigned long long>(__double_as_longlong(fabs(error_of(i)))));
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(reinterpret_cast<unsigned long long*>(tally), largest);
}

/// The answer about errors that `error_of(i)` says.
template <class ErrorOf>
void answer_error(const Question& question, device::Stream& stream, const ErrorOf& error_of) {
  device::launch(one_thread_each(question.count), stream, keep_largest<ErrorOf>, error_of,
                 question.count, question.tally);
}

template <class Expected>
__global__ void __launch_bounds__(oracle_threads)
    add_expected(Expected expected, std::int64_t count, std::uint64_t* tally) {
  const std::int64_t i = std::int64_t{blockIdx.x} * oracle_threads + threadIdx.x;
  add_up(i < count ? expected(i) : 0, tally);
}

template <class Word>
__global__ void __launch_bounds__(oracle_threads)
    subtract_output(const Word* output, std::int64_t outputs, std::uint64_t* tally) {
  const std::int64_t i = std::int64_t{blockIdx.x} * oracle_threads + threadIdx.x;
  add_up(i < outputs ? 0 - std::uint64_t{output[i]} : 0, tally);
}

/// What a part of an oracle's sum is: the words `word(i)` of up to part_of_sum elements of
/// `elements`, each `times` times. The product stands behind the loop: inside, the ptxas of CUDA
/// 13.0.88 makes all sums 0 when it optimises.
template <class Word>
struct PartOfSum {
  Word word;
  std::int64_t elements;
  std::uint32_t times;
  __device__ std::uint32_t operator()(std::int64_t part) const {
    const std::int64_t end = min(elements, (part + 1) * part_of_sum);
    std::uint32_t sum = 0;
    for (std::int64_t i = part * part_of_sum; i < end; ++i) sum += word(i);
    return times * sum;
  }
};

/// The answer of an oracle of a sum; `times` counts modulo 2^32, as the sum does.
template <class Word>
void answer_sum(const Question& question, device::Stream& stream, std::int64_t elements,
                const Word& word, std::int64_t times = 1) {
  const PartOfSum<Word> parts{word, elements, static_cast<std::uint32_t>(times)};
  if (question.write_to != nullptr) return write<std::uint32_t>(question, stream, parts);
  device::launch(one_thread_each(question.count), stream, add_expected<PartOfSum<Word>>, parts,
                 question.count, question.tally);
  device::launch(one_thread_each(question.outputs), stream, subtract_output<std::uint32_t>,
                 static_cast<const std::uint32_t*>(question.output), question.outputs,
                 question.tally);
}

}  // namespace ridgeline::kernels::on_cuda
