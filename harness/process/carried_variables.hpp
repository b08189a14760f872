#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridgeline::process {

/// Whether ranks on other hosts get the variable of this name: what sets MPI, NCCL, CUDA, their
/// networks and the threads of a rank, and what a program needs to start. Nothing else of this
/// environment leaves the host, secrets least of all. Never true of a name that is not plain: of
/// letters, digits and underscores.
bool is_carried(std::string_view name);

/// The names of what is carried of a Child's environment, in alphabetical order: with its locale,
/// and the token by which rank 0 reports.
std::vector<std::string> carried_variables();

}  // namespace ridgeline::process
