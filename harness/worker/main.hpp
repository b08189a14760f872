#pragma once

#include <string_view>

namespace ridgeline::worker {

/// The whole of a worker program over all_suites(): `--worker` speaks the protocol on stdin and stdout, `--once CASE`
/// does one verified launch for a profiler, and without either it is a plain Google Benchmark program. Returns the exit
/// code.
int main(int argc, char** argv, std::string_view program);

}  // namespace ridgeline::worker
