#include "harness/worker/arguments.hpp"
#include "harness/worker/scripted/scripted.hpp"
#include "harness/worker/serve.hpp"

int main(int argc, char** argv) {
  using namespace ridgeline::worker;
  const Arguments arguments = parse_arguments(argc, argv);
  if (!arguments.worker) return main(argc, argv, scripted::program());
  serve(scripted::program(), *scripted::faulty(open_transport(arguments.connect)));
}
