#include "harness/base/units.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace ridgeline::units {
namespace units_test {

TEST(Units, TimesCarryThreeSignificantDigits) {
  EXPECT_EQ(time(1234), "1.23 us");
  EXPECT_EQ(time(1.0), "1.00 ns");
  EXPECT_EQ(time(0.1234), "0.123 ns");
  EXPECT_EQ(time(45.67e6), "45.7 ms");
  EXPECT_EQ(time(1.5e9), "1.50 s");
  EXPECT_EQ(time(7.2e12), "7200 s");
  EXPECT_EQ(time(0), "0 ns");
}

TEST(Units, AbsurdTimesFillNoLine) {
  EXPECT_EQ(time(1e300), "1e+291 s");
  EXPECT_EQ(time(5e-324), "4.94e-324 ns");
  EXPECT_EQ(time(1.5e23), "150000000000000 s");
  EXPECT_EQ(in(unit_for(1, "ns"), 1.234e300), "1.23e+300 ns");
}

TEST(Units, RoundingUpMovesToTheNextUnit) {
  EXPECT_EQ(time(999.4), "999 ns");
  EXPECT_EQ(time(999.6), "1.00 us");
  EXPECT_EQ(time(9.996), "10.0 ns");
  EXPECT_EQ(byte_rate(999.9e9), "1.00 TB/s");
}

TEST(Units, RangesShareTheUnitOfTheirLowerEnd) {
  EXPECT_EQ(time_range(1230, 1310), "1.23 to 1.31 us");
  EXPECT_EQ(time_range(980, 1020), "980 to 1020 ns");
  EXPECT_EQ(time_range(1100.1, 1102.9), "1.100 to 1.103 us");
  EXPECT_EQ(time_range(1100, 1100), "1.10 to 1.10 us");
}

TEST(Units, ValuesMayShareOne) {
  const Unit ms = unit_for(4.5e6, "ns");
  EXPECT_EQ(in(ms, 4.5e6), "4.50 ms");
  EXPECT_EQ(in(ms, 1234), "0.00123 ms");
  EXPECT_EQ(in(ms, 1.2345678e9), "1235 ms");
  EXPECT_EQ(in(ms, 0), "0 ms");
  EXPECT_EQ(range_in(ms, 1.2e6, 45e6), "1.20 to 45.0 ms");
  EXPECT_EQ(range_in(ms, 1.2345678e9, 1.25e9), "1235 to 1250 ms");
  EXPECT_EQ(in(unit_for(2e9, "B/s"), 350e6), "0.350 GB/s");
  EXPECT_EQ(in(unit_for(2e12, "FLOP/s"), 350e9), "0.350 TFLOP/s");
}

TEST(Units, CountsTakeTheNumberOfTheirNoun) {
  EXPECT_EQ(plural(1, "case"), "1 case");
  EXPECT_EQ(plural(0, "case"), "0 cases");
  EXPECT_EQ(plural(12, "process"), "12 processes");
}

TEST(Units, DurationsAreInWholeSeconds) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(0.0057), "5.70 ms");
  EXPECT_EQ(duration(0.1), "100 ms");
  EXPECT_EQ(duration(1.6), "1.60 s");
  EXPECT_EQ(duration(3), "3 s");
  EXPECT_EQ(duration(42.4), "42 s");
  EXPECT_EQ(duration(59.6), "1 min 00 s");
  EXPECT_EQ(duration(185), "3 min 05 s");
  EXPECT_EQ(duration(7620), "2 h 07 min");
}

TEST(Units, RatesAreDecimalAndSizesBinary) {
  EXPECT_EQ(byte_rate(456e9), "456 GB/s");
  EXPECT_EQ(flop_rate(12.34e12), "12.3 TFLOP/s");
  EXPECT_EQ(flop_rate(2), "2.00 FLOP/s");
  EXPECT_EQ(bytes(64 << 20), "64 MiB");
  EXPECT_EQ(bytes(1536), "1.5 KiB");
  EXPECT_EQ(bytes(1023), "1023 B");
  EXPECT_EQ(bytes(1024), "1 KiB");
  EXPECT_EQ(bytes(1 << 30), "1 GiB");
  EXPECT_EQ(bytes(1.43 * (1 << 30)), "1.43 GiB");
  EXPECT_EQ(bytes(0), "0 B");
}

TEST(Units, SharesShowNoFalsePrecision) {
  EXPECT_EQ(percent(0.034), "3.4%");
  EXPECT_EQ(percent(0.5617), "56.2%");
  EXPECT_EQ(percent(0.0028), "0.28%");
  EXPECT_EQ(percent(0.0999), "10.0%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(percent(0), "0%");
}

TEST(Units, StoredUnitsChooseTheirForm) {
  EXPECT_EQ(quantity(1234, "ns"), "1.23 us");
  EXPECT_EQ(quantity(1 << 20, "B"), "1 MiB");
  EXPECT_EQ(quantity(3e9, "B/s"), "3.00 GB/s");
  EXPECT_EQ(quantity(0.5, "fraction"), "50.0%");
  EXPECT_EQ(quantity(32, "sectors"), "32 sectors");
  EXPECT_EQ(quantity(1.5, ""), "1.5");
  EXPECT_EQ(quantity(1.234e-7, "J"), "1.23e-07 J");
}

TEST(Units, CountsThatDifferReadDifferently) {
  using Texts = std::pair<std::string, std::string>;
  EXPECT_EQ(counts(262144, 262145), Texts("262144", "262145"));
  EXPECT_EQ(counts(0, -0.0), Texts("0", "0"));
  EXPECT_EQ(counts(32.0 / 3, 8), Texts("10.67", "8"));
  EXPECT_EQ(counts(1.00001, 1.00002), Texts("1.00001", "1.00002"));
  EXPECT_EQ(counts(1 + 1e-15, 1), Texts("1.000000000000001", "1"));
  EXPECT_EQ(counts(123456.75, 123456.25), Texts("123456.8", "123456.2"));
  EXPECT_EQ(counts(1e300, 2e300), Texts("1e+300", "2e+300"));
}

TEST(Units, WhatIsNoNumberIsShownAsSuch) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(time(nan), "nan ns");
  EXPECT_EQ(byte_rate(inf), "inf B/s");
  EXPECT_EQ(percent(nan), "nan%");
  EXPECT_EQ(plain(nan), "nan");
  EXPECT_EQ(duration(inf), "inf s");
  EXPECT_EQ(time_range(1, inf), "1.00 to inf ns");
  EXPECT_EQ(range_in({"us", 1e3}, -inf, inf), "-inf to inf us");
}

}  // namespace units_test
}  // namespace ridgeline::units
