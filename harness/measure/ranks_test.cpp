#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "harness/measure/experiment_fixture.hpp"

namespace ridgeline::measure {
namespace ranks_test {

/// Two threads as a group; rank 0's word counts.
class Pair : public Group {
 public:
  struct Meeting {
    std::barrier<> together{2};
    double values[2] = {};
    const void* bytes = nullptr;
  };
  Pair(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int size() const override { return 2; }
  int rank() const override { return rank_; }
  void barrier() override { meeting_.together.arrive_and_wait(); }
  double max(double value) override {
    meeting_.values[rank_] = value;
    barrier();
    const double most = std::max(meeting_.values[0], meeting_.values[1]);
    barrier();
    return most;
  }
  void broadcast(void* bytes, std::size_t count) override {
    if (rank_ == 0) meeting_.bytes = bytes;
    barrier();
    if (rank_ != 0) std::memcpy(bytes, meeting_.bytes, count);
    barrier();
  }

 private:
  Meeting& meeting_;
  int rank_;
};

TEST(Experiment, RanksStopTogetherAndTheSlowestCounts) {
  for (bool wrong : {false, true}) {
    Pair::Meeting meeting;
    record::Measurement measured[2];
    const auto rank = [&](int index) {
      Pair pair(meeting, index);
      Bench bench;
      bench.group = &pair;
      bench.ns = [index](std::int64_t i) {
        return noisy(i, 0.05) * (index == 1 ? 2 : 1) * (i % 2 == index ? 1 : 1.5);
      };
      if (wrong && index == 1) bench.output = [](std::int64_t) { return 3.0f; };
      Experiment experiment = bench.prepare();
      if (experiment.outcome() == record::Outcome::ok)
        experiment.sample({0.01, 6, 5000, index == 0 ? 5e9 : 1e6});  // rank 0 decides
      measured[index] = experiment.finish();
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
    EXPECT_EQ(measured[0].outcome, wrong ? record::Outcome::wrong_result : record::Outcome::ok);
    EXPECT_EQ(measured[0].outcome, measured[1].outcome);
    EXPECT_EQ(measured[0].samples_ns, measured[1].samples_ns);
    EXPECT_EQ(measured[0].executions_per_sample, measured[1].executions_per_sample);
    if (wrong) continue;
    EXPECT_GT(measured[0].samples_ns.size(), 6u);
    for (double ns : measured[0].samples_ns) EXPECT_GE(ns, 1.9 * 100e3);
  }
}

}  // namespace ranks_test
}  // namespace ridgeline::measure
