#include "harness/worker/arguments.hpp"

#include <string_view>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::worker {
namespace {

[[noreturn]] void refuse(const std::string& failure) {
  throw Error(ErrorKind::usage, failure, "--help shows what there is");
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  arguments.rest.emplace_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!is_utf8(argument))
      refuse(fmt::format("argument {} is not UTF-8 text: {}", i, printable(argument)));
    const auto takes = [&](std::string_view flag, std::string& value) {
      if (!argument.starts_with(flag)) return false;
      std::string_view given;
      if (argument.size() > flag.size() && argument[flag.size()] == '=')
        given = argument.substr(flag.size() + 1);
      else if (argument.size() > flag.size())
        return false;
      else if (i + 1 < argc)
        given = argv[++i];
      if (given.empty()) refuse(fmt::format("{} needs a value", flag));
      if (!is_utf8(given))
        refuse(fmt::format("the value of {} is not UTF-8 text: {}", flag, printable(given)));
      if (!value.empty()) refuse(fmt::format("{} is given twice", flag));
      value = given;
      return true;
    };
    if (argument == "--help" || argument == "-h")
      arguments.help = true;
    else if (argument == "--worker")
      arguments.worker = true;
    else if (takes("--connect", arguments.connect) || takes("--once", arguments.once) ||
             takes("--device", arguments.device))
      continue;
    else if (argument.starts_with("--benchmark_") || argument.starts_with("--v="))
      arguments.rest.emplace_back(argument);
    else
      refuse(fmt::format("unknown argument '{}'", printable(argument)));
  }
  if (!arguments.connect.empty() && !arguments.worker) refuse("--connect is for --worker alone");
  if (arguments.worker &&
      (!arguments.once.empty() || !arguments.device.empty() || arguments.rest.size() > 1))
    refuse(
        "--worker takes no other flag than --connect: cases and devices are named by the protocol");
  if (!arguments.once.empty() && arguments.rest.size() > 1)
    refuse(fmt::format("--once does not go with {}", arguments.rest[1]));
  return arguments;
}

}  // namespace ridgeline::worker
