#include "harness/cli/table.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::cli {
namespace {

TEST(Table, AlignsByCharactersAndLeavesNoSpacesAtLineEnds) {
  Table table({{"case"}, {"median", Table::Align::right}, {"note"}});
  table.add({"gemm", "1.2 ms", "±2%"});
  table.add({"x", "10 ms"});
  EXPECT_EQ(table.text(),
            "case  median  note\n"
            "gemm  1.2 ms  ±2%\n"
            "x      10 ms\n");
}

TEST(Table, RefusesMoreCellsThanColumns) {
  Table table({{"one"}});
  EXPECT_THROW(table.add({"a", "b"}), Error);
}

}  // namespace
}  // namespace ridgeline::cli
