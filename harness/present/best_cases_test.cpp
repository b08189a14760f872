#include "harness/present/best_cases.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::present {
namespace best_cases_test {

using analysis::CaseSummary;
using json::Value;

CaseSummary gemm(const std::string& variant, int n, double median_ns) {
  CaseSummary made;
  made.case_info = store::examples::gemm_case(variant, n);
  made.outcome = record::Outcome::ok;
  made.flops = made.case_info.flops;
  made.bytes = made.case_info.bytes;
  made.median_ns = median_ns;
  made.flop_rate = *made.flops / median_ns * 1e9;
  made.byte_rate = *made.bytes / median_ns * 1e9;
  return made;
}

CaseSummary with_problem(CaseSummary one, std::vector<record::Field> problem) {
  one.case_info.id.problem = std::move(problem);
  return one;
}

CaseSummary of_dtype(const std::string& dtype, CaseSummary one) {
  one.case_info.id.dtype = dtype;
  return one;
}

/// naive, tiled and a vendor's library on one problem.
std::vector<CaseSummary> ladder() {
  std::vector<CaseSummary> cases{gemm("naive", 64, 800), gemm("openblas", 64, 80),
                                 gemm("tiled", 64, 100)};
  cases[2].share_of_roof = 0.5;
  cases[2].roof = "fma.f32";
  return cases;
}

/// The only row.
Value best_of(const std::vector<CaseSummary>& cases) {
  const Value rows = best_cases(cases);
  EXPECT_EQ(rows.size(), 1u) << rows.dump();
  return rows.size() == 1 ? rows.elements()[0] : Value();
}

/// The word of `row` under `key`; "absent" when there is none.
std::string word(const Value& row, const char* key) {
  const Value* found = row.at("words").find(key);
  return found ? found->text() : "absent";
}

TEST(BestCases, TheFastestOwnCaseIsComparedWithNaiveAndVendor) {
  EXPECT_EQ(best_of(ladder()), Value({{"suite", "gemm"},
                                      {"case", "gemm/tiled/f32/m=64,n=64,k=64"},
                                      {"words",
                                       {{"variant", "tiled f32"},
                                        {"problem", "m=64, n=64, k=64"},
                                        {"rate", "5.24 TFLOP/s"},
                                        {"share", "50.0%"},
                                        {"roof", "fma.f32"},
                                        {"over_naive", "8.00×"},
                                        {"over_vendor", "0.800×"}}}}));
}

TEST(BestCases, OtherOptionsAreNotComparedButThoseOfOtherProductsAre) {
  std::vector<CaseSummary> cases = ladder();
  cases[2].case_info.id.options = {{"products", "3xf16"}};
  EXPECT_EQ(word(best_of(cases), "over_vendor"), "0.800×");
  cases[2].case_info.id.options = {{"products", "3xf16"}, {"cache", "hot"}};
  EXPECT_EQ(word(best_of(cases), "over_vendor"), "absent");
}

TEST(BestCases, TheTableHasALinePerSuiteWithAlignedColumns) {
  EXPECT_EQ(best_table(best_cases(ladder())),
            "suite  best case                         rate  of roof  over naive  over vendor\n"
            "gemm   tiled/f32/m=64,n=64,k=64  5.24 TFLOP/s    50.0%       8.00×       0.800×\n");
  EXPECT_EQ(best_table(best_cases({})), "");
}

TEST(BestCases, AFactorNamesTheProblemWhenItIsAnotherOne) {
  std::vector<CaseSummary> cases{gemm("naive", 64, 800), gemm("naive", 128, 8000),
                                 gemm("tiled", 64, 200), gemm("tiled", 128, 1000),
                                 gemm("tiled", 256, 4000)};
  const Value row = best_of(cases);
  EXPECT_EQ(row.at("case").text(), "gemm/tiled/f32/m=256,n=256,k=256");
  EXPECT_EQ(word(row, "over_naive"), "8.00×");
  EXPECT_EQ(word(row, "over_naive_on"), "m=128, n=128, k=128");
  EXPECT_EQ(word(row, "over_vendor"), "absent");
  EXPECT_NE(best_table(best_cases(cases)).find("8.00× at m=128, n=128, k=128"), std::string::npos);
  cases.back() = of_dtype("bf16", cases.back());
  EXPECT_EQ(word(best_of(cases), "over_naive_on"), "f32, m=128, n=128, k=128");
}

TEST(BestCases, AFactorIsOverTheFastestReferenceUnderTheSameOptions) {
  std::vector<CaseSummary> cases = ladder();
  cases.push_back(gemm("standard", 64, 400));
  EXPECT_EQ(word(best_of(cases), "over_naive"), "4.00×");
  cases.back().case_info.id.options = {{"cache", "hot"}};
  EXPECT_EQ(word(best_of(cases), "over_naive"), "8.00×");
}

TEST(BestCases, TheFirstRungOfAGroupHasTheGroupsName) {
  EXPECT_EQ(word(best_of({gemm("transpose_naive", 64, 300), gemm("copy_naive", 64, 900),
                          gemm("transpose_tiled", 64, 100)}),
                 "over_naive"),
            "3.00×");
}

TEST(BestCases, WhatWasNotSteadyOrBeatsItsRoofIsNotTheBest) {
  CaseSummary unsteady = gemm("tiled", 64, 100), beating = gemm("odd", 64, 1),
              ceiling = gemm("fma", 64, 1), wrong = gemm("wrong", 64, 1);
  unsteady.outcome = record::Outcome::unstable;
  beating.beats_roof = true;
  ceiling.case_info.roof = "fma.f32";
  wrong.outcome = record::Outcome::wrong_result;
  wrong.median_ns.reset();
  const Value row = best_of({gemm("naive", 64, 800), unsteady, beating, ceiling, wrong});
  EXPECT_EQ(word(row, "variant"), "naive f32");
  EXPECT_EQ(word(row, "over_naive"), "absent");
  EXPECT_EQ(best_cases({unsteady}).size(), 0u);
}

TEST(BestCases, ASuiteOfVendorLibrariesHasABestCase) {
  CaseSummary broadcast = with_problem(gemm("mpi", 64, 100), {{"op", "broadcast"}});
  broadcast.metrics = {{"busbw", 5e9, "B/s", record::Direction::higher}};
  const Value row = best_of({broadcast});
  EXPECT_EQ(word(row, "variant"), "mpi f32");
  EXPECT_EQ(word(row, "rate"), "5.00 GB/s bus");
  EXPECT_EQ(word(row, "over_vendor"), "absent");
}

TEST(BestCases, ARunWithoutAGoodCaseHasNone) {
  CaseSummary crashed = gemm("naive", 64, 1);
  crashed.outcome = record::Outcome::crashed;
  crashed.median_ns.reset();
  EXPECT_EQ(best_cases({crashed}).size(), 0u);
  EXPECT_EQ(best_cases({}).size(), 0u);
}

TEST(BestCases, WhatComputesComesBeforeWhatMoves) {
  CaseSummary moving = with_problem(gemm("tiled", 64, 1e-3), {{"m", "1"}, {"n", "64"}});
  moving.roof = "dram.copy";
  EXPECT_EQ(word(best_of({moving, gemm("tiled", 64, 100)}), "problem"), "m=64, n=64, k=64");
}

TEST(BestCases, EachSuiteHasItsOwn) {
  CaseSummary sum = gemm("tree", 64, 50);
  sum.case_info.id.suite = "sums";
  const Value rows = best_cases({gemm("naive", 64, 800), sum});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.elements()[1].at("suite").text(), "sums");
  EXPECT_EQ(word(rows.elements()[1], "over_naive"), "absent");
}

TEST(BestCases, AVendorsLibraryIsKnownByTheVariant) {
  EXPECT_TRUE(is_vendor({"gemm", "cublaslt", "f32", {}, {}}));
  EXPECT_FALSE(is_vendor({"gemm", "tiled", "f32", {}, {}}));
}

}  // namespace best_cases_test
}  // namespace ridgeline::present
