#include "harness/worker/program.hpp"

// The suites on emulated GPUs: they are verified and counted, and never timed.

namespace {

using namespace ridgeline;

/// What has kernels in this program. The backend has the CPU, too.
device::Discovery discover() {
  device::Discovery found;
  for (device::Facts& facts : device::discover().devices)
    if (facts.kind == device::Kind::emulated) found.devices.push_back(std::move(facts));
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  worker::Program program;
  program.name = "ridgeline-emulated";
  program.suites = worker::all_suites();
  program.discover = discover;
  program.sources = RIDGELINE_SOURCE;
  return worker::main(argc, argv, program);
}
