#include "harness/measure/count.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/failure.hpp"
#include "harness/device/fake/fake_device.hpp"
#include "harness/measure/measure.hpp"

namespace ridgeline::measure {
namespace count_test {

namespace fs = std::filesystem;

/// A case on a device that counts its launches: one site with as many requests as there were since
/// it was last asked.
struct Bench {
  std::uint64_t launched = 0;
  std::function<void()> on_launch = [] {};
  float output = 1;
  PrepareOptions options;
  Group alone;
  device::FakeDevice device{{.counts = [this] {
    device::Counts counts;
    counts.launches = launched;
    counts.sites = {
        {"kernel", "kernel.cu", 3, "global load", 4, std::exchange(launched, 0), 32, 4, 0}};
    return counts;
  }}};
  InputPool inputs{device, 1};

  Experiment prepare() {
    const auto make = [this](Setup& setup) {
      EXPECT_EQ(setup.sets(4), (Sets{1, 1})) << "one set is enough to count";
      auto output_buffer = std::make_shared<device::Buffer<float>>(setup.device, 4);
      launched += 10;  // preparing launches kernels of its own
      Workload workload;
      workload.flops = 8;
      workload.bytes = 16;
      workload.metrics = {{"expected_bytes", 16, "B", record::Direction::lower}};
      workload.launch = [this, output_buffer](Turn, device::Stream&) {
        ++launched;
        on_launch();
        if (!std::isnan(output)) std::fill_n(output_buffer->data(), 4, output);
      };
      workload.poison = [output_buffer](std::size_t) { output_buffer->poison(); };
      workload.verify = [output_buffer](Turn) {
        return record::Verification{std::fabs(output_buffer->download()[3] - 1.0), 1e-6};
      };
      workload.timed_metrics = [](double) -> std::vector<record::Metric> {
        throw std::logic_error("there is no time");
      };
      return workload;
    };
    return Experiment(make, Setup{device, inputs, alone}, options);
  }
};

TEST(Count, OneExecutionIsVerifiedAndCounted) {
  Bench bench;
  bench.options.seed = 7;
  Experiment experiment = bench.prepare();
  EXPECT_EQ(experiment.outcome(), record::Outcome::counted);
  EXPECT_EQ(experiment.reason(), "");
  EXPECT_THROW(experiment.sample({}), Error);
  const record::Measurement measured = experiment.finish();
  EXPECT_EQ(measured.outcome, record::Outcome::counted);
  EXPECT_TRUE(measured.samples_ns.empty());
  EXPECT_EQ(measured.median_ns, std::nullopt);
  EXPECT_EQ(measured.launch, "single");
  EXPECT_EQ(measured.cache, "cold");
  EXPECT_EQ(measured.seed, 7u);
  EXPECT_EQ(measured.flops, 8);
  EXPECT_EQ(measured.warmup_ns, 0);
  EXPECT_EQ(measured.timed_ns, 0);
  EXPECT_GT(measured.verify_ns, 0);
  EXPECT_GE(measured.total_ns, measured.prepare_ns + measured.verify_ns);
  EXPECT_TRUE(measured.verification->right());
  ASSERT_EQ(measured.sites.size(), 1u);
  EXPECT_EQ(measured.sites[0].requests, 1u)
      << "of this execution, and of nothing that was launched before";
  EXPECT_EQ(measured.sites[0].file, "kernel.cu");
  EXPECT_TRUE(measured.sources.empty());
  ASSERT_GT(measured.metrics.size(), 1u);
  EXPECT_EQ(measured.metrics[0].name, "expected_bytes");
  EXPECT_EQ(measured.metrics[1].name, "global_load_requests");
  EXPECT_EQ(measured.metrics[1].value, 1);
  EXPECT_EQ(bench.launched, 0u) << "nothing else was executed";
}

TEST(Count, WhatIsWrongHasNoCounts) {
  const struct {
    float output;
    std::function<void()> on_launch;
    record::Outcome outcome;
    const char* reason;
  } rows[] = {
      {2, [] {}, record::Outcome::wrong_result,
       "the output differed from the oracle's: error 1, tolerance 1e-06"},
      {std::numeric_limits<float>::quiet_NaN(), [] {}, record::Outcome::wrong_result,
       "the output was not written, or holds values that are not numbers"},
      {1, [] { throw device::KernelMistake("race at kernel.cu:3"); }, record::Outcome::wrong_result,
       "race at kernel.cu:3"},
      {1, [] { throw device::Unsupported("wgmma.mma_async"); }, record::Outcome::unsupported,
       "wgmma.mma_async"},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.output = row.output;
    bench.on_launch = row.on_launch;
    Experiment experiment = bench.prepare();
    EXPECT_EQ(experiment.outcome(), row.outcome) << row.reason;
    EXPECT_EQ(experiment.reason(), row.reason);
    EXPECT_TRUE(experiment.finish().sites.empty());
  }
  Bench broken;
  broken.on_launch = [] { throw Error(ErrorKind::dependency, "the device is gone"); };
  EXPECT_THROW(broken.prepare(), Error) << "another failure is no word about the kernel";
}

class Sources : public testing::Test {
 protected:
  Sources() {
    fs::create_directories(root / "kernels");
    write("kernels/a.cu", "a\n");
    write("kernels/b.cu", "b\n");
  }
  ~Sources() override { fs::remove_all(root); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(root / name, std::ios::binary) << text;
  }
  std::vector<record::Source> read(const std::vector<std::string>& files,
                                   fs::file_time_type newest = fs::file_time_type::max()) {
    std::vector<record::Site> sites;
    for (const std::string& file : files) sites.emplace_back().file = file;
    return read_sources(sites, root, newest);
  }

  const fs::path root =
      fs::temp_directory_path() / ("ridgeline_sources_" + std::to_string(::getpid()));
};

TEST_F(Sources, EachFileIsReadOnce) {
  EXPECT_EQ(read({"kernels/b.cu", "kernels/a.cu", "kernels/b.cu", ""}),
            (std::vector<record::Source>{{"kernels/a.cu", "a\n"}, {"kernels/b.cu", "b\n"}}));
  EXPECT_EQ(read({(root / "kernels/a.cu").string()}).size(), 1u)
      << "an absolute name is what it is";
}

TEST_F(Sources, WhatCannotBeReadOrIsTooLargeIsLeftOut) {
  write("large.cu", std::string(record::max_source_bytes + 1, 'x'));
  write("binary.cu", std::string("a\0b", 3));
  EXPECT_EQ(read({"nowhere.cu", "kernels", "large.cu", "binary.cu", "kernels/a.cu"}),
            (std::vector<record::Source>{{"kernels/a.cu", "a\n"}}));
  std::vector<std::string> files;
  for (int i = 0; i < 5; ++i) {
    files.push_back("many" + std::to_string(i));
    write(files.back(), std::string(record::max_source_bytes, 'x'));
  }
  EXPECT_EQ(read(files).size(), 4u) << "more does not fit into a message";
}

TEST_F(Sources, AFileThatWasChangedSinceTheProgramWasBuiltIsLeftOut) {
  const auto changed = fs::last_write_time(root / "kernels/a.cu");
  EXPECT_EQ(read({"kernels/a.cu"}, changed).size(), 1u);
  EXPECT_TRUE(read({"kernels/a.cu"}, changed - std::chrono::seconds(1)).empty());
}

}  // namespace count_test
}  // namespace ridgeline::measure
