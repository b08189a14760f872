#include "harness/present/clocks.hpp"

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace clocks_test {

TEST(Clocks, AreToldInWords) {
  EXPECT_EQ(clocks_text({249, 0, 1980, 1980}), "fixed frequency, 1980 MHz");
  EXPECT_EQ(clocks_text({249, 0, 1755, 1980}),
            "neither frequency nor power was fixed, from 1755 to 1980 MHz");
  EXPECT_EQ(clocks_text({249, 34, 1410, 1980}),
            "fixed power: at its limit in 34 of 249 measurements, from 1410 to 1980 MHz");
  EXPECT_EQ(to_json(analysis::Clocks{2, 1, 1410, 1980}).at("fixed"), "power");
  EXPECT_EQ(to_json(analysis::Clocks{2, 0, 1410, 1980}).at("fixed"), "neither");
}

}  // namespace clocks_test
}  // namespace ridgeline::present
