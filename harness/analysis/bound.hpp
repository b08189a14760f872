#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/datasheets.hpp"
#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

/// The least time that counts allow on a GPU: a bound, never a forecast. docs/how-to-predict.md
/// says what it contains.
namespace ridgeline::analysis {

/// The value of the metric of that name.
std::optional<double> metric(const std::vector<record::Metric>& metrics, std::string_view name);

/// What one execution asks of a GPU, as an emulated device counted it. Absent where the counts or
/// the case do not say.
struct CountedWork {
  std::optional<double> flops;       // of the case
  std::optional<double> dram_bytes;  // read and written, by the cache model; absent with cache=hot
  std::optional<double> l2_bytes;    // at least: stored sectors, and what DRAM gave
  std::optional<double> shared_wavefronts;  // loads and stores
  bool tensor = false;                      // instructions of tensor cores were counted
  std::string dtype;
};

/// Of a measurement with the outcome counted.
CountedWork counted_work(const record::Case& info, const record::Measurement& counted);

/// One resource of the GPU, and how long the work keeps it busy at its highest rate.
struct BoundTerm {
  std::string resource;  // "DRAM", "L2", "shared memory", "CUDA cores" or "tensor cores"
  double amount = 0, rate = 0;
  std::string unit;  // of the amount: "B", "wavefronts" or "FLOP"; the rate is this a second
  double ns = 0;     // amount over rate
  std::string rate_source;
};

struct Bound {
  std::vector<BoundTerm> terms;         // resources that the work uses, in the order above
  std::vector<std::string> left_out;    // resources whose time is not known, each with why
  std::optional<BoundTerm> binding;     // the longest; absent without terms
  std::optional<double> flop_per_byte;  // FLOP a byte of DRAM; absent where either is none
  std::optional<double> flop_rate;      // FLOP/s when the bound is reached
};

/// `l2` is the device model's measured roof of its last-level cache in B/s, when there is one. A
/// resource that the work does not touch is no term.
Bound least_time(const CountedWork& work, const catalogue::Datasheet& device,
                 const std::optional<record::Roof>& l2);

/// SM clock in Hz at which the device reaches its f32 roof.
double clock_of_roof(const catalogue::Datasheet& device);

/// Capability of the emulated device that runs the code which this GPU runs (80, 90): of its major
/// version, and not above its own; absent without one.
std::optional<int> counting_capability(const catalogue::Datasheet& device);

}  // namespace ridgeline::analysis
