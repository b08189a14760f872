#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "harness/process/check_build.hpp"

namespace ridgeline::process {
namespace told_errors_test {

TEST(ToldErrors, ALineOfTheUsersIsToldOnce) {
  EXPECT_EQ(told_errors("In file included from x\n"
                        "a.cu:12:3: error: ‘tex9D’ was not declared in this scope\n"
                        "   12 |   tex9D(x);\n"
                        "a.cu:12:9: error: ‘tex9D’ was not declared in this scope\n",
                        {}),
            "  a.cu:12: ‘tex9D’ was not declared in this scope\n"
            "    the emulated device does not have it; keep it behind #ifndef RIDGELINE_CHECK, or "
            "write it by what docs/emulated-device.md lists");
}

TEST(ToldErrors, OnlyAMissingNameOfCudasIsTheDevices) {
  const auto told = [](const std::string& name) {
    return told_errors("a.cu:12:3: error: '" + name + "' was not declared in this scope\n", {});
  };
  for (const char* const name : {"cudaFoo", "cuInit", "__vmins2", "atomicFoo", "rnorm3df"})
    EXPECT_NE(told(name).find("does not have it"), std::string::npos) << name;
  for (const char* const name : {"i", "count", "cutoff", "text", "textures", "current"})
    EXPECT_EQ(told(name), "  a.cu:12: '" + std::string(name) + "' was not declared in this scope");
}

TEST(ToldErrors, BehindASyntaxErrorNothingIsSaidToBeMissing) {
  EXPECT_EQ(told_errors("a.cu:2:3: error: expected unqualified-id before 'int'\n"
                        "a.cu:3:3: error: 'cudaStatus' was not declared in this scope\n",
                        {}),
            "  a.cu:2: expected unqualified-id before 'int'\n"
            "  a.cu:3: 'cudaStatus' was not declared in this scope");
}

TEST(ToldErrors, AnErrorInAHeaderIsThatOfTheLineThatComesThere) {
  EXPECT_EQ(told_errors("/usr/include/x.h: In instantiation of ‘f’:\n"
                        "a.cu:7:5:   required from here\n"
                        "/usr/include/x.h:3:1: error: no matching function\n",
                        {"/usr/"}),
            "  a.cu:7: no matching function");
}

TEST(ToldErrors, SixAreEnough) {
  std::string said;
  for (int i = 1; i < 100; ++i) said += "a.cu:" + std::to_string(i) + ":1: error: x\n";
  const std::string told = told_errors(said, {});
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 5);
}

TEST(ToldErrors, AMissingHeaderOfALibraryHasItsOwnAdvice) {
  EXPECT_NE(told_errors("a.cu:1:10: fatal error: cudnn.h: No such file or directory\n", {})
                .find("cuDNN runs on GPUs alone"),
            std::string::npos);
}

TEST(LibraryStubs, AreOfLibrariesAlone) {
  const std::string said =
      "/usr/bin/ld: a.o: in function `f':\na.cu:4: undefined reference to `cublasSgemm_v2'\n"
      "a.cu:5: undefined reference to `mine'\na.cu:6: undefined reference to `cu::f(int)'\n";
  const std::string stubs = library_stubs(said);
  EXPECT_NE(stubs.find("int cublasSgemm_v2()"), std::string::npos);
  EXPECT_EQ(stubs.find("mine"), std::string::npos);
  EXPECT_EQ(stubs.find("cu::f"), std::string::npos);
  EXPECT_EQ(library_stubs("a.cu:5: undefined reference to `mine'\n"), "");
  EXPECT_NE(told_errors(said, {}).find("a.cu:5: mine is defined nowhere"), std::string::npos);
}

}  // namespace told_errors_test
}  // namespace ridgeline::process
