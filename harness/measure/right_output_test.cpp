#include "harness/measure/right_output.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/base/digest.hpp"
#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace right_output_test {

namespace fs = std::filesystem;

class RightOutputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ridgeline-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  using Change = std::function<void(Bench&)>;
  static void nothing(Bench&) {}

  /// A case of two sets of inputs in a process of its own, which compares outputs of both before,
  /// while and after timing. `finishing` comes when all samples are taken.
  record::Measurement of_process(const Change& change = nothing,
                                 const Change& finishing = nothing) {
    KeptFiles files(folder_, 1 << 20);
    Bench bench;
    bench.device.pass_for(device::Kind::cpu);
    bench.sets = {2, 2};
    bench.options.case_name = "synthetic/case/f32/n=4";
    bench.options.kept = &files;
    change(bench);
    Experiment experiment = bench.prepare();
    if (experiment.outcome() == record::Outcome::ok) experiment.sample({0.0, 30, 30, 1e12});
    finishing(bench);
    record::Measurement measured = experiment.finish();
    judged_ = bench.judged.size();
    return measured;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const fs::directory_entry& each : fs::directory_iterator(folder_))
      files.push_back(each.path());
    return files;
  }

  fs::path folder_;
  std::size_t judged_ = 0;  // by the oracle, in the newest process
};

TEST_F(RightOutputTest, NeedsNoOracleAgainButTheFirstOfAProcess) {
  const auto rounded = [](Bench& bench) {
    bench.output = [](std::int64_t) { return 1.0f + 0x1p-22f; };
  };
  const record::Measurement first = of_process(rounded);
  EXPECT_EQ(first.outcome, record::Outcome::ok);
  EXPECT_GT(judged_, 1u);
  const record::Measurement second = of_process(rounded);
  EXPECT_EQ(judged_, 1u);
  EXPECT_EQ(second.outcome, record::Outcome::ok);
  EXPECT_EQ(second.verification->error, 0x1p-22);
  EXPECT_EQ(second.verification, first.verification);
}

TEST_F(RightOutputTest, OfOtherInputsOrOfAnotherCaseIsNotTheSame) {
  of_process();
  of_process([](Bench& bench) { bench.options.seed = 2; });
  EXPECT_GT(judged_, 1u);
  of_process([](Bench& bench) { bench.options.case_name = "synthetic/case/f32/n=5"; });
  EXPECT_GT(judged_, 1u);
  of_process([](Bench& bench) { bench.options.distribution = device::Distribution::growing; });
  EXPECT_GT(judged_, 1u);
  of_process();
  EXPECT_EQ(judged_, 1u);
}

TEST_F(RightOutputTest, AnOutputThatIsWrongInTheThirdProcessIsFound) {
  of_process();
  of_process();
  for (const float wrong : {1.5f, 1.0f + 0x1p-18f, NAN}) {  // which is not written
    const auto from = [=](std::int64_t first) {
      return [=](Bench& bench) {
        bench.output = [=](std::int64_t execution) { return execution < first ? 1.0f : wrong; };
      };
    };
    for (const record::Measurement& third :
         {of_process(from(0)), of_process(from(20)), of_process(nothing, from(0))}) {
      EXPECT_EQ(third.outcome, record::Outcome::wrong_result) << wrong;
      EXPECT_TRUE(third.samples_ns.empty());
    }
  }
  EXPECT_EQ(of_process().outcome, record::Outcome::ok);
}

TEST_F(RightOutputTest, WhatIsRightOfOtherInputsIsWrong) {
  of_process();
  const record::Measurement second = of_process(
      nothing, [](Bench& bench) { bench.reads = [](std::size_t inputs) { return 1 - inputs; }; });
  EXPECT_EQ(second.outcome, record::Outcome::wrong_result);
}

TEST_F(RightOutputTest, WhatIsWrongIsNeverKept) {
  for (int process = 0; process < 3; ++process) {
    const record::Measurement wrong =
        of_process([](Bench& bench) { bench.output = [](std::int64_t) { return 1.5f; }; });
    EXPECT_EQ(wrong.outcome, record::Outcome::wrong_result);
    EXPECT_EQ(judged_, 1u);
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(RightOutputTest, OneThatIsRightInOtherBitsEachTimeIsJudgedEachTime) {
  for (int process = 0; process < 3; ++process) {
    const record::Measurement measured = of_process([&](Bench& bench) {
      bench.output = [=](std::int64_t) { return 1.0f + 0x1p-22f * static_cast<float>(process); };
    });
    EXPECT_EQ(measured.outcome, record::Outcome::ok);
    EXPECT_EQ(measured.verification->error, 0x1p-22 * process);
    EXPECT_GT(judged_, 1u);
  }
}

TEST_F(RightOutputTest, WhatIsDamagedOrCutOffIsJudgedAgain) {
  of_process();
  const std::vector<fs::path> all = files();
  ASSERT_EQ(all.size(), 2u);  // of two sets of inputs
  const auto size = static_cast<std::streamoff>(fs::file_size(all.front()));
  for (std::streamoff at = 0; at < size; ++at) {
    for (const fs::path& path : all) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const int was = file.get();
      file.seekp(at);
      file.put(static_cast<char>(was ^ 1));
    }
    EXPECT_EQ(of_process().outcome, record::Outcome::ok);
    EXPECT_GT(judged_, 1u) << at;
    of_process();
    EXPECT_EQ(judged_, 1u) << at;
  }
  for (std::streamoff left = 0; left < size; ++left) {
    for (const fs::path& path : all) fs::resize_file(path, static_cast<std::uintmax_t>(left));
    EXPECT_EQ(of_process().outcome, record::Outcome::ok);
    EXPECT_GT(judged_, 1u) << left;
  }
  fs::rename(all[0], folder_ / "first");
  fs::rename(all[1], all[0]);
  fs::rename(folder_ / "first", all[1]);
  EXPECT_EQ(of_process().outcome, record::Outcome::ok);
  EXPECT_GT(judged_, 1u);
}

TEST_F(RightOutputTest, WhatIsWholeAndSaysNoRightOutputIsNotBelieved) {
  KeptFiles files(folder_, 1 << 20);
  const std::vector<float> output{1, 2, 3};
  const auto bits = std::as_bytes(std::span(output));
  RightOutput known(files, "what", bits);
  const auto kept = [](double error, double tolerance, unsigned char checked) {
    std::vector<std::byte> bytes(17);
    std::memcpy(bytes.data(), &error, 8);
    std::memcpy(bytes.data() + 8, &tolerance, 8);
    bytes[16] = static_cast<std::byte>(checked);
    return bytes;
  };
  const std::string key = fmt::format("right what 12 {:016x}", digest(bits));
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<std::byte> longer = kept(0, 0, 0);
  longer.emplace_back();
  for (const std::vector<std::byte>& bytes :
       {kept(1, 0.5, 0), kept(NAN, 0.5, 0), kept(-1, 0.5, 0), kept(0, infinite, 0), kept(0, NAN, 0),
        kept(0, 0, 3), kept(0, 0, 0x80), longer, std::vector<std::byte>{}}) {
    files.write(key, bytes);
    EXPECT_EQ(known.found(), std::nullopt);
  }
  for (const auto checked : {std::optional<Checked>{}, std::optional(Checked::sample),
                             std::optional(Checked::by_variant), std::optional(Checked::whole)}) {
    const record::Verification right{0.25, 0.5, checked};
    known.keep(right);
    EXPECT_EQ(known.found(), right);
  }
  known.keep({NAN, 0.5});
  EXPECT_EQ(known.found(), (record::Verification{0.25, 0.5, Checked::whole}));
}

TEST_F(RightOutputTest, IsOfACpuAlone) {
  for (int process = 0; process < 2; ++process) {
    of_process([](Bench& bench) { bench.device.pass_for(device::Kind::cuda); });
    EXPECT_GT(judged_, 1u);
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(RightOutputTest, WithoutAFolderEveryOutputIsJudged) {
  for (int process = 0; process < 2; ++process) {
    of_process([](Bench& bench) { bench.options.kept = nullptr; });
    EXPECT_GT(judged_, 1u);
  }
}

}  // namespace right_output_test
}  // namespace ridgeline::measure
