#include "harness/cli/main.hpp"

int main(int argc, char** argv) { return ridgeline::cli::main(argc, argv); }
