#include "harness/code/same_program.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "harness/code/built_program_fixture.hpp"

namespace ridgeline::code {
namespace same_program_test {

namespace fs = std::filesystem;

/// A copy of `file` in a folder of its own below `below`.
fs::path copied(const fs::path& file, const fs::path& below, const std::string& folder,
                const std::string& name = "program") {
  fs::create_directories(below / folder);
  fs::copy_file(file, below / folder / name);
  return below / folder / name;
}

TEST(SameProgram, CopiesAreTheSameWhereverTheyLie) {
  const BuiltProgram built(sources(), "-O2", "");
  ASSERT_TRUE(built.built());
  const fs::path below = built.file().parent_path() / "copies";
  const fs::path a = copied(built.file(), below, "a"), b = copied(built.file(), below, "b");
  EXPECT_TRUE(same_program(a, b));
  std::ofstream(b, std::ios::binary | std::ios::app) << 'x';
  EXPECT_FALSE(same_program(a, b));
  std::fstream(a, std::ios::binary | std::ios::in | std::ios::out | std::ios::ate) << 'y';
  EXPECT_FALSE(same_program(a, b)) << "the last of as many bytes";
  EXPECT_FALSE(same_program(a, below / "none"));
  EXPECT_FALSE(same_program(below / "none", below / "none"));
  EXPECT_FALSE(same_program(below, below)) << "no files";
}

TEST(SameProgram, WhatOpensLibrariesMayFindOthersBesideItself) {
  Sources opening = sources();
  opening["opens.cpp"] = R"(#include <dlfcn.h>
void* opened() { return dlopen("kernels.so", RTLD_NOW); }
)";
  const BuiltProgram built(opening, "-O2", "");
  ASSERT_TRUE(built.built());
  const fs::path below = built.file().parent_path() / "copies";
  const fs::path program = copied(built.file(), below, "a");
  EXPECT_FALSE(same_program(program, copied(built.file(), below, "b")));
  EXPECT_TRUE(same_program(program, copied(built.file(), below, "a", "other")));
}

TEST(SameProgram, WhatMayFindSomethingElseBesideItselfIsNotKnown) {
  const BuiltProgram built(sources(), "-O2", "-Wl,-rpath,'$ORIGIN/lib'");
  ASSERT_TRUE(built.built());
  const fs::path below = built.file().parent_path() / "copies";
  const fs::path program = copied(built.file(), below, "a");
  EXPECT_FALSE(same_program(program, copied(built.file(), below, "b")));
  EXPECT_TRUE(same_program(program, copied(built.file(), below, "a", "other")));
  const fs::path script = built.file().parent_path() / "script.py";
  std::ofstream(script) << "import beside\n";
  const fs::path one = copied(script, below, "a", "one.py");
  EXPECT_FALSE(same_program(one, copied(script, below, "b", "one.py")));
  EXPECT_TRUE(same_program(one, copied(script, below, "a", "other.py")));
}

}  // namespace same_program_test
}  // namespace ridgeline::code
