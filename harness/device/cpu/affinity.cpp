#include "harness/device/cpu/affinity.hpp"

#include <algorithm>
#include <set>

#include <fmt/core.h>
#include <sched.h>

#include "harness/base/error.hpp"
#include "harness/device/cpu/cpu_facts.hpp"
#include "harness/device/cpu/cpu_files.hpp"

namespace ridgeline::device::cpu {

std::vector<int> allowed_cpus() {
  // The mask is as long as the kernel was built for, which may be more than cpu_set_t holds.
  for (int capacity = CPU_SETSIZE; capacity <= 1 << 16; capacity *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(capacity);
    const std::size_t size = CPU_ALLOC_SIZE(capacity);
    std::vector<int> cpus;
    if (sched_getaffinity(0, size, mask) == 0) {
      for (int cpu = 0; cpu < capacity; ++cpu)
        if (CPU_ISSET_S(cpu, size, mask)) cpus.push_back(cpu);
    }
    CPU_FREE(mask);
    if (!cpus.empty()) return cpus;
  }
  throw Error(ErrorKind::internal, "reading the process's CPU affinity failed");
}

bool allow_cpus(const std::vector<int>& cpus) {
  const int capacity = *std::max_element(cpus.begin(), cpus.end()) + 1;
  cpu_set_t* const mask = CPU_ALLOC(capacity);
  const std::size_t size = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(size, mask);
  for (const int cpu : cpus) CPU_SET_S(cpu, size, mask);
  const bool allowed = sched_setaffinity(0, size, mask) == 0;
  CPU_FREE(mask);
  return allowed;
}

std::vector<int> one_a_core(const std::vector<int>& cpus, const std::filesystem::path& root) {
  std::set<int> taken;
  std::vector<int> chosen;
  for (const int cpu : cpus) {
    if (taken.count(cpu) != 0) continue;
    chosen.push_back(cpu);
    for (const int sibling : parse_cpu_list(first_line(
             root /
             fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu))))
      taken.insert(sibling);
  }
  return chosen;
}

void keep_to_share(int index, int count) {
  facts();
  const std::vector<int> cores = one_a_core(allowed_cpus());
  const auto n = static_cast<int>(cores.size());
  if (n < count) return;
  allow_cpus({cores.begin() + n * index / count, cores.begin() + n * (index + 1) / count});
}

}  // namespace ridgeline::device::cpu
