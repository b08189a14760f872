#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ci/studies/fuzzing/targets/targets.hpp"

/// Every input that was a finding once is read again; see ci/studies/fuzz.
namespace ridgeline::fuzzing {
namespace replay_test {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Replay : public testing::TestWithParam<NamedTarget> {};

TEST_P(Replay, SeedsAndTheirMutationsAreAcceptedOrRefused) {
  const Target& target = GetParam().target;
  const std::vector<std::string> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  std::mt19937 random(1);
  for (const std::string& seed : seeds) {
    EXPECT_NO_THROW(target.attempt(seed)) << seed;
    for (int i = 0; i < 3 && !seed.empty(); ++i) {
      std::string changed = seed;
      changed[random() % changed.size()] = static_cast<char>(random());
      EXPECT_NO_THROW(target.attempt(changed)) << changed;
    }
  }
}

TEST(ReplayCorpus, WhatWasFoundOnceIsAcceptedOrRefused) {
  const std::vector<NamedTarget> targets = all_targets();
  const fs::path corpus = RIDGELINE_FUZZ_CORPUS;
  int replayed = 0;
  for (const auto& folder : fs::directory_iterator(corpus)) {
    const std::string name = folder.path().filename();
    const auto of = std::ranges::find(targets, name, &NamedTarget::name);
    if (of == targets.end()) {  // of commands, which are not built with sanitizers
      EXPECT_TRUE(fs::exists(corpus.parent_path() / "of_commands" / (name + ".cpp"))) << name;
      continue;
    }
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_NO_THROW(of->target.attempt(bytes_of(entry.path()))) << entry.path();
      ++replayed;
    }
  }
  EXPECT_GT(replayed, 0);
}

TEST(ReplayWords, ARefusalMustBeFitToBePrinted) {
  const auto refuse = [](const char* words) {
    return accepts({ErrorKind::usage}, [&] { throw Error(ErrorKind::usage, words); });
  };
  EXPECT_FALSE(refuse("no"));
  for (const char* words : {"", "\x1b[2J", "\xff"}) EXPECT_THROW(refuse(words), Finding);
  EXPECT_THROW(accepts({ErrorKind::usage}, [] { require(false, "x"); }), Finding);
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(all_targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace replay_test
}  // namespace ridgeline::fuzzing
