#include <memory>
#include <string>
#include <utility>

#include "harness/device/buffer.hpp"
#include "harness/device/random.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/calibration/cuda/kernels.hpp"
#include "harness/worker/calibration/work.hpp"

// Executions are long next to the time that any launch costs, or a percent more work would not be a percent more time.
namespace ridgeline::worker::calibration {
namespace {

using on_cuda::Counted;

// Read from: many times the L2 of any GPU.
constexpr std::int64_t mib_streamed = 1024, mib_chased = 256;
constexpr std::int64_t words_streamed = mib_streamed << 18, words_chased = mib_chased << 18;
constexpr std::int64_t rows = words_streamed / on_cuda::words_of_row;
// Four and a half passes, without extra: an execution ends half the memory away from where the next begins. Were it to
// end just behind, the L2 would still hold what the next one reads first, and a few percent more work would be for
// free.
constexpr std::int64_t rows_read = 4 * rows + rows / 2;
constexpr std::int64_t copied_words = 16384;  // 64 KiB

/// Words as the pool holds them, on the device and as the oracle makes them by itself.
struct Words {
  const std::uint32_t* on_device;
  std::uint64_t seed, first;
  bool zeros;

  std::uint32_t operator[](std::int64_t i) const {
    return zeros ? 0 : static_cast<std::uint32_t>(device::random_i32(seed, first + static_cast<std::uint64_t>(i)));
  }
  std::uint32_t sum(std::int64_t begin, std::int64_t end) const {
    std::uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::int64_t i = begin; i < end; ++i) sum += (*this)[i];
    return sum;
  }
};

Words take_words(measure::Setup& setup, std::int64_t count) {
  const measure::InputPool::View view =
      setup.inputs.take(DType::i32, setup.distribution, static_cast<std::size_t>(count));
  return {static_cast<const std::uint32_t*>(view.data), setup.inputs.seed(), view.first_index,
          setup.distribution == device::Distribution::zeros};
}

/// What is the same for all cases: `work` is counted in verifications.
measure::Workload with_work(const std::shared_ptr<double>& work) {
  measure::Workload workload;
  workload.timed_metrics = [=](double) { return work_metric(*work); };
  return workload;
}

measure::Workload prepare_compute(std::int64_t rounds, measure::Setup& setup) {
  const int blocks = setup.device.facts().units;
  const auto count = static_cast<std::size_t>(blocks) * on_cuda::lanes_of_block;
  const auto starts = std::make_shared<std::vector<float>>(random_starts(setup.seed, count));
  const auto in = std::make_shared<device::Buffer<float>>(setup.device, *starts);
  const auto out = std::make_shared<device::Buffer<float>>(setup.device, count);
  const auto work = std::make_shared<double>(0);
  measure::Workload workload = with_work(work);
  workload.flops = 2.0 * static_cast<double>(rounds) * static_cast<double>(count);
  workload.launch = [=](std::size_t, device::Stream& stream) {
    on_cuda::start_advance(in->data(), out->data(), blocks, rounds, stream);
  };
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=](std::size_t) { return verify_rounds(*starts, out->download(), rounds, *work); };
  return workload;
}

measure::Workload prepare_memory(std::int64_t units, measure::Setup& setup) {
  const int blocks = 2 * setup.device.facts().units;
  const Words words = take_words(setup, words_streamed);
  const auto out =
      std::make_shared<device::Buffer<Counted>>(setup.device, static_cast<std::size_t>(blocks) * on_cuda::read_threads);
  const auto work = std::make_shared<double>(0);
  const std::int64_t rest = units % rows * on_cuda::words_of_row;
  const std::uint32_t of_rest = words.sum(0, rest), of_all = of_rest + words.sum(rest, words_streamed);
  const std::uint32_t expected = static_cast<std::uint32_t>(units / rows) * of_all + of_rest;
  measure::Workload workload = with_work(work);
  workload.bytes = static_cast<double>(units * on_cuda::words_of_row * 4);
  workload.launch = [=](std::size_t, device::Stream& stream) {
    on_cuda::start_read(words.on_device, rows, units, blocks, out->data(), stream);
  };
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=](std::size_t) {
    const std::vector<Counted> found = out->download();
    std::int64_t wrong = 0, counted = 0;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto block = static_cast<std::int64_t>(i) / on_cuda::read_threads;
      const std::int64_t of_block = (units - block + blocks - 1) / blocks;
      sum += found[i].sum;
      if (found[i].units == of_block)
        counted += of_block;
      else
        ++wrong;
    }
    if (sum != expected) ++wrong;
    *work = wrong == 0 ? static_cast<double>(counted) / on_cuda::read_threads : 0;
    return verification(wrong);
  };
  return workload;
}

/// What the chaser reads, and how many words.
Counted chase(const Words& words, std::uint64_t mask, std::uint64_t seed, int chaser, std::int64_t steps) {
  Counted read{0, 0};
  std::uint64_t at = on_cuda::first_place(seed, chaser, mask);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::uint32_t word = words[static_cast<std::int64_t>(at)];
    read = {read.sum + word, read.units + 1};
    at = on_cuda::next_place(word, step, mask);
  }
  return read;
}

measure::Workload prepare_chase(std::int64_t steps, measure::Setup& setup) {
  const int blocks = setup.device.facts().units, chasers = blocks * on_cuda::chasers_of_block;
  const Words words = take_words(setup, words_chased);
  const std::uint64_t mask = words_chased - 1;
  const auto out = std::make_shared<device::Buffer<Counted>>(setup.device, static_cast<std::size_t>(chasers));
  const auto work = std::make_shared<double>(0);
  measure::Workload workload = with_work(work);
  workload.bytes = 4.0 * static_cast<double>(chasers * steps);
  workload.launch = [=, seed = setup.seed](std::size_t, device::Stream& stream) {
    on_cuda::start_chase(words.on_device, mask, seed, steps, blocks, out->data(), stream);
  };
  workload.poison = [=](std::size_t) { out->poison(); };
  workload.verify = [=, seed = setup.seed](std::size_t) {
    const std::vector<Counted> found = out->download();
    std::int64_t wrong = 0, counted = 0;
#pragma omp parallel for reduction(+ : wrong, counted)
    for (int chaser = 0; chaser < chasers; ++chaser) {
      const Counted& given = found[static_cast<std::size_t>(chaser)];
      const Counted right = chase(words, mask, seed, chaser, steps);
      counted += given.units;
      if (given.units != right.units || given.sum != right.sum) ++wrong;
    }
    *work = wrong == 0 ? static_cast<double>(counted) : 0;
    return verification(wrong);
  };
  return workload;
}

measure::Workload prepare_copy(std::int64_t launches, measure::Setup& setup) {
  const Words words = take_words(setup, copied_words);
  const auto out = std::make_shared<device::Buffer<std::uint32_t>>(setup.device, copied_words);
  const auto counter = std::make_shared<device::Buffer<std::uint32_t>>(setup.device, 1);
  const auto work = std::make_shared<double>(0);
  measure::Workload workload = with_work(work);
  workload.bytes = 8.0 * copied_words * static_cast<double>(launches);
  workload.launch = [=](std::size_t, device::Stream& stream) {
    for (std::int64_t i = 0; i < launches; ++i)
      on_cuda::start_copy(words.on_device, out->data(), copied_words, i == 0, counter->data(), stream);
  };
  workload.poison = [=](std::size_t) {
    out->poison();
    counter->poison();
  };
  workload.verify = [=](std::size_t) {
    const std::vector<std::uint32_t> copied = out->download();
    const std::uint32_t counted = counter->download().at(0);
    std::int64_t wrong = counted == launches ? 0 : 1;
    for (std::int64_t i = 0; i < copied_words; ++i)
      if (copied[static_cast<std::size_t>(i)] != words[i]) ++wrong;
    *work = wrong == 0 ? counted : 0;
    return verification(wrong);
  };
  return workload;
}

Case make_case(const char* variant, const char* dtype, std::vector<record::Field> problem, const char* idea,
               std::int64_t units, measure::Workload (*prepare)(std::int64_t, measure::Setup&), double memory) {
  Case added;
  added.info.id = {"calibration", variant, dtype, std::move(problem), {}};
  added.info.device_kind = DeviceKind::cuda;
  added.info.idea = idea;
  added.supports = [](const device::Facts&) { return device::Support::yes(); };
  added.memory = [=](const device::Facts&) { return memory; };
  added.prepare = [=](measure::Setup& setup) { return prepare(units, setup); };
  return added;
}

}  // namespace

std::vector<Case> cuda_cases(double extra_percent) {
  const auto more = [=](std::int64_t units) { return with_extra(units, extra_percent); };
  constexpr double mib = 1 << 20, small = 32 * mib;
  return {
      make_case("compute", "f32", {{"rounds", "10000"}}, "multiply-adds in registers", more(10'000), prepare_compute,
                small),
      make_case("memory", "i32", {{"mib", std::to_string(mib_streamed)}}, "reads one row after the other",
                more(rows_read), prepare_memory, 1.1 * mib * mib_streamed),
      make_case("chase", "i32", {{"mib", std::to_string(mib_chased)}}, "reads words that say where the next is",
                more(2000), prepare_chase, 1.1 * mib * mib_chased),
      make_case("copy", "i32", {{"kib", "64"}, {"launches", "1000"}}, "copies little in many launches", more(1000),
                prepare_copy, small),
  };
}

}  // namespace ridgeline::worker::calibration
