#pragma once

#include <functional>
#include <memory>

#include "harness/device/stream.hpp"

namespace ridgeline::device {

/// Work, and something else beside it, which a device does at once: on two streams, or on a CPU in
/// turns, as far as what is beside lets the calling thread go on. One execution at a time.
class TwoStreams {
 public:
  /// What one execution consists of. Each may enqueue nothing.
  struct Parts {
    std::function<void(Stream&)> begin_beside;
    std::function<void(Stream&)> work;
    std::function<void()> end_beside;  // waits for what the stream does not wait for
  };
  /// From a common start on, in ns.
  struct Ends {
    double work_ns = 0, beside_ns = 0;
  };

  virtual ~TwoStreams() = default;
  /// Begins both parts when what is on `stream` has ended, what is beside first. What follows on
  /// `stream` begins when both have ended. May be recorded into a batch.
  virtual void launch(Stream& stream, const Parts& parts) = 0;
  /// When the parts of the newest execution ended, which has been waited for. Of a part that
  /// enqueued nothing it says nothing.
  virtual Ends ends() = 0;
};

/// How the stream that is beside stands to the other, where the device knows priorities.
enum class Priority { equal, high };

/// Of an opened device, which is the calling thread's; must end before it.
std::unique_ptr<TwoStreams> two_streams(Device& device, Priority beside);

}  // namespace ridgeline::device
