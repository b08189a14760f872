#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/outside/memory.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::outside {

/// Compares outputs with what a case expects of them. Reads some elements as soon as it is asked,
/// and all later: nothing may write them in between.
class Judge {
 public:
  /// Keeps a reference.
  explicit Judge(const Memory& memory) : memory_(memory) {}

  /// Error and tolerance of the worst element of all outputs.
  record::Verification verify(measure::Turn turn);
  /// What the newest verify() has found wrong, for people; empty when nothing.
  const std::string& finding() const { return finding_; }

 private:
  using Bytes = std::vector<std::byte>;
  /// Outputs, and what was expected of some elements, always the same ones.
  struct Answer {
    std::uint64_t contents = 0;
    std::size_t set = 0;
    std::vector<Bytes> found;
    std::vector<double> expected;
  };
  struct Known {  // what all_expected has said
    std::uint64_t contents = 0;
    std::size_t set = 0, output = 0;
    std::vector<double> values;
  };

  /// Whether it holds something already; what is not host memory does.
  bool is_written(std::size_t output) const;
  std::vector<Bytes> read(std::size_t output) const;
  record::Verification compare(measure::Turn turn, const std::vector<Bytes>& found);
  /// What is expected of these elements of output `k`.
  std::vector<double> expected(std::size_t set, std::size_t k,
                               const std::vector<std::int64_t>& elements);
  const std::vector<double>& all_expected(std::size_t set, std::size_t k);
  /// Whether `now` is bit by bit what was found for other inputs, of which something else was
  /// expected.
  bool ignores_inputs(const Answer& now) const;
  Answer answer(std::size_t set, std::vector<Bytes> found);

  const Memory& memory_;
  Answer before_;
  std::vector<Known> known_;
  std::string finding_;
};

}  // namespace ridgeline::outside
