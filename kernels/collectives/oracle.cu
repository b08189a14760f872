#include "kernels/collectives/collectives.hpp"
#include "kernels/cuda/elements.cuh"
#include "kernels/cuda/oracle.cuh"

namespace ridgeline::collectives::on_cuda {
namespace {

/// What is received lies in blocks, which are `apart` in the stream of inputs, from `begin` on.
/// Element i is the reduction of its input there and those of `ranks` ranks, which lie `stride`
/// behind each other.
struct Received {
  Inputs inputs;
  DType dtype;
  Reduction reduction;
  std::int64_t begin, block, apart, stride;
  int ranks;

  __device__ double operator()(std::int64_t i) const {
    const std::int64_t at = begin + i / block * apart + i % block;
    double result = inputs(dtype, at);
    for (int rank = 1; rank < ranks; ++rank) {
      const double value = inputs(dtype, at + rank * stride);
      result = reduction != Reduction::max ? result + value : fmax(result, value);
    }
    if (reduction == Reduction::avg) result /= ranks;
    return dtype == DType::i8 ? trunc(result) : result;
  }
};

Received received_by(int rank, const Problem& problem, const Inputs& inputs) {
  const std::int64_t count = problem.count(), part = problem.part();
  Received all{inputs, problem.dtype, problem.reduction, 0, count, 0, count, 1};
  switch (problem.operation) {
    case Operation::reduce_scatter:
      all.begin = rank * part;
      [[fallthrough]];
    case Operation::all_reduce:
    case Operation::reduce:
      all.ranks = problem.ranks;
      break;
    case Operation::all_to_all:
      all.begin = rank * part;
      all.block = part;
      all.apart = count;
      break;
    case Operation::send_recv:
      all.begin = (rank == 0 ? problem.ranks - 1 : rank - 1) * count;
      break;
    case Operation::scatter:
      all.begin = rank * part;
      break;
    case Operation::all_gather:  // all ranks' elements in a row are the stream itself
    case Operation::gather:
    case Operation::broadcast:
      break;
  }
  if (all.ranks == 1) all.reduction = Reduction::sum;
  return all;
}

__device__ double number(float value) { return value; }
__device__ double number(std::int8_t value) { return value; }
__device__ double number(__half value) { return __half2float(value); }
__device__ double number(__nv_bfloat16 value) { return __bfloat162float(value); }

__device__ void make(float& to, std::int32_t whole) { to = static_cast<float>(whole); }
__device__ void make(std::int8_t& to, std::int32_t whole) { to = static_cast<std::int8_t>(whole); }
__device__ void make(__half& to, std::int32_t whole) {
  to = __float2half_rn(static_cast<float>(whole));
}
__device__ void make(__nv_bfloat16& to, std::int32_t whole) {
  to = __float2bfloat16_rn(static_cast<float>(whole));
}

/// How many elements there are from a wrong one on; 0 for one that is right.
template <class Element>
struct RestFromWrong {
  Received expected;
  const Element* received;
  std::int64_t count;

  __device__ double operator()(std::int64_t i) const {
    const Element element = received[i];
    return number(element) == expected(i) ? 0 : static_cast<double>(count - i);
  }
};

template <class Element>
struct Input {
  Inputs inputs;
  DType dtype;

  __device__ Element operator()(std::int64_t i) const {
    Element element;
    make(element, inputs(dtype, static_cast<std::uint64_t>(i)));
    return element;
  }
};

/// Calls `action` with a null pointer to the C++ type of `dtype`.
template <class Action>
void with_element(DType dtype, Action action) {
  if (dtype == DType::f16) return action(static_cast<const __half*>(nullptr));
  if (dtype == DType::bf16) return action(static_cast<const __nv_bfloat16*>(nullptr));
  if (dtype == DType::i8) return action(static_cast<const std::int8_t*>(nullptr));
  action(static_cast<const float*>(nullptr));
}

void answer(const Problem& problem, int rank, const Inputs& inputs,
            const kernels::Question& question, device::Stream& stream) {
  const Received expected = received_by(rank, problem, inputs);
  if (question.write_to != nullptr)
    return kernels::on_cuda::write<double>(question, stream, expected);
  with_element(problem.dtype, [&]<class Element>(const Element*) {
    const auto* received = static_cast<const Element*>(question.output);
    kernels::on_cuda::answer_error(question, stream,
                                   RestFromWrong<Element>{expected, received, question.count});
  });
}

void fill(DType dtype, const Inputs& inputs, std::uint64_t first, std::int64_t count, void* to,
          device::Stream& stream) {
  const kernels::Question question{
      .first = static_cast<std::int64_t>(first), .count = count, .write_to = to};
  with_element(dtype, [&]<class Element>(const Element*) {
    kernels::on_cuda::write<Element>(question, stream, Input<Element>{inputs, dtype});
  });
}

}  // namespace

DeviceOracle oracle() { return {answer, fill}; }

}  // namespace ridgeline::collectives::on_cuda
