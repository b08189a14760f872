#include "harness/base/build_stamp.hpp"
#include "harness/cli/main.hpp"

int main(int argc, char** argv) { return ridgeline::cli::main(argc, argv, ridgeline::build_stamp); }
