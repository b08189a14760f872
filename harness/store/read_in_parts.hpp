#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <thread>
#include <vector>

#include "harness/base/in_parallel.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {

/// What `read(store, begin, end)` makes of the runs [begin, end), which together are `runs`: in
/// their order, by as many threads as there are cores, each with a connection of its own to `file`.
template <class Part, class Read>
std::vector<Part> read_in_parts(const std::filesystem::path& file, std::size_t runs,
                                const Read& read) {
  constexpr std::size_t few = 64;  // runs: not worth another connection
  const std::size_t parts =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, runs / few + 1);
  std::vector<Part> found(parts);
  in_parallel(parts, parts, [&](std::size_t part) {
    found[part] = read(Store::open(file), runs * part / parts, runs * (part + 1) / parts);
  });
  return found;
}

}  // namespace ridgeline::store
