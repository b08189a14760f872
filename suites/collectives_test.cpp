// The collectives worker as `ridgeline` starts it: under mpirun, one process a rank.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#ifdef COLLECTIVES_WORKER
#include "harness/base/checked.hpp"
#include "harness/device/device.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/worker_process.hpp"

namespace ridgeline::suites {
namespace collectives_test {

using protocol::Failure;

class Collectives : public testing::Test {
 protected:
  void SetUp() override {
    if (process::find_on_path("mpirun").empty()) GTEST_SKIP() << "mpirun not found";
  }

  static process::WorkerProcess start(int ranks) {
    process::WorkerProcess worker(COLLECTIVES_WORKER, process::Launcher(), ranks);
    EXPECT_EQ(worker.greet(process::after(60)).launcher, "mpirun");
    return worker;
  }

  template <class Answer>
  static std::variant<Answer, Failure> ask(process::WorkerProcess& worker,
                                           const protocol::Request& request) {
    return worker.ask<Answer>(request, process::after(60));
  }

  static protocol::Prepare prepare(const std::string& variant, const std::string& device,
                                   const std::string& op, int ranks, std::int64_t bytes,
                                   const std::string& launch = "graph",
                                   const std::string& dtype = "f32",
                                   const std::string& options = "") {
    protocol::Prepare request;
    request.case_name = fmt::format(
        "collectives/{}/{}/op={},ranks={},bytes={},{}{}", variant, dtype, op, ranks, bytes,
        launch == "single" ? "mode=isolated,calls=1" : "mode=pipelined,calls=16", options);
    request.launch = launch;
    request.device = device;
    request.seed = 3;
    request.warmup_budget_ns = 5e6;
    request.sample_floor_ns = 1e4;
    return request;
  }

  static record::Measurement measure(process::WorkerProcess& worker,
                                     const protocol::Prepare& request) {
    const auto prepared = ask<protocol::Prepared>(worker, request);
    if (const auto* failure = std::get_if<Failure>(&prepared))
      throw std::runtime_error(failure->message);
    const auto& ready = std::get<protocol::Prepared>(prepared);
    if (ready.outcome != record::Outcome::ok) throw std::runtime_error(ready.reason);
    ask<protocol::Sampled>(worker, protocol::Sample{0.5, 6, 10, 60e9});
    return std::get<protocol::Finished>(ask<protocol::Finished>(worker, protocol::FinishRequest{}))
        .measurement;
  }

  static std::map<std::string, double> metrics(const record::Measurement& measured) {
    std::map<std::string, double> values;
    for (const record::Metric& metric : measured.metrics) values[metric.name] = metric.value;
    return values;
  }
};

int cores() { return device::open("cpu")->facts().units; }

constexpr std::pair<const char*, double> operations[] = {
    {"all_reduce", 1.0},     {"all_gather", 0.5}, {"broadcast", 1.0},
    {"reduce_scatter", 0.5}, {"reduce", 1.0},     {"all_to_all", 0.5},
    {"send_recv", 1.0},      {"gather", 0.5},     {"scatter", 0.5}};

TEST_F(Collectives, AreMeasuredAndVerifiedByTwoRanks) {
  if (cores() < 2) GTEST_SKIP() << "needs two cores";
  process::WorkerProcess worker = start(2);
  for (const auto& [op, bus_factor] : operations) {
    for (const std::int64_t bytes : {1024, 65536}) {  // MPI sends them in two ways
      const record::Measurement measured = measure(worker, prepare("mpi", "cpu", op, 2, bytes));
      ASSERT_EQ(measured.outcome, record::Outcome::ok) << op << ' ' << measured.reason;
      EXPECT_GE(measured.samples_ns.size(), 6u);
      const auto values = metrics(measured);
      EXPECT_NEAR(values.at("algbw"), static_cast<double>(bytes) / *measured.median_ns * 1e9, 1);
      EXPECT_NEAR(values.at("busbw"), bus_factor * values.at("algbw"), 1);
    }
  }
  worker.bye();
}

TEST_F(Collectives, AreRightInEveryTypeReductionAndInPlace) {
  if (cores() < 2) GTEST_SKIP() << "needs two cores";
  process::WorkerProcess worker = start(2);
  const auto expect_ok = [&](const char* op, const char* dtype, const char* options) {
    const auto request = prepare("mpi", "cpu", op, 2, 1024, "graph", dtype, options);
    const record::Measurement measured = measure(worker, request);
    EXPECT_EQ(measured.outcome, record::Outcome::ok) << request.case_name << measured.reason;
    EXPECT_EQ(measured.verification->error, 0);
    EXPECT_EQ(measured.verification->checked, Checked::whole);
  };
  for (const char* dtype : {"f16", "bf16", "i8"})
    for (const auto& [op, bus_factor] : operations) expect_ok(op, dtype, "");
  for (const char* op : {"all_reduce", "reduce_scatter", "reduce"})
    for (const char* dtype : {"f32", "f16", "bf16", "i8"}) {
      expect_ok(op, dtype, ",reduction=max");
      const auto answer = ask<protocol::Prepared>(
          worker, prepare("mpi", "cpu", op, 2, 1024, "graph", dtype, ",reduction=avg"));
      EXPECT_EQ(std::get<protocol::Prepared>(answer).reason, "MPI has no average");
    }
  for (const char* op : {"all_reduce", "all_gather", "reduce", "gather", "scatter"})
    expect_ok(op, "f32", ",in_place=yes");
  worker.bye();
}

TEST_F(Collectives, HaveAsManyCallsOfASampleAsTheirNameSays) {
  if (cores() < 2) GTEST_SKIP() << "needs two cores";
  process::WorkerProcess worker = start(2);
  for (const std::int64_t bytes : {1024, 1 << 22})
    for (const char* launch : {"single", "graph"}) {
      const bool isolated = launch == std::string("single");
      const record::Measurement measured =
          measure(worker, prepare("mpi", "cpu", "broadcast", 2, bytes, launch));
      EXPECT_EQ(measured.outcome, record::Outcome::ok) << measured.reason;
      EXPECT_EQ(measured.executions_per_sample, isolated ? 1 : 16) << bytes;
      EXPECT_EQ(measured.launch, isolated ? "single" : "loop");
    }
  worker.bye();
}

protocol::Prepare prepare_beside(const std::string& timed) {
  protocol::Prepare request;
  request.case_name =
      "beside/mpi/f32/op=all_reduce,ranks=2,bytes=1048576,work=register_tiled,m=256,n=256,k=256,"
      "products=1,timed=" +
      timed;
  request.launch = "graph";
  request.device = "cpu";
  request.seed = 3;
  request.warmup_budget_ns = 5e6;
  request.sample_floor_ns = 1e4;
  return request;
}

TEST_F(Collectives, BesideWorkAreMeasuredAndVerifiedByTwoRanks) {
  if (cores() < 2) GTEST_SKIP() << "needs two cores";
  constexpr double flops = 2.0 * 256 * 256 * 256, most_flops_per_ns = 1000;  // of a core: too many
  process::WorkerProcess worker = start(2);
  for (const char* timed : {"work_alone", "collective_alone", "work", "collective", "both"}) {
    const record::Measurement measured = measure(worker, prepare_beside(timed));
    ASSERT_EQ(measured.outcome, record::Outcome::ok) << timed << ' ' << measured.reason;
    EXPECT_EQ(measured.executions_per_sample, 1) << timed;
    EXPECT_GE(measured.samples_ns.size(), 6u) << timed;
    // Where there is a product, its tolerance is above 0, as a reduction's is not.
    const bool has_work = timed != std::string("collective_alone");
    EXPECT_EQ(measured.verification->tolerance > 0, has_work) << timed;
    // On a CPU the collective is waited for after the work.
    if (has_work) {
      EXPECT_GT(std::ranges::min(measured.samples_ns), flops / most_flops_per_ns);
    }
  }
  worker.bye();
}

TEST_F(Collectives, OfOneRankHaveNoBusBandwidth) {
  process::WorkerProcess worker = start(1);
  for (const char* op : {"all_reduce", "all_gather"}) {
    const record::Measurement measured = measure(worker, prepare("mpi", "cpu", op, 1, 4096));
    EXPECT_EQ(measured.outcome, record::Outcome::ok) << op << ' ' << measured.reason;
    EXPECT_GT(metrics(measured).at("algbw"), 0);
    EXPECT_EQ(metrics(measured).count("busbw"), 0u) << op;
  }
}

TEST_F(Collectives, AnotherNumberOfRanksIsRefusedAndTheWorkerGoesOn) {
  if (cores() < 2) GTEST_SKIP() << "needs two cores";
  for (const int started : {1, 2}) {
    process::WorkerProcess worker = start(started);
    const int needed = 3 - started;
    const auto answer =
        ask<protocol::Prepared>(worker, prepare("mpi", "cpu", "all_reduce", needed, 4096));
    ASSERT_TRUE(std::holds_alternative<Failure>(answer));
    EXPECT_NE(std::get<Failure>(answer).message.find(fmt::format("needs {} ranks", needed)),
              std::string::npos);
    EXPECT_EQ(measure(worker, prepare("mpi", "cpu", "all_reduce", started, 4096)).outcome,
              record::Outcome::ok);
  }
}

TEST_F(Collectives, MoreRanksThanCoresAreNotMeasured) {
  if (cores() >= 8) GTEST_SKIP() << "this machine has a core for each rank";
  process::WorkerProcess worker = start(1);
  const auto answer = ask<protocol::Prepared>(worker, prepare("mpi", "cpu", "all_reduce", 8, 4096));
  EXPECT_EQ(std::get<protocol::Prepared>(answer).outcome, record::Outcome::unsupported);
}

TEST_F(Collectives, RanksThatCannotGoOnEndTogether) {
  process::WorkerProcess worker = start(2);
  const auto answer =
      ask<protocol::Prepared>(worker, prepare("mpi", "no such device", "all_reduce", 2, 4096));
  ASSERT_TRUE(std::holds_alternative<Failure>(answer));
  EXPECT_THROW(ask<protocol::Finished>(worker, protocol::FinishRequest{}), process::WorkerLost);
}

TEST_F(Collectives, AreListedWithoutALauncher) {
  process::WorkerProcess worker(std::filesystem::path(COLLECTIVES_WORKER));
  worker.greet(process::after(60));
  const auto cases =
      std::get<protocol::Cases>(ask<protocol::Cases>(worker, protocol::ListRequest{})).cases;
  EXPECT_TRUE(
      std::ranges::any_of(cases, [](const record::Case& listed) { return listed.ranks == 2; }));
  const auto answer = ask<protocol::Prepared>(worker, prepare("mpi", "cpu", "all_reduce", 1, 4096));
  ASSERT_TRUE(std::holds_alternative<Failure>(answer)) << "MPI was not started";
}

TEST_F(Collectives, NcclIsMeasuredWhereThereAreGpus) {
  int gpus = 0;
  const device::Discovery found = device::discover();
  for (const device::Facts& facts : found.devices) gpus += facts.kind == device::Kind::cuda ? 1 : 0;
  if (gpus == 0) GTEST_SKIP() << found.unavailable.front().reason;
  for (const int ranks : {1, 2, 4, 8}) {
    process::WorkerProcess worker = start(ranks);
    for (const auto& [op, bus_factor] : operations) {
      const bool of_one = op == std::string("all_reduce") || op == std::string("all_gather");
      if (ranks == 1 && !of_one && op != std::string("broadcast")) continue;
      for (const std::int64_t bytes : {1024, 16 << 20}) {
        const auto request = prepare("nccl", "cuda:0", op, ranks, bytes);
        if (ranks > gpus || (ranks == 1 && !of_one)) {
          const auto answer = ask<protocol::Prepared>(worker, request);
          EXPECT_EQ(std::get<protocol::Prepared>(answer).outcome, record::Outcome::unsupported);
          continue;
        }
        const record::Measurement measured = measure(worker, request);
        EXPECT_EQ(measured.outcome, record::Outcome::ok) << op << ' ' << measured.reason;
        EXPECT_EQ(metrics(measured).count("busbw"), ranks == 1 ? 0u : 1u);
      }
    }
    worker.bye();
  }
}

}  // namespace collectives_test
}  // namespace ridgeline::suites
#else
TEST(Collectives, AreMeasuredUnderMpirun) { GTEST_SKIP() << "built without MPI"; }
#endif
