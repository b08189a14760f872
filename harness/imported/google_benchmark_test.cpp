#include "harness/imported/google_benchmark.hpp"

#include <array>

#include <gtest/gtest.h>

#include "harness/imported/reading_fixture.hpp"

namespace ridgeline::imported {
namespace google_benchmark_test {

using record::Outcome;

/// One benchmark, whose members are `entry`.
std::string document(const std::string& entry, const std::string& context = "") {
  return "{\"context\": {\"executable\": \"./b\"" + context + "},\n\"benchmarks\": [\n" + entry +
         "\n]}";
}

const std::string plain =
    R"({"name": "BM/8", "iterations": 10, "real_time": 2.5, "cpu_time": 2, "time_unit": "us"})";

TEST(GoogleBenchmark, RepetitionsAreSamplesInNanoseconds) {
  const Contents read = read_text(read_google_benchmark, fixture("google_benchmark.json"));
  EXPECT_EQ(read.date, "2026-11-28T06:59:36Z");
  EXPECT_EQ(read.facts.at("num_cpus"), "2");
  EXPECT_EQ(read.rows.size(), 5u);
  const Row& row = row_of(read, "my_bench/BM_Copy+3cfloat+3e/untyped/arg0=64");
  EXPECT_EQ(row.line, 39u);
  EXPECT_EQ(row.measurement.outcome, Outcome::unverified);
  EXPECT_EQ(row.measurement.samples_ns,
            (std::vector<double>{5.1741569336761764, 4.9127220254313988, 5.4824394212716241}));
  EXPECT_EQ(row.measurement.median_ns, 5.1741569336761764);
  EXPECT_EQ(row.measurement.executions_per_sample, 516270);
  EXPECT_EQ(metric(row, "cpu_time.1"), 4.9138260987467808);
  EXPECT_EQ(metric(row, "bytes_per_second"), 9.8919953610614319e+10);
  EXPECT_EQ(row.measurement.said.at("name"), "BM_Copy<float>/64");
  row_of(read, "my_bench/BM_Copy+3cdouble+3e/untyped/n=512,time=real");
  EXPECT_TRUE(flags(read, "debug build", 0));
}

TEST(GoogleBenchmark, CountersThatAreNoNumbersAreText) {
  const Contents read = read_text(read_google_benchmark, fixture("google_benchmark.json"));
  const Row& row = row_of(read, "my_bench/BM_Counters/untyped/threads=2");
  EXPECT_EQ(row.measurement.said.at("none"), "nan");
  EXPECT_EQ(row.measurement.said.at("endless"), "inf");
  EXPECT_EQ(row.measurement.said.at("threads"), "2");
  EXPECT_EQ(row.measurement.said.at("label"), "a \"label\", with\ttabs");
  EXPECT_EQ(metric(row, "half"), 1);  // Google Benchmark adds counters of threads up
}

TEST(GoogleBenchmark, AFailureHasNoTime) {
  const Contents read = read_text(read_google_benchmark, fixture("google_benchmark.json"));
  const Row& row = row_of(read, "my_bench/BM_Fails/untyped/arguments=none");
  EXPECT_EQ(row.measurement.outcome, Outcome::crashed);
  EXPECT_EQ(row.measurement.reason, "imported: no such device");
  EXPECT_TRUE(row.measurement.samples_ns.empty());
}

TEST(GoogleBenchmark, AggregatesAloneGiveTheirMedian) {
  const Contents read =
      read_text(read_google_benchmark, fixture("google_benchmark_aggregates.json"));
  EXPECT_EQ(read.rows.size(), 3u);
  const Row& row = row_of(read, "my_bench/BM_Copy+3cfloat+3e/untyped/arg0=64");
  EXPECT_EQ(row.measurement.samples_ns.size(), 1u);
  EXPECT_EQ(row.measurement.said.at("aggregate"), "median");
  EXPECT_EQ(row.measurement.said.at("repetitions"), "3");
  EXPECT_EQ(metric(row, "real_time.mean"), 6.7871037895828534);
  EXPECT_TRUE(flags(read, "aggregates alone", 0));
}

TEST(GoogleBenchmark, ConvertsUnits) {
  for (const auto& [unit, ns] : std::vector<std::pair<std::string, double>>{
           {"ns", 2.5}, {"us", 2.5e3}, {"ms", 2.5e6}, {"s", 2.5e9}}) {
    const Contents read =
        read_text(read_google_benchmark, document(replaced(plain, "\"us\"", '"' + unit + '"')));
    EXPECT_EQ(read.rows.at(0).measurement.median_ns, ns);
  }
}

TEST(GoogleBenchmark, TakesTheContextAlsoBehindTheBenchmarks) {
  const Contents read =
      read_text(read_google_benchmark,
                "{\"benchmarks\": [" + plain + "], \"context\": {\"executable\": \"/opt/later\"}}");
  EXPECT_EQ(read.rows.at(0).measurement.case_name, "later/BM/untyped/arg0=8");
}

TEST(GoogleBenchmark, RefusesWhatContradictsItselfWithItsLine) {
  const auto refused = [](const std::string& text) { return refusal(read_google_benchmark, text); };
  EXPECT_EQ(refused(document(replaced(plain, "2.5", "-2.5"))),
            "cannot import x.txt, line 3: a time of -2500 ns; times go from 0.001 ns to 1e+15 ns");
  for (const auto& [what, with, says] : std::vector<std::array<std::string, 3>>{
           {"2.5", "NaN", "line 3: a time of nan ns"},
           {"2.5", "Infinity", "line 3: a time of inf ns"},
           {"2.5", "0", "line 3: a time of 0 ns"},
           {"2.5", "1e300", "line 3: a time of 1e+303 ns"},
           {"2.5", "\"fast\"", "line 3: there is no real_time"},
           {"\"us\"", "\"h\"", "line 3: time_unit h is unknown"},
           {"10", "0", "line 3: a time over 0 executions"},
           {"10", "10, \"threads\": 0", "line 3: threads is 0, and at least one runs"},
           {"10", "1.5", "line 3: iterations is no whole number: 1.5"},
           {"\"BM/8\"", "\"\"", "line 3: a benchmark without a name"},
           {"\"BM/8\"", '"' + std::string(500, 'x') + '"', "line 3: the name of its case has"},
           {"\"time_unit\"", "\"name\": \"y\", \"time_unit\"",
            "line 3: an object holds one member"},
           {"\"time_unit\"", "\"x\": \"" + std::string(70'000, 'x') + "\", \"time_unit\"",
            "line 3: a text is longer than 65536 bytes"},
           {"\"time_unit\"", "\"x\": " + std::string(50, '[') + "], \"time_unit\"",
            "line 3: it is nested deeper"}})
    EXPECT_NE(refused(document(replaced(plain, what, with))).find(says), std::string::npos)
        << refused(document(replaced(plain, what, with)));
  EXPECT_NE(refused(document(plain + ",\n" + plain))
                .find("line 4: the benchmark BM/8 stands in "
                      "line 3 already"),
            std::string::npos);
  EXPECT_NE(refused(document(plain, ", \"json_schema_version\": 2")).find("1 is the newest"),
            std::string::npos);
  EXPECT_NE(refused("{\"benchmarks\": [" + plain + "]}").find("no context"), std::string::npos);
  EXPECT_NE(refused(document("")).find("holds no results"), std::string::npos);
  EXPECT_NE(refused("").find("line 1: it is not JSON"), std::string::npos);
}

TEST(GoogleBenchmark, NamesThatAreOnesOfOursStay) {
  const Contents read = read_text(
      read_google_benchmark,
      document(replaced(plain, "BM/8", "gemm/naive/f32/m=8,n=8,k=8/iterations:1/manual_time")));
  EXPECT_EQ(read.rows.at(0).measurement.case_name, "gemm/naive/f32/m=8,n=8,k=8");
}

}  // namespace google_benchmark_test
}  // namespace ridgeline::imported
