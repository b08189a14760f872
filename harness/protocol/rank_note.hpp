#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/protocol/messages.hpp"

namespace ridgeline::protocol {

/// What a rank other than 0 says past rank 0, which may wait for it: why it cannot go on. It is a
/// line of its standard error, which every launcher carries to whoever started it.
struct RankNote {
  int rank = 0;
  Failure failure;
};

/// Begins and ends with a newline. Texts are cut, so that one write to a pipe has all of it and no
/// launcher splits it.
std::string to_line(const RankNote& note);

/// `line` without its newline, with or without what a launcher puts before it (who said it, the
/// time); absent when it is no note.
std::optional<RankNote> parse_rank_note(std::string_view line);

}  // namespace ridgeline::protocol
