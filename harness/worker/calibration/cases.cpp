#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <omp.h>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/random.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/calibration/kernels.hpp"
#include "harness/worker/calibration/work.hpp"

namespace ridgeline::worker::calibration {
namespace {

constexpr std::int64_t blocks_read = 16384, units_gathered = 10240;  // by a thread in an execution, without extra

/// One case as it is named; `units` is what each thread does in an execution, extra work included.
struct Problem {
  bool all_threads = false;
  std::int64_t units = 0;
  std::int64_t mib = 0;  // read from

  int threads(const device::Facts& facts) const { return all_threads ? facts.units : 1; }
};

/// What becomes known while a case is measured.
struct State {
  std::int64_t begin = 0;  // units that each thread had done before the newest execution
  std::int64_t done = 0;   // and after it
  double work = 0;         // counted in the execution that was verified last
};

measure::Workload prepare_compute(const Problem& problem, measure::Setup& setup) {
  const int threads = problem.threads(setup.device.facts());
  const auto count = static_cast<std::size_t>(threads) * lanes;
  const std::vector<float> start = random_starts(setup.seed, count);
  const auto in = std::make_shared<device::Buffer<float>>(setup.device, start);
  const auto out = std::make_shared<device::Buffer<float>>(setup.device, count);
  const auto state = std::make_shared<State>();
  measure::Workload workload;
  workload.flops = 2.0 * static_cast<double>(problem.units) * static_cast<double>(count);
  workload.launch = [=](std::size_t, device::Stream&) {
    const volatile float one = 1;
#pragma omp parallel num_threads(threads)
    {
      const int first = omp_get_thread_num() * lanes;
      float values[lanes];
      std::copy_n(in->data() + first, lanes, values);
      advance(values, problem.units, one);
      std::copy_n(values, lanes, out->data() + first);
    }
  };
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=](std::size_t) { return verify_rounds(start, out->download(), problem.units, state->work); };
  workload.timed_metrics = [=](double) { return work_metric(state->work); };
  return workload;
}

/// A workload whose threads read words: `share(thread, begin)` is what a thread has done after `begin` units and
/// returns what it read, `expected(thread, begin)` the sum that is right.
measure::Workload reading(const Problem& problem, measure::Setup& setup, std::int64_t bytes_of_unit,
                          const std::function<Counted(int, std::int64_t)>& share,
                          const std::function<std::uint32_t(int, std::int64_t)>& expected) {
  struct alignas(128) Slot {  // no thread writes to another's line
    Counted counted;
  };
  const int threads = problem.threads(setup.device.facts());
  const auto out = std::make_shared<device::Buffer<Slot>>(setup.device, static_cast<std::size_t>(threads));
  const auto state = std::make_shared<State>();
  measure::Workload workload;
  workload.bytes = static_cast<double>(threads) * static_cast<double>(problem.units * bytes_of_unit);
  workload.launch = [=](std::size_t, device::Stream&) {
    state->begin = state->done;
    state->done += problem.units;
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      out->data()[thread].counted = share(thread, state->begin);
    }
  };
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=](std::size_t) {
    const std::vector<Slot> slots = out->download();
    std::int64_t wrong = 0;
    state->work = 0;
    for (int thread = 0; thread < threads; ++thread) {
      const Counted& counted = slots[static_cast<std::size_t>(thread)].counted;
      if (counted.units == problem.units && counted.sum == expected(thread, state->begin))
        state->work += static_cast<double>(counted.units);
      else
        ++wrong;
    }
    return verification(wrong);
  };
  workload.timed_metrics = [=](double) { return work_metric(state->work); };
  return workload;
}

std::span<const std::uint32_t> random_words(const Problem& problem, measure::Setup& setup) {
  const auto count = static_cast<std::size_t>(problem.mib) << 18;
  const void* data = setup.inputs.take(DType::i32, setup.distribution, count).data;
  return {static_cast<const std::uint32_t*>(data), count};
}

/// Each thread goes round and round through a part of its own, so that a line is read again after all others of the
/// part.
measure::Workload prepare_memory(const Problem& problem, measure::Setup& setup) {
  const std::span<const std::uint32_t> words = random_words(problem, setup);
  const std::int64_t blocks =
      static_cast<std::int64_t>(words.size()) / words_of_block / problem.threads(setup.device.facts());
  const auto part = [=](int thread) {
    return words.subspan(static_cast<std::size_t>(thread * blocks * words_of_block),
                         static_cast<std::size_t>(blocks * words_of_block));
  };
  // Of all whole blocks before each block of the buffer, so that the oracle adds in another order than the kernel.
  const auto before = std::make_shared<std::vector<std::uint32_t>>(1, 0);
  for (std::size_t i = 0; i < words.size(); i += words_of_block)
    before->push_back(std::accumulate(words.begin() + static_cast<std::ptrdiff_t>(i),
                                      words.begin() + static_cast<std::ptrdiff_t>(i + words_of_block), before->back()));
  const auto sum = [=](int thread, std::int64_t from, std::int64_t to) {
    const std::int64_t first = thread * blocks;
    return (*before)[static_cast<std::size_t>(first + to)] - (*before)[static_cast<std::size_t>(first + from)];
  };
  return reading(
      problem, setup, words_of_block * 4,
      [=](int thread, std::int64_t begin) { return read_blocks(part(thread), begin % blocks, problem.units); },
      [=](int thread, std::int64_t begin) {
        const std::int64_t from = begin % blocks, whole = (from + problem.units) / blocks;
        const std::int64_t to = (from + problem.units) % blocks;
        return static_cast<std::uint32_t>(whole) * sum(thread, 0, blocks) + sum(thread, 0, to) - sum(thread, 0, from);
      });
}

measure::Workload prepare_gather(const Problem& problem, measure::Setup& setup) {
  const std::span<const std::uint32_t> words = random_words(problem, setup);
  const auto sequence = [seed = setup.seed](int thread) { return seed + static_cast<std::uint64_t>(thread); };
  return reading(
      problem, setup, loads_of_unit * 4,
      [=](int thread, std::int64_t begin) { return gather_words(words, sequence(thread), begin, problem.units); },
      [=](int thread, std::int64_t begin) {
        std::uint32_t sum = 0;
        for (std::int64_t i = begin * loads_of_unit; i < (begin + problem.units) * loads_of_unit; ++i)
          sum += words[device::random_bits(sequence(thread), static_cast<std::uint64_t>(i)) % words.size()];
        return sum;
      });
}

Case make_case(const char* variant, const char* dtype, const Problem& problem, const record::Field& size,
               const char* idea, measure::Workload (*prepare)(const Problem&, measure::Setup&)) {
  Case added;
  added.info.id = {"calibration", variant, dtype, {{"threads", problem.all_threads ? "all" : "1"}, size}, {}};
  added.info.device_kind = DeviceKind::cpu;
  added.info.idea = idea;
  added.supports = [=](const device::Facts& facts) {
    if (problem.all_threads && facts.units < 2) return device::Support::unsupported("there is one core only");
    return device::Support::yes();
  };
  added.memory = [=](const device::Facts&) { return static_cast<double>(problem.mib) * 1024 * 1024 * 1.1; };
  added.prepare = [=](measure::Setup& setup) { return prepare(problem, setup); };
  return added;
}

}  // namespace

std::int64_t with_extra(std::int64_t units, double percent) {
  return std::llround(static_cast<double>(units) * (1 + percent / 100));
}

std::vector<Case> cases(double extra_percent) {
  std::vector<Case> cases;
  for (const bool all : {false, true}) {
    for (const std::int64_t rounds : {20'000, 200'000})
      cases.push_back(make_case("compute", "f32", {all, with_extra(rounds, extra_percent), 0},
                                {"rounds", std::to_string(rounds)}, "multiply-adds in registers", prepare_compute));
    for (const std::int64_t mib : {4, 64})
      cases.push_back(make_case("memory", "i32", {all, with_extra(blocks_read, extra_percent), mib},
                                {"mib", std::to_string(mib)}, "reads one line after the other", prepare_memory));
    for (const std::int64_t mib : {4, 64})
      cases.push_back(make_case("gather", "i32", {all, with_extra(units_gathered, extra_percent), mib},
                                {"mib", std::to_string(mib)}, "reads words here and there", prepare_gather));
  }
#ifdef RIDGELINE_HAVE_CUDA
  for (Case& added : cuda_cases(extra_percent)) cases.push_back(std::move(added));
#endif
  return cases;
}

}  // namespace ridgeline::worker::calibration
