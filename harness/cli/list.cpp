#include "harness/base/error.hpp"
#include "harness/cli/command.hpp"

namespace ridgeline::cli {

void add_list(CLI::App& program, Context& context) {
  add_command(program, context, "list", "d", "  ridgeline list",
              []() -> int { throw Error(ErrorKind::internal, "not written yet"); });
}

}  // namespace ridgeline::cli
