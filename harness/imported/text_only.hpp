#pragma once

#include <istream>
#include <string>

namespace ridgeline::imported {

/// Refuses a file that begins as no text in UTF-8 does: compressed, in UTF-16 or UTF-32, or binary.
/// Leaves the stream at its beginning.
void refuse_what_is_no_text(std::istream& stream, const std::string& file);

}  // namespace ridgeline::imported
