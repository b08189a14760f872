#include "harness/process/carried_variables.hpp"

#include <algorithm>
#include <set>

#include <unistd.h>

#include "harness/process/child.hpp"
#include "harness/protocol/messages.hpp"

namespace ridgeline::process {
namespace {

constexpr std::string_view families[] = {"CUDA_", "FI_",       "NCCL_",     "OMPI_MCA_",
                                         "OMP_",  "OPENBLAS_", "PMIX_MCA_", "UCX_"};
constexpr std::string_view names[] = {"HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TZ", "USER"};

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool is_carried(std::string_view name) {
  const bool is_named = std::ranges::find(names, name) != std::end(names);
  const bool is_of_family = std::ranges::any_of(
      families, [&](std::string_view family) { return name.starts_with(family); });
  return (is_named || is_of_family) && std::ranges::all_of(name, is_plain);
}

std::vector<std::string> carried_variables() {
  std::set<std::string> carried{protocol::token_variable, "LC_ALL"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry, name = line.substr(0, line.find('='));
    if (is_carried(name) && is_inherited(name)) carried.emplace(name);
  }
  return {carried.begin(), carried.end()};
}

}  // namespace ridgeline::process
