#include "kernels/collectives/collectives.hpp"
#include "kernels/cuda/oracle.cuh"

namespace ridgeline::collectives::on_cuda {
namespace {

/// The stream of inputs has one part after the other, of `part` elements each; element i of what is
/// received is the sum of elements begin + i, begin + part + i, ... of `parts` parts.
struct Sum {
  kernels::on_cuda::Floats inputs;
  std::int64_t part;
  int parts;

  __device__ double2 operator()(std::int64_t i) const {
    double sum = 0, magnitude = 0;
    for (int at = 0; at < parts; ++at) {
      const double value = inputs(at * part + i);
      sum += value;
      magnitude += fabs(value);
    }
    return double2{sum, magnitude};
  }
};

struct ErrorOf {
  Sum expected;
  const float* received;

  __device__ double operator()(std::int64_t i) const {
    const double2 right = expected(i);
    const double difference = fabs(received[i] - right.x);
    // No magnitude but of zeros is as small as this, and then any difference is beyond tolerance.
    return difference == 0 ? 0 : difference / fmax(right.y, 0x1p-1022);
  }
};

void answer(const Problem& problem, device::Distribution distribution, std::uint64_t seed,
            const kernels::Question& question, device::Stream& stream) {
  // All ranks' elements in a row are the stream itself; so are rank 0's.
  const bool reduces = problem.operation == Operation::all_reduce;
  const Sum expected{kernels::RandomFloats{distribution, seed, 0}, problem.bytes / 4,
                     reduces ? problem.ranks : 1};
  if (question.write_to != nullptr)
    return kernels::on_cuda::write<double2>(question, stream, expected);
  kernels::on_cuda::answer_error(question, stream,
                                 ErrorOf{expected, static_cast<const float*>(question.output)});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::collectives::on_cuda
