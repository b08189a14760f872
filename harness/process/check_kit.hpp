#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridgeline::process {

/// How kernels of any file are compiled for the emulated device and linked into a program of their
/// own.
struct Kit {
  std::vector<std::string> compiler;  // and before it the program that runs it, if one does
  std::vector<std::string> flags, link;
  // Of programs with a main() of their own: what rewrites them, and what comes before the others.
  std::string rewriter;
  std::vector<std::string> program_flags, program_link;
  std::string note;  // what is other here than where Ridgeline was built; empty when nothing is
};

/// The kit of the build, the unpacked archive or the Python environment in `folder`: its
/// lib/ridgeline/check.json, as harness/worker/check/CMakeLists.txt writes it; a wheel puts it
/// below share/ridgeline. A g++ and CUDA's headers that are no longer where they were then are
/// looked for: the one on the PATH, the others below $CUDA_HOME, in NVIDIA's wheels of the
/// environment, beside the nvcc of the PATH, and in /usr/local/cuda. Throws a dependency Error that
/// names what is missing and how to have it.
Kit read_kit(const std::filesystem::path& folder);

}  // namespace ridgeline::process
