#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "harness/device/buffer.hpp"
#include "kernels/attention_backward/attention_backward.hpp"
#include "kernels/judging.hpp"
#include "kernels/oracle.hpp"

namespace ridgeline::attention_backward {

struct Sources {
  kernels::Source q, k, v, d_o;
};

/// What a forward pass leaves behind: O, rounded as it is stored, and L.
struct Forward {
  std::vector<float> o, logarithms;
  auto parts() { return std::tie(o, logarithms); }
};
/// Computed in f64.
Forward forward(const Problem& problem, const Sources& sources);

/// Gradients by the chain rule from Q, K, V and dO alone, in f64, and a tolerance for each row.
struct Expected {
  struct Part {
    std::vector<double> values, tolerances;
  };
  Part dq, dk, dv;
  auto parts() {
    return std::tie(dq.values, dq.tolerances, dk.values, dk.tolerances, dv.values, dv.tolerances);
  }
};
/// Of small problems: a head's scores are kept.
Expected expect(const Problem& problem, const Sources& sources);

/// Where the random inputs of one buffer set start in stream `seed`.
struct RandomInputs {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, q_first = 0, k_first = 0, v_first = 0, d_o_first = 0;
  bool operator==(const RandomInputs&) const = default;
};
Sources sources_of(const Problem& problem, const RandomInputs& inputs);

/// O and L for random inputs, in device memory: what the timed executions read, and no variant has
/// made. On a GPU the device's oracle computes them, elsewhere the CPU's, both in f64.
struct Given {
  device::Buffer<std::byte> o;
  device::Buffer<float> logarithms;

  std::size_t bytes() const { return o.bytes() + logarithms.bytes(); }
};
std::shared_ptr<const Given> give(device::Device& device, const Problem& problem,
                                  const RandomInputs& inputs,
                                  DeviceOracle oracle = device_oracle());

/// Device memory.
struct Outputs {
  const void *dq = nullptr, *dk = nullptr, *dv = nullptr;
};

/// The largest difference from what is expected and the tolerance of its row, where their quotient
/// is largest: all rows of the three outputs are right when this one is.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const Expected& expected, const Outputs& outputs);

/// Judges outputs for random inputs: on a GPU by the device's oracle, elsewhere by the CPU's, which
/// compares them whole. The device's compares whole what takes at most `effort.whole` operations,
/// and of a larger problem rows that the seed picks; that a number stands everywhere it always
/// looks at. Throws an internal Error when the device's oracle expects other elements than the
/// CPU's.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const RandomInputs& inputs, const Outputs& outputs,
                             const kernels::Effort& effort = {},
                             DeviceOracle oracle = device_oracle());

/// tolerance = 2 max|plain - exact| + u (2 max|exact| + 6 r) + u_f32 (2 (dim + 4) (s + 1) + 16) m:
/// of a row, see oracle.cpp.
struct Sensitivity {
  double error = 0, output = 0;  // max|plain - exact|, max|exact|
  double squares = 0;            // max r^2
  double size = 0;               // max m
  double score = 0;              // s
};
double tolerance(const Sensitivity& of, double unit_of_elements, double unit_of_sums,
                 std::int64_t dim);

}  // namespace ridgeline::attention_backward
