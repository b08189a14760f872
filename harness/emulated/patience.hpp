#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// How long blocks that wait for each other are let go on in vain.
class Patience {
 public:
  /// Behind a turn of one of `blocks`. `progress`: something new has happened in it; `counts`:
  /// nothing has, but one of its lanes counts and may end by itself. False when nothing ever will.
  bool lasts(bool progress, bool counts, std::uint64_t blocks) {
    if (progress) renew();
    if (progress || (counts && ++counted_turns_ < most_counted_turns)) return true;
    return ++vain_turns_ <= most_vain_turns * blocks;
  }
  void renew() { vain_turns_ = counted_turns_ = 0; }

 private:
  // Nobody counts, so that all come to the same again. By then all have looked.
  static constexpr std::uint64_t most_vain_turns = 1000;
  // Of all blocks. A lane looks 64 times in each, 4 million times if it is alone.
  static constexpr std::uint64_t most_counted_turns = 1u << 16;

  std::uint64_t vain_turns_ = 0, counted_turns_ = 0;
};

}  // namespace ridgeline::emulated
