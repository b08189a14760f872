#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/process/child.hpp"

namespace ridgeline::process {

/// What came of a program.
struct Ended {
  std::string output;            // what it printed on stdout
  std::optional<int> exit_code;  // absent when it was killed
  std::string ending;            // "exited with code 3"
};

/// Runs the programs at the same time, without input, until all have ended. `said` gets each line
/// of their stderr as it comes, without its end, cut after 64 KiB, with the number of the program.
/// A program that prints more than 64 MiB on stdout is killed, and its output is cut there. Throws
/// Interrupted, and what Child throws; then nothing is left running.
std::vector<Ended> run_side_by_side(const std::vector<Command>& commands,
                                    const std::function<void(std::size_t, std::string_view)>& said);

}  // namespace ridgeline::process
