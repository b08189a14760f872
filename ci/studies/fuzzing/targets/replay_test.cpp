#include <chrono>
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
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Replay : public testing::TestWithParam<NamedTarget> {};

TEST_P(Replay, WhatWasFoundOnceIsAcceptedOrRefused) {
  const fs::path folder = fs::path(RIDGELINE_FUZZ_CORPUS) / GetParam().name;
  if (!fs::exists(folder)) GTEST_SKIP() << "nothing was found yet";
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_NO_THROW(GetParam().target.attempt(bytes_of(entry.path()))) << entry.path();
}

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

TEST(ReplayCorpus, EveryFolderIsOfATarget) {
  std::vector<std::string> names;
  for (const NamedTarget& each : targets()) names.push_back(each.name);
  ASSERT_TRUE(fs::exists(RIDGELINE_FUZZ_CORPUS));
  for (const auto& entry : fs::directory_iterator(RIDGELINE_FUZZ_CORPUS)) {
    const std::string name = entry.path().filename().string();
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(ReplayWords, ARefusalMustBeFitToBePrinted) {
  const auto refuse = [](const char* words) {
    return accepts({ErrorKind::usage}, [&] { throw Error(ErrorKind::usage, words); });
  };
  EXPECT_FALSE(refuse("no"));
  for (const char* words : {"", "\x1b[2J", "\xff"}) EXPECT_THROW(refuse(words), Finding);
  EXPECT_THROW(accepts({ErrorKind::usage}, [] { require(false, "x"); }), Finding);
}

INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(targets()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ridgeline::fuzzing
