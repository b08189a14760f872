#include "harness/imported/nvbench.hpp"

#include <array>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/imported/reading_fixture.hpp"

namespace ridgeline::imported {
namespace nvbench_test {

using record::Outcome;

Contents read(std::istream& stream, const std::string& file) { return read_nvbench(stream, file); }

TEST(Nvbench, AStateIsACaseAndItsAxesAreFields) {
  const Contents all = read_text(read, fixture("nvbench.json"));
  EXPECT_EQ(all.schema, "1.0.0");
  EXPECT_EQ(all.device, "Synthetic GPU");
  ASSERT_EQ(all.rows.size(), 4u);
  const Row& row = row_of(all, "copy_bench/copy/f32/Elements=1048576,Mode=plain+20copy");
  EXPECT_EQ(row.measurement.outcome, Outcome::unverified);
  EXPECT_DOUBLE_EQ(row.measurement.median_ns.value(), 12'500);
  EXPECT_EQ(row.measurement.cache, "cold");
  EXPECT_EQ(metric(row, "mean_of_samples"), 1000);
  EXPECT_DOUBLE_EQ(metric(row, "nv.batch.time.gpu.mean"), 12'000);
  EXPECT_EQ(metric(row, "nv.cold.bw.global.bytes_per_second"), 6.7e11);
  EXPECT_EQ(metric(row, "nv.cold.time.gpu.stdev.relative"), 0.015);
  EXPECT_EQ(row.measurement.telemetry.sm_clock_mhz, 1980);
  EXPECT_EQ(row.measurement.said.at("state"), "Device=0 T=F32 Elements=2^20 Mode=plain copy");
}

TEST(Nvbench, AxesMayBeNullAndStatesSkipped) {
  const Contents all = read_text(read, fixture("nvbench.json"));
  EXPECT_TRUE(row_of(all, "copy_bench/no+20axes/untyped/axes=none").measurement.median_ns);
  const Row& skipped = row_of(all, "copy_bench/copy/f64/Elements=1048576,Mode=plain+20copy");
  EXPECT_EQ(skipped.measurement.outcome, Outcome::unsupported);
  EXPECT_EQ(skipped.measurement.reason, "imported: no double precision here");
}

TEST(Nvbench, ADeviceThatThrottledAllTheTimeHasNoTime) {
  const Contents all = read_text(read, fixture("nvbench.json"));
  const Row& row = row_of(all, "copy_bench/copy/f32/Elements=2097152,Mode=plain+20copy");
  EXPECT_EQ(row.measurement.outcome, Outcome::not_measured);
  EXPECT_FALSE(row.measurement.median_ns);
}

TEST(Nvbench, TakesTheSamplesBesideTheFile) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "nvbench_samples";
  std::filesystem::create_directories(folder / "out.json-bin");
  const std::array<float, 3> times{12e-6f, 12.5e-6f, 13e-6f};
  std::ofstream(folder / "out.json-bin" / "0.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(times.data()), sizeof times);
  const std::string text = fixture("nvbench.json");
  std::istringstream stream(text);
  const Contents all = read_nvbench(stream, "x.json", folder);
  const Row& row = row_of(all, "copy_bench/copy/f32/Elements=1048576,Mode=plain+20copy");
  EXPECT_EQ(row.measurement.samples_ns.size(), 3u);
  EXPECT_NEAR(row.measurement.samples_ns[0], 12'000, 0.01);

  // Another program's samples are not taken for those of this one.
  std::istringstream other(replaced(text, "\"1.25e-05\"", "\"1.5e-05\""));
  EXPECT_THROW(read_nvbench(other, "x.json", folder), Error);
  std::istringstream outside(replaced(text, "/tmp/out.json-bin/0.bin", "../../etc/passwd"));
  const Contents without = read_nvbench(outside, "x.json", folder);
  EXPECT_EQ(row_of(without, row.measurement.case_name).measurement.samples_ns.size(), 1u);
  std::filesystem::remove_all(folder);
}

TEST(Nvbench, RefusesWhatContradictsItselfWithItsLine) {
  const std::string text = fixture("nvbench.json");
  for (const auto& [what, with, says] : std::vector<std::array<std::string, 3>>{
           {"\"1.25e-05\"", "\"-1.25e-05\"", "line 11: a time of -12500"},
           {"\"1.25e-05\"", "\"inf\"", "line 11: a time of inf"},
           {"\"1.25e-05\"", "\"nan\"", "line 11: a time of nan"},
           {"\"1.25e-05\"", "\"quick\"", "line 11: nv/cold/time/gpu/mean is no number"},
           {"\"1.0.0\"", "\"2.0.0\"", "its schema is 2.0.0, and this program knows 1"},
           {"\"json\"", "\"jsonx\"", "it does not say the version of its schema"},
           {"\"name\": \"copy\"", "\"nam\": \"copy\"",
            "line 11: a state of a benchmark whose name"},
           {"\"value\": \"2097152\"", "\"value\": \"1048576\"", "stands there twice"},
           {"\"states\": [", "\"states\": [7, ", "a state that is no object"}}) {
    const std::string said = refusal(read, replaced(text, what, with));
    EXPECT_NE(said.find(says), std::string::npos) << with << ": " << said;
  }
}

}  // namespace nvbench_test
}  // namespace ridgeline::imported
