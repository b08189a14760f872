// Kernels that only seem to compute, as published ones did: each is caught, with a sentence that
// says how.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "harness/device/fake/fake_device.hpp"
#include "harness/outside/outside_fixture.hpp"

namespace ridgeline::outside {
namespace cheats_test {

constexpr std::int64_t n = 256;
using Kernel = std::function<void(const float*, float*)>;

void expect_caught(const Case& one, const std::string& how,
                   measure::Cache cache = measure::Cache::cold) {
  const record::Measurement found = measured(one, cpu(), cache);
  EXPECT_EQ(found.outcome, record::Outcome::wrong_result) << found.reason;
  EXPECT_NE(found.reason.find(how), std::string::npos) << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
  EXPECT_FALSE(found.median_ns);
}

/// Of what only times show, which a busy machine may hide once.
void expect_caught_by_time(const std::function<Case()>& one, const std::string& how,
                           measure::Cache cache) {
  record::Measurement found;
  for (int attempt = 0; attempt < 5; ++attempt) {
    found = measured(one(), cpu(), cache);
    if (found.outcome == record::Outcome::wrong_result) break;
  }
  EXPECT_NE(found.reason.find(how), std::string::npos) << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
}

TEST(Cheats, OneOutputForAll) {
  const auto kept = std::make_shared<std::vector<float>>();
  expect_caught(doubling([kept](const float* x, float* y) {
                  if (kept->empty()) {
                    kept->resize(n);
                    doubled(x, kept->data(), n);
                  }
                  std::ranges::copy(*kept, y);
                }),
                "while timing the output differed");
}

/// Remembers an output for each address of inputs, as long as `same` says that they are the same.
Kernel remembering(
    const std::function<bool(const float* x, const std::vector<float>& kept)>& same) {
  const auto kept = std::make_shared<std::map<const float*, std::vector<float>>>();
  return [kept, same](const float* x, float* y) {
    std::vector<float>& known = (*kept)[x];
    if (known.empty() || !same(x, known)) {
      known.resize(n);
      doubled(x, known.data(), n);
    }
    std::ranges::copy(known, y);
  };
}

TEST(Cheats, OutputsByTheAddressOfTheInputs) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught(doubling(remembering([](const float*, const auto&) { return true; })),
                  "on inputs that were new after timing the output differed", cache);
}

TEST(Cheats, OutputsByTheAddressAndAnElementOfTheInputs) {
  const auto one = [] {
    return doubling(remembering([](const float* x, const std::vector<float>& kept) {
      return 2 * x[n / 2] == kept[n / 2];
    }));
  };
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught_by_time(one, "it remembers outputs: on inputs that it has not seen", cache);
}

TEST(Cheats, RepeatedExecutionsAreLeftOut) {
  // Of each experiment its own: memory that one gives back, the next may get.
  struct Seen {
    const float* x = nullptr;
    float* y = nullptr;
    float there = 0;
  };
  const auto unless_changed = [] {
    return doubling([seen = std::make_shared<Seen>()](const float* x, float* y) {
      if (x != seen->x || y != seen->y || y[0] != seen->there) doubled(x, y, n);
      *seen = {x, y, y[0]};
    });
  };
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught_by_time(unless_changed, "it leaves executions out: one takes", cache);
  expect_caught(doubling([seen = std::make_shared<Seen>()](const float* x, float* y) {
                  if (x != seen->x || y != seen->y) doubled(x, y, n);
                  *seen = {x, y, 0};
                }),
                "timing the output differed", measure::Cache::hot);
}

TEST(Cheats, RightOnTheFirstCallsAlone) {
  for (const int first : {1, 8}) {
    int calls = 0;
    expect_caught(doubling([&](const float* x, float* y) {
                    if (++calls <= first) doubled(x, y, n);
                  }),
                  "while timing the output");
  }
}

TEST(Cheats, NothingUnlessTheOutputIsLookedAt) {
  for (const auto cache : {measure::Cache::cold, measure::Cache::hot})
    expect_caught(doubling([](const float* x, float* y) {
                    if (std::isnan(y[0])) doubled(x, y, n);
                  }),
                  "while timing the output", cache);
}

TEST(Cheats, NothingWhereTheOutputIsLookedAt) {
  expect_caught(doubling([](const float* x, float* y) {
                  if (!std::isnan(y[0])) doubled(x, y, n);
                }),
                "before timing the output was not written");
}

/// Works off what it is given, in a thread of its own.
class Background {
 public:
  ~Background() {
    {
      const std::lock_guard lock(mutex_);
      work_.clear();
      ends_ = true;
    }
    changed_.notify_all();
  }
  void add(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ends_ || !work_.empty(); });
      if (ends_) return;
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool ends_ = false;
  std::jthread thread_{[this] { run(); }};
};

TEST(Cheats, WorkThatIsStartedAndNotWaitedFor) {
  for (const bool waits_at_first : {false, true}) {
    // Its work writes to memory that must be there until it ends, so that it goes with the case.
    const auto background =
        std::make_shared<std::unique_ptr<Background>>(std::make_unique<Background>());
    int calls = 0;
    const Case one = doubling([&calls, background, waits_at_first](const float* x, float* y) {
      if (waits_at_first && calls++ == 0) return doubled(x, y, n);
      (*background)->add([=] { doubled(x, y, n, 20'000); });
    });
    measure::InputPool none(cpu(), 1);
    measure::Group alone;
    measure::PrepareOptions options;
    options.warmup_budget_ns = 1e6;
    options.sample_floor_ns = 20e3;
    measure::Experiment experiment([&](measure::Setup& setup) { return prepare(one, setup); },
                                   measure::Setup{cpu(), none, alone}, options);
    EXPECT_EQ(experiment.outcome(),
              waits_at_first ? record::Outcome::ok : record::Outcome::wrong_result);
    if (waits_at_first) experiment.sample({0.0, 3, 3, 1e9});
    const record::Measurement found = experiment.finish();
    background->reset();
    EXPECT_EQ(found.outcome, record::Outcome::wrong_result);
  }
}

/// A device on which work that was not waited for is done before so many reads of an output.
class LateCpu final : public SmallCpu {
 public:
  void download(void* to_host, const void* from, std::size_t bytes) override {
    if (work && reads-- == 0) std::exchange(work, {})();
    SmallCpu::download(to_host, from, bytes);
  }
  std::function<void()> work;
  int reads = 0;
};

TEST(Cheats, WorkThatIsDoneTooLate) {
  for (const auto& [reads, how] :
       {std::pair(1, "it was written after the launch had returned: work goes on after it"),
        std::pair(4, "it was right only after the launch had returned: work goes on after it")}) {
    LateCpu device;
    const Case one = doubling([&device, reads = reads](const float* x, float* y) {
      device.work = [=] { doubled(x, y, n); };
      device.reads = reads;
    });
    const record::Measurement found = measured(one, device);
    EXPECT_EQ(found.outcome, record::Outcome::wrong_result);
    EXPECT_NE(found.reason.find(how), std::string::npos) << found.reason;
  }
}

TEST(Cheats, InputsAreChanged) {
  expect_caught(doubling([](const float* x, float* y) {
                  doubled(x, y, n);
                  std::fill_n(const_cast<float*>(x), n, 0.0f);  // the next one is easy
                }),
                "input 0 was changed, which a kernel only reads: element 0");
  Case one = doubling([](const float* x, float* y) {
    doubled(x, y, n);
    const_cast<float*>(x)[n] += 1;  // is not even read
  });
  one.inputs[0].count = n + 1;
  expect_caught(one, "input 0 was changed, which a kernel only reads: element 256");
}

TEST(Cheats, MemoryBesideABufferIsWritten) {
  expect_caught(doubling([](const float* x, float* y) { doubled(x, y, n), y[n] = 0; }),
                "memory past its end of output 0 was written");
  expect_caught(doubling([](const float* x, float* y) { doubled(x, y, n), y[-1] = 0; }),
                "memory before its begin of output 0 was written");
  expect_caught(doubling([](const float* x, float* y) {
                  doubled(x, y, n);
                  const_cast<float*>(x)[n + 3] = 0;
                }),
                "memory past its end of input 0 was written");
}

TEST(Cheats, AnEarlierOutputIsCopied) {
  float* earlier = nullptr;
  expect_caught(doubling([&](const float* x, float* y) {
                  if (earlier == nullptr) doubled(x, earlier = y, n);
                  if (y != earlier) std::copy_n(earlier, n, y);
                }),
                "timing the output differed");
}

TEST(Cheats, EverySecondExecution) {
  // By accident each comparison may meet one that was done.
  int caught = 0;
  for (int attempt = 0; attempt < 8 && caught == 0; ++attempt) {
    int calls = 0;
    const auto found = measured(doubling([&](const float* x, float* y) {
                                  if (calls++ % 2 == 0) doubled(x, y, n);
                                }),
                                cpu());
    caught += found.outcome == record::Outcome::wrong_result ? 1 : 0;
  }
  EXPECT_GE(caught, 1);
}

TEST(Cheats, AShapeIsSpecialCased) {
  constexpr std::int64_t large = 20'000;
  const auto without_end = [](const float* x, float* y) { doubled(x, y, large * 95 / 100, 30); };
  expect_caught(doubling(without_end, large), "of output 0 was not written");
}

TEST(Cheats, AnOutputThatDependsOnNoInput) {
  Case one = doubling([](const float*, float* y) { std::fill_n(y, n, 0.0f); });
  one.outputs[0].tolerance = 0.99;
  expect_caught(one, "outputs are the same, bit by bit, for other inputs");
}

TEST(Cheats, ALesserTypePassedOffForF32) {
  expect_caught(doubling([](const float* x, float* y) {
                  for (std::int64_t i = 0; i < n; ++i)
                    y[i] = 2 * std::bit_cast<float>(std::bit_cast<std::uint32_t>(x[i]) & ~0x1FFFu);
                }),
                "before timing the output differed from the oracle's");
}

TEST(Cheats, TimesThatAreInvented) {
  device::FakeScript script;
  script.elapsed_ns = [](std::int64_t) { return 60e3; };
  device::FakeDevice device(script);
  const auto found = measured(doubling([](const float* x, float* y) { doubled(x, y, n, 2000); }),
                              device, measure::Cache::hot);
  EXPECT_EQ(found.outcome, record::Outcome::wrong_result);
  EXPECT_NE(found.reason.find("the times are not those of this machine"), std::string::npos)
      << found.reason;
  EXPECT_TRUE(found.samples_ns.empty());
}

TEST(Cheats, AnExceptionWhereItIsLookedAt) {
  int calls = 0;
  EXPECT_THROW(measured(doubling([&](const float* x, float* y) {
                          if (++calls > 3 && std::isnan(y[0])) throw std::runtime_error("not now");
                          if (calls > 20) throw std::runtime_error("I have enough");
                          doubled(x, y, n);
                        }),
                        cpu()),
               std::runtime_error);
}

}  // namespace cheats_test
}  // namespace ridgeline::outside
