#include "harness/outside/main.hpp"

#include <cstdio>
#include <exception>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/outside/workload.hpp"
#include "harness/worker/program.hpp"

namespace ridgeline::outside {
namespace {

/// What an emulated device's program measures on: the backend has the CPU, too.
device::Discovery emulated_devices() {
  device::Discovery found;
  for (device::Facts& facts : device::discover().devices)
    if (facts.kind == device::Kind::emulated) found.devices.push_back(std::move(facts));
  return found;
}

worker::Suite listed(const Built& built) {
  Suite suite;
  try {
    cases(suite);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::usage,
                fmt::format("the cases of {} cannot be listed: {}", built.suite, error.what()));
  }
  if (suite.added().empty())
    throw Error(ErrorKind::usage, fmt::format("{} adds no case", built.suite),
                "docs/own-kernels.md shows one");
  return to_worker(suite, built.suite, built.emulated);
}

}  // namespace

int main(int argc, char** argv, const Built& built) {
  worker::Program program;
  try {
    program.suites.push_back(listed(built));
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", built.program, error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  }
  program.name = built.program;
  program.sources = built.sources;
  if (built.emulated) program.discover = emulated_devices;
  return worker::main(argc, argv, program);
}

}  // namespace ridgeline::outside
