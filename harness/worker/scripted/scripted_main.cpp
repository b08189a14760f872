#include <cstring>

#include "harness/worker/arguments.hpp"
#include "harness/worker/scripted/scripted.hpp"
#include "harness/worker/serve.hpp"

int main(int argc, char** argv) {
  using namespace ridgeline::worker;
  if (argc < 2 || std::strcmp(argv[1], "--worker") != 0) return main(argc, argv, scripted::program());
  serve(scripted::program(), *scripted::faulty(open_transport(parse_arguments(argc, argv).connect)));
}
