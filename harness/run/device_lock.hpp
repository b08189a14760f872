#pragma once

#include <functional>
#include <string>

#include "harness/run/descriptor.hpp"

namespace ridgeline::run {

/// Exclusive use of a device for measuring, for all users and sessions of this machine: an flock on a file named after
/// its UUID. It ends with the process however that ends, so a holder that has died blocks nobody.
class DeviceLock {
 public:
  /// Waits until the device is free; `busy` is called once with who holds it ("pid 123, run 20260102T030405Z-0a1b2c:
  /// ..."), and throws when the caller would rather not wait. `holder` is what others are told about us. Throws
  /// Interrupted when asked to stop, and a store Error when the file cannot be used.
  DeviceLock(const std::string& device_uuid, const std::string& holder,
             const std::function<void(const std::string&)>& busy);

 private:
  Descriptor file_;
};

}  // namespace ridgeline::run
