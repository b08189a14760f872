#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ridgeline::emulated {

/// A lane that comes again and again to accesses through which lanes wait for each other, and
/// whether it only waits.
struct Spin {
  std::uint64_t address = 0;  // before which it last let others go on
  std::uint32_t pc = 0;       // of the last such access
  std::uint32_t rounds = 0;   // in which it has only waited
  std::uint32_t counted = 0;  // looks that have shown nothing new, while it counted

  /// Whether what it sees there is something else than in the last two laps.
  bool is_new(std::uint64_t at, std::uint64_t value, std::span<const std::byte> stack);
  /// Whether it would do something else in its next laps than in the last ones although it sees the
  /// same: a loop that counts may end by itself.
  bool counts() const { return counts_; }
  /// That it has done something by which its loop may end: read the clock, or changed memory.
  void act() { acts_ = true; }
  /// How often it was seen to come to the same, since something was new: time passes meanwhile.
  std::uint64_t vain_looks() const { return std::uint64_t{counted} + logs; }

  // Of the log that was full last: of what its accesses were and saw, and how many were the same.
  std::uint64_t log = 0;
  std::uint32_t logs = 0;

 private:
  // A lap is what a lane sees from one place, where something was, until it is there again: its
  // hash, also of the lap before, and how many accesses it has had and may have.
  std::uint64_t from_ = 0, there_ = 0, lap_ = 0, last_lap_ = 0;
  std::uint32_t accesses_ = 0, most_ = 0;
  bool repeats_ = false;  // the last two laps were the same
  // A hash of the lane's stack at the end of an earlier lap, and how many end until the next one.
  std::uint64_t state_ = 0;
  std::uint32_t unhashed_ = 0;
  bool counts_ = false, acts_ = false;
};

}  // namespace ridgeline::emulated
