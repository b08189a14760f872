// Kernels whose work goes on when the launch has returned, or begins then.

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/outside/cheats_fixture.hpp"

namespace ridgeline::outside {
namespace late_work_test {

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

TEST(LateWork, IsStartedAndNotWaitedFor) {
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

TEST(LateWork, IsDoneTooLate) {
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

/// Memory of an output that a handler of faults fills where somebody looks at it.
struct Lazy {
  const float* x = nullptr;
  float* y = nullptr;
  std::int64_t n = 0;
  static inline Lazy* newest = nullptr;
  static inline struct sigaction before;

  /// The pages that lie wholly in the output.
  void protect(int how) const {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(y);
    const std::uintptr_t begin = (address + page - 1) / page * page,
                         end = (address + 4 * static_cast<std::uintptr_t>(n)) / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): of the output's own pages
    mprotect(reinterpret_cast<void*>(begin), end - begin, how);
  }
  static void compute(int, siginfo_t*, void*) {
    if (newest == nullptr) {
      sigaction(SIGSEGV, &before, nullptr);
      return;
    }
    newest->protect(PROT_READ | PROT_WRITE);
    doubled(newest->x, newest->y, newest->n);
  }
};

TEST(LateWork, IsDoneWhereMemoryIsLookedAt) {
  constexpr std::int64_t large = 9 << 20;  // so that its memory is unmapped when it is freed
  Lazy lazy;
  struct sigaction action = {};
  action.sa_sigaction = Lazy::compute;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &Lazy::before);
  Lazy::newest = &lazy;
  expect_caught(doubling(
                    [&lazy](const float* x, float* y) {
                      if (lazy.y != nullptr) lazy.protect(PROT_READ | PROT_WRITE);
                      lazy = {x, y, large};
                      for (const std::int64_t end : {std::int64_t{0}, large - 4096})
                        doubled(x + end, y + end, 4096, 100);  // what is on no whole page
                      lazy.protect(PROT_NONE);
                    },
                    large),
                "it is computed when it is looked at");
  Lazy::newest = nullptr;
  sigaction(SIGSEGV, &Lazy::before, nullptr);
}

}  // namespace late_work_test
}  // namespace ridgeline::outside
