#include "harness/present/table.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::present {
namespace table_test {

constexpr auto left = Table::Align::left;
constexpr auto right = Table::Align::right;
constexpr auto point = Table::Align::point;

TEST(Table, AlignsByCharactersAndLeavesNoSpacesAtLineEnds) {
  Table table({{"case"}, {"median", right}, {"note"}});
  table.add({"gemm", "1.2 ms", "±2%"});
  table.add({"x", "10 ms"});
  EXPECT_EQ(table.text(),
            "case  median  note\n"
            "gemm  1.2 ms  ±2%\n"
            "x      10 ms\n");
}

TEST(Table, ColoursTakeNoRoom) {
  Table table({{"case"}, {"outcome", right}});
  table.add({"\x1b[31mgemm\x1b[0m", "ok"});
  EXPECT_EQ(table.text(), "case  outcome\n\x1b[31mgemm\x1b[0m       ok\n");
}

TEST(Table, PointsAndUnitsStandBelowEachOtherUnderOneHeading) {
  Table table({{"case"}, {"median", point}});
  table.heading("gemm");
  table.add({"naive", "12.3 us"});
  table.add({"tiled", "0.456 us"});
  table.add({"broken"});
  table.heading("roofs");
  table.add({"copy", "7 ms"});
  EXPECT_EQ(table.text(),
            "case         median\n"
            "gemm\n"
            "  naive   12.3   us\n"
            "  tiled    0.456 us\n"
            "  broken\n"
            "roofs\n"
            "  copy         7 ms\n");
}

TEST(Table, WrapsNotesBelowTheirRows) {
  Table table({{"case"}, {"outcome"}});
  table.add({"gemm", "crashed"});
  table.note("the worker ended with signal 11");
  EXPECT_EQ(table.text(20),
            "case  outcome\n"
            "gemm  crashed\n"
            "    the worker ended\n"
            "    with signal 11\n");
}

TEST(Table, MovesColumnsBelowTheirRowsWhereLinesWouldBeTooLong) {
  Table table({{"run"}, {"label", left, true, true}, {"status"}, {"measurements", left, true}});
  table.add({"2026", "night", "finished", "3 ok, 3 crashed"});
  EXPECT_EQ(table.text(42),
            "run   label  status    measurements\n"
            "2026  night  finished  3 ok, 3 crashed\n");
  EXPECT_EQ(table.text(37),
            "run   label  status\n"
            "2026  night  finished\n"
            "    measurements: 3 ok, 3 crashed\n");
  EXPECT_EQ(table.text(20),
            "run   status\n"
            "2026  finished\n"
            "    label: night;\n"
            "    measurements: 3\n"
            "    ok, 3 crashed\n");
}

TEST(Table, LeavesOutOptionalColumnsWithoutACell) {
  Table table({{"run"}, {"label", left, false, true}, {"status"}});
  table.add({"2026", "", "finished"});
  EXPECT_EQ(table.text(), "run   status\n2026  finished\n");
}

TEST(Table, GivesALineOfItsOwnToANameThatIsTooLong) {
  Table table({{"case"}, {"median", right}});
  table.heading("gemm");
  table.add({"naive/m=512,n=512,k=512", "1.2 ms"});
  table.add({"tiled", "0.2 ms"});
  EXPECT_EQ(table.text(20),
            "case          median\n"
            "gemm\n"
            "  naive/m=512,n=512,\n"
            "    k=512\n"
            "              1.2 ms\n"
            "  tiled       0.2 ms\n");
}

TEST(Table, RefusesMoreCellsThanColumns) {
  Table table({{"one"}});
  EXPECT_THROW(table.add({"a", "b"}), Error);
}

TEST(Wrapped, BreaksAtSpacesAndInNamesAfterCommasAndSlashes) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three\n");
  EXPECT_EQ(wrapped("one two", 8, 2, 4), "one\n  two\n");
  EXPECT_EQ(wrapped("gemm/naive/m=512,n=512", 12, 2), "gemm/naive/\n  m=512,\n  n=512\n");
  EXPECT_EQ(wrapped("unbreakable", 4, 2), "unbreakable\n");
  EXPECT_EQ(wrapped("±1 ±2", 5, 2), "±1 ±2\n");
  EXPECT_EQ(wrapped("", 5, 2), "\n");
}

}  // namespace table_test
}  // namespace ridgeline::present
