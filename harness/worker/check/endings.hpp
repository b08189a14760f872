#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/emulated/source_lines.hpp"

namespace ridgeline::worker {

/// A signal that ends the program that is checked: it has crashed in host code, or is asked to end
/// (SIGTERM). What crashes in a kernel is the device's, which finds it.
struct Ending {
  int signal = 0;
  std::optional<std::uint64_t> address;  // that an instruction could not reach
  bool in_kernel = false;                // a lane was running
  // Where it was, the innermost place first, each as the address behind a call. Code of shared
  // libraries is left out.
  std::array<std::uint32_t, 32> places{};
  std::size_t place_count = 0;

  bool was_asked() const;
  /// The innermost place of which a line of the user's is known; 0 and no file where none is.
  std::pair<std::uint32_t, emulated::SourceLine> users_place() const;
  /// "signal 11 (Segmentation fault)".
  std::string text() const;
};

/// "crash of host code at main.cu:7: signal 11 (Segmentation fault) at 0x0", as far as is known.
std::string crash_text(const Ending& ending);

/// From now on such a signal has a few words written to the file, and then `report` called, once
/// and on a stack of its own; the process then ends with the exit code that it returns. It may do
/// what any function may, though the program may be within malloc() or printf(), and the heap
/// overwritten: where it crashes or waits for ever, the program dies of the signal, and the words
/// remain. Processes that this one forks die of such signals as if nobody watched them.
void watch_endings(const std::string& file, int (*report)(const Ending& ending));

/// To be called before a program that came to its end reports: from now on SIGTERM does nothing,
/// and where the report crashes, that of the crash replaces it. Does not return where another
/// thread reports already.
void begin_report();

/// Whether this is another process, which the one that watches has forked.
bool is_forked();

}  // namespace ridgeline::worker
