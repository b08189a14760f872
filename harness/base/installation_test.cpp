#include "harness/base/installation.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline {
namespace installation_test {

namespace fs = std::filesystem;

TEST(Installation, FindsFilesInWheelsOfTheSameEnvironment) {
  std::string pattern = (fs::temp_directory_path() / "installation.XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path prefix = pattern, packages = prefix / "lib" / "python3.11" / "site-packages",
                 library = packages / "nvidia" / "cu13" / "lib" / "libcublasLt.so.13";
  EXPECT_EQ(in_wheels_beside(prefix / "bin", "lib/libcublasLt.so.13"), "");
  fs::create_directories(library.parent_path());
  fs::create_directories(packages / "nvidia" / "cudnn" / "include");
  EXPECT_EQ(in_wheels_beside(prefix / "bin", "lib/libcublasLt.so.13"), "");
  std::ofstream(library) << "invented";
  EXPECT_EQ(in_wheels_beside(prefix / "bin", "lib/libcublasLt.so.13"), library);
  EXPECT_EQ(in_wheels_beside(prefix / "bin", "lib/libcublasLt.so.12"), "");
  EXPECT_EQ(in_wheels_beside(prefix, "lib/libcublasLt.so.13"), "");
  fs::remove_all(prefix);
}

TEST(Installation, TheProgramLiesInItsFolder) {
  EXPECT_TRUE(fs::exists(program_folder() / "base_test"));
}

}  // namespace installation_test
}  // namespace ridgeline
