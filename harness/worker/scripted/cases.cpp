#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/failure.hpp"
#include "harness/device/fake/fake_device.hpp"
#include "harness/device/random.hpp"
#include "harness/worker/scripted/scripted.hpp"

namespace ridgeline::worker::scripted {
namespace {

/// What times may depend on.
struct Draw {
  std::uint64_t seed = 0, layout = 0;
};

/// What of a case needs more memory than two of it may have: nothing, or something that is noticed
/// before allocating, or while it allocates.
enum class Greed { none, known, noticed };

/// One case: what its executions take and write. Executions are counted from 0, which is the
/// verified one.
struct Behaviour {
  const char* variant;
  const char* idea;
  double (*ns)(std::int64_t execution, const Draw& draw) = [](std::int64_t, const Draw&) {
    return 1e5;
  };
  float (*output)(std::int64_t execution) = [](std::int64_t) { return 1.0f; };  // 1 is right
  void (*before_launch)(std::int64_t execution) = [](std::int64_t) {};
  device::Reading (*reading)() = [] { return device::Reading{}; };
  device::Support (*supports)() = device::Support::yes;
  double memory = 64;  // bytes
  Greed greed = Greed::none;
  std::vector<DeviceKind> devices = {DeviceKind::fake};  // that it runs on
  const char* roof = "";                                 // that it measures
};

double noise(std::int64_t execution, const Draw& draw, double width) {
  return 1e5 *
         (1 + width * device::random_uniform(draw.seed, static_cast<std::uint64_t>(execution)));
}

const std::vector<Behaviour>& behaviours() {
  static const std::vector<Behaviour> table = [] {
    std::vector<Behaviour> rows;
    const auto add = [&](const char* variant, const char* idea) -> Behaviour& {
      return rows.emplace_back(Behaviour{variant, idea});
    };
    add("constant", "every execution takes 100 us");
    add("tenfold", "every execution takes 1 ms").ns = [](std::int64_t, const Draw&) { return 1e6; };
    add("roof", "measures a roof: every execution takes 100 us").roof = "l1.read";
    add("noisy", "100 us, 2% more or less by seed").ns = [](std::int64_t i, const Draw& draw) {
      return noise(i, draw, 0.02);
    };
    add("process_noise", "100 us, 1% more or less in every process").ns =
        [](std::int64_t, const Draw& draw) { return noise(0, {draw.layout}, 0.01); };
    add("bimodal", "12.5% slower in about every other process, and 1% more or less").ns =
        [](std::int64_t, const Draw& draw) {
          return noise(0, {draw.layout}, 0.01) *
                 (device::random_uniform(draw.layout, 1) < 0 ? 1 : 1.125);
        };
    // Random times would do only until a seed makes samples of many executions, whose noise is
    // averaged away.
    add("unstable", "slower by 2% with every execution").ns = [](std::int64_t i, const Draw&) {
      return 1e5 * std::pow(1.02, static_cast<double>(i));
    };
    add("drifting", "slower by 0.1% with every execution").ns = [](std::int64_t i, const Draw&) {
      return 1e5 * (1 + 0.001 * static_cast<double>(i));
    };
    add("prints", "prints bytes that are not text while it runs").before_launch = [](std::int64_t) {
      [[maybe_unused]] const ssize_t written =
          write(STDOUT_FILENO, "\xFF\x00{\"reply\":\"sample\"}\n", 21);
    };
    add("slow", "takes a second to prepare").before_launch = [](std::int64_t execution) {
      if (execution == 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    };
    add("wrong_result", "writes 2 instead of 1").output = [](std::int64_t) { return 2.0f; };
    add("writes_nothing", "leaves its output alone").output = [](std::int64_t) { return NAN; };
    add("wrong_after_timing", "is right in its first execution alone").output =
        [](std::int64_t execution) { return execution == 0 ? 1.0f : 2.0f; };
    add("device_error", "its device fails while it warms up").before_launch =
        [](std::int64_t execution) {
          if (execution == 5)
            throw Error(ErrorKind::dependency,
                        "synchronising failed: the device was scripted to fail");
        };
    add("throttled", "its device says that it throttles").reading = [] {
      device::Reading reading;
      reading.throttle = "hw_thermal_slowdown";
      reading.throttled_by_hardware = true;
      return reading;
    };
    add("neighbour", "its device is used by somebody else").reading = [] {
      device::Reading reading;
      reading.other_processes = 1;
      return reading;
    };
    add("unsupported", "cannot be done here").supports = [] {
      return device::Support::unsupported("the script says so");
    };
    add("unavailable", "needs what is not installed").supports = [] {
      return device::Support::unavailable("libscript.so.1 not found");
    };
    add("fills_memory", "fits once, and says so").greed = Greed::known;
    add("fills_memory_late", "fits once, which is noticed when it allocates").greed =
        Greed::noticed;
    add("too_large", "needs more memory than there is").memory = 550e9;
    const auto add_counting = [&](const char* variant, const char* idea) -> Behaviour& {
      Behaviour& row = add(variant, idea);
      row.devices = {DeviceKind::emulated};
      return row;
    };
    add_counting("counted", "reads 16 floats once and writes them once");
    add_counting("counted_wrong", "writes 2 instead of 1").output = [](std::int64_t) {
      return 2.0f;
    };
    add_counting("counted_race", "its device finds a race").before_launch = [](std::int64_t) {
      throw device::KernelMistake(
          "race (write after write) at scripted.cu:7, block 0, thread 1 with 0: out");
    };
    add_counting("counted_unmodelled", "its device does not know an instruction").before_launch =
        [](std::int64_t) { throw device::Unsupported("wgmma.mma_async"); };
    add_counting("counted_segfault", "writes to address 0").before_launch = [](std::int64_t) {
      *static_cast<volatile int*>(nullptr) = 1;
    };
    add_counting("counted_loops", "never ends").before_launch = [](std::int64_t) {
      std::this_thread::sleep_for(std::chrono::hours(1));
    };
    add("twofold", "is timed on one device and counted on the other").devices = {
        DeviceKind::fake, DeviceKind::emulated};
    for (const Fault& fault : faults()) add(fault.variant, fault.idea);
    for (const Lie& lie : lies()) add(lie.variant, lie.idea);
    return rows;
  }();
  return table;
}

/// What the fake device is told to say; the prepared case writes it.
struct Stage {
  std::shared_ptr<Script> script;
  const Behaviour* behaviour = nullptr;
  std::int64_t executed = 0;
  double elapsed_ns = 0;  // of the executions since the last batch
};

/// The memory of all processes that share a folder for locks. One of them can fill it.
class Memory {
 public:
  Memory() {
    const char* folder = std::getenv("RIDGELINE_LOCKS");
    file_ = open(fmt::format("{}/synthetic-memory", folder != nullptr ? folder : "/tmp").c_str(),
                 O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    filled_ = file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  Memory(const Memory&) = delete;
  ~Memory() { close(file_); }
  bool filled() const { return filled_; }

 private:
  int file_;
  bool filled_;
};

measure::Workload prepare(Stage& stage, const Behaviour& behaviour, measure::Setup& setup) {
  stage.behaviour = &behaviour;
  stage.executed = 0;
  stage.elapsed_ns = 0;
  std::shared_ptr<Memory> memory;
  if (behaviour.greed != Greed::none) memory = std::make_shared<Memory>();
  if (memory && !memory->filled())
    throw OutOfMemory("there is no room for 900000000 bytes on fake");
  measure::Workload workload;
  workload.flops = 1e6;
  workload.bytes = 64;
  auto output = std::make_shared<device::Buffer<float>>(setup.device, 16);
  const Draw draw{setup.seed, setup.layout};
  workload.launch = [&stage, &behaviour, output, memory, draw](measure::Turn, device::Stream&) {
    behaviour.before_launch(stage.executed);
    const float value = behaviour.output(stage.executed);
    if (!std::isnan(value))
      for (std::size_t i = 0; i < output->size(); ++i) output->data()[i] = value;
    stage.elapsed_ns += behaviour.ns(stage.executed++, draw) * (1 + stage.script->slower / 100);
  };
  workload.poison = [&stage, output](std::size_t) {
    output->poison();
    stage.elapsed_ns = 0;
  };
  workload.verify = [&stage, output](measure::Turn) {
    stage.elapsed_ns = 0;
    return record::Verification{std::fabs(output->download()[15] - 1.0), 1e-6};
  };
  workload.metrics = {{"moved_bytes", 64, "B", record::Direction::lower}};
  return workload;
}

/// One warp reads 16 floats and writes them.
device::FakeScript counting() {
  device::FakeScript script;
  script.counts = [] {
    device::Counts counts;
    counts.launches = 1;
    counts.threads = 32;
    counts.sites = {{"scripted_kernel", "scripted.cu", 5, "global load", 4, 1, 16, 2, 0},
                    {"scripted_kernel", "scripted.cu", 6, "global store", 4, 1, 16, 2, 0}};
    return counts;
  };
  return script;
}

const Behaviour& behaviour_of(const Stage& stage, const Behaviour& own) {
  if (stage.script->shown.empty()) return own;  // spoken to without a transport that listens
  for (const Behaviour& each : behaviours())
    if (each.variant == stage.script->shown) return each;
  throw Error(ErrorKind::usage, fmt::format("no case is called {}", stage.script->shown));
}

device::Support supports(const Behaviour& behaviour) {
  if (behaviour.greed == Greed::known && !Memory().filled())
    return device::Support::unsupported("needs 0.9 GB, the device has 0.1 GB free");
  return behaviour.supports();
}

}  // namespace

Program program(const Script& script) {
  Program program;
  program.name = "ridgeline-scripted-worker";
  const auto stage = std::make_shared<Stage>();
  stage->script = std::make_shared<Script>(script);
  Suite suite{"scripted", "What becomes of a case whose worker does this?", {}};
  for (const Behaviour& behaviour : behaviours()) {
    if (std::ranges::count(stage->script->without, behaviour.variant) > 0) continue;
    Case added;
    added.info.id = {"scripted", behaviour.variant, "f32", {{"n", "16"}}, {}};
    added.info.idea = behaviour.idea;
    added.info.roof = behaviour.roof;
    added.info.flops = 1e6;
    added.info.bytes = 64;
    added.supports = [stage, &behaviour](const device::Facts&) {
      return supports(behaviour_of(*stage, behaviour));
    };
    added.memory = [stage, &behaviour](const device::Facts&) {
      return behaviour_of(*stage, behaviour).memory;
    };
    added.prepare = [stage, &behaviour](measure::Setup& setup) {
      return prepare(*stage, behaviour_of(*stage, behaviour), setup);
    };
    for (const DeviceKind kind : behaviour.devices) {
      added.info.device_kind = kind;
      suite.cases.push_back(added);
    }
  }
  program.suites.push_back(std::move(suite));
  program.discover = [] {
    return device::Discovery{{device::FakeDevice().facts(), device::FakeDevice(counting()).facts()},
                             {{device::Kind::cuda, "scripted to be absent"}}};
  };
  program.open = [stage](std::string_view id) -> std::unique_ptr<device::Device> {
    if (id == "emulated:fake") return std::make_unique<device::FakeDevice>(counting());
    if (id != "fake")
      throw Error(ErrorKind::dependency,
                  "there is no device but 'fake' here, and 'emulated:fake' for counts");
    device::FakeScript script;
    script.elapsed_ns = [stage](std::int64_t) { return std::exchange(stage->elapsed_ns, 0.0); };
    script.reading = [stage](std::int64_t) {
      return stage->behaviour == nullptr ? device::Reading{} : stage->behaviour->reading();
    };
    return std::make_unique<device::FakeDevice>(std::move(script));
  };
  program.connect = [stage](const std::string& address) {
    return faulty(open_transport(address), stage->script);
  };
  return program;
}

}  // namespace ridgeline::worker::scripted
