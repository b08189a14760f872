#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/emulated/program/rewriter/rewrite.hpp"

// Rewrites a preprocessed CUDA program for the emulated device: rewrite_program FROM TO. Exit
// codes: 0 it has main(), 3 it has none, 1 with errors like a compiler's, 64 usage, 74 files.
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: rewrite_program FROM TO\n");
    return 64;
  }
  try {
    std::ifstream in(argv[1], std::ios::binary);
    ridgeline::program::Source source;
    source.text.assign(std::istreambuf_iterator<char>(in), {});
    if (!in) {
      std::fprintf(stderr, "rewrite_program: cannot read %s\n", argv[1]);
      return 74;
    }
    const ridgeline::program::Rewritten made = ridgeline::program::rewrite(std::move(source));
    for (const ridgeline::program::Problem& problem : made.problems)
      std::fprintf(stderr, "%s: error: %s\n  hint: %s\n", problem.place.c_str(),
                   problem.what.c_str(), problem.hint.c_str());
    if (!made.problems.empty()) return 1;
    std::ofstream out(argv[2], std::ios::binary);
    out << made.text;
    if (!out.flush()) {
      std::fprintf(stderr, "rewrite_program: cannot write %s\n", argv[2]);
      return 74;
    }
    return made.has_main ? 0 : 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rewrite_program: %s\n", error.what());
    return 70;
  }
}
