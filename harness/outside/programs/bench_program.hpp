#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/protocol/messages.hpp"
#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::outside {

/// A program of benchmarks that knows nothing of Ridgeline, as it is started: with what the user
/// gives it, and with what makes it write its results to a file.
class BenchProgram {
 public:
  virtual ~BenchProgram() = default;

  struct Listed {
    record::Case info;
    std::string name;  // as the program calls it
  };
  /// Starts the program for its benchmarks, of which there is at least one. This and measure()
  /// throw a dependency Error, one sentence that names the program, when it fails, when what it
  /// writes cannot be read, or when two benchmarks have one name.
  virtual std::vector<Listed> list() = 0;
  /// Starts the program for one benchmark. The measurement has samples, the outcome unverified, and
  /// the reason; how it was launched and with which caches is for the caller to say.
  virtual record::Measurement measure(const Listed& wanted, const std::string& device,
                                      const protocol::Sample& how) = 0;
};

/// `kind` is "google-benchmark" or "nvbench"; another is a usage Error.
std::unique_ptr<BenchProgram> bench_program(const std::string& kind,
                                            const std::filesystem::path& program,
                                            std::vector<std::string> arguments);

}  // namespace ridgeline::outside
