#include <cstdio>

#include "harness/base/error.hpp"
#include "harness/worker/scripted/scripted.hpp"

int main(int argc, char** argv) {
  using namespace ridgeline;
  try {
    const worker::scripted::Script script = worker::scripted::take_script(argc, argv);
    return worker::main(argc, argv, worker::scripted::program(script));
  } catch (const Error& error) {
    std::fprintf(stderr, "ridgeline-scripted-worker: %s\n", error.what());
    return error.exit_code();
  }
}
