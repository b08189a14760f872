#include "harness/base/error.hpp"
#include "harness/cli/command.hpp"

namespace ridgeline::cli {

void add_devices(CLI::App& program, Context& context) {
  add_command(program, context, "devices", "d", "  ridgeline devices",
              []() -> int { throw Error(ErrorKind::internal, "not written yet"); });
}

}  // namespace ridgeline::cli
