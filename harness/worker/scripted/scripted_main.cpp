#include "harness/worker/scripted/scripted.hpp"

int main(int argc, char** argv) { return ridgeline::worker::main(argc, argv, ridgeline::worker::scripted::program()); }
