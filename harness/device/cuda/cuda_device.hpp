#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/device/two_streams.hpp"

/// The CUDA backend; no CUDA headers here.
namespace ridgeline::device::cuda {

/// Appends the GPUs that there are, or why there are none. Initialises the driver, but makes no
/// context on a GPU.
void discover(Discovery& found);

/// Opens the GPU cuda:<index>, of which discover() has said `facts`. Makes it the current device of
/// the calling thread.
std::unique_ptr<Device> open(int index, Facts facts);

// ---- parts of the backend

/// What CUDA and NVML say of GPU `index`. Makes no context. Throws Error when CUDA refuses.
Facts read_facts(int index);

/// Captures what `launches` enqueues on `stream` into a graph that is instantiated and uploaded
/// once.
std::unique_ptr<Batch> record_graph(const std::function<void(Stream&)>& launches, Stream& stream);

/// As Device::kernels_of().
std::vector<LoadedKernel> kernels_of(const std::function<void(Stream&)>& launches, Stream& stream);

/// Keeps `launches` and issues it plainly, each time it runs.
std::unique_ptr<Batch> record_single(std::function<void(Stream&)> launches, Stream& stream);

/// As device::two_streams(), of the calling thread's device.
std::unique_ptr<TwoStreams> two_streams(Priority beside);

}  // namespace ridgeline::device::cuda
