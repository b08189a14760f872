#pragma once

#include <optional>
#include <string>
#include <vector>

/// Small figures made of characters.
namespace ridgeline::present {

/// Which characters the reader's terminal shows.
enum class Glyphs { ascii, unicode };

/// By the locale that the environment asks for: $LC_ALL, else $LC_CTYPE, else $LANG.
Glyphs glyphs_of_locale();

/// A character a value, the lowest at the bottom; 'x' where there is none. Values that lie less
/// than `height` apart fill only so much of the line's height, about the middle.
std::string sparkline(const std::vector<std::optional<double>>& values, Glyphs glyphs,
                      double height = 0);

}  // namespace ridgeline::present
