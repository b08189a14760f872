#include "harness/run/worker_file.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace worker_file_test {

namespace fs = std::filesystem;

TEST(WorkerFile, IsMadeAbsoluteWhereItIsAFile) {
  const std::string here = fs::current_path().string();
  EXPECT_EQ(absolute_worker("./mine"), here + "/./mine");
  EXPECT_EQ(absolute_worker("/a/mine"), "/a/mine");
  EXPECT_EQ(absolute_worker("no-such-program-anywhere"), "no-such-program-anywhere");
  EXPECT_EQ(absolute_worker("nvbench:b/mine -- --a /x"), "nvbench:" + here + "/b/mine -- --a /x");
  EXPECT_EQ(absolute_worker("nvbench:no-such-program -- /x"), "nvbench:no-such-program -- /x");
}

TEST(WorkerFile, ThatIsNotThereIsNamed) {
  for (const char* text : {"./nowhere", "nvbench:./nowhere", "google-benchmark:./nowhere -- -v"})
    try {
      find_worker(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::dependency);
      EXPECT_STREQ(error.what(), "worker ./nowhere not found");
    }
}

}  // namespace worker_file_test
}  // namespace ridgeline::run
