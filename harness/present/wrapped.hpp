#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ridgeline::present {

inline constexpr std::size_t any_width = static_cast<std::size_t>(-1);

/// How wide `text` is on a terminal: characters rather than bytes, and escape sequences that colour
/// take no room.
std::size_t characters(std::string_view text);

/// `text` in lines of at most `width` characters, each with its newline. The first one goes on from
/// `column`, the others begin with `indent` spaces. A word that is longer than a line, such as the
/// name of a case, is cut after a ',' or '/'; one that has none stays whole.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent,
                    std::size_t column = 0);

}  // namespace ridgeline::present
