#include <string>

#include "harness/worker/mpi/mpi_group.hpp"
#include "harness/worker/program.hpp"

namespace {

// A launcher starts its ranks with the place to report to. Whoever lists, or tries a case by hand,
// does without MPI.
bool started_by_launcher(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("--connect")) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ridgeline;
  worker::MpiGroup group;
  worker::Program program;
  program.name = "ridgeline-collectives";
  program.launcher = "mpirun";
  program.suites = worker::all_suites();
  if (started_by_launcher(argc, argv)) {
    program.group = &group;
    // Rank r of a machine measures on its GPU r, whichever the request names; with more ranks than
    // GPUs the case says so.
    program.open = [&group](std::string_view id) {
      if (!id.starts_with("cuda:")) return device::open(id);
      int gpus = 0;
      for (const device::Facts& facts : device::discover().devices)
        gpus += facts.kind == device::Kind::cuda ? 1 : 0;
      if (gpus == 0) return device::open(id);
      return device::open("cuda:" + std::to_string(group.here().rank % gpus));
    };
  }
  const int exit_code = worker::main(argc, argv, program);
  if (exit_code != 0) group.abort(exit_code);
  return exit_code;
}
