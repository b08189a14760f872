#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/base/error.hpp"
#include "harness/process/descriptor.hpp"

namespace ridgeline::run {

/// Exclusive use of a device for measuring, for all users and sessions of this machine: an flock on
/// a file named after its UUID. It ends with the process however that ends, so a holder that has
/// died blocks nobody.
class DeviceLock {
 public:
  /// Waits until the device is free; `busy` is called once with who holds it ("pid 123, run
  /// 20260102T030405Z-0a1b2c: ..."), and throws when the caller would rather not wait. `holder` is
  /// what others are told about us. Throws Interrupted when asked to stop, and a store Error when
  /// the file cannot be used.
  DeviceLock(const std::string& device_uuid, const std::string& holder,
             const std::function<void(const std::string&)>& busy);

 private:
  process::Descriptor file_;
};

/// Waits until the lock of `file`, called `path`, is ours alone; `busy` is called once when it is
/// not at once. Throws Interrupted and a store Error.
void wait_for_lock(const process::Descriptor& file, const std::string& path,
                   const std::function<void()>& busy);

/// What who would not wait is told.
Error in_use(const std::string& device_id, const std::string& holder);

/// What the lock's file of a device says.
struct DeviceUse {
  std::string holder;  // who holds it, or held it last: "pid 123, run 20260102T030405Z-0a1b2c: ..."
  bool held = false;
};

/// Without waiting, and without a lasting lock. Empty when nobody has measured on the device since
/// this machine started, or the file cannot be read. Looking shares the lock for an instant, in
/// which who would not wait is refused.
std::optional<DeviceUse> device_use(const std::string& device_uuid);

}  // namespace ridgeline::run
