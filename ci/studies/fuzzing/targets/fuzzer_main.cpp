#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "ci/studies/fuzzing/targets/target.hpp"

// A target as libFuzzer's. RIDGELINE_TARGET is its name. `PROGRAM --seeds FOLDER` writes its seeds,
// and FOLDER.words: a dictionary.

namespace ridgeline::fuzzing::targets {
Target RIDGELINE_TARGET();
}  // namespace ridgeline::fuzzing::targets

namespace {

namespace fs = std::filesystem;
using ridgeline::fuzzing::Target;

const Target& target() {
  static const Target own = ridgeline::fuzzing::targets::RIDGELINE_TARGET();
  return own;
}

void write_seeds(const fs::path& folder) {
  fs::create_directories(folder);
  int count = 0;
  for (const std::string& seed : target().seeds())
    std::ofstream(folder / ("seed-" + std::to_string(++count)), std::ios::binary) << seed;
  std::ofstream words(folder.string() + ".words");
  for (const std::string_view word : target().words) {
    words << '"';
    for (const char c : word) {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
      words << escaped;
    }
    words << "\"\n";
  }
}

}  // namespace

// Half of the time of small inputs is what the sanitizer does with freed and fresh memory.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=8:max_malloc_fill_size=0:malloc_context_size=8";
}

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 3 && std::string_view((*arguments)[1]) == "--seeds") {
    write_seeds((*arguments)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    target().attempt({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FINDING: %s\n", error.what());
    std::abort();
  }
  return 0;
}
