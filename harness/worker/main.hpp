#pragma once

#include <string_view>

#include "harness/worker/program.hpp"

namespace ridgeline::worker {

/// The whole of a worker program over all_suites(): `--worker` speaks the protocol on stdin and
/// stdout, `--once CASE` does one verified launch for a profiler, and without either it is a plain
/// Google Benchmark program. Returns the exit code. Inline, because the table of suites belongs to
/// the program and not to this library.
inline int main(int argc, char** argv, std::string_view name) {
  Program program;
  program.name = name;
  program.suites = all_suites();
  program.keeps_expected = true;
  return main(argc, argv, program);
}

}  // namespace ridgeline::worker
