#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What stands in the output of nccl-tests beside its own lines.
namespace ridgeline::imported {

/// A line without what a launcher puts before it: "3: " of srun -l, "[1,0]<stdout>:" of mpirun.
struct PrefixedLine {
  std::string prefix;
  std::string_view text;
};
PrefixedLine without_prefix(std::string_view line);

/// Where the log of NCCL or UCX begins in a line; the line's size when there is none. What stands
/// before it in the same word belongs to the row.
std::size_t begin_of_noise(std::string_view text);

}  // namespace ridgeline::imported
