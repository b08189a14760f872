#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ci/studies/simulated_gates/simulated_gate.hpp"

/// The tables of docs/error-rates.md that are simulated.
namespace ridgeline::analysis::study {

struct Options {
  std::size_t suites = 200;             // without a planted case, of each noise and shift
  std::size_t trials = 300;             // of a planted case, of each noise
  std::vector<std::string> tables;      // none: all
  std::vector<std::string> noises;      // by name; none: all
  std::vector<MeasuredPairs> measured;  // beside the synthetic noise
};

/// Suites without a planted case, and what they ended with.
struct Suites {
  std::size_t count = 0;
  int false_tails = 0, false_regressions = 0;   // suites with one
  double suspects = 0, passes = 0, rounds = 0;  // means: shares of cases, rounds of a case
  std::vector<int> suspects_of_each;
};

class Study {
 public:
  explicit Study(Options options);

  const Options& options() const { return options_; }
  const std::vector<Noise>& noises() const { return noises_; }

  /// Suites of this noise with all cases slower by this part of delta, run when first asked for.
  const Suites& suites(const Noise& noise, double part_of_delta, const Setting& setting);

  /// `trials` cases, each beside as many suspects as one of the suites without a change has.
  /// Without screening rounds, medians decide alone.
  std::vector<CaseEnd> planted(const Noise& noise, const Plant& plant, const Setting& setting,
                               std::size_t trials);

 private:
  Options options_;
  std::vector<Noise> noises_;
  std::map<std::string, Suites> suites_;
};

/// "12.5% [10.1, 15.2]": with the limits of Clopper and Pearson, 95%.
std::string share(std::int64_t part, std::size_t all);
/// Without limits.
std::string rate(std::int64_t part, std::size_t all);
/// Appends what fmt makes of these.
template <typename... Values>
void add(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

/// A number that tells the streams of random numbers of a study apart.
std::uint64_t stream(const std::string& what);

std::string false_tails(Study& study);
std::string found_tails(Study& study);
std::string screenings(Study& study);
std::string verdicts(Study& study);
std::string locations(Study& study);
std::string drops(Study& study);
std::string doubts(Study& study);
std::string orders(Study& study);

}  // namespace ridgeline::analysis::study
