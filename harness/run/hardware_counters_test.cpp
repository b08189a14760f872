#include "harness/run/hardware_counters.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::run {
namespace hardware_counters_test {

namespace examples = store::examples;

/// A run of two cases, and a stand-in for Nsight Compute: a script that comes first on the PATH and
/// sees the arguments of the real one.
class HardwareCounters : public ::testing::Test {
 protected:
  HardwareCounters() {
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    plan_.run = examples::run();
    plan_.device = examples::device();
    plan_.profile.case_timeout_s = 20;
    worker_.program = "/opt/worker";
    store::begin(store_, plan_.run, plan_.device, examples::environment());
    process_ = store::add(store_, examples::process());
    for (const char* variant : {"naive", "tiled"}) {
      const record::Case info = examples::gemm_case(variant);
      plan_.cases.push_back({&worker_, info, record::name(info.id), ""});
    }
  }
  ~HardwareCounters() override { setenv("PATH", path_.c_str(), 1); }

  void measure(const Selected& selected, const record::Measurement& measurement) {
    store::add(store_, process_, selected.info, measurement);
  }

  void ncu(const std::string& body) {
    const std::filesystem::path file = folder_.path() / "ncu";
    std::ofstream(file) << "#!/bin/sh\nfor case; do :; done\n" << body << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  static constexpr const char* table =
      R"(printf '"ID","Push/Pop","dram__bytes_read.sum","dram__bytes_write.sum",)"
      R"("lts__t_sectors_srcunit_tex.sum","smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",)"
      R"("sm__ops_path_tensor_src_fp64.sum","sm__inst_executed.sum",)"
      R"("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"\n"0","%s","7","1","1","1","1","1","1"\n')"
      R"( "$case")";

  std::vector<Unread> read(std::optional<double> limit_s = std::nullopt) {
    return read_counters(plan_, store_, limit_s, [this](const std::string& name, int after) {
      told_.push_back(name + " " + std::to_string(after));
    });
  }

  std::size_t counters_of(const Selected& selected) {
    std::size_t found = 0;
    for (const auto& stored : store::measurements(store_, plan_.run.id, store::Samples::leave_out))
      for (const record::Metric& metric : stored.measurement.metrics)
        if (stored.measurement.case_name == selected.name)
          found += metric.name.starts_with("hardware_");
    return found;
  }

  const std::string path_ = std::getenv("PATH");
  store::TemporaryFolder folder_;
  store::Store store_ = store::Store::create(folder_.path() / "synthetic-gpu.sqlite");
  Worker worker_;
  Plan plan_;
  std::int64_t process_ = 0;
  std::vector<std::string> told_;
};

TEST_F(HardwareCounters, AreKeptWithTheLastMeasurementOfTheCase) {
  ncu(table);
  record::Measurement again = examples::measurement(plan_.cases[0].info);
  measure(plan_.cases[0], again);
  again.attempt = 2;
  measure(plan_.cases[0], again);
  measure(plan_.cases[1],
          examples::failed(plan_.cases[1].info, record::Outcome::crashed, "signal 11"));
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(told_, std::vector<std::string>{plan_.cases[0].name + " 0"});
  EXPECT_EQ(counters_of(plan_.cases[0]), 7u);
  EXPECT_EQ(counters_of(plan_.cases[1]), 0u);
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(told_.size(), 1u) << "a case that has them is not profiled again";
}

TEST_F(HardwareCounters, ThatAreNotReadAreToldWithNsightComputesReason) {
  ncu("case $case in */naive/*) echo '==ERROR== ERR_NVGPUCTRPERM: no permission'; exit 1;; esac\n" +
      std::string(table));
  for (const Selected& selected : plan_.cases)
    measure(selected, examples::measurement(selected.info));
  const std::vector<Unread> unread = read();
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_EQ(unread[0].case_name, plan_.cases[0].name);
  EXPECT_NE(unread[0].reason.find("ERR_NVGPUCTRPERM: no permission"), std::string::npos)
      << unread[0].reason;
  EXPECT_EQ(counters_of(plan_.cases[0]), 0u);
  EXPECT_EQ(counters_of(plan_.cases[1]), 7u);
}

TEST_F(HardwareCounters, AreWaitedForOnlySoLong) {
  ncu("sleep 60");
  plan_.profile.case_timeout_s = 1;
  measure(plan_.cases[0], examples::measurement(plan_.cases[0].info));
  const std::vector<Unread> unread = read();
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_NE(unread[0].reason.find("had not ended after 1 s"), std::string::npos)
      << unread[0].reason;
}

TEST_F(HardwareCounters, OfACaseThatTheUserStopsAreAbsent) {
  const process::Interrupt interrupt;
  ncu("kill -INT " + std::to_string(getpid()) + "; sleep 60");
  for (const Selected& selected : plan_.cases)
    measure(selected, examples::measurement(selected.info));
  const std::vector<Unread> unread = read();
  ASSERT_EQ(unread.size(), 2u);
  EXPECT_EQ(told_.size(), 1u) << "no other case begins";
  for (const Unread& each : unread) EXPECT_EQ(each.reason, "interrupted");
  EXPECT_EQ(counters_of(plan_.cases[0]) + counters_of(plan_.cases[1]), 0u);
}

TEST_F(HardwareCounters, ThatTheBudgetLeavesNoTimeForAreReadLater) {
  ncu(table);
  for (const Selected& selected : plan_.cases)
    measure(selected, examples::measurement(selected.info));
  const std::vector<Unread> unread = read(0);
  ASSERT_EQ(unread.size(), 2u);
  for (const Unread& each : unread) EXPECT_EQ(each.reason, "the run's budget was spent");
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(read(3600).empty());
  EXPECT_EQ(counters_of(plan_.cases[0]) + counters_of(plan_.cases[1]), 14u);
}

TEST_F(HardwareCounters, LeftToReadAreThoseOfCasesWithSamplesAndWithout) {
  record::Measurement counted = examples::measurement(plan_.cases[0].info);
  counted.metrics.push_back({"hardware_flops", 3, "flop", record::Direction::none});
  measure(plan_.cases[0], counted);
  counted.attempt = 2;
  counted.metrics.clear();
  measure(plan_.cases[0], counted);
  const auto left = [&] {
    return without_counters(store::measurements(store_, plan_.run.id, store::Samples::leave_out));
  };
  measure(plan_.cases[1],
          examples::failed(plan_.cases[1].info, record::Outcome::crashed, "signal 11"));
  EXPECT_TRUE(left().empty());
  record::Measurement again = examples::measurement(plan_.cases[1].info);
  again.attempt = 2;
  measure(plan_.cases[1], again);
  ASSERT_EQ(left().size(), 1u);
  EXPECT_EQ(left().begin()->first, plan_.cases[1].name);
}

TEST_F(HardwareCounters, NeedAGpuAndNsightCompute) {
  EXPECT_THROW(require_counters(plan_.device), Error);
  plan_.device.kind = DeviceKind::cuda;
  ncu("");
  EXPECT_NO_THROW(require_counters(plan_.device));
  std::filesystem::remove(folder_.path() / "ncu");
  setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_THROW(require_counters(plan_.device), Error);
}

}  // namespace hardware_counters_test
}  // namespace ridgeline::run
