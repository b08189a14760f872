#pragma once

#include <cstddef>
#include <span>

namespace ridgeline::outside {

/// Whether all pages of this host memory can be read as they are. The system is asked to read a
/// byte of each, so that no handler of signals in this process has a chance to compute what a page
/// should hold (a userfaultfd that also serves the system has). True where the system does not let
/// a process read itself.
bool is_there(std::span<const std::byte> memory);

}  // namespace ridgeline::outside
