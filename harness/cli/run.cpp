#include "harness/base/error.hpp"
#include "harness/cli/command.hpp"

namespace ridgeline::cli {

void add_run(CLI::App& program, Context& context) {
  add_command(program, context, "run", "d", "  ridgeline run",
              []() -> int { throw Error(ErrorKind::internal, "not written yet"); });
}

}  // namespace ridgeline::cli
