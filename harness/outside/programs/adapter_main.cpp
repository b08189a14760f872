#include <cstdio>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/outside/programs/adapter.hpp"

// Speaks the worker protocol for a program that does not: KIND PROGRAM [ARGUMENTS...] --worker.
namespace ridgeline::outside {
namespace {

int run(std::vector<std::string> words) {
  if (words.size() < 3 || words.back() != "--worker")
    throw Error(ErrorKind::usage, "this program is started by ridgeline",
                "ridgeline run --worker google-benchmark:./my_bench, or nvbench:./my_bench");
  words.pop_back();
  const std::string kind = words[0], file = words[1];
  const auto program = bench_program(kind, file, {words.begin() + 2, words.end()});
  worker::die_with_parent();
  adapt({file, kind == "nvbench" ? DeviceKind::cuda : DeviceKind::cpu, *program},
        *worker::open_transport(""));
  return 0;
}

}  // namespace
}  // namespace ridgeline::outside

int main(int argc, char** argv) {
  try {
    return ridgeline::outside::run({argv + 1, argv + argc});
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "ridgeline-adapter: {}\n", error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  }
}
