#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace ridgeline::emulated {

struct SourceLine {
  std::string file;  // relative to the source tree where it lies below it; empty when it is not
                     // known
  int line = 0;
};

/// Where the accesses that return to these places stand in the sources of the running program: the
/// innermost line that is the kernel's own and no word of the language (kernels/ptx has some, too).
/// Asks addr2line once per line; what it does not know, or all where it is missing, has no file.
std::map<std::uint32_t, SourceLine> source_lines(std::span<const std::uint32_t> pcs);

/// A line of the function that begins at the address, in which or behind which it is declared: of
/// what was inlined at its beginning, the line that calls. Without a file when it is not known.
SourceLine function_line(std::uint64_t address);

}  // namespace ridgeline::emulated
