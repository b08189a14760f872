#include "harness/base/kept_files.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ridgeline {
namespace kept_files_test {

namespace fs = std::filesystem;

class KeptFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ridgeline-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path only_file() const {
    const fs::directory_iterator files(folder_);
    return files->path();
  }
  static std::vector<std::byte> some(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7);
    return bytes;
  }

  fs::path folder_;
};

TEST_F(KeptFilesTest, AreReadByAnotherUnderTheSameKey) {
  for (const std::size_t count : {0u, 1u, 8u, 13u, 100'000u}) {
    const std::string key = "gemm " + std::to_string(count);
    KeptFiles(folder_, 1 << 20).write(key, some(count));
    EXPECT_EQ(KeptFiles(folder_, 1 << 20).read(key), some(count)) << count;
    EXPECT_EQ(KeptFiles(folder_, 1 << 20).read(key + " "), std::nullopt);
  }
}

TEST_F(KeptFilesTest, WhatIsDamagedIsNotThere) {
  KeptFiles files(folder_, 1 << 20);
  for (const int at : {3, 9, 17, 25, 33, 40, 120}) {  // of the head, the key, the bytes
    files.write("key of it", some(200));
    {
      std::fstream file(only_file(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const int was = file.get();
      file.seekp(at);
      file.put(static_cast<char>(was ^ 1));
    }
    EXPECT_EQ(files.read("key of it"), std::nullopt) << at;
  }
}

TEST_F(KeptFilesTest, WhatIsCutOffIsNotThere) {
  KeptFiles files(folder_, 1 << 20);
  for (const std::uintmax_t left : {0u, 10u, 35u, 100u}) {
    files.write("key", some(200));
    fs::resize_file(only_file(), left);
    EXPECT_EQ(files.read("key"), std::nullopt) << left;
  }
}

TEST_F(KeptFilesTest, AFullFolderTakesNoMore) {
  KeptFiles files(folder_, 1000);
  files.write("first", some(600));
  files.write("second", some(600));
  EXPECT_NE(files.read("first"), std::nullopt);
  EXPECT_EQ(files.read("second"), std::nullopt);
}

TEST_F(KeptFilesTest, WithoutAFolderNothingIsKept) {
  KeptFiles files(folder_ / "none", 1000);
  files.write("key", some(6));
  EXPECT_EQ(files.read("key"), std::nullopt);
}

}  // namespace kept_files_test
}  // namespace ridgeline
