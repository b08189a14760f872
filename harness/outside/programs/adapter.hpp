#pragma once

#include <filesystem>
#include <functional>

#include "harness/device/device.hpp"
#include "harness/outside/programs/bench_program.hpp"
#include "harness/worker/transport.hpp"

namespace ridgeline::outside {

struct Adapted {
  std::filesystem::path file;         // whose results these are
  DeviceKind kind = DeviceKind::cpu;  // of the devices that its cases are for
  BenchProgram& program;
  std::function<device::Discovery()> discover = device::discover;
};

/// Answers requests for a program that speaks no protocol, until `bye` or the end of the transport.
/// Its times are the program's, its outputs nobody has verified, and its names say what was
/// measured: hot caches, and single launches.
void adapt(const Adapted& adapted, worker::Transport& transport);

}  // namespace ridgeline::outside
