#pragma once

#include <string>
#include <vector>

#include "harness/emulated/program/rewriter/tokens.hpp"

namespace ridgeline::program {

/// Something that the emulated device does not have, at a place of the user's.
struct Problem {
  std::string place;  // "program.cu:12"
  std::string what;
  std::string hint;
};

struct Rewritten {
  std::string text;
  bool has_main = false;
  int kernels = 0;
  std::vector<Problem> problems;
};

/// A preprocessed translation unit of CUDA C++ as one of C++ for the emulated device
/// (harness/emulated/program/program.hpp is what it is made of). Each token stays in its line.
///
/// - A kernel begins with a question: whether the host calls it to launch it. So a launch is a
///   call, with the language's own rules for overloads, templates and defaults, behind one that
///   says how to launch.
/// - threadIdx and the other words are looked for in functions for the device alone, so that the
///   host may have variables of these names.
/// - `main` becomes a function that the program around it calls.
Rewritten rewrite(Source source);

}  // namespace ridgeline::program
