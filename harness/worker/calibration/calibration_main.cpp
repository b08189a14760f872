// ridgeline-calibration-worker [--extra PERCENT] [--slow-samples SHARE:FACTOR]
//   [--slow-processes SHARE:PERCENT] [--only CASE] [what every worker takes]

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/worker/calibration/calibration.hpp"

int main(int argc, char** argv) {
  namespace calibration = ridgeline::worker::calibration;
  std::vector<std::string> arguments(argv, argv + argc);
  try {
    const calibration::Planted planted = calibration::take_planted(arguments);
    std::vector<char*> rest;
    for (std::string& argument : arguments) rest.push_back(argument.data());
    const int count = static_cast<int>(rest.size());
    rest.push_back(nullptr);
    return ridgeline::worker::main(count, rest.data(), calibration::program(planted));
  } catch (const ridgeline::Error& error) {
    fmt::print(stderr, "ridgeline-calibration-worker: {}\n", error.what());
    if (!error.advice().empty()) fmt::print(stderr, "  {}\n", error.advice());
    return error.exit_code();
  }
}
