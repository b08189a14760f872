#include "harness/measure/workload.hpp"

namespace ridgeline::measure {

Sets Setup::sets(std::size_t bytes_per_set, std::size_t most) const {
  if (bytes_per_set == 0 || device.facts().kind == device::Kind::emulated) return {1, 1};
  const std::size_t wanted = cache == Cache::hot ? 0 : 2 * device.facts().last_level_cache;
  std::size_t sets = 1;
  while (sets * bytes_per_set < wanted) {
    const std::size_t next = sets < 3 ? sets + 1 : sets % 3 == 0 ? sets / 3 * 4 : sets / 2 * 3;
    if (next > most) break;
    sets = next;
  }
  return sets == 1 ? Sets{2, 1} : Sets{sets, sets};
}

}  // namespace ridgeline::measure
