#include "harness/process/stops.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "harness/process/descendants.hpp"

namespace ridgeline::process {
namespace {

constexpr double between_looks_s = 0.1;
constexpr double longest_gap_s = 1;  // what lies between two requests was not waited for

/// Of a process that a launcher started: Open MPI's mpirun and Slurm's srun connect ranks by PMIx,
/// which numbers them in this variable.
std::optional<int> rank_of(pid_t pid) {
  constexpr std::string_view name = "PMIX_RANK=";
  constexpr std::size_t most_variables = 10'000;  // it may be anybody's program by now
  std::ifstream file(fmt::format("/proc/{}/environ", pid));
  std::string variable;
  for (std::size_t i = 0; i < most_variables && std::getline(file, variable, '\0'); ++i) {
    if (!variable.starts_with(name)) continue;
    int rank = 0;
    const char* const end = variable.data() + variable.size();
    const auto [parsed, failure] = std::from_chars(variable.data() + name.size(), end, rank);
    return failure == std::errc() && parsed == end ? std::optional(rank) : std::nullopt;
  }
  return std::nullopt;
}

/// Those that are the parent of none of the others.
std::vector<pid_t> without_parents(std::vector<pid_t> watched) {
  std::vector<pid_t> parents;
  for (const pid_t pid : watched) parents.push_back(parent_of(pid));
  std::erase_if(watched, [&](pid_t pid) { return std::ranges::count(parents, pid) > 0; });
  return watched;
}

}  // namespace

Stops::Stops(std::vector<pid_t> watched, double longest_s)
    : watched_(std::move(watched)), workers_(without_parents(watched_)), longest_s_(longest_s) {}

void Stops::look() {
  const double since_s = seconds_since(last_look_);
  if (since_s < between_looks_s) return;
  std::vector<pid_t> held;
  bool any = false;
  for (const pid_t pid : watched_) {
    const RunState state = run_state(pid);
    any = any || state == RunState::stopped || state == RunState::traced;
    if (state == RunState::stopped) held.push_back(pid);
  }
  const bool all = std::ranges::all_of(workers_, [](pid_t pid) {
    const RunState state = run_state(pid);
    return state == RunState::stopped || state == RunState::ended;
  });
  const double counted_s = since_s < longest_gap_s ? since_s : 0;
  if (any && any_) total_s_ += counted_s;
  if (held_ != 0 && !all && std::ranges::count(held, held_) > 0) {
    held_s_ += counted_s;
  } else {
    held_ = held.empty() || all ? 0 : held.front();
    held_s_ = 0;
  }
  any_ = any;
  last_look_ = Clock::now();
}

std::string Stops::for_good() const {
  if (held_ == 0 || held_s_ < longest_s_) return {};
  const auto rank = rank_of(held_);
  return rank ? fmt::format("rank {} (process {})", *rank, held_)
              : fmt::format("process {}", held_);
}

}  // namespace ridgeline::process
