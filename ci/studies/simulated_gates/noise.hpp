#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/paired_times.hpp"
#include "harness/base/device_kind.hpp"

/// Pairs of processes that never ran: noise of several kinds, and what is planted in a candidate.
namespace ridgeline::analysis::study {

/// Draws that are the same with every standard library.
class Random {
 public:
  /// `what` and `which` tell the streams of a study apart.
  Random(std::uint64_t what, std::uint64_t which);
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal();
  double exponential();
  bool chance(double probability) { return uniform() < probability; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

/// Pairs that were measured: logarithms of all samples, process after process.
struct MeasuredPairs {
  std::string name = "measured";
  DeviceKind device = DeviceKind::cpu;
  std::size_t pairs = 0, samples = 0;  // samples of a process
  std::vector<double> baseline, candidate;
};

/// Noise of processes and of their samples, in logarithms.
struct Noise {
  std::string name;
  DeviceKind device = DeviceKind::cuda;     // whose plan and delta judge it
  double between = 0.001;                   // standard deviation of processes
  double within = 0.003;                    // and of samples
  double slow_samples = 0;                  // share of samples with an exponential extra
  double extra = 0.3;                       // mean of such an extra
  double slow_processes = 0;                // share of processes with an exponential extra of 0.2
  double second_mode = 0;                   // share of processes that are 12.5% slower
  double second_mode_of_samples = 0;        // likewise of samples
  bool heavy = false;                       // processes follow Student's t with 3 degrees
  const MeasuredPairs* measured = nullptr;  // in place of all these

  bool has_modes() const { return second_mode > 0 || second_mode_of_samples > 0; }
};

/// The kinds of synthetic noise.
const std::vector<Noise>& synthetic_noises();

/// Of cases that are shorter than their launch: processes differ by 5%.
const Noise& launch_bound();

/// What is done to the candidate.
struct Plant {
  std::string name;
  double shift = 0;                      // of every sample, a logarithm
  double samples = 0, factor = 1;        // a share of samples takes `factor` times as long
  double processes = 0, by = 1;          // likewise of processes
  double slow_mode = 1;                  // likewise of what is in the slower of two modes
  double drops = 0, baseline_drops = 0;  // shares of processes with a recorded disturbance
};

/// The tails of which it is asked how often they are found.
const std::vector<Plant>& planted_tails();

/// The value that stands for the samples of a process.
enum class Location { median, lower_quartile };
std::string_view to_string(Location location);

/// The rounds of one case. Measured pairs come in their order, from a random place on; a coin of
/// each says which side is the candidate.
class Rounds {
 public:
  /// At most `samples` of a process.
  Rounds(const Noise& noise, const Plant& plant, std::size_t samples, Random& random,
         Location location = Location::median);
  PairedTimes next();

 private:
  std::vector<double> process(double slow_mode);
  void plant(std::vector<double>& logarithms);

  const Noise& noise_;
  const Plant& plant_;
  std::size_t samples_;
  Random& random_;
  Location location_;
  std::size_t at_ = 0;
  int round_ = 0;
};

/// Reads sets of pairs, as ci/studies/measured_pairs writes them: a line "# DEVICE NAME", which may
/// be left out, "pairs samples", then the logarithms of all times of a side and then of the other.
/// Throws Error when it is not so.
std::vector<MeasuredPairs> read_pairs(const std::string& file);

}  // namespace ridgeline::analysis::study
