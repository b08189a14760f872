#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// How a machine goes about its launches. Counts do not depend on it.
struct Settings {
  // OS threads that run independent blocks; 0: with a seed one, which keeps to its order, else one
  // for each core that the process may use.
  int workers = 0;
  // Of the order in which lanes, warps and independent blocks go on; 0: in theirs. With a seed and
  // one OS thread, what blocks add to the same place comes in the same order each time.
  std::uint64_t seed = 0;
  // The host may download bytes alone that somebody has written.
  bool checks_downloads = false;
};

/// Of the devices that device::open() opens from now on, as far as their names do not say
/// otherwise.
Settings& settings_of_new_devices();

}  // namespace ridgeline::emulated
