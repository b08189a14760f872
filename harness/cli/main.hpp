#pragma once

namespace ridgeline::cli {

/// The `ridgeline` program: parses the command line, does the command, prints errors, and returns
/// the exit code.
int main(int argc, char** argv);

}  // namespace ridgeline::cli
