#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/protocol/messages.hpp"

namespace ridgeline::protocol {

/// That a rank is there, and how far it has come.
struct Beat {
  std::uint64_t meetings = 0;  // of all ranks that it has gone to since it was started
  bool is_idle = false;  // since its last beat it has hardly run, nor waited for a processor to run
};

/// What a rank says past rank 0. A rank other than 0 says why it cannot go on, while rank 0 may
/// wait for it; ranks of several hosts say that they are there. It is a line of its standard error,
/// which every launcher carries to whoever started it.
struct RankNote {
  int rank = 0;
  std::variant<Failure, Beat> said;
};

/// Begins and ends with a newline. Texts are cut, so that one write to a pipe has all of it and no
/// launcher splits it. `token`: the value of token_variable, by which notes are told from what
/// kernels print.
std::string to_line(const RankNote& note, std::string_view token);

/// `line` without its newline, with or without what a launcher puts before it (who said it, the
/// time); absent when it is no note, or none of a team of `ranks` with this token.
std::optional<RankNote> parse_rank_note(std::string_view line, std::string_view token, int ranks);

}  // namespace ridgeline::protocol
