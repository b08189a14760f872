#pragma once

#include <functional>
#include <memory>

#include "harness/device/device.hpp"

namespace ridgeline::device::cuda {

/// Captures what `launches` enqueues on `stream` into a graph that is instantiated and uploaded once.
std::unique_ptr<Batch> record_graph(const std::function<void(Stream&)>& launches, Stream& stream);

/// Keeps `launches` and issues it plainly, each time it runs.
std::unique_ptr<Batch> record_single(std::function<void(Stream&)> launches, Stream& stream);

}  // namespace ridgeline::device::cuda
