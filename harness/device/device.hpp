#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/counts.hpp"
#include "harness/device/facts.hpp"
#include "harness/device/random.hpp"
#include "harness/device/stream.hpp"

namespace ridgeline::device {

/// How the launches of a sample are issued: `graph` gives back-to-back time per launch (CUDA graph
/// behind a spinning kernel; a plain loop on a CPU), `single` one launch with its overhead. They
/// are different quantities.
enum class Launch { graph, single };

/// Launches recorded once and timed many times.
class Batch {
 public:
  virtual ~Batch() = default;
  /// Executes all launches, waits for them, and returns the elapsed time of the whole batch in ns.
  virtual double run_ns() = 0;
  /// Begins to execute all launches after those that were begun before; wait() returns when they
  /// are done. For devices that wait for nobody, so that nothing lies between two batches.
  virtual void start() { run_ns(); }
  virtual void wait() {}
};

/// What the code of a kernel that has been loaded needs.
struct LoadedKernel {
  int registers = 0;            // of a thread
  std::size_t local_bytes = 0;  // of a thread: what was spilled, and arrays that are in no register
  std::size_t static_shared_bytes = 0;  // of a block
};

/// One reading of the sensors; absent where there is none. Throttle reasons are NVML's names,
/// comma-separated.
struct Reading {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
  std::optional<double> energy_j;  // used since some moment in the past; only differences say much
  std::string throttle;
  bool throttled_by_hardware = false;
  std::optional<int> other_processes;
};

/// Keeps memory of a device for what can be computed again.
class Keeper {
 public:
  virtual ~Keeper() = default;
  /// Frees what nobody uses. Says whether that was anything.
  virtual bool give_back() noexcept = 0;
  virtual std::size_t bytes() const = 0;
};

/// An opened device. Failures throw Error. One thread at a time.
class Device {
 public:
  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;

  virtual void* allocate(std::size_t bytes) = 0;  // aligned to 256 bytes; never null, also for 0
                                                  // bytes
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from_host, std::size_t bytes) = 0;
  virtual void download(void* to_host, const void* from, std::size_t bytes) = 0;
  /// Element i becomes random_element(dtype, distribution, seed, first + i); see random.hpp.
  virtual void fill(void* to, DType dtype, std::size_t count, Distribution distribution,
                    std::uint64_t seed, std::uint64_t first) = 0;
  /// Sets every byte to 0xFF, which is NaN in every floating-point type: an output that is not
  /// written is noticed.
  virtual void poison(void* memory, std::size_t bytes) = 0;

  // ---- several devices of one process, which are opened one after the other

  /// Makes this the calling thread's device, as open() does. What a device is asked for while it is
  /// not that one goes wrong.
  virtual void make_current() {}
  /// From now on, launches on this device, the thread's own, use the memory of `peer` directly.
  /// Throws a dependency Error where they cannot.
  virtual void reach(Device& peer);
  /// What is launched on this device from now on begins when what has been launched on `other` so
  /// far has ended.
  virtual void begin_after(Device& other) { other.synchronize(); }

  virtual Stream& stream() = 0;
  virtual void synchronize() = 0;  // throws when something launched before has failed
  /// Records what `launches` enqueues on its stream. With Launch::single it must enqueue exactly
  /// one launch.
  virtual std::unique_ptr<Batch> record(std::function<void(Stream&)> launches, Launch mode) = 0;
  /// The kernels that `launches` would start, without starting them; they must be such that
  /// record() takes them with Launch::graph. Empty where they are not known, or not all of them.
  virtual std::vector<LoadedKernel> kernels_of(const std::function<void(Stream&)>& launches) {
    static_cast<void>(launches);
    return {};
  }
  virtual Reading read_sensors() = 0;
  /// Reading::energy_j alone, which takes less time.
  virtual std::optional<double> read_energy_j() { return read_sensors().energy_j; }
  /// Reading::sm_clock_mhz alone, likewise.
  virtual std::optional<double> read_sm_clock_mhz() { return read_sensors().sm_clock_mhz; }
  /// Bytes of the device's memory that are in use, by whomever; absent where nobody says.
  virtual std::optional<std::uint64_t> memory_in_use() { return std::nullopt; }
  /// Takes back what kernels have asked a cache to keep: lines that persist in a GPU's L2, its
  /// share for them, and the stream's window.
  virtual void forget_persisting_lines() {}
  /// Of a device of Kind::emulated: what was launched since the last call, which must have been
  /// waited for. Others have times, and count nothing.
  virtual Counts take_counts() { return {}; }

  /// What keeps memory of this device, if anything does. It is asked to give back when there is too
  /// little, and is gone before the device closes: an implementation's destructor begins with
  /// that. Of devices that have oracles of their own.
  std::unique_ptr<Keeper>& keeper() { return keeper_; }

 private:
  std::unique_ptr<Keeper> keeper_;
};

/// Devices of this machine that this program was built for. Never throws for a missing driver: it
/// says so.
Discovery discover();

/// Opens the device that discover() calls `id` ("cpu", "cuda:0"). Throws a dependency Error that
/// lists what there is.
std::unique_ptr<Device> open(std::string_view id);

}  // namespace ridgeline::device
