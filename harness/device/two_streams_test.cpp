#include "harness/device/two_streams.hpp"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "harness/device/device.hpp"

namespace ridgeline::device {
namespace two_streams_test {

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

TEST(TwoStreams, OfACpuDoTheWorkBetweenBeginningAndEndOfWhatIsBeside) {
  const auto cpu = open("cpu");
  const auto streams = two_streams(*cpu, Priority::equal);
  std::string order;
  streams->launch(cpu->stream(), {[&](Stream&) { order += "begin "; },
                                  [&](Stream&) {
                                    order += "work ";
                                    rest();
                                  },
                                  [&] {
                                    order += "end";
                                    rest();
                                  }});
  EXPECT_EQ(order, "begin work end");
  const TwoStreams::Ends ends = streams->ends();
  EXPECT_GE(ends.work_ns, 5e6);
  EXPECT_GE(ends.beside_ns, ends.work_ns + 5e6) << "from the same start on";
}

TEST(TwoStreams, OfACpuTellTheNewestExecution) {
  const auto cpu = open("cpu");
  const auto streams = two_streams(*cpu, Priority::high);
  for (const bool long_one : {true, false})
    streams->launch(cpu->stream(), {[](Stream&) {},
                                    [=](Stream&) {
                                      if (long_one) rest();
                                    },
                                    [] {}});
  const double shorter = streams->ends().work_ns;
  streams->launch(cpu->stream(), {[](Stream&) {}, [](Stream&) { rest(); }, [] {}});
  EXPECT_GE(streams->ends().work_ns, 5e6);
  EXPECT_NE(shorter, streams->ends().work_ns);
}

// On a GPU, in a graph as well as without one: both parts end within what they take together.
TEST(TwoStreams, OfAGpuAreTimedFromOneStart) {
  const Discovery found = discover();
  if (found.devices.front().kind != Kind::cuda) GTEST_SKIP() << found.unavailable.front().reason;
  const auto gpu = open(found.devices.front().id);
  constexpr std::size_t bytes = 256u << 20;
  void* const one = gpu->allocate(bytes);
  for (const bool in_graph : {false, true}) {
    for (const Priority priority : {Priority::equal, Priority::high}) {
      const auto streams = two_streams(*gpu, priority);
      const auto work = [&](Stream&) { gpu->poison(one, bytes); };  // on the device's own stream
      const auto launches = [&](Stream& stream) {
        streams->launch(stream, {[](Stream&) {}, work, [] {}});
      };
      double whole = 0;
      if (in_graph) {
        whole = gpu->record(launches, Launch::graph)->run_ns();
      } else {
        whole = gpu->record(launches, Launch::single)->run_ns();
      }
      const TwoStreams::Ends ends = streams->ends();
      EXPECT_GT(ends.work_ns, 1e4) << "256 MiB are not written in less";
      EXPECT_LE(ends.work_ns, whole);
      EXPECT_GT(ends.beside_ns, 0);
      EXPECT_LT(ends.beside_ns, ends.work_ns) << "nothing is there to be waited for";
    }
  }
  gpu->release(one);
}

}  // namespace two_streams_test
}  // namespace ridgeline::device
