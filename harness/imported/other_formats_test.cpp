#include <array>

#include <gtest/gtest.h>

#include "harness/imported/babelstream.hpp"
#include "harness/imported/nvbandwidth.hpp"
#include "harness/imported/pytorch.hpp"
#include "harness/imported/reading_fixture.hpp"

namespace ridgeline::imported {
namespace other_formats_test {

using record::Outcome;
using Changes = std::vector<std::array<std::string, 3>>;  // what, with, and what is said of it

void expect_refusals(ReadText read, const std::string& text, const Changes& changes) {
  for (const auto& [what, with, says] : changes) {
    const std::string said = refusal(read, replaced(text, what, with));
    EXPECT_NE(said.find(says), std::string::npos) << with << ": " << said;
  }
}

TEST(BabelStream, AKernelIsACase) {
  const Contents read = read_text(read_babelstream, fixture("babelstream.csv"));
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.device, "Synthetic GPU");
  EXPECT_EQ(read.facts.at("Version"), "5.0");
  const Row& row = row_of(read, "babelstream/Copy/f64/n=33554432");
  EXPECT_EQ(row.line, 8u);
  EXPECT_DOUBLE_EQ(row.measurement.median_ns.value(), 140'000);
  EXPECT_EQ(row.measurement.bytes, 2.0 * 8 * 33554432);
  EXPECT_DOUBLE_EQ(metric(row, "min_runtime"), 137'300);
  EXPECT_DOUBLE_EQ(metric(row, "rate"), 3.91e12);
  EXPECT_EQ(read.flags.size(), 1u);
}

TEST(BabelStream, TheTimeOfTriadAloneIsThatOfAllExecutions) {
  const Contents read = read_text(
      read_babelstream,
      "function,num_times,n_elements,sizeof,gbytes_per_sec,runtime\nTriad,100,1000000,4,12,0.1\n");
  EXPECT_DOUBLE_EQ(read.rows.at(0).measurement.median_ns.value(), 1e6);
  EXPECT_EQ(read.rows.at(0).measurement.executions_per_sample, 100);
}

TEST(BabelStream, TablesAreExecutionsAndColumnsMayHaveOldNames) {
  const std::string text =
      replaced(fixture("babelstream.csv"), "max_mbytes_per_sec,min", "max_MB_per_sec,min");
  EXPECT_EQ(read_text(read_babelstream, text + text).rows.size(), 4u);
}

TEST(BabelStream, RefusesWhatContradictsItselfWithItsLine) {
  const std::string text = fixture("babelstream.csv");
  expect_refusals(read_babelstream, text,
                  {{"0.00014\n", "-0.00014\n", "line 8: avg_runtime is -0.00014"},
                   {"0.00014\n", "nan\n", "line 8: avg_runtime is nan"},
                   {"0.00014\n", "0.5\n", "line 8: its mean time does not lie between"},
                   {"Copy,100", "Copy", "line 8: the row has 7 cells, and its header has 8"},
                   {"Triad", "Copy", "line 9: the kernel Copy stands there twice"},
                   {"33554432,8,3.9", "33554432,2,3.9", "line 8: elements of 2 bytes"},
                   {"num_times", "times", "line 7: a column that is called times"},
                   {"max_runtime,avg", "runtime,avg", "line 7: of min_runtime and max_runtime"},
                   {"min_runtime", "max_runtime", "line 7: there are two columns max_runtime"},
                   {"function", "fun", "line 7: the row has 8 cells, and its header has 5"}});
  EXPECT_NE(
      refusal(read_babelstream, "Copy 1 2 3\n").find("it has no line that begins with function"),
      std::string::npos);
  EXPECT_TRUE(flags(read_text(read_babelstream, replaced(text, "3.91e+06", "9.91e+06")),
                    "are another rate", 8));
}

TEST(Nvbandwidth, ACellIsACase) {
  const Contents read = read_text(read_nvbandwidth, fixture("nvbandwidth.json"));
  ASSERT_EQ(read.rows.size(), 4u);
  EXPECT_EQ(read.schema, "v0.8");
  const Row& row = row_of(read, "nvbandwidth/host_to_device_memcpy_ce/untyped/row=0,column=0");
  EXPECT_EQ(row.line, 6u);
  EXPECT_DOUBLE_EQ(metric(row, "rate"), 55.5e9);
  EXPECT_EQ(row_of(read, "nvbandwidth/device_local_latency_sm/untyped/row=1,column=0")
                .measurement.median_ns,
            629.9);
  EXPECT_EQ(row_of(read, "nvbandwidth/multinode/untyped/matrix=none").measurement.outcome,
            Outcome::unsupported);
}

TEST(Nvbandwidth, RefusesWhatContradictsItselfWithItsLine) {
  expect_refusals(
      read_nvbandwidth, fixture("nvbandwidth.json"),
      {{"\"55.5\"", "\"-55.5\"", "line 6: the rate of host_to_device_memcpy_ce in row 0, column 0"},
       {"\"55.5\"", "\"inf\"", "is inf"},
       {"\"55.5\"", "\"\"", "line 6: the rate"},
       {"[\"629.9\"]", "[\"629.9\", \"1\"]", "line 13: the rows of its matrix"},
       {"\"device_local_latency_sm\"", "\"host_to_device_memcpy_ce\"", "stands there twice"},
       {"\"nvbandwidth\"", "\"other\"", "it has no member nvbandwidth"}});
}

TEST(Pytorch, RecordsOfOneBenchmarkAreACase) {
  const Contents read = read_text(read_pytorch, fixture("pytorch.jsonl"));
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.device, "Synthetic GPU");
  const Row& row =
      row_of(read, "layer+20norm/eager/bf16/mode=inference,type=op,batch=8,compile=true");
  EXPECT_EQ(row.measurement.samples_ns, (std::vector<double>{1.5e6, 1.25e6, 1.75e6}));
  EXPECT_EQ(metric(row, "speedup"), 1.1);
  EXPECT_EQ(metric(row, "speedup.target"), 1);
  const Row& rate = row_of(read, "pytorch/no_model/untyped/mode=none");
  EXPECT_EQ(rate.measurement.outcome, Outcome::not_measured);
  EXPECT_EQ(metric(rate, "tokens_per_s"), 12.5);
}

TEST(Pytorch, AnArrayOfRecordsIsTheSame) {
  std::string array = "[\n" + fixture("pytorch.jsonl");
  array = replaced(array, "}}}\n{", "}}},\n{");
  array = replaced(array, "1.0}}\n", "1.0}},\n") + "]";
  const Contents lines = read_text(read_pytorch, fixture("pytorch.jsonl")),
                 all = read_text(read_pytorch, array);
  ASSERT_EQ(all.rows.size(), lines.rows.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    EXPECT_EQ(all.rows[i].measurement, lines.rows[i].measurement);
}

TEST(Pytorch, RefusesWhatContradictsItselfWithItsLine) {
  expect_refusals(read_pytorch, fixture("pytorch.jsonl"),
                  {{"1.25", "-1.25", "line 1: a time of -1250000 ns"},
                   {"1.25", "NaN", "line 1: a time of nan ns"},
                   {"1.25", "\"x\"", "line 1: a value of latency(ms) is x"},
                   {"[1.1]", "[]", "line 2: the metric speedup has no benchmark_values"},
                   {"\"speedup\"", "\"time_ms\"", "line 2: a second time of one case"},
                   {"{\"metric\": {\"name\": \"tok", "{\"metrics\": {\"name\": \"tok",
                    "line 3: a record without a metric"},
                   {"{\"metric\": {\"name\": \"tok", "{{", "line 3: it is not JSON from here on"}});
}

}  // namespace other_formats_test
}  // namespace ridgeline::imported
