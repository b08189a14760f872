#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/code/program_code.hpp"

namespace ridgeline::code {

/// Whether a reference is not followed, from a node of the baseline or the candidate to a symbol:
/// what it leads to is not executed.
using Cut =
    std::function<bool(const ProgramCode& program, std::uint32_t from, std::string_view symbol)>;

/// Compares what two programs execute, byte by byte, except where the bytes say where something
/// lies: there, what lies there is compared. Whatever is not the same for certain is different.
class Comparison {
 public:
  /// Both programs must outlive it.
  Comparison(const ProgramCode& baseline, const ProgramCode& candidate, Cut cut);

  /// What differs, in words, of all that is reached from the roots of both programs and from the
  /// functions called `symbols`; empty when nothing does.
  std::string difference(const std::vector<std::string>& symbols);

 private:
  /// Which node of the candidate stands for which of the baseline, and the reverse.
  struct Pairing {
    std::vector<std::uint32_t> baseline, candidate;
    std::vector<std::uint32_t> to_do;  // of the baseline
    std::string different;
  };

  bool pair(Pairing& pairing, const Reference& baseline, const Reference& candidate) const;
  bool follow(Pairing& pairing);
  void pair_roots();
  bool equal(std::uint32_t baseline, std::uint32_t candidate);
  bool equal(const Piece& baseline, const Piece& candidate, std::uint32_t from_baseline,
             std::uint32_t from_candidate) const;
  bool is_cut(const Reference& baseline, const Reference& candidate, std::uint32_t from_baseline,
              std::uint32_t from_candidate) const;
  std::string name_of(std::uint32_t baseline) const;

  const ProgramCode &baseline_, &candidate_;
  Cut cut_;
  Pairing roots_;
  struct Known {
    std::uint32_t candidate = nowhere;
    bool equal = false;
  };
  std::vector<Known> known_;  // by node of the baseline
};

}  // namespace ridgeline::code
