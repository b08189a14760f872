#pragma once

#include <filesystem>
#include <string>

#include "harness/process/worker_process.hpp"

namespace ridgeline::run {

/// What `--worker` and its like name.
struct WorkerFile {
  std::filesystem::path file;      // whose code is measured
  process::WorkerCommand command;  // by which it is started; empty: the file itself
};

/// `text` is a worker program, a file or a name on the PATH; or, for a program that speaks no
/// protocol, what kind of benchmarks it has and the same: "google-benchmark:./my_bench",
/// "nvbench:./my_bench -- --devices 1", with its own arguments behind " -- ". Throws a dependency
/// Error when the file is not there.
WorkerFile find_worker(const std::string& text);

/// The same text with an absolute path, where it names a file by one.
std::string absolute_worker(const std::string& text);

}  // namespace ridgeline::run
