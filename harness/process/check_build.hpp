#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "harness/process/check_kit.hpp"

namespace ridgeline::process {

/// What a user wants checked.
struct CheckSources {
  std::vector<std::string> files;                  // .cu files; several make one program
  std::vector<std::string> includes, definitions;  // folders, and X or X=1
  int capability = 90;                             // of the device that runs it
  bool zeroes_variables = false;  // variables are zero before they are written, and no odd number
};

/// Makes the program `to` of the user's sources, with other files beside it. Files of which one
/// defines ridgeline::check(), or the cases of a suite, are compiled as they stand; others are
/// rewritten and must have a main() between them. `to_says` gets what the user should read even
/// though the program was made. Throws a usage Error whose text names the user's line for what the
/// compiler, the rewriter or the linker refuses.
void build_check(const Kit& kit, const CheckSources& sources, const std::filesystem::path& to,
                 std::ostream& to_says);

/// C functions for those that a linker has not found and that are a library's of NVIDIA's: each
/// says that it is not modelled, and ends the program. Empty when there are none.
std::string library_stubs(const std::string& said);

/// Of what a compiler or linker said: at most a few sentences with a line of the user's each, and
/// what to do. `own` are folders of files that are not the user's.
std::string told_errors(const std::string& said, const std::vector<std::string>& own);

/// "a.cu:3 includes thrust/sort.h": where the first error that was said stands in a header of
/// another's and comes from no line of the user's, the #include that leads there, of the
/// `preprocessed` text of a file in `folder`. Empty when there is none.
std::string broken_include(const std::string& said, const std::string& preprocessed,
                           const std::vector<std::string>& own, const std::string& folder);

}  // namespace ridgeline::process
