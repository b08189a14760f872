#pragma once

namespace ridgeline::outside {

/// What `ridgeline_add_suite` writes down of a program.
struct Built {
  const char* suite;    // its name
  const char* program;  // its name
  const char* sources;  // folder of the user's sources
  bool emulated;
};

/// The whole of a worker program over cases(): see harness/worker/main.hpp. Returns the exit code.
int main(int argc, char** argv, const Built& built);

}  // namespace ridgeline::outside
