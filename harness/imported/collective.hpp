#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/imported/gathering.hpp"

/// What nccl-tests says of one collective, however it is written down.
namespace ridgeline::imported {

/// The collective of a program of nccl-tests, as our cases call it: "all_reduce" of
/// "./build/all_reduce_perf" and of "all_reduce_perf_mpi". Empty for any other text.
std::string collective_of(std::string_view program);

/// busbw over algbw of `ranks`, as nccl-tests reckons it; absent where it has no such factor.
std::optional<double> bus_factor(std::string_view collective, int ranks);

/// One program, and what holds for all of its rows.
struct CollectiveProgram {
  std::string collective;  // empty: not known
  int ranks = 0;           // 0: not known
  std::int64_t iterations = 1;
  bool cpu_time = false;  // -C: what a call costs the CPU
  bool validated = true;
};

/// One half of a row: out of place, or in place. Absent is what the file does not say ("N/A").
struct CollectiveHalf {
  bool in_place = false;
  std::optional<double> time_us, algbw, busbw;  // bandwidths in GB/s
  std::optional<double> wrong;                  // elements
  std::string wrong_text;                       // where it is no number
};

struct CollectiveRow {
  std::size_t line = 0;
  int execution = 0;
  std::int64_t bytes = 0, count = 0;
  std::string type, redop, root;
};

/// Adds the half as a time of its case. Refuses what cannot be; flags what contradicts itself, once
/// a kind. Returns the place of its row.
class Collectives {
 public:
  explicit Collectives(Gathering& gathering) : gathering_(gathering) {}
  std::size_t add(const CollectiveProgram& program, const CollectiveRow& row,
                  const CollectiveHalf& half);

 private:
  void check(const CollectiveProgram& program, const CollectiveRow& row,
             const CollectiveHalf& half);
  /// The place of the half's case, which is made where it is new.
  std::size_t place_of(const CollectiveProgram& program, const CollectiveRow& row,
                       const CollectiveHalf& half);
  void doubt(bool& told, std::size_t line, std::string what);

  Gathering& gathering_;
  std::unordered_map<std::string, std::size_t> places_;  // by what rows and programs say
  bool told_ranks_ = false, told_rate_ = false, told_alone_ = false, told_unchecked_ = false;
};

}  // namespace ridgeline::imported
