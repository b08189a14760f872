#pragma once

#include <cstdio>
#include <string_view>

/// The one way out: what ridgeline prints passes here, and what did not come from its own source
/// steers neither a terminal nor a CI system. ci/check_layers finds what goes past it.
namespace ridgeline::present {

/// Prints `text`, of whole lines, at once. A reader that has gone away must not end a run: output
/// that was lost is reported when the program ends.
void say(std::FILE* out, std::string_view text);

/// Prints lines that a CI system obeys. Texts in them are escaped already.
void say_commands(std::FILE* out, std::string_view commands);

/// Shows `text` on the line where the cursor is, in place of what stands there. For terminals that
/// obey escapes.
void say_over(std::FILE* out, std::string_view text);

}  // namespace ridgeline::present
