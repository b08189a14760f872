#include "harness/catalogue/architectures.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "harness/catalogue/datasheets.hpp"

namespace ridgeline::catalogue {
namespace architectures_test {

TEST(Architectures, HaveWhatTheProgrammingGuideSays) {
  const auto hopper = architecture(90), ampere = architecture(80);
  ASSERT_TRUE(hopper && ampere);
  EXPECT_EQ(hopper->shared_per_block, 227u << 10);
  EXPECT_EQ(hopper->shared_per_sm, 228u << 10);
  EXPECT_EQ(ampere->shared_per_block, 163u << 10);
  EXPECT_EQ(ampere->shared_per_sm, 164u << 10);
  for (const Architecture& each : architectures()) {
    EXPECT_EQ(each.threads_per_sm, 2048);
    EXPECT_EQ(each.blocks_per_sm, 32);
    EXPECT_EQ(each.registers_per_sm, 65536);
    EXPECT_EQ(each.shared_per_sm - each.shared_per_block, 1u << 10)
        << "the system's share of a block";
  }
  EXPECT_FALSE(architecture(75));
}

TEST(Architectures, AgreeWithTheDatasheetsOfTheirModels) {
  for (const Architecture& each : architectures()) {
    int found = 0;
    for (const Datasheet& sheet : datasheets()) {
      if (sheet.capability != each.capability || !sheet.model.starts_with(each.model)) continue;
      ++found;
      EXPECT_EQ(sheet.sms, each.sms) << sheet.model;
      EXPECT_EQ(static_cast<std::uint64_t>(sheet.l2_mib * (1 << 20)), each.l2) << sheet.model;
    }
    EXPECT_GT(found, 0) << each.model;
  }
}

}  // namespace architectures_test
}  // namespace ridgeline::catalogue
