#include "harness/worker/main.hpp"

int main(int argc, char** argv) { return ridgeline::worker::main(argc, argv, "ridgeline-suites"); }
