#include "harness/worker/code_hash.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/build_stamp.hpp"

namespace ridgeline::worker {
namespace code_hash_test {

// A variable, as the tuning parameter of a kernel may be.
volatile unsigned char initial_value[] = {0x8f, 0x1d, 0x6a, 0xe3, 0x52, 0xb7,
                                          0x0c, 0x94, 0x3b, 0xf8, 0x61, 0xd5};

std::vector<char> read(const std::filesystem::path& file) {
  std::vector<char> bytes(std::filesystem::file_size(file));
  std::ifstream(file, std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

std::string hash_of(const std::vector<char>& bytes) {
  const auto file =
      std::filesystem::temp_directory_path() / ("ridgeline_code_hash_" + std::to_string(getpid()));
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::string hash = code_hash(file);
  std::filesystem::remove(file);
  return hash;
}

TEST(CodeHash, FollowsTheCodeAndNotTheCommit) {
  const std::vector<char> program = read("/proc/self/exe");
  const std::string hash = code_hash("/proc/self/exe");
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(hash_of(program), hash);

  // The stamp stands in the program exactly once; another commit there is the same code.
  std::vector<char> renamed = program;
  const std::size_t length = std::strlen(build_stamp.commit);
  const auto stamp =
      std::search(renamed.begin(), renamed.end(), reinterpret_cast<const char*>(&build_stamp),
                  reinterpret_cast<const char*>(&build_stamp) + sizeof build_stamp);
  ASSERT_NE(stamp, renamed.end());
  ASSERT_GE(length, 7u);
  *stamp = *stamp == 'f' ? '0' : 'f';
  EXPECT_EQ(hash_of(renamed), hash);

  // One changed instruction is other code.
  std::vector<char> patched = program;
  const auto* code = reinterpret_cast<const char*>(&content_hash);
  const auto found = std::search(patched.begin(), patched.end(), code, code + 64);
  ASSERT_NE(found, patched.end());
  found[32] ^= 1;
  EXPECT_NE(hash_of(patched), hash);

  // So is another initial value of a variable.
  std::vector<char> tuned = program;
  const std::vector<char> value(std::begin(initial_value), std::end(initial_value));
  const auto variable = std::search(tuned.begin(), tuned.end(), value.begin(), value.end());
  ASSERT_NE(variable, tuned.end());
  *variable = 0;
  EXPECT_NE(hash_of(tuned), hash);
}

/// Inline, so that it stands in a section of its own where sections are kept apart.
template <int>
[[gnu::noinline]] int planted(int value) {
  return value * 0x5eed + 3;
}

TEST(CodeHash, FollowsCodeInEverySection) {
  ASSERT_EQ(planted<1>(1), 0x5eed + 3);
  std::vector<char> patched = read("/proc/self/exe");
  const auto* code = reinterpret_cast<const char*>(&planted<1>);
  const auto found = std::search(patched.begin(), patched.end(), code, code + 12);
  ASSERT_NE(found, patched.end());
  found[4] ^= 1;
  EXPECT_NE(hash_of(patched), code_hash("/proc/self/exe"));
}

TEST(CodeHash, WhatIsNoProgramIsUnknown) {
  EXPECT_EQ(code_hash("/nonexistent"), "unknown");
  EXPECT_EQ(hash_of({}), "unknown");
  EXPECT_EQ(hash_of(std::vector<char>(1000, 'x')), "unknown");
  std::vector<char> program = read("/proc/self/exe");
  program.resize(program.size() / 2);  // the table of sections stands at the end
  EXPECT_EQ(hash_of(program), "unknown");
}

TEST(CodeHash, EveryByteCounts) {
  std::set<std::string> hashes;
  std::vector<std::byte> bytes(100);
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    hashes.insert(content_hash({bytes.data(), size}));
  EXPECT_EQ(hashes.size(), 101u);
  for (std::byte& byte : bytes) {
    byte = std::byte{1};
    hashes.insert(content_hash(bytes));
    byte = std::byte{0};
  }
  EXPECT_EQ(hashes.size(), 201u);
}

}  // namespace code_hash_test
}  // namespace ridgeline::worker
