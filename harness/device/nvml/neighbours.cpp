#include "harness/device/nvml/neighbours.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <fmt/core.h>

namespace ridgeline::device::nvml {

Kin read_kin(pid_t pid) {
  // "pid (command) state parent ...": the command may hold spaces and parentheses, so fields are
  // counted from its last ')'.
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(in, line);
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 >= line.size())
    return {};
  return {static_cast<pid_t>(std::atoi(line.c_str() + close + 4)),
          line.compare(open + 1, 9, "ridgeline") == 0};
}

std::optional<int> count_neighbours(std::span<const pid_t> on_gpu, pid_t self,
                                    const std::function<Kin(pid_t)>& kin) {
  if (std::find(on_gpu.begin(), on_gpu.end(), self) == on_gpu.end())
    return on_gpu.size() <= 1 ? std::optional<int>(0) : std::nullopt;

  constexpr int deepest = 64;  // a bound on the walk, since processes come and go under it
  pid_t root = self;
  pid_t above = self;
  for (int depth = 0; depth < deepest && above > 1; ++depth) {
    above = kin(above).parent;
    if (kin(above).of_ridgeline) root = above;
  }
  const auto descends = [&](pid_t pid) {
    for (int depth = 0; depth < deepest && pid > 1; ++depth) {
      if (pid == root) return true;
      pid = kin(pid).parent;
    }
    return false;
  };
  return static_cast<int>(
      std::count_if(on_gpu.begin(), on_gpu.end(), [&](pid_t pid) { return !descends(pid); }));
}

}  // namespace ridgeline::device::nvml
