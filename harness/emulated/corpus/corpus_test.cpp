#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/emulated/corpus/cases.hpp"
#include "harness/emulated/emulated_device.hpp"
#include "harness/emulated/faults.hpp"

namespace ridgeline::corpus {
namespace corpus_test {

constexpr std::uint64_t seeds = 4;  // as `ridgeline check` tries them

/// All that is found with one order of threads, the first thing first; empty: nothing.
std::string found(const Case& of, std::uint64_t seed) {
  emulated::settings_of_new_devices() = {.workers = 1, .seed = seed, .checks_downloads = true};
  try {
    const auto device = device::open("emulated:sm_90");
    of.check(*device);
    device->synchronize();
  } catch (const Error& error) {
    return std::string(error.what()) + (error.advice().empty() ? "" : "; " + error.advice());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Corpus, PlantedMistakesAreFoundAndNothingElse) {
  emulated::Faults::allow_idle(0.5);
  int bugs = 0, missed = 0, right = 0;
  for (const Case& each : cases()) {
    constexpr std::string_view bug = "// bug: ";
    const bool is_bug = each.expectation.starts_with(bug),
               is_missed = each.expectation.starts_with("// missed: ");
    ASSERT_TRUE(is_bug || is_missed || each.expectation == "// right") << each.name;
    bugs += is_bug || is_missed ? 1 : 0;
    missed += is_missed ? 1 : 0;
    right += is_bug || is_missed ? 0 : 1;
    std::string first;
    for (std::uint64_t seed = 0; seed < seeds && first.empty(); ++seed) first = found(each, seed);
    if (is_bug) {
      EXPECT_NE(first.find(each.expectation.substr(bug.size())), std::string::npos)
          << each.name << ": " << each.expectation << ", and found was: " << first;
    } else {
      EXPECT_EQ(first, "") << each.name << ": " << each.expectation;
    }
  }
  std::printf("%d planted mistakes, %d of them known to be missed; %d right programs\n", bugs,
              missed, right);
}

}  // namespace corpus_test
}  // namespace ridgeline::corpus
