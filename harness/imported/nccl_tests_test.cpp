#include "harness/imported/nccl_tests.hpp"

#include <array>

#include <gtest/gtest.h>

#include "harness/imported/reading_fixture.hpp"

namespace ridgeline::imported {
namespace nccl_tests_test {

using record::Outcome;

const std::string all_reduce = "collectives/nccl/f32/op=all_reduce,ranks=8,bytes=",
                  calls = ",mode=pipelined,calls=20";

void expect_three_sizes(const Contents& read) {
  ASSERT_EQ(read.rows.size(), 6u);
  EXPECT_EQ(read.device, "Synthetic GPU");
  const Row& row = row_of(read, all_reduce + "1048576" + calls);
  EXPECT_EQ(row.measurement.outcome, Outcome::unverified);
  EXPECT_EQ(row.measurement.median_ns, 35'000);
  EXPECT_EQ(row.measurement.executions_per_sample, 20);
  EXPECT_EQ(row.measurement.bytes, 1048576);
  EXPECT_EQ(row.case_info.ranks, 8);
  EXPECT_DOUBLE_EQ(metric(row, "busbw"), 52.43e9);
  EXPECT_EQ(metric(row, "wrong"), 0);
  const Row& in_place = row_of(read, all_reduce + "1048576" + calls + ",place=in");
  EXPECT_EQ(in_place.measurement.median_ns, 34'500);
  EXPECT_EQ(in_place.measurement.said.at("wrong"), "N/A");
  EXPECT_EQ(row_of(read, all_reduce + "0" + calls).measurement.median_ns, 8'510);
  EXPECT_EQ(row_of(read, all_reduce + "134217728" + calls).measurement.median_ns, 520'000);
}

TEST(NcclTests, ReadsTheTable) {
  const Contents read = read_text(read_nccl_tests, fixture("nccl_all_reduce.txt"));
  expect_three_sizes(read);
  EXPECT_EQ(row_of(read, all_reduce + "1048576" + calls).line, 19u);
  ASSERT_EQ(read.flags.size(), 1u);
  EXPECT_TRUE(flags(read, "did not check", 19));
}

TEST(NcclTests, ReadsTheTableBehindPrefixesAndWithinNoise) {
  expect_three_sizes(read_text(read_nccl_tests, fixture("nccl_noise_srun.txt")));
  expect_three_sizes(read_text(read_nccl_tests, fixture("nccl_mpirun.txt")));
}

TEST(NcclTests, TakesANumberThatTheLogIsGluedTo) {
  const std::string text = fixture("nccl_all_reduce.txt");
  const std::string row = "     1048576        262144     float     sum      -1";
  for (const char* log : {"synthetic:1:2 [0] NCCL INFO x\n", "10.0.0.1:1:2 [0] NCCL WARN x\n",
                          "[1657812345.1] [h:1:0] a.c:1 UCX  WARN x\n"})
    expect_three_sizes(read_text(read_nccl_tests, replaced(text, row, row + log)));
}

TEST(NcclTests, ReadsLayoutsBefore2022) {
  const Contents read = read_text(read_nccl_tests, fixture("nccl_old.txt"));
  ASSERT_EQ(read.rows.size(), 4u);
  EXPECT_EQ(read.schema, "before 2022-08");
  const Row& row = row_of(
      read, "collectives/nccl/f32/op=all_gather,ranks=4,bytes=1048576,mode=pipelined,calls=20");
  EXPECT_EQ(row.measurement.median_ns, 20'000);
  EXPECT_EQ(metric(row, "error"), 0);
  EXPECT_FALSE(flags(read, "busbw over algbw", row.line));
}

TEST(NcclTests, ReadsStampsAndIterations) {
  const Contents read = read_text(read_nccl_tests, fixture("nccl_stamped.txt"));
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.date, "2026-11-28T06:30:01Z");
  const Row& row = row_of(read,
                          "collectives/nccl/bf16/op=all_reduce,ranks=8,bytes=1048576,mode="
                          "pipelined,calls=20,redop=max,place=in");
  EXPECT_EQ(metric(row, "time.p99"), 39'900);
  EXPECT_DOUBLE_EQ(metric(row, "cv"), 0.041);
  EXPECT_EQ(row.measurement.said.at("timestamp"), "2026-11-28 06:30:01");
}

TEST(NcclTests, ReadsJsonWithoutItsEnvironment) {
  const Contents read = read_text(read_nccl_tests, fixture("nccl.json"));
  ASSERT_EQ(read.rows.size(), 3u);
  EXPECT_EQ(read.schema, "2");
  EXPECT_EQ(read.date, "2026-11-28T06:30:00Z");
  const Row& row = row_of(read, all_reduce + "1048576,mode=pipelined,calls=10");
  EXPECT_EQ(row.line, 2u);
  EXPECT_EQ(row.measurement.median_ns, 35'000);
  EXPECT_DOUBLE_EQ(metric(row, "time.min"), 33'100);
  EXPECT_EQ(row.measurement.said.at("iterations.times_us"), "[33.1,36.9]");
  for (const auto& [key, value] : read.facts)
    EXPECT_EQ(value.find("hunter2"), std::string::npos) << key;
}

TEST(NcclTests, ProgramsOneAfterTheOtherAreExecutions) {
  const std::string text = fixture("nccl_all_reduce.txt");
  const Contents read = read_text(read_nccl_tests, text + text);
  ASSERT_EQ(read.rows.size(), 12u);
  EXPECT_EQ(row_of(read, all_reduce + "0" + calls, 1).measurement.samples_ns.size(), 1u);
}

TEST(NcclTests, RowsOfOneSizeAreSamples) {
  const std::string text = fixture("nccl_all_reduce.txt");
  const std::size_t begin = text.find("     1048576"), end = text.find('\n', begin) + 1;
  const std::string row = text.substr(begin, end - begin);
  const Contents read = read_text(
      read_nccl_tests,
      replaced(text, row, row + replaced(row, "35.00   29.96   52.43", "37.00   28.34   49.59")));
  const record::Measurement& m = row_of(read, all_reduce + "1048576" + calls).measurement;
  EXPECT_EQ(m.samples_ns, (std::vector<double>{35'000, 37'000}));
  EXPECT_DOUBLE_EQ(metric(row_of(read, m.case_name), "busbw.1"), 49.59e9);
}

TEST(NcclTests, WrongResultsHaveNoTime) {
  const Contents read = read_text(
      read_nccl_tests, replaced(fixture("nccl_all_reduce.txt"), "52.43       0", "52.43       7"));
  const record::Measurement& m = row_of(read, all_reduce + "1048576" + calls).measurement;
  EXPECT_EQ(m.outcome, Outcome::wrong_result);
  EXPECT_EQ(m.reason, "imported: nccl-tests found 7 wrong elements");
  EXPECT_TRUE(m.samples_ns.empty());
}

TEST(NcclTests, FlagsARankCountThatItsNumbersContradict) {
  std::string text = fixture("nccl_all_reduce.txt");
  const std::size_t begin = text.find("#  Rank  4"), end = text.find("#\n", begin);
  const Contents read = read_text(read_nccl_tests, text.erase(begin, end - begin));
  EXPECT_TRUE(flags(read, "busbw over algbw is 1.75; of all_reduce with 4 ranks it is 1.5", 15));
}

TEST(NcclTests, FlagsARateThatItsTimeContradicts) {
  const Contents read = read_text(read_nccl_tests, replaced(fixture("nccl_all_reduce.txt"),
                                                            "  35.00   29.96", "  70.00   29.96"));
  EXPECT_TRUE(flags(read, "algbw is 29.96 GB/s, and 1048576 bytes in 70 us are 14.98 GB/s", 19));
}

TEST(NcclTests, FlagsAnAverageThatItsRowsContradict) {
  const std::string text = fixture("nccl_all_reduce.txt"), said = "bandwidth    : 168.313";
  const Contents other = read_text(read_nccl_tests, replaced(text, said, "bandwidth    : 170"));
  EXPECT_TRUE(flags(other, "its 6 values are 168.313 GB/s", 22));
  const std::size_t row = text.find("     1048576 ");
  const std::string cut = text.substr(0, row) + text.substr(text.find('\n', row) + 1);
  EXPECT_TRUE(flags(read_text(read_nccl_tests, cut), "rows are missing or were changed", 21));
  EXPECT_EQ(read_text(read_nccl_tests, text).flags.size(), 1u);  // of the results, not of this
}

TEST(NcclTests, SaysThatOneRankCommunicatesWithNobody) {
  std::string text = fixture("nccl_all_reduce.txt");
  const std::size_t begin = text.find("#  Rank  1"), end = text.find("#\n", begin);
  EXPECT_TRUE(
      flags(read_text(read_nccl_tests, text.erase(begin, end - begin)), "no communication", 11));
}

TEST(NcclTests, TheFilesNameMayNameTheCollective) {
  const std::string text =
      replaced(fixture("nccl_all_reduce.txt"), "# Collective test starting: all_reduce_perf\n", "");
  EXPECT_NE(refusal(read_nccl_tests, text).find("line 17: nothing before this row says which"),
            std::string::npos)
      << refusal(read_nccl_tests, text);
  EXPECT_EQ(read_text(read_nccl_tests, text, "logs/all_reduce_perf-8.txt").rows.size(), 6u);
}

TEST(NcclTests, RefusesWhatContradictsItselfWithItsLine) {
  const std::string text = fixture("nccl_all_reduce.txt");
  for (const auto& [what, with, says] : std::vector<std::array<std::string, 3>>{
           {"  35.00", " -35.00", "line 19: a time of -35000 ns"},
           {"  35.00", "    nan", "line 19: a time of nan ns"},
           {"  35.00", "    inf", "line 19: a time of inf ns"},
           {"  35.00", "   fast", "line 19: time is fast"},
           {"29.96", "-29.9", "line 19: algbw is -29.9 GB/s"},
           {"     1048576", "          -9", "line 19: a message of -9 bytes"},
           {"    N/A\n", "\n", "line 19: the row is cut off: it has 12 of 13 columns"},
           {"    N/A\n", "    N/A 1\n", "line 19: the row has more than its 13 columns"},
           {"#wrong", "#wrongs", "line 16: a column that is called wrongs"},
           {"iters: 20", "iters: 0", "line 3: 0 iterations"},
           {"N/A", "???", "line 19: #wrong is ???"}}) {
    const std::string said = refusal(read_nccl_tests, replaced(text, what, with));
    EXPECT_NE(said.find(says), std::string::npos) << with << ": " << said;
  }
  EXPECT_NE(refusal(read_nccl_tests, "").find("it has no table"), std::string::npos);
  EXPECT_NE(refusal(read_nccl_tests, std::string(2'000'000, 'x')).find("line 1: the line has more"),
            std::string::npos);
  const std::string json = fixture("nccl.json");
  for (const auto& [what, with, says] : std::vector<std::array<std::string, 3>>{
           {"\"version\": 2", "\"version\": 9", "line 2: its version is 9, and this program knows"},
           {"\"time\": 35.0", "\"time\": \"nan\"", "line 2: a time of nan ns"},
           {"\"size\": 2097152", "\"size\": -1", "line 3: a message of -1 bytes"},
           {"\"size\": 2097152", "\"size\": 1e6", "line 3: size is no whole number"}}) {
    const std::string said = refusal(read_nccl_tests, replaced(json, what, with));
    EXPECT_NE(said.find(says), std::string::npos) << with << ": " << said;
  }
}

}  // namespace nccl_tests_test
}  // namespace ridgeline::imported
