#include "harness/catalogue/link.hpp"

#include <gtest/gtest.h>

namespace ridgeline::catalogue {
namespace link_test {

TEST(Link, CarriesWhatItsGenerationAndLanesAllow) {
  const std::pair<const char*, double> links[] = {// GB/s, as tables of the generations have them
                                                  {"1 x16", 4},   {"3 x16", 15.75}, {"4 x16", 31.5},
                                                  {"5 x8", 31.5}, {"5 x16", 63},    {"6 x16", 121}};
  for (const auto& [link, gb_s] : links) {
    const auto roof = link_roof(link);
    ASSERT_TRUE(roof) << link;
    EXPECT_NEAR(roof->value / 1e9, gb_s, 0.005 * gb_s) << link;
    EXPECT_EQ(roof->kind, "link");
    EXPECT_EQ(roof->unit, "B/s");
    EXPECT_FALSE(record::is_measured(*roof));
  }
}

TEST(Link, IsAbsentWhereNoneIsNamed) {
  for (const char* text : {"", "5", "x16", " x16", "5 x", "0 x16", "7 x16", "5 x0", "5 x33",
                           "-1 x16", "5 x16 ", "99999999999 x16", "NVLink"})
    EXPECT_FALSE(link_roof(text)) << text;
}

}  // namespace link_test
}  // namespace ridgeline::catalogue
