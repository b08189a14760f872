#include "harness/worker/main.hpp"

#include "harness/worker/program.hpp"

namespace ridgeline::worker {

int main(int argc, char** argv, std::string_view program) {
  Program whole;
  whole.name = program;
  whole.suites = all_suites();
  return main(argc, argv, whole);
}

}  // namespace ridgeline::worker
