// ridgeline-calibration-worker [--extra PERCENT] [what every worker takes]

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/worker/calibration/calibration.hpp"

int main(int argc, char** argv) {
  namespace calibration = ridgeline::worker::calibration;
  std::vector<std::string> arguments(argv, argv + argc);
  try {
    const double extra_percent = calibration::take_extra(arguments);
    std::vector<char*> rest;
    for (std::string& argument : arguments) rest.push_back(argument.data());
    const int count = static_cast<int>(rest.size());
    rest.push_back(nullptr);
    return ridgeline::worker::main(count, rest.data(), calibration::program(extra_percent));
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "ridgeline-calibration-worker: {}\n", error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  }
}
