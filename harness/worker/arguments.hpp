#pragma once

#include <string>
#include <vector>

namespace ridgeline::worker {

/// The command line of a worker program.
struct Arguments {
  bool help = false, worker = false;
  std::string connect;            // HOST:PORT
  std::string once;               // a case's name
  std::string device;             // empty: the best there is
  std::vector<std::string> rest;  // the program's name and what is left for Google Benchmark
};

/// Throws a usage Error for what cannot be understood: no UTF-8, a missing or repeated value, modes
/// that exclude one another.
Arguments parse_arguments(int argc, char** argv);

}  // namespace ridgeline::worker
