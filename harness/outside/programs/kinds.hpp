#pragma once

#include "harness/outside/programs/bench_program.hpp"

namespace ridgeline::outside {

std::unique_ptr<BenchProgram> google_benchmark(std::filesystem::path program,
                                               std::vector<std::string> arguments);
std::unique_ptr<BenchProgram> nvbench(std::filesystem::path program,
                                      std::vector<std::string> arguments);

}  // namespace ridgeline::outside
